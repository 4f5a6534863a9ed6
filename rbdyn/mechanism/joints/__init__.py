"""Joint types: what a joint allows, as frozen values; one file a type, and here the one table of them.

A type says how many coordinates it has, which way its axes point in the joint frame, and where a coordinate puts the
after-frame; the same in C, for the algorithms, is in model/joints.  Conventions (docs/conventions.md):

==============  ==============================  ===============================================  ==  ==
type            q                               v                                                nq  nv
==============  ==============================  ===============================================  ==  ==
Fixed           -                               -                                                0   0
Revolute        angle [rad]                     its rate                                         1   1
SinCosRevolute  sine, cosine of the angle       rate of the angle                                2   1
Prismatic       distance [m]                    its rate                                         1   1
Planar          x, y [m], theta [rad]           their rates                                      3   3
Spherical       quaternion [w, x, y, z]         angular velocity, parent-side joint frame        4   3
Floating        x, y, z [m], quaternion         linear, angular velocity, parent-side frame      7   6
SPQuatFloating  x, y, z [m], (x, y, z) / (1+w)  linear, angular velocity, parent-side frame      6   6
Helical         angle [rad], a screw's          its rate                                         1   1
Universal       two angles [rad]                their rates                                      2   2
==============  ==============================  ===============================================  ==  ==

SPQuatFloating holds the stereographic projection of the quaternion, with w >= 0: three numbers of length 1 at most.
"""

from rbdyn.mechanism.joints.fixed import Fixed
from rbdyn.mechanism.joints.floating import Floating
from rbdyn.mechanism.joints.helical import Helical
from rbdyn.mechanism.joints.joint_type import JointType
from rbdyn.mechanism.joints.planar import Planar
from rbdyn.mechanism.joints.prismatic import Prismatic
from rbdyn.mechanism.joints.revolute import Revolute
from rbdyn.mechanism.joints.sincos_revolute import SinCosRevolute
from rbdyn.mechanism.joints.spherical import Spherical
from rbdyn.mechanism.joints.spquat_floating import SPQuatFloating
from rbdyn.mechanism.joints.universal import Universal

TYPES: tuple[type[JointType], ...] = (
    Fixed,
    Revolute,
    SinCosRevolute,
    Prismatic,
    Planar,
    Spherical,
    Floating,
    SPQuatFloating,
    Helical,
    Universal,
)

__all__ = [
    "Fixed",
    "Floating",
    "Helical",
    "JointType",
    "Planar",
    "Prismatic",
    "Revolute",
    "SPQuatFloating",
    "SinCosRevolute",
    "Spherical",
    "Universal",
]
