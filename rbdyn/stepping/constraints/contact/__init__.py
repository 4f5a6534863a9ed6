"""Constraints where bodies touch."""
