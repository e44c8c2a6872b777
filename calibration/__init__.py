"""Measures one table and gives back a versioned profile; writes nothing by itself."""
