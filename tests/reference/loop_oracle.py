"""Loop joints the slow way: the after-frame's pose in the before-frame, differentiated exactly, and a dense solve.

With G that pose, R its rotation and d its translation, the six velocities of the after-frame are axial(R' R^T) and d'.
What a joint blocks is the complement of what its axes allow, by a null space.  The dynamics are Gauss's principle as
one least-squares problem over accelerations and multipliers.  Order of q and v: mechanism.tree_joints.
"""

from __future__ import annotations

import numpy as np
from reference import oracle

from rbdyn.mechanism import (
    Fixed,
    Floating,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
    Universal,
)


def inverse_pose(H):
    """The inverse of a rigid motion with infinitesimal parts, (4, 4, 4); the inverse is R^T, -R^T p."""
    G = np.zeros((4, 4, 4))
    RT = H[:, :3, :3].transpose(0, 2, 1)
    column = np.zeros((4, 3, 1))
    column[:, :, 0] = H[:, :3, 3]
    G[:, :3, :3] = RT
    G[:, :3, 3] = -oracle.times(RT, column)[:, :, 0]
    G[0, 3, 3] = 1.0
    return G


def relative_pose(mechanism, joint, poses):
    """The after-frame in the before-frame, with infinitesimal parts."""
    edge = mechanism.edge(joint)
    before = oracle.times(poses[edge.predecessor.name], oracle.constant(edge.joint_pose))
    after = oracle.times(poses[edge.successor.name], oracle.constant(edge.successor_pose.inverse()))
    return oracle.times(inverse_pose(before), after)


def cross_of(joint_type, R, Rd):
    """(3, 3): the axes of the cross of a universal joint in the before-frame, and their rates; the third is its normal.

    R and Rd are the after-frame's rotation there, and its rate.
    """
    a, b, bd = np.array(joint_type.axis1), R @ joint_type.axis2, Rd @ joint_type.axis2
    n, nd = np.cross(a, b), np.cross(a, bd)
    length = np.linalg.norm(n)
    n, nd = n / length, (nd - n * (n @ nd) / length**2) / length
    return np.array([a, np.cross(n, a), n]).T, np.array([0 * a, np.cross(nd, a), nd]).T


def freedoms(joint_type, R):
    """(6, n): the velocities that a joint allows, angular first, in the before-frame, each of unit length.

    R is the rotation of the after-frame there.
    """
    S = np.zeros((6, joint_type.num_velocities))
    if isinstance(joint_type, (Revolute, SinCosRevolute, Helical)):  # a screw's speed is that of its angle
        S[:3, 0] = joint_type.axis
    elif isinstance(joint_type, Prismatic):
        S[3:, 0] = joint_type.axis
    elif isinstance(joint_type, Planar):
        S[3:, 0], S[3:, 1] = joint_type.x_axis, joint_type.y_axis
        S[:3, 2] = np.cross(joint_type.x_axis, joint_type.y_axis)
    elif isinstance(joint_type, Spherical):
        S[:3] = np.eye(3)
    elif isinstance(joint_type, Universal):
        S[:3] = cross_of(joint_type, R, 0 * R)[0][:, :2]
    elif isinstance(joint_type, (Floating, SPQuatFloating)):
        S[:] = np.eye(6)
    else:
        assert isinstance(joint_type, Fixed)
    return S


def blocked(joint_type, R):
    """(6, 6 - n): an orthonormal basis of what a joint does not allow; a screw's coupling in metres."""
    if isinstance(joint_type, Universal):
        rows = np.zeros((6, 4))
        rows[:3, 0], rows[3:, 1:] = cross_of(joint_type, R, 0 * R)[0][:, 2], np.eye(3)
        return rows
    U, _, _ = np.linalg.svd(freedoms(joint_type, R), full_matrices=True)
    rows = U[:, joint_type.num_velocities :]
    if isinstance(joint_type, Helical):  # d'_z - pitch w_z in place of d'_z
        rows = rows - joint_type.pitch * np.outer(freedoms(joint_type, R)[:, 0], joint_type.axis @ rows[3:])
    return rows


