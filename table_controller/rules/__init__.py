"""Rules of mahjong: pure functions and values, no clock, no randomness, no files."""
