"""One engine a file: each builds a list of things and steps it, with its own defaults."""
