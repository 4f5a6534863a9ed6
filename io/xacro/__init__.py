"""xacro files, through the xacro package (an optional one), which runs in a process of its own."""

from rbdyn.io.xacro.load import load_xacro

__all__ = ["load_xacro"]
