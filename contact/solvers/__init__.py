"""Solvers of a contact problem, and what they are made of."""
