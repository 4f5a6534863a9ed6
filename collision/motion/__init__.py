"""How shapes move in a step, and when two of them meet."""
