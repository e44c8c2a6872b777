"""The simulated table: players who play, records that are played again, and how tiles lie."""
