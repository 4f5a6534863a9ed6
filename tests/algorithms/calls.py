"""Every function with an out= argument, called on a system of dynamics.systems; those of loops: test_loops_doors."""

import numpy as np

import rbdyn


def stacked(call):
    """A call with a tuple of matrices as one with a single array."""

    def stacked_call(s, out):
        if not isinstance(out, np.ndarray) or out.ndim != 3:
            result = call(s, out)
            return np.array(result)
        call(s, tuple(out))
        return out

    return stacked_call


OUTPUTS = {
    "forward_kinematics": lambda s, out: rbdyn.forward_kinematics(s.state, out=out),
    "body_pose": lambda s, out: rbdyn.body_pose(s.state, "body2", out=out),
    "mass_matrix": lambda s, out: rbdyn.mass_matrix(s.state, out=out),
    "inverse_mass_matrix": lambda s, out: rbdyn.inverse_mass_matrix(s.state, out=out),
    "bias_forces": lambda s, out: rbdyn.bias_forces(s.state, out=out),
    "inverse_dynamics": lambda s, out: rbdyn.inverse_dynamics(s.state, s.vd, out=out),
    "forward_dynamics": lambda s, out: rbdyn.forward_dynamics(s.state, s.tau, out=out),
    "project_velocity": lambda s, out: rbdyn.project_velocity(s.state, s.vd, out=out),
    "inverse_dynamics_derivatives": stacked(
        lambda s, out: rbdyn.inverse_dynamics_derivatives(s.state, s.vd, out=out),
    ),
    "forward_dynamics_derivatives": stacked(
        lambda s, out: rbdyn.forward_dynamics_derivatives(s.state, s.tau, out=out),
    ),
    "mass_matrix_times": lambda s, out: rbdyn.mass_matrix_times(s.state, s.vd, out=out),
    "solve_mass_matrix": lambda s, out: rbdyn.solve_mass_matrix(s.state, s.tau, out=out),
    "momentum": lambda s, out: rbdyn.momentum(s.state, out=out),
    "center_of_mass": lambda s, out: rbdyn.center_of_mass(s.state, out=out),
    "angular_momentum": lambda s, out: rbdyn.angular_momentum(s.state, [1, 2, 3], out=out),
    "point_velocity": lambda s, out: rbdyn.point_velocity(s.state, "body2", [1, 2, 3], out=out),
    "point_velocity_6d": lambda s, out: rbdyn.point_velocity_6d(s.state, "body2", [1, 2, 3], out=out),
    "point_jacobian": lambda s, out: rbdyn.point_jacobian(s.state, "body2", [1, 2, 3], out=out),
    "point_jacobian_6d": lambda s, out: rbdyn.point_jacobian_6d(s.state, "body2", [1, 2, 3], out=out),
    "body_spatial_jacobian": lambda s, out: rbdyn.body_spatial_jacobian(s.state, "body2", out=out),
    "point_acceleration": lambda s, out: rbdyn.point_acceleration(s.state, s.vd, "body2", [1, 2, 3], out=out),
    "point_acceleration_6d": lambda s, out: rbdyn.point_acceleration_6d(s.state, s.vd, "body2", [1, 2, 3], out=out),
    "point_jacobian_dot": lambda s, out: rbdyn.point_jacobian_dot(s.state, "body2", [1, 2, 3], out=out),
    "point_jacobian_dot_6d": lambda s, out: rbdyn.point_jacobian_dot_6d(s.state, "body2", [1, 2, 3], out=out),
    "body_spatial_jacobian_dot": lambda s, out: rbdyn.body_spatial_jacobian_dot(s.state, "body2", out=out),
    "spatial_velocity": lambda s, out: rbdyn.spatial_velocity(s.state, "body2", "body3", out=out),
    "spatial_acceleration": lambda s, out: rbdyn.spatial_acceleration(s.state, s.vd, "body2", "body3", out=out),
    "relative_body_spatial_jacobian": lambda s, out: rbdyn.relative_body_spatial_jacobian(
        s.state, "body2", "body3", out=out
    ),
    "relative_body_spatial_jacobian_dot": lambda s, out: rbdyn.relative_body_spatial_jacobian_dot(
        s.state, "body2", "body3", out=out
    ),
    "relative_point_jacobian_6d": lambda s, out: rbdyn.relative_point_jacobian_6d(s.state, "body2", "body3", out=out),
    "relative_point_jacobian_dot_6d": lambda s, out: rbdyn.relative_point_jacobian_dot_6d(
        s.state, "body2", "body3", out=out
    ),
    "relative_point_velocity_6d": lambda s, out: rbdyn.relative_point_velocity_6d(s.state, "body2", "body3", out=out),
    "relative_point_acceleration_6d": lambda s, out: rbdyn.relative_point_acceleration_6d(
        s.state, s.vd, "body2", "body3", out=out
    ),
    "body_velocities": lambda s, out: rbdyn.body_velocities(s.state, out=out),
    "body_accelerations": lambda s, out: rbdyn.body_accelerations(s.state, s.vd, out=out),
    "momentum_matrix": lambda s, out: rbdyn.momentum_matrix(s.state, out=out),
    "momentum_bias": lambda s, out: rbdyn.momentum_bias(s.state, out=out),
    "center_of_mass_jacobian": lambda s, out: rbdyn.center_of_mass_jacobian(s.state, out=out),
    "coriolis_matrix": lambda s, out: rbdyn.coriolis_matrix(s.state, out=out),
    "joint_wrenches": lambda s, out: rbdyn.joint_wrenches(s.state, s.vd, out=out),
    "integrate": lambda s, out: rbdyn.integrate(s.model, s.state.q, s.state.v, 0.1, out=out),
    "difference": lambda s, out: rbdyn.difference(s.model, s.model.neutral(), s.state.q, out=out),
}
