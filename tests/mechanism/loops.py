"""Mechanisms whose loops are closed: at a random configuration, in a motion that keeps them so."""

from __future__ import annotations

import numpy as np

import rbdyn
from rbdyn import Fixed, Floating, Joint, Planar, Prismatic, Revolute, Spherical, Transform
from rbdyn.testing.random_mechanisms import random_joint_type, random_transform, random_tree

TREE_TYPES = (Fixed, Revolute, Revolute, Prismatic, Planar, Spherical, Floating)
LOOP_TYPES = (Revolute, Spherical, Planar, Floating, Prismatic, Fixed)


def closed(seed, n=8, loops=3, tree_types=TREE_TYPES, loop_types=LOOP_TYPES):
    """A mechanism with loops, and a state of it in which they are closed and stay so, and which moves."""
    rng = np.random.default_rng([seed, 9])
    while True:
        m = random_tree(rng, n, tree_types, rotor_inertia=False)
        state = random_state(m, rng)
        for k in range(loops):
            kind = random_joint_type(rng, loop_types[int(rng.integers(len(loop_types)))])
            close(m, state, rng, Joint(f"loop{k}", kind))
            state = random_state(m, rng, state.q)
        state = state_with(state, state.v - slipping(m, state) @ state.v)
        if rbdyn.kinetic_energy(state) > 0.1:
            return m, state


def close(m, state, rng, joint):
    """Attach `joint` between two random bodies, so that it is closed in `state` at a random q of its own."""
    a, b = (m.bodies[k] for k in rng.choice(len(m.bodies), 2, replace=False))
    joint_pose = random_transform(rng)
    after = pose(state, a) @ joint_pose @ joint.joint_type.pose(joint.joint_type.random(rng))
    m.attach(a, b, joint, joint_pose, after.inverse() @ pose(state, b))


def slipping(m, state):
    """(nv, nv) projector on the velocities with which the loops would open."""
    rows = [np.zeros((1, state.model.nv))]
    for joint in m.non_tree_joints:
        e = m.edge(joint)
        q = joint.joint_type.configuration(relative(state, m, joint))
        S = joint.joint_type.motion_subspace(q)
        turns = [twist_across(state_with(state, unit), e) for unit in np.eye(state.model.nv)]
        rows.append((np.eye(6) - S @ S.T) @ np.array(turns).T)
    K = np.vstack(rows)
    return np.linalg.pinv(K, rcond=1e-9) @ K


def twist_across(state, edge):
    """Twist of a joint's after-frame relative to its before-frame, in the after-frame."""
    V = rbdyn.spatial_velocity(state, edge.successor, edge.predecessor)
    after = edge.successor_pose.inverse()
    R, o = after.rotation, after.translation
    return np.concatenate([R.T @ V[:3], R.T @ (V[3:] + np.cross(V[:3], o))])


def state_with(state, v):
    twin = rbdyn.State(state.model)
    twin.set(state.q, v)
    return twin


def random_state(m, rng, q=None):
    """A state of a new Model of `m`, at `q` if given."""
    model = rbdyn.Model(m)
    state = rbdyn.State(model)
    if q is None:
        parts = [j.joint_type.random(rng) for j in m.tree_joints if j.num_velocities]
        q = np.concatenate([np.zeros(0), *parts])  # in the order of the tree, as the model's
    state.set(q, rng.normal(size=model.nv))
    return state


def pose(state, body):
    """World pose of a body."""
    return Transform.from_matrix(rbdyn.body_pose(state, body))


def relative(state, m, joint):
    """Pose of a joint's after-frame in its before-frame."""
    e = m.edge(joint)
    return (pose(state, e.predecessor) @ e.joint_pose).inverse() @ pose(state, e.successor) @ e.successor_pose.inverse()


def motion(state, bodies):
    """World poses and twists of `bodies`, and the kinetic energy, as one array."""
    poses = [rbdyn.body_pose(state, b).ravel() for b in bodies]
    twists = [rbdyn.point_velocity_6d(state, b, (0, 0, 0)) for b in bodies]
    return np.concatenate([*poses, *twists, [rbdyn.kinetic_energy(state)]])
