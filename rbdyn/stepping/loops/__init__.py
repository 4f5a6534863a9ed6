"""Loops inside one articulated system, in a step."""
