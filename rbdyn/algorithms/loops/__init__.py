"""Joints that close loops: their constraints, dynamics under them, closing them."""
