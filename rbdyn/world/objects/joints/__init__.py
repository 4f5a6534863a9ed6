"""Joints of an articulated system: what is set of them, and what is read."""
