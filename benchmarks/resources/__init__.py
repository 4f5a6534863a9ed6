"""What rbdyn takes of a machine: memory, allocations, time to import."""
