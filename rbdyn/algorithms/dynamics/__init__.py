"""Forces and accelerations: inverse and forward dynamics, the mass matrix."""
