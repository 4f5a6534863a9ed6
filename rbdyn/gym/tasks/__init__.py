"""The tasks of the ready environments."""
