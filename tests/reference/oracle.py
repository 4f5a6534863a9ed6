"""A slow twin of the dynamics: matrices of poses, differentiated exactly, and the virtual work of every body.

It shares nothing with the library but the description of the mechanism.  There is no spatial vector and no recursion
on velocities or forces: a body is its pose H(q), a homogeneous matrix; H is differentiated by arithmetic with two
infinitesimals a and b (a^2 = b^2 = 0), exact to rounding; the rest is the principle of virtual work.  With c the centre
of mass, R the rotation, S the second moment of mass about c and subscript i for the derivative along v_i,

    M_ij  = sum m c_i . c_j + tr(R_i S R_j^T),
    tau_i = sum m c_i . (c'' - g) + tr(R_i S R''^T) - (f . p_i + n . axial(R_i R^T)),

for a wrench (n, f) at the origin p.  Rotor inertia adds to the diagonal of M.

q and v follow Mechanism.tree_joints, in the conventions of rbdyn.mechanism.joints.
"""

from __future__ import annotations

import math

import numpy as np

from rbdyn.mechanism import (
    Fixed,
    Floating,
    Helical,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
    Universal,
)

# ---- arithmetic with two infinitesimals: x + x_a a + x_b b + x_ab ab, stored as [x, x_a, x_b, x_ab] -----------------


def times(x, y):
    """Product of two matrices with infinitesimal parts, (4, n, m) each."""
    ab = x[3] @ y[0] + x[1] @ y[2] + x[2] @ y[1] + x[0] @ y[3]
    return np.array([x[0] @ y[0], x[1] @ y[0] + x[0] @ y[1], x[2] @ y[0] + x[0] @ y[2], ab])


def sine_cosine(x):
    """Sine and cosine of a number with infinitesimal parts, (4,) each."""
    s, c = math.sin(x[0]), math.cos(x[0])
    return np.array([s, c * x[1], c * x[2], c * x[3] - s * x[1] * x[2]]), np.array(
        [c, -s * x[1], -s * x[2], -s * x[3] - c * x[1] * x[2]]
    )


