"""Rays: what they meet first."""
