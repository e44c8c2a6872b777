"""What the rules raise: every error says what, where, and what to do next."""

from __future__ import annotations


class RulesError(Exception):
    """Base of everything the rules raise."""


class NotationError(RulesError, ValueError):
    """A text that should name tiles does not."""


class CaseError(RulesError, ValueError):
    """A hand or situation that cannot exist: wrong number of tiles, a fifth copy, a bad meld."""


class OptionError(RulesError, ValueError):
    """An option or preset that the ruleset does not have, or a value outside its bounds."""


class ImpossibleEventError(RulesError, ValueError):
    """An event that cannot be true in the state it was applied to."""
