"""Moving on the configuration manifold, and simulation without contact."""
