"""The problem of one contact with the others held fixed."""
