"""Constraint sources: one file each writes the blocks of one kind of constraint, and takes their impulses home."""
