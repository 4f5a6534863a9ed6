"""Handles: bodies, joints, frames and geometry of a robot in a World, by name, with what they are and how they move."""
