"""Constraints on joint coordinates."""
