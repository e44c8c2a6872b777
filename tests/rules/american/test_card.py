"""Card files: what is read, and what is refused with its line and column."""

from __future__ import annotations

import pytest

from table_controller.rules.american.card import CardError, parse_card
from table_controller.rules.american.notation import PatternError, parse_conditions, parse_pattern
from table_controller.rules.american.scoring import practice_card_text

PRACTICE = practice_card_text()
INSTANCES = (
    "Y1 6, Y2 6, Y3 3, Y4 3, E1 6, E2 9, E3 6, E4 3, E5 6, L1 54, L2 27, L3 4, L4 30, Q1 54, "
    "Q2 108, Q3 24, Q4 54, Q5 30, R1 36, R2 42, R3 36, R4 9, R5 24, R6 126, O1 6, O2 6, O3 6, "
    "O4 6, O5 9, W1 6, W2 1, W3 3, W4 216, W5 6, T1 6, T2 12, T3 6, T4 3, S1 30, S2 27, S3 6, "
    "S4 3, S5 3"
)

HEAD = """\
format = "american-card/1"
id = "mine"
title = "My card"
year = 2030
[[category]]
id = "2468"
name = "2468"
[[category]]
id = "pairs"
name = "Pairs"
no_jokers = true
jokerless_bonus = false
"""


def line(patterns, where="", *, id="L", category="2468", exposure="X", value=25):
    """A line's text; its patterns stand in the fourth row of it."""
    condition = f'where = "{where}"\n' if where else ""
    return (
        f'[[line]]\nid = "{id}"\ncategory = "{category}"\npatterns = {patterns}\n{condition}'
        f'exposure = "{exposure}"\nvalue = {value}\n'
    )


def problems(text):
    """What the reader says about a card file."""
    with pytest.raises(CardError) as caught:
        parse_card(text)
    return [str(problem) for problem in caught.value.problems]


def test_the_practice_card_has_its_instances():
    card = parse_card(PRACTICE)
    expected = dict(part.split() for part in INSTANCES.split(", "))
    assert {line.id: str(len(line.instances)) for line in card.lines} == expected
    assert len(card.lines) == 43
    assert card.warnings == ()
    assert sum(line.category.no_jokers for line in card.lines) == 5
    for known in card.lines:
        for instance in known.instances:
            assert sum(group.count for group in instance.groups) == 14


def test_a_line_prints_as_a_card_does():
    card = parse_card(PRACTICE)
    assert card.line("E2").text == ("F*3 2*4/A 6*4/A D*3/A -or- F*3 2*4/A 6*4/B D*3/C X 25")
    assert card.line("L3").text.endswith("(n even) C 40")


GOOD = '["F*4 2*4/A 4*2/A 6*4/B"]'


def test_a_small_card_is_read():
    card = parse_card(HEAD + line(GOOD))
    assert card.line("L").instances
    assert card.currency_per_point == 1.0
    assert card.year == 2030


@pytest.mark.parametrize(
    ("pattern", "place", "says"),
    [
        ("F*4/A 2*4/A 4*2/A 6*4/B", 4, "has no suit"),
        ("F*4 2*3 4*3/A 6*4/B", 5, "2*3 needs a tag"),
        ("F*4 D*3 4*3/A 6*4/B", 5, "D*3 needs a tag"),
        ("F*4 [2468]*2/A 6*2/B", 11, "a word has no count"),
        ("(n+9)*4/A F*4 6*4/B 2*2/A", 4, "the offset goes from 1 to 8"),
        ("(n+0)*4/A F*4 6*4/B 2*2/A", 4, "the offset goes from 1 to 8"),
        ("(n)*4/A F*4", 1, "8 tiles, a hand has 14"),
        ("F*4  2*4/A 4*2/A 6*4/B", 5, "expected a digit"),
        ("F*4,2*4/A 4*2/A 6*4/B", 4, "write a blank"),
        ("F*9 2*4/A 4*2/A 6*4/B", 3, "a count goes from 1 to 8"),
        ("F*12 2*2/A", 3, "a count goes from 1 to 8"),
        ("F* 2*4/A", 3, "a count goes from 1 to 8"),
        ("F*4 2*4/E 4*2/A 6*4/B", 9, "a tag is A, B or C"),
        ("F*4 2*4/ 4*2/A 6*4/B", 9, "a tag is A, B or C"),
        ("F*4 (x)*4/A 4*2/A 6*4/B", 5, "expected a digit"),
        ("F*4 [NEWS]/A 4*2/A 6*4/B", 11, "has no suit"),
        ("F*4 [2468] 4*2/A 6*4/B", 5, "needs a tag"),
        ("F*4 (w)*4/A 4*2/A 6*4/B", 10, "has no suit"),
        ("F*4 0*4/A 4*2/A 6*4/B", 8, "has no suit"),
        ("F*4 2*4/A 4*2/A 6*4/B ", 23, "not the end"),
        ("", 1, "not the end"),
    ],
)
def test_a_pattern_that_does_not_parse_is_pointed_at(pattern, place, says):
    # the fourth row of the line stands in row 16; its text begins in column 14
    (problem,) = problems(HEAD + line(f'["{pattern}"]'))
    where, _, text = problem.partition(": ")
    assert where == f"line 16, column {13 + place}"
    assert says in text