def rotation_between(mechanism, q, v, joint):
    """Rotation of the after-frame in the before-frame, and its rate, (3, 3) each."""
    G = relative_pose(mechanism, joint, oracle.moving_poses(mechanism, q, v))
    return G[0, :3, :3], G[1, :3, :3]


def turning(mechanism, q, v, joint, blocks):
    """(n,): what the rates of a universal joint's axes add to the rates of its rows, or of its freedoms; else 0."""
    kind = joint.joint_type
    if not isinstance(kind, Universal):
        return 0.0
    rates = cross_of(kind, *rotation_between(mechanism, q, v, joint))[1]
    spin = rates.T @ (six_rows(mechanism, q, joint) @ v)[:3]
    return np.array([spin[2], 0.0, 0.0, 0.0]) if blocks else spin[:2]


def six_rows(mechanism, q, joint):
    """(6, nv): velocities of the after-frame in the before-frame."""
    rows = []
    for unit in np.eye(mechanism.num_velocities):
        G = relative_pose(mechanism, joint, oracle.moving_poses(mechanism, q, unit))
        rows.append([*oracle.axial(G[1, :3, :3] @ G[0, :3, :3].T), *G[1, :3, 3]])
    return np.array(rows).reshape(-1, 6).T


def six_biases(mechanism, q, v, joint):
    """(6,): rate of these velocities at vd = 0."""
    G = relative_pose(mechanism, joint, oracle.moving_poses(mechanism, q, v, v))
    R = G[:, :3, :3]
    return np.array([*oracle.axial(R[3] @ R[0].T + R[1] @ R[2].T), *G[3, :3, 3]])


def constraint_rows(mechanism, q):
    """(nc, nv); the rows of one joint are an orthonormal mixture of the library's."""
    rows = [np.zeros((0, mechanism.num_velocities))]
    for j in mechanism.non_tree_joints:
        R, _ = rotation_between(mechanism, q, None, j)
        rows.append(blocked(j.joint_type, R).T @ six_rows(mechanism, q, j))
    return np.vstack(rows)


def constraint_biases(mechanism, q, v):
    """(nc,)."""
    biases = [np.zeros(0)]
    for j in mechanism.non_tree_joints:
        R, _ = rotation_between(mechanism, q, None, j)
        own = blocked(j.joint_type, R).T @ six_biases(mechanism, q, v, j)
        biases.append(own + turning(mechanism, q, v, j, True))
    return np.concatenate(biases)


def rotors_of_loops(mechanism, q, v):
    """What rotors of loop joints add to the mass matrix and to the bias forces."""
    n = mechanism.num_velocities
    M, h = np.zeros((n, n)), np.zeros(n)
    for joint in mechanism.non_tree_joints:
        S = freedoms(joint.joint_type, rotation_between(mechanism, q, None, joint)[0]).T
        s, k = S @ six_rows(mechanism, q, joint), S @ six_biases(mechanism, q, v, joint)
        k = k + turning(mechanism, q, v, joint, False)
        M += joint.rotor_inertia * s.T @ s
        h += joint.rotor_inertia * s.T @ k
    return M, h


def dynamics(mechanism, q, v, tau, external=None, target=None):
    """vd (nv,) and multipliers (nc,) of the rows above: shortest solution of [M -K^T; K 0] = [tau - h; target - k]."""
    K, k = constraint_rows(mechanism, q), constraint_biases(mechanism, q, v)
    M_rotors, h_rotors = rotors_of_loops(mechanism, q, v)
    M = oracle.mass_matrix(mechanism, q) + M_rotors
    h = oracle.bias_forces(mechanism, q, v, external) + h_rotors
    n, nc = len(M), len(K)
    A = np.block([[M, -K.T], [K, np.zeros((nc, nc))]])
    target = np.zeros(nc) if target is None else target
    x = np.linalg.lstsq(A, np.concatenate([tau - h, target - k]), rcond=1e-10)[0]
    return x[:n], x[n:]
