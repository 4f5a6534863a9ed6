"""rbdyn: rigid-body dynamics, mechanism surgery and hard contact.

`Mechanism` (what it is) -> `Model` (in numbers) -> `State` (where it is now) -> algorithms, and `World`, which steps
mechanisms and single bodies with hard contact.  Files: `rbdyn.io`; bundled robots: `rbdyn.models`.
"""

import importlib as _importlib
import os as _os
import typing as _typing

_root = _os.path.dirname(__path__[0])
if _os.path.isfile(_os.path.join(_root, "setup.py")):  # in place or editable: collision/, contact/, io/ lie beside us
    __path__.append(_root)

from rbdyn.algorithms import (  # noqa: E402
    DynamicsResult,
    Inertias,
    InverseKinematicsResult,
    SelfCollisions,
    SparseJacobian,
    Trajectory,
    angular_momentum,
    bias_forces,
    body_accelerations,
    body_inertias,
    body_pose,
    body_spatial_jacobian,
    body_spatial_jacobian_dot,
    body_velocities,
    center_of_mass,
    center_of_mass_jacobian,
    composite_inertia,
    composite_inertias,
    convert,
    coriolis_matrix,
    difference,
    dynamics,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_kinematics,
    frame_poses,
    integrate,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    inverse_kinematics,
    inverse_mass_matrix,
    joint_wrenches,
    kinetic_energy,
    loop_bias,
    loop_error,
    loop_jacobian,
    mass_matrix,
    mass_matrix_times,
    momentum,
    momentum_bias,
    momentum_matrix,
    point_acceleration,
    point_acceleration_6d,
    point_jacobian,
    point_jacobian_6d,
    point_jacobian_dot,
    point_jacobian_dot_6d,
    point_velocity,
    point_velocity_6d,
    potential_energy,
    project_configuration,
    project_velocity,
    relative_body_spatial_jacobian,
    relative_body_spatial_jacobian_and_dot,
    relative_body_spatial_jacobian_dot,
    relative_point_acceleration_6d,
    relative_point_jacobian_6d,
    relative_point_jacobian_and_dot_6d,
    relative_point_jacobian_dot_6d,
    relative_point_velocity_6d,
    sample_self_collisions,
    simulate,
    solve_mass_matrix,
    sparse_point_jacobian,
    sparse_point_jacobian_6d,
    sparse_point_jacobian_dot,
    sparse_point_jacobian_dot_6d,
    spatial_acceleration,
    spatial_velocity,
    supporting_columns,
    update_kinematics,
)
from rbdyn.algorithms.integration import trajectory as _trajectory  # noqa: E402
from rbdyn.errors import (  # noqa: E402
    BusyError,
    CollisionError,
    ContactError,
    DivergenceError,
    Error,
    ExportWarning,
    FrameMismatchError,
    InactiveFeatureWarning,
    LoopError,
    MechanismError,
    MeshError,
    MimicWarning,
    MissingExtraError,
    MjcfError,
    PathError,
    RecordingError,
    RemovedError,
    SdfError,
    SetupWarning,
    SnapshotError,
    StaleModelError,
    StateError,
    UnknownNameError,
    UrdfError,
    ViewerError,
    WorldFileError,
)
from rbdyn.mechanism import Geometry, Joint, Mechanism, Mimic, RigidBody  # noqa: E402
from rbdyn.mechanism import joints as _joints  # noqa: E402
from rbdyn.mechanism.joints import *  # noqa: E402, F403
from rbdyn.model import Model, State  # noqa: E402
from rbdyn.spatial import (  # noqa: E402
    CartesianFrame,
    FrameVector,
    SpatialAcceleration,
    SpatialInertia,
    Transform,
    Twist,
    Wrench,
    pose_error,
)
from rbdyn.testing.random_mechanisms import (  # noqa: E402
    rand_chain_mechanism,
    rand_floating_tree_mechanism,
    rand_tree_mechanism,
)
from rbdyn.version import __version__ as __version__  # noqa: E402
from rbdyn.world import ArticulatedSystem, Contact, SingleBody, World  # noqa: E402
from rbdyn.world import extensions as _extensions  # noqa: E402

_extensions.provide(
    {
        "add_sensor_set": "rbdyn.sensors.board:add_sensor_set",
        "html_of": "rbdyn.viewer.notebook:html_of",
        "mount_described": "rbdyn.sensors.board:mount_described",
        "record": "rbdyn.recording.recorder:record_world",
        "render": "rbdyn.scenery.pictures:render",
        "save_html": "rbdyn.viewer.page:save_html",
        "remove_sensor_set": "rbdyn.sensors.board:remove_sensor_set",
        "sensor_set": "rbdyn.sensors.board:sensor_set",
        "sensor_sets": "rbdyn.sensors.board:sensor_sets",
        "sketch": "rbdyn.scenery.sketch:sketch_of",
        "view": "rbdyn.viewer.viewing:view",
    }
)
_trajectory.provide("rbdyn.recording.trajectories:recording_of")

