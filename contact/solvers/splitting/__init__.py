"""All rows of an island at once, and then their laws: what sweeps leave unsolved."""
