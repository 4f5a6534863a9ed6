"""Constraints between objects of a World."""
