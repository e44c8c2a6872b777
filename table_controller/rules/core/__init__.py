"""What every ruleset shares: tiles, melds, walls, decomposition, state, payments."""
