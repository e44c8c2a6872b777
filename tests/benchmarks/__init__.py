"""What is measured; no test here holds a time against a limit."""
