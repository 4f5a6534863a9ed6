"""Small robots that come with rbdyn, drawn from primitives in plain URDF: no mesh, no download.

>>> from rbdyn import models
>>> models.quadruped().num_velocities
18
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import unknown_name
from rbdyn.io import load_urdf
from rbdyn.mechanism.mechanism import Mechanism

NAMES = ("double_pendulum", "quadruped", "six_axis_arm")


def path(name: str) -> Path:
    """The URDF file of a bundled robot.

    Parameters
    ----------
    name : {"double_pendulum", "quadruped", "six_axis_arm"}
        Which.

    Raises
    ------
    UnknownNameError
        If there is no such robot.
    """
    if name not in NAMES:
        raise unknown_name("bundled robot", name, NAMES)
    return Path(__file__).parent / f"{name}.urdf"


def double_pendulum() -> Mechanism:
    """Two rods of 1 kg and 0.5 m that hang from the world: joints "shoulder" and "elbow", about y."""
    return load_urdf(path("double_pendulum"))


def six_axis_arm() -> Mechanism:
    """An arm of six axes and 27.4 kg, fixed to the world: "joint_1" to "joint_6", body "tool" at its end."""
    return load_urdf(path("six_axis_arm"))


def quadruped() -> Mechanism:
    """A four-legged robot of 35.8 kg with twelve joints on a floating base.

    The joints are LF_HAA, LF_HFE, LF_KFE, then RF, LH and RH likewise; the feet are the spheres on LF_FOOT, RF_FOOT,
    LH_FOOT and RH_FOOT.  `QUADRUPED_STANCE` stands it on the ground.
    """
    return load_urdf(path("quadruped"))


@dataclass(frozen=True)
class Stance:
    """A configuration of a floating robot that stands on the plane z = 0.

    Parameters
    ----------
    joint_angles : mapping
        Joint name -> angle [rad], in the order of the robot's joints.
    base_height : float
        Height of the base frame's origin [m], at which the feet just touch the ground.
    """

    joint_angles: Mapping[str, float]
    base_height: float

    @property
    def q(self) -> NDArray[np.float64]:
        """The configuration [x, y, z, qw, qx, qy, qz, angles], (7 + n,) [m, -, rad]; upright, above the origin."""
        return np.array([0.0, 0.0, self.base_height, 1.0, 0.0, 0.0, 0.0, *self.joint_angles.values()])


def _quadruped_stance(bend: float = 0.6) -> Stance:
    """Each foot straight below its hip: thigh and shank of 0.3 m, bent by `bend` [rad]; foot radius 0.03 m."""
    signs = {"LF": 1.0, "RF": 1.0, "LH": -1.0, "RH": -1.0}
    angles = {
        f"{leg}_{joint}": angle
        for leg, sign in signs.items()
        for joint, angle in (("HAA", 0.0), ("HFE", sign * bend), ("KFE", -2.0 * sign * bend))
    }
    return Stance(MappingProxyType(angles), 2 * 0.3 * math.cos(bend) + 0.03)


QUADRUPED_STANCE = _quadruped_stance()
"""Nominal stance of `quadruped()`: knees bent by 1.2 rad, base 0.525 m above the ground."""