def cross_matrix(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def axial(A):
    """The vector w of the skew matrix [w]x = A."""
    return 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def rotation_about(axis, angle):
    """Rodrigues' formula for an angle with infinitesimal parts, (4, 3, 3)."""
    K = cross_matrix(axis)
    s, c = sine_cosine(angle)
    one = np.array([1.0, 0.0, 0.0, 0.0])
    return np.multiply.outer(one, np.eye(3)) + np.multiply.outer(s, K) + np.multiply.outer(one - c, K @ K)


def rotation_of_projection(p):
    """Rotation matrix of a stereographic projection: about p, by four times the angle whose tangent is |p|."""
    length = math.sqrt(p @ p)
    axis = p / length if length > 0 else np.array([0.0, 0.0, 1.0])
    return rotation_about(axis, np.array([4 * math.atan(length), 0.0, 0.0, 0.0]))[0]


def rotation_of_quaternion(quat):
    """Rotation matrix of a unit quaternion: the sandwich product on the three axes."""
    w, u = quat[0], np.asarray(quat[1:])
    return np.array([(w * w - u @ u) * e + 2 * u * (u @ e) + 2 * w * np.cross(u, e) for e in np.eye(3)]).T


def turned(R, w):
    """exp(a w_a) exp(b w_b) R with the mixed part w_ab, (4, 3, 3): angular velocities in the frame R leads to."""
    A, B, AB = (cross_matrix(x) for x in w)
    return np.array([R, A @ R, B @ R, (AB + A @ B) @ R])


def joint_motion(joint_type, q, va, vb, vab):
    """Pose of the after-frame in the before-frame, (4, 4, 4)."""
    H = np.zeros((4, 4, 4))
    H[0] = np.eye(4)
    x = np.array([q[: len(va)], va, vb, vab])  # used only where q is a vector
    if isinstance(joint_type, Revolute):
        H[:, :3, :3] = rotation_about(joint_type.axis, x[:, 0])
    elif isinstance(joint_type, SinCosRevolute):
        H[:, :3, :3] = rotation_about(joint_type.axis, np.append(math.atan2(*q), x[1:, 0]))
    elif isinstance(joint_type, Helical):
        H[:, :3, 3] = np.outer(joint_type.pitch * x[:, 0], joint_type.axis)
        H[:, :3, :3] = rotation_about(joint_type.axis, x[:, 0])
    elif isinstance(joint_type, Prismatic):
        H[:, :3, 3] = np.outer(x[:, 0], joint_type.axis)
    elif isinstance(joint_type, Universal):
        H[:, :3, :3] = times(rotation_about(joint_type.axis1, x[:, 0]), rotation_about(joint_type.axis2, x[:, 1]))
    elif isinstance(joint_type, Planar):
        ex, ey = np.array(joint_type.x_axis), np.array(joint_type.y_axis)
        H[:, :3, 3] = np.outer(x[:, 0], ex) + np.outer(x[:, 1], ey)
        H[:, :3, :3] = rotation_about(np.cross(ex, ey), x[:, 2])
    elif isinstance(joint_type, Spherical):
        H[:, :3, :3] = turned(rotation_of_quaternion(q), (va, vb, vab))
    elif isinstance(joint_type, Floating):
        H[:, :3, 3] = x[:, :3]
        H[:, :3, :3] = turned(rotation_of_quaternion(q[3:]), (va[3:], vb[3:], vab[3:]))
    elif isinstance(joint_type, SPQuatFloating):
        H[:, :3, 3] = x[:, :3]
        H[:, :3, :3] = turned(rotation_of_projection(q[3:]), (va[3:], vb[3:], vab[3:]))
    elif not isinstance(joint_type, Fixed):
        raise NotImplementedError(f"the oracle does not know {joint_type!r}")
    return H


def constant(transform):
    H = np.zeros((4, 4, 4))
    H[0, :3, :3], H[0, :3, 3], H[0, 3, 3] = transform.rotation, transform.translation, 1.0
    return H


def walk(mechanism: Mechanism, q):
    """Each tree joint with its edge, its part of q and its range in v."""
    q = np.asarray(q, float)
    i = k = 0
    for joint in mechanism.tree_joints:
        yield joint, mechanism.edge(joint), q[i : i + joint.num_positions], slice(k, k + joint.num_velocities)
        i, k = i + joint.num_positions, k + joint.num_velocities


def step_pose(joint, edge, q, va, vb, vab):
    """Pose of the successor in the predecessor, (4, 4, 4)."""
    H = times(constant(edge.joint_pose), joint_motion(joint.joint_type, q, va, vb, vab))
    return times(H, constant(edge.successor_pose))


def moving_poses(mechanism: Mechanism, q, va=None, vb=None, vab=None):
    """Poses of all bodies with their derivatives along va and vb, {name: (4, 4, 4)}."""
    zero = np.zeros(mechanism.num_velocities)
    va, vb, vab = (zero if x is None else np.asarray(x, float) for x in (va, vb, vab))
    root = np.zeros((4, 4, 4))
    root[0] = np.eye(4)
    poses = {mechanism.root_body.name: root}
    for joint, edge, qj, d in walk(mechanism, q):
        local = step_pose(joint, edge, qj, va[d], vb[d], vab[d])
        poses[edge.successor.name] = times(poses[edge.predecessor.name], local)
    return poses


def columns(mechanism: Mechanism, q):
    """Derivatives of all poses along each velocity, {name: (nv, 4, 4)}, by the product rule."""
    H, n = forward_kinematics(mechanism, q), mechanism.num_velocities
    D = {mechanism.root_body.name: np.zeros((n, 4, 4))}
    for joint, edge, qj, d in walk(mechanism, q):
        zero, parent = np.zeros(joint.num_velocities), edge.predecessor.name
        D[edge.successor.name] = D[parent] @ step_pose(joint, edge, qj, zero, zero, zero)[0]
        for i, unit in enumerate(np.eye(joint.num_velocities)):
            D[edge.successor.name][d.start + i] += H[parent] @ step_pose(joint, edge, qj, unit, zero, zero)[1]
    return D


# ---- bodies ------------------------------------------------------------------------------------------------------


def mass_points(body):
    """Mass, homogeneous centre of mass (4,) and second moment of mass about it (3, 3), in the body frame."""
    J = body.inertia.inertia
    return body.inertia.mass, np.append(body.inertia.com, 1.0), 0.5 * np.trace(J) * np.eye(3) - J


def moving_bodies(mechanism: Mechanism):
    """The bodies that some joint moves; the others count neither in the centre of mass nor in the energy."""
    still = {mechanism.root_body}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        if isinstance(joint.joint_type, Fixed) and edge.predecessor in still:
            still.add(edge.successor)
    return [body for body in mechanism.bodies if body not in still]


def rotors(mechanism: Mechanism):
    """Rotor inertia of each velocity, (nv,)."""
    return np.array([j.rotor_inertia for j in mechanism.tree_joints for _ in range(j.num_velocities)])


def forward_kinematics(mechanism: Mechanism, q):
    """World poses, {name: (4, 4)}."""
    return {name: H[0] for name, H in moving_poses(mechanism, q).items()}


# ---- dynamics ----------------------------------------------------------------------------------------------------


def mass_matrix(mechanism: Mechanism, q):
    """(nv, nv), rotor inertia included."""
    M = np.diag(rotors(mechanism))
    D = columns(mechanism, q)
    for body in mechanism.bodies:
        mass, com, S = mass_points(body)
        c, R = (D[body.name] @ com)[:, :3], D[body.name][:, :3, :3]
        M += mass * c @ c.T + np.einsum("iab,bc,jac->ij", R, S, R)
    return M


def inverse_dynamics(mechanism: Mechanism, q, v, vd, external=None):
    """tau, (nv,); external = {name: (6,) world-axes wrench at the body's origin, moment first}."""
    H, D = moving_poses(mechanism, q, v, v, vd), columns(mechanism, q)
    tau = rotors(mechanism) * vd
    for body in mechanism.bodies:
        mass, com, S = mass_points(body)
        h, d = H[body.name], D[body.name]
        tau += mass * (d @ com)[:, :3] @ ((h[3] @ com)[:3] - mechanism.gravity)
        tau += np.einsum("iab,bc,ac->i", d[:, :3, :3], S, h[3, :3, :3])
    for name, wrench in (external or {}).items():
        tau -= body_jacobian(mechanism, q, name, np.zeros(3), D).T @ wrench
    return tau


def bias_forces(mechanism: Mechanism, q, v, external=None):
    """h(q, v), (nv,)."""
    return inverse_dynamics(mechanism, q, v, np.zeros(mechanism.num_velocities), external)


def forward_dynamics(mechanism: Mechanism, q, v, tau, external=None):
    """vd, (nv,), by a dense solve."""
    return np.linalg.solve(mass_matrix(mechanism, q), tau - bias_forces(mechanism, q, v, external))


def kinetic_energy(mechanism: Mechanism, q, v):
    """[J], rotors included."""
    H = moving_poses(mechanism, q, v)
    energy = 0.5 * rotors(mechanism) @ np.square(v)
    for body in mechanism.bodies:
        mass, com, S = mass_points(body)
        d = H[body.name][1]
        energy += 0.5 * mass * np.sum((d @ com) ** 2) + 0.5 * np.trace(d[:3, :3] @ S @ d[:3, :3].T)
    return energy


def potential_energy(mechanism: Mechanism, q):
    """[J], zero at the root's origin."""
    return -mechanism.gravity @ sum(moment for _, moment in mass_moments(mechanism, q))


def momentum(mechanism: Mechanism, q, v, about=(0.0, 0.0, 0.0)):
    """(6,), angular first, about a point of the world, in world axes; rotors have none."""
    H = moving_poses(mechanism, q, v)
    h = np.zeros(6)
    for body in mechanism.bodies:
        mass, com, S = mass_points(body)
        c, cd = (H[body.name][:2] @ com)[:, :3]
        R, Rd = H[body.name][:2, :3, :3]
        A = Rd @ S @ R.T
        h[:3] += np.cross(c - about, mass * cd) + 2 * axial(A)
        h[3:] += mass * cd
    return h


def mass_moments(mechanism: Mechanism, q):
    """Mass, and mass times centre of mass, of each moving body."""
    H = forward_kinematics(mechanism, q)
    for body in moving_bodies(mechanism):
        mass, com, _ = mass_points(body)
        yield mass, mass * (H[body.name] @ com)[:3]


def center_of_mass(mechanism: Mechanism, q):
    """(3,) in the world."""
    parts = list(mass_moments(mechanism, q))
    return sum(moment for _, moment in parts) / sum(mass for mass, _ in parts)


# ---- kinematics of points ----------------------------------------------------------------------------------------


def body_jacobian(mechanism: Mechanism, q, name, point, D=None):
    """(6, nv): angular velocity of the body and velocity of its point, in world axes; point in the body frame."""
    D = D or columns(mechanism, q)
    H = forward_kinematics(mechanism, q)[name]
    x = np.append(point, 1.0)
    return np.array([[*axial(d[:3, :3] @ H[:3, :3].T), *(d @ x)[:3]] for d in D[name]]).reshape(-1, 6).T


def body_jacobian_dot(mechanism: Mechanism, q, v, name, point):
    """(6, nv): time derivative of body_jacobian along v."""
    x = np.append(point, 1.0)
    J = np.zeros((6, mechanism.num_velocities))
    for i, e in enumerate(np.eye(mechanism.num_velocities)):
        H = moving_poses(mechanism, q, e, v)[name]
        R = H[:, :3, :3]
        J[:3, i] = axial(R[3] @ R[0].T + R[1] @ R[2].T)
        J[3:, i] = (H[3] @ x)[:3]
    return J


def point_acceleration_6d(mechanism: Mechanism, q, v, vd, name, point):
    """(6,): angular acceleration of the body and acceleration of its point, in world axes."""
    H = moving_poses(mechanism, q, v, v, vd)[name]
    R = H[:, :3, :3]
    return np.append(axial(R[3] @ R[0].T + R[1] @ R[2].T), (H[3] @ np.append(point, 1.0))[:3])


def body_spatial_jacobian(mechanism: Mechanism, q, name, D=None):
    """(6, nv): angular and linear velocity of the body's origin, in body axes."""
    R = forward_kinematics(mechanism, q)[name][:3, :3]
    J = body_jacobian(mechanism, q, name, np.zeros(3), D)
    return np.vstack([R.T @ J[:3], R.T @ J[3:]])
