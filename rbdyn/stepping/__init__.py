"""What one step does, in C: `scene.pxd` says on what, `pipeline.pyx` in which order."""
