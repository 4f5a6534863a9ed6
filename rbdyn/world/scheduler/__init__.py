"""What a World calls while it runs: controllers, sensors, recorders, each at its own rate."""
