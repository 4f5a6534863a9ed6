"""MuJoCo's robot files."""

from rbdyn.io.mjcf.save import mjcf_text, save_mjcf

__all__ = ["mjcf_text", "save_mjcf"]
