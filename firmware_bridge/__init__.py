"""The table's electronics, as messages."""
