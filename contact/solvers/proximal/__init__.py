"""Proximal steps: loads that change a little softly, where sweeps do not end and little moves."""
