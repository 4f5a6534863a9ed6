"""MuJoCo's robot files."""

from rbdyn.io.mjcf.load import load_mjcf
from rbdyn.io.mjcf.save import mjcf_text, save_mjcf

__all__ = ["load_mjcf", "mjcf_text", "save_mjcf"]