__all__ = [
    "ArticulatedSystem",
    "BusyError",
    "Camera",
    "CartesianFrame",
    "CollisionError",
    "Contact",
    "ContactError",
    "DivergenceError",
    "DynamicsResult",
    "Inertias",
    "Error",
    "ExportWarning",
    "FrameMismatchError",
    "FrameVector",
    "Geometry",
    "InactiveFeatureWarning",
    "InverseKinematicsResult",
    "Joint",
    "LoopError",
    "Mechanism",
    "MechanismError",
    "MeshError",
    "Mimic",
    "MimicWarning",
    "MissingExtraError",
    "MjcfError",
    "Model",
    "PathError",
    "RecordingError",
    "RemovedError",
    "RigidBody",
    "SdfError",
    "SelfCollisions",
    "SetupWarning",
    "SingleBody",
    "SnapshotError",
    "SparseJacobian",
    "SpatialAcceleration",
    "SpatialInertia",
    "StaleModelError",
    "State",
    "StateError",
    "Trajectory",
    "Transform",
    "Twist",
    "UnknownNameError",
    "UrdfError",
    "ViewerError",
    "World",
    "WorldFileError",
    "Wrench",
    "angular_momentum",
    "bias_forces",
    "body_accelerations",
    "body_inertias",
    "body_pose",
    "body_spatial_jacobian",
    "body_spatial_jacobian_dot",
    "body_velocities",
    "center_of_mass",
    "center_of_mass_jacobian",
    "composite_inertia",
    "composite_inertias",
    "convert",
    "coriolis_matrix",
    "difference",
    "dynamics",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "frame_poses",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_kinematics",
    "inverse_mass_matrix",
    "joint_wrenches",
    "kinetic_energy",
    "load_recording",
    "loop_bias",
    "loop_error",
    "loop_jacobian",
    "mass_matrix",
    "mass_matrix_times",
    "momentum",
    "momentum_bias",
    "momentum_matrix",
    "point_acceleration",
    "point_acceleration_6d",
    "point_jacobian",
    "point_jacobian_6d",
    "point_jacobian_dot",
    "point_jacobian_dot_6d",
    "point_velocity",
    "point_velocity_6d",
    "pose_error",
    "potential_energy",
    "project_configuration",
    "project_velocity",
    "rand_chain_mechanism",
    "rand_floating_tree_mechanism",
    "rand_tree_mechanism",
    "recording_of",
    "relative_body_spatial_jacobian",
    "relative_body_spatial_jacobian_and_dot",
    "relative_body_spatial_jacobian_dot",
    "relative_point_acceleration_6d",
    "relative_point_jacobian_6d",
    "relative_point_jacobian_and_dot_6d",
    "relative_point_jacobian_dot_6d",
    "relative_point_velocity_6d",
    "sample_self_collisions",
    "simulate",
    "solve_mass_matrix",
    "sparse_point_jacobian",
    "sparse_point_jacobian_6d",
    "sparse_point_jacobian_dot",
    "sparse_point_jacobian_dot_6d",
    "spatial_acceleration",
    "spatial_velocity",
    "supporting_columns",
    "update_kinematics",
    "view",
]
__all__ += _joints.__all__

_LATER = ("batch", "gym", "io", "models", "parallel", "recording", "scenery", "sensors", "viewer")
_HOME = {  # what belongs to packages that are imported later
    "Camera": "rbdyn.scenery",
    "load_recording": "rbdyn.recording",
    "recording_of": "rbdyn.recording",
    "sweep": "rbdyn.parallel",
    "view": "rbdyn.viewer",
}

if _typing.TYPE_CHECKING:
    from rbdyn import batch as batch
    from rbdyn import gym as gym
    from rbdyn import io as io
    from rbdyn import models as models
    from rbdyn import parallel as parallel
    from rbdyn import recording as recording
    from rbdyn import scenery as scenery
    from rbdyn import sensors as sensors
    from rbdyn import viewer as viewer
    from rbdyn.parallel import sweep as sweep
    from rbdyn.recording import load_recording as load_recording
    from rbdyn.recording import recording_of as recording_of
    from rbdyn.scenery import Camera as Camera
    from rbdyn.viewer import view as view


def __getattr__(name: str) -> object:
    """What needs more than the core, or is built upon it, is imported when first asked for."""
    if name in _LATER:
        return _importlib.import_module(f"rbdyn.{name}")
    if name in _HOME:
        return getattr(_importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'rbdyn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_HOME})
