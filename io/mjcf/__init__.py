"""MuJoCo's robot files."""

from rbdyn.io.mjcf.friction import mjcf_materials
from rbdyn.io.mjcf.load import load_mjcf
from rbdyn.io.mjcf.read_actuators import servo_gains
from rbdyn.io.mjcf.save import mjcf_text, save_mjcf

__all__ = ["load_mjcf", "mjcf_materials", "mjcf_text", "save_mjcf", "servo_gains"]
