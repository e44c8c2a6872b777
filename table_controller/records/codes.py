"""How other programs write tiles, turned into ours and back."""

from __future__ import annotations

from table_controller.records.game import RecordError
from table_controller.rules.core.tiles import KIND_INDEX, KINDS, Suit, Tile

_RED_IDS = {16: "m", 52: "p", 88: "s"}
_SUITS = "mps"
_MJAI_HONOURS = "ESWNPFC"


def red_five(suit: str) -> Tile:
    """The red five of a suit."""
    return Tile(Suit(suit), 5, True)


def of_tenhou_id(number: int, *, has_reds: bool) -> Tile:
    """Tenhou's number of a single tile, 0 to 135; the first five of a suit may be red."""
    if not 0 <= number < 136:
        raise RecordError(f"tile number {number} is not between 0 and 135")
    if has_reds and number in _RED_IDS:
        return red_five(_RED_IDS[number])
    return KINDS[number // 4]


def of_tenhou_code(code: int) -> Tile:
    """The two-digit code of Tenhou's JSON: 11-19, 21-29, 31-39, 41-47, red fives 51-53."""
    suit, rank = divmod(code, 10)
    if suit == 5 and 1 <= rank <= 3:
        return red_five(_SUITS[rank - 1])
    if 1 <= suit <= 3 and 1 <= rank <= 9:
        return Tile(Suit(_SUITS[suit - 1]), rank)
    if suit == 4 and 1 <= rank <= 7:
        return Tile(Suit.HONOURS, rank)
    raise RecordError(f"{code} is no tile of Tenhou's JSON")


def to_tenhou_code(tile: Tile) -> int:
    """Undoes `of_tenhou_code`."""
    if tile.red:
        return 51 + _SUITS.index(tile.suit.value)
    return 10 * ("mpsz".index(tile.suit.value) + 1) + tile.rank


def of_mjai(text: str) -> Tile | None:
    """mjai's name of a tile, as ``5mr``, ``E`` or ``P``; ``?`` is unknown."""
    if text == "?":
        return None
    if len(text) == 1 and text in _MJAI_HONOURS:
        return Tile(Suit.HONOURS, _MJAI_HONOURS.index(text) + 1)
    is_red = text.endswith("r")
    if len(text) in (2, 3) and text[0].isdigit() and text[1] in _SUITS:
        return Tile(Suit(text[1]), int(text[0]), is_red)
    raise RecordError(f"{text!r} is no tile of mjai")


def to_mjai(tile: Tile | None) -> str:
    """Undoes `of_mjai`."""
    if tile is None:
        return "?"
    if tile.is_honour:
        return _MJAI_HONOURS[tile.rank - 1]
    return f"{tile.rank}{tile.suit.value}{'r' if tile.red else ''}"


def of_kobalab(text: str) -> Tile:
    """kobalab's name of a tile, as ``m1``, ``p0`` or ``z7``; marks behind it are left out."""
    if len(text) < 2 or text[0] not in "mpsz" or not text[1].isdigit():
        raise RecordError(f"{text!r} is no tile of the kobalab format")
    if text[1] == "0":
        return red_five(text[0])
    return Tile(Suit(text[0]), int(text[1]))


def of_kobalab_run(text: str) -> list[Tile | None]:
    """A run of tiles as ``m123p0z1``; ``_`` is unknown."""
    found: list[Tile | None] = []
    suit = ""
    for letter in text:
        if letter in "mpsz":
            suit = letter
        elif letter == "_":
            found.append(None)
        elif letter.isdigit():
            found.append(of_kobalab(suit + letter))
        else:
            raise RecordError(f"{letter!r} in {text!r} is no tile of the kobalab format")
    return found


_UNICODE_FIRST = {Suit.CHARACTERS: 0x1F007, Suit.BAMBOOS: 0x1F010, Suit.CIRCLES: 0x1F019}


def to_unicode(tile: Tile) -> str:
    """The tile's Unicode character; red fives have none of their own."""
    if tile.is_honour:
        place = tile.rank - 1 if tile.rank <= 4 else {5: 6, 6: 5, 7: 4}[tile.rank]
        return chr(0x1F000 + place)
    return chr(_UNICODE_FIRST[tile.suit] + tile.rank - 1)


def of_unicode(character: str) -> Tile:
    """Undoes `to_unicode`."""
    for kind in KIND_INDEX:
        if not kind.red and to_unicode(kind) == character:
            return kind
    raise RecordError(f"{character!r} is no mahjong tile")
