"""Mechanisms -> files: what the writers of all formats share."""
