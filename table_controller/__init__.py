"""Composes bridge, vision and calibration; holds the rules, the game, the referee, the screens."""
