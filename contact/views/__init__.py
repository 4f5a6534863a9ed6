"""A contact problem as Python sees it: during a step, and by itself."""
