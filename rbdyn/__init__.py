"""rbdyn: rigid-body dynamics, mechanism surgery and hard contact.

`Mechanism` (what it is) -> `Model` (in numbers) -> `State` (where it is now) -> algorithms, and `World`, which steps
mechanisms and single bodies with hard contact.  Files: `rbdyn.io`; bundled robots: `rbdyn.models`.
"""

import importlib as _importlib
import os as _os

_root = _os.path.dirname(__path__[0])
if _os.path.isfile(_os.path.join(_root, "setup.py")):  # in place or editable: collision/, contact/, io/ lie beside us
    __path__.append(_root)

from rbdyn.algorithms import (  # noqa: E402
    angular_momentum,
    bias_forces,
    body_pose,
    body_spatial_jacobian,
    center_of_mass,
    center_of_mass_jacobian,
    composite_inertia,
    convert,
    coriolis_matrix,
    difference,
    forward_dynamics,
    forward_kinematics,
    integrate,
    inverse_dynamics,
    inverse_mass_matrix,
    joint_wrenches,
    kinetic_energy,
    mass_matrix,
    mass_matrix_times,
    momentum,
    momentum_bias,
    momentum_matrix,
    point_jacobian,
    point_jacobian_6d,
    point_velocity,
    point_velocity_6d,
    potential_energy,
    solve_mass_matrix,
)
from rbdyn.errors import (  # noqa: E402
    BusyError,
    CollisionError,
    ContactError,
    DivergenceError,
    Error,
    FrameMismatchError,
    MechanismError,
    MeshError,
    MissingExtraError,
    PathError,
    RemovedError,
    StaleModelError,
    StateError,
    UnknownNameError,
    UrdfError,
)
from rbdyn.mechanism import (  # noqa: E402
    Fixed,
    Floating,
    Geometry,
    Joint,
    JointType,
    Mechanism,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    Spherical,
)
from rbdyn.model import Model, State  # noqa: E402
from rbdyn.spatial import (  # noqa: E402
    CartesianFrame,
    FrameVector,
    SpatialAcceleration,
    SpatialInertia,
    Transform,
    Twist,
    Wrench,
)
from rbdyn.testing.random_mechanisms import (  # noqa: E402
    rand_chain_mechanism,
    rand_floating_tree_mechanism,
    rand_tree_mechanism,
)
from rbdyn.world import ArticulatedSystem, Contact, SingleBody, World  # noqa: E402

__version__ = "0.1.0"
__all__ = [
    "ArticulatedSystem",
    "BusyError",
    "CartesianFrame",
    "CollisionError",
    "Contact",
    "ContactError",
    "DivergenceError",
    "Error",
    "Fixed",
    "Floating",
    "FrameMismatchError",
    "FrameVector",
    "Geometry",
    "Joint",
    "JointType",
    "Mechanism",
    "MechanismError",
    "MeshError",
    "Mimic",
    "MissingExtraError",
    "Model",
    "PathError",
    "Planar",
    "Prismatic",
    "RemovedError",
    "Revolute",
    "RigidBody",
    "SingleBody",
    "SpatialAcceleration",
    "SpatialInertia",
    "Spherical",
    "StaleModelError",
    "State",
    "StateError",
    "Transform",
    "Twist",
    "UnknownNameError",
    "UrdfError",
    "World",
    "Wrench",
    "angular_momentum",
    "bias_forces",
    "body_pose",
    "body_spatial_jacobian",
    "center_of_mass",
    "center_of_mass_jacobian",
    "composite_inertia",
    "convert",
    "coriolis_matrix",
    "difference",
    "forward_dynamics",
    "forward_kinematics",
    "integrate",
    "inverse_dynamics",
    "inverse_mass_matrix",
    "joint_wrenches",
    "kinetic_energy",
    "mass_matrix",
    "mass_matrix_times",
    "momentum",
    "momentum_bias",
    "momentum_matrix",
    "point_jacobian",
    "point_jacobian_6d",
    "point_velocity",
    "point_velocity_6d",
    "potential_energy",
    "rand_chain_mechanism",
    "rand_floating_tree_mechanism",
    "rand_tree_mechanism",
    "solve_mass_matrix",
]


def __getattr__(name: str) -> object:
    """`rbdyn.io` and `rbdyn.models` are imported when first asked for: robot files need more than the core."""
    if name in ("io", "models"):
        return _importlib.import_module(f"rbdyn.{name}")
    raise AttributeError(f"module 'rbdyn' has no attribute {name!r}")
