"""JSON that people hand in: what is wrong with it is said in one line, whatever it is."""

from __future__ import annotations

import json
from collections.abc import Sequence


class JsonTextError(ValueError):
    """A text that is not JSON, or JSON that no reader here can use."""


def parse_json(text: str, *, first_line: int = 1) -> object:
    """The value; a key that stands twice in one object is an error, since one would be lost.

    ``first_line`` is the number of the text's first line in its file.
    """
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise JsonTextError(f"not JSON at line {line}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise JsonTextError("not usable: lists and objects are nested too deep") from None
    except JsonTextError:
        raise
    except ValueError:  # Python reads no number of more than 4300 digits
        raise JsonTextError("not usable: a number has too many digits") from None


def _distinct(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise JsonTextError(f"not usable: the key {twice!r} stands twice in one object")
    return found
