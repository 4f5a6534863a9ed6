"""What one step does, in C: it knows no Python objects.  `scene.pxd` says on what, `step.pxd` in which order."""
