"""Algorithms on a State, one file each under its name in the literature."""

from rbdyn.algorithms.convert import convert
from rbdyn.algorithms.derivatives.aba import forward_dynamics_derivatives
from rbdyn.algorithms.derivatives.rnea import inverse_dynamics_derivatives
from rbdyn.algorithms.dynamics.aba import forward_dynamics
from rbdyn.algorithms.dynamics.coriolis import coriolis_matrix
from rbdyn.algorithms.dynamics.crba import mass_matrix, mass_matrix_times
from rbdyn.algorithms.dynamics.ltdl import inverse_mass_matrix, solve_mass_matrix
from rbdyn.algorithms.dynamics.reactions import joint_wrenches
from rbdyn.algorithms.dynamics.rnea import bias_forces, inverse_dynamics
from rbdyn.algorithms.integration.configuration import difference, integrate
from rbdyn.algorithms.integration.simulate import simulate
from rbdyn.algorithms.integration.trajectory import Trajectory
from rbdyn.algorithms.inverse_kinematics.search import InverseKinematicsResult, inverse_kinematics
from rbdyn.algorithms.kinematics.acceleration import point_acceleration, point_acceleration_6d
from rbdyn.algorithms.kinematics.forward import (
    body_pose,
    forward_kinematics,
    frame_poses,
    point_velocity,
    point_velocity_6d,
)
from rbdyn.algorithms.kinematics.jacobian import body_spatial_jacobian, point_jacobian, point_jacobian_6d
from rbdyn.algorithms.kinematics.jacobian_dot import (
    body_spatial_jacobian_dot,
    point_jacobian_dot,
    point_jacobian_dot_6d,
)
from rbdyn.algorithms.kinematics.relative import (
    relative_body_spatial_jacobian,
    relative_body_spatial_jacobian_and_dot,
    relative_body_spatial_jacobian_dot,
    relative_point_acceleration_6d,
    relative_point_jacobian_6d,
    relative_point_jacobian_and_dot_6d,
    relative_point_jacobian_dot_6d,
    relative_point_velocity_6d,
    spatial_acceleration,
    spatial_velocity,
)
from rbdyn.algorithms.kinematics.sparse import (
    SparseJacobian,
    sparse_point_jacobian,
    sparse_point_jacobian_6d,
    sparse_point_jacobian_dot,
    sparse_point_jacobian_dot_6d,
    supporting_columns,
)
from rbdyn.algorithms.kinematics.update import body_accelerations, body_velocities, update_kinematics
from rbdyn.algorithms.loops.closure import project_configuration
from rbdyn.algorithms.loops.constrained import dynamics, project_velocity
from rbdyn.algorithms.loops.loops import loop_bias, loop_error, loop_jacobian
from rbdyn.algorithms.loops.result import DynamicsResult
from rbdyn.algorithms.momentum.centroidal import (
    center_of_mass_jacobian,
    composite_inertia,
    momentum_bias,
    momentum_matrix,
)
from rbdyn.algorithms.momentum.inertias import Inertias, body_inertias, composite_inertias
from rbdyn.algorithms.momentum.momentum import (
    angular_momentum,
    center_of_mass,
    kinetic_energy,
    momentum,
    potential_energy,
)
from rbdyn.algorithms.self_collisions import SelfCollisions, sample_self_collisions

__all__ = [
    "DynamicsResult",
    "Inertias",
    "InverseKinematicsResult",
    "SelfCollisions",
    "SparseJacobian",
    "Trajectory",
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
    "potential_energy",
    "project_configuration",
    "project_velocity",
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
]
