"""Where bodies are and how they move: poses, velocities, accelerations, Jacobians."""
