"""Steps beyond what sweeps do: Anderson acceleration, and the drift step."""