def test_the_second_alternative_is_pointed_at_also_over_several_rows():
    patterns = f'[\n  {GOOD[1:-1]},  # "not this"\n  "F*4 2*3"\n]'
    (problem,) = problems(HEAD + line(patterns))
    assert problem.startswith("line 18, column 8: 2*3 needs a tag")


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("n big", "cannot read the condition 'n big'"),
        ("n odd, m even", "cannot read the condition 'm even'"),
        ("n in {}", "cannot read"),
        ("n <= k", "cannot read"),
    ],
)
def test_a_condition_that_does_not_parse_is_pointed_at(where, says):
    patterns = '["F*4 (n)*4/A 4*2/A 6*4/B"]'
    (problem,) = problems(HEAD + line(patterns, where))
    column = 10 + (where.index("m") if "m even" in where else 0)
    assert problem.startswith(f"line 17, column {column}:")
    assert says in problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD.replace("american-card/1", "card/2") + line(GOOD), "line 1, column 10: the format"),
        (HEAD.replace('id = "mine"\n', "") + line(GOOD), "line 1, column 1: id is missing"),
        (HEAD.replace("year = 2030", "year = 30") + line(GOOD), "line 4, column 8: the year is 30"),
        (HEAD.replace("year = 2030", 'year = "x"') + line(GOOD), "line 4, column 8: year is a who"),
        (
            HEAD.replace("year = 2030", "year = 2030\ncurrency_per_point = -1") + line(GOOD),
            "line 5, column 22: currency_per_point is -1: more than 0",
        ),
        (HEAD + "colour = 1\n" + line(GOOD), "line 13, column 10: colour is not a key here"),
        (HEAD + line(GOOD, category="1357"), "line 15, column 12: there is no category '1357'"),
        (HEAD + line(GOOD, exposure="Z"), 'line 17, column 12: exposure is "X" or "C"'),
        (HEAD + line(GOOD, value=0), "line 18, column 9: the value is 0"),
        (HEAD + line(GOOD) + line(GOOD), "line 20, column 6: line 'L' occurs twice"),
        (HEAD + line(GOOD).replace("value = 25\n", ""), "line 13, column 1: value is missing"),
        (HEAD + line("[]"), "line 16, column 12: patterns is a list of one or more texts"),
        (HEAD + line("[1]"), "line 16, column 12: patterns is a list of one or more texts"),
        (
            HEAD + line(GOOD, category="pairs", exposure="C"),
            "line 16, column 14: F*4 is more than a pair",
        ),
        (
            HEAD + line('["F*4 (n)*4/A 4*2/A 6*4/B"]', "n > n"),
            "line 16, column 12: line 'L' stands for no hand at all",
        ),
        (HEAD, "line 1, column 1: the card has no [[line]]"),
        (HEAD + "[[line]\n", "line 13, column 7: not TOML"),
        (HEAD + 'title = "', "line 13, column 10: not TOML"),
    ],
)
def test_a_card_that_is_wrong_is_pointed_at(text, expected):
    found = problems(text)
    assert any(problem.startswith(expected) for problem in found), found


def test_every_problem_is_told_at_once_in_the_order_of_the_file():
    text = HEAD + line('["2*3"]', value=-1) + line('["F*99"]', id="M", exposure="Q")
    found = problems(text)
    assert [problem.split(":")[0] for problem in found] == [
        "line 16, column 14",
        "line 18, column 9",
        "line 22, column 16",
        "line 23, column 12",
    ]


def test_a_condition_on_a_number_that_no_pattern_has_is_warned_about():
    warned = parse_card(HEAD + line(GOOD, "k odd")).warnings
    assert [str(warning) for warning in warned] == [
        "line 17, column 9: no pattern of the line has (k): is it misspelled?"
    ]


def test_strange_digits_are_warned_about():
    odd = '["F*4 2*4/A 5*2/A [246]/B 0"]'
    card = parse_card(HEAD + line(odd))
    assert [str(warning) for warning in card.warnings] == [
        "line 16, column 24: 5*2/A uses 5 in category '2468'"
    ]


def test_the_year_may_be_changed():
    text = HEAD + line('["F*4 [YEAR]/A 4*2/A 6*4/B"]')
    faces = {str(group.face) for group in parse_card(text, 2114).lines[0].instances[0].groups}
    assert {"1m", "2m", "4m"} <= faces
    assert "5z" not in faces
    assert "5z" in {str(g.face) for g in parse_card(text).lines[0].instances[0].groups}


@pytest.mark.parametrize(
    ("where", "n", "k", "holds"),
    [
        ("n odd", 3, 1, True),
        ("n even", 3, 1, False),
        ("k in {1|5}", 3, 5, True),
        ("k in {1|5}", 3, 4, False),
        ("n+1 < k", 3, 5, True),
        ("n+1 < k", 3, 4, False),
        ("n != k-2", 3, 5, False),
        ("n = k-2", 3, 5, True),
        ("n > k", 3, 5, False),
    ],
)
def test_conditions(where, n, k, holds):
    (condition,) = parse_conditions(where)
    assert condition.holds({"n": n, "k": k}) is holds


def test_offsets_do_not_wrap():
    with pytest.raises(PatternError):
        parse_pattern("(n+1)x", 2030)
    text = HEAD + line('["F*2 (n-1)*4/A (n)*4/B (n+1)*4/C"]')
    ranks = {
        group.face.rank
        for instance in parse_card(text).lines[0].instances
        for group in instance.groups
        if group.face.is_numbered
    }
    assert ranks == set(range(1, 10))
    # n goes from 2 to 8, in six orders of the suits
    assert len(parse_card(text).lines[0].instances) == 42


def test_instances_that_need_too_many_naturals_are_dropped():
    text = HEAD + line('["0*2 0*2 0 F*4 2*3/A 4*2/A"]')
    assert any("no hand at all" in problem for problem in problems(text))
