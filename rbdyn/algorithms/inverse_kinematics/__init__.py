"""Configurations that bring bodies to targets."""
