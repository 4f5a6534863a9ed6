"""A universal joint that closes a loop is two revolute ones with a body without mass between them."""

import numpy as np
import pytest
from algorithms.loop_systems import looped
from reference.compare import close, nontrivial
from reference.in_series import in_series

import rbdyn
from rbdyn.mechanism import Universal


def twin_of(s):
    """The same motion with the loop joint's first hinge in the tree: its angle and rate are that of the joint."""
    mechanism = in_series(s.mechanism)
    model = rbdyn.Model(mechanism)
    state, q, v = rbdyn.State(model), model.neutral(), np.zeros(model.nv)
    same = []
    for joint in s.mechanism.tree_joints:
        if not joint.num_velocities:
            continue
        names = [f"{joint.name}_0", f"{joint.name}_1"] if isinstance(joint.joint_type, Universal) else [joint.name]
        i, k = s.model.joint_q_index(joint.name), s.model.joint_v_index(joint.name)
        for name in names:
            a, b = model.joint_q_index(name), model.joint_v_index(name)
            n, m = joint.num_positions // len(names), joint.num_velocities // len(names)
            q[a : a + n], v[b : b + m] = s.state.q[i : i + n], s.state.v[k : k + m]
            same += range(b, b + m)
            i, k = i + n, k + m
    for joint in s.mechanism.non_tree_joints:
        if isinstance(joint.joint_type, Universal):
            edge = s.mechanism.edge(joint)
            before = rbdyn.Transform.from_matrix(rbdyn.body_pose(s.state, edge.predecessor)) @ edge.joint_pose
            body = rbdyn.Transform.from_matrix(rbdyn.body_pose(s.state, edge.successor))
            after = body @ edge.successor_pose.inverse()
            angles = joint.joint_type.configuration(before.inverse() @ after)
            q[model.joint_q_index(f"{joint.name}_0")] = angles[0]
            twist = [rbdyn.point_velocity_6d(s.state, end)[:3] for end in (edge.predecessor, edge.successor)]
            spin = after.rotation.T @ (twist[1] - twist[0])
            rates = joint.joint_type.velocity(angles, [*spin, 0.0, 0.0, 0.0])
            v[model.joint_v_index(f"{joint.name}_0")] = rates[0]
    state.set(q, v)
    return mechanism, model, state, np.array(same)


@pytest.fixture(scope="module")
def pair(seed):
    s = looped(seed, 1, joint_types=[Universal])
    return s, twin_of(s)


def own(s):
    """Where the degrees of freedom of the tree are in v."""
    return [s.model.joint_v_index(j.name) + k for j in s.mechanism.tree_joints for k in range(j.num_velocities)]


def test_the_loop_is_closed_for_both(pair):
    s, (_, _, state, _) = pair
    close(rbdyn.loop_error(s.state), np.zeros(4), 1e-13)
    close(rbdyn.loop_error(state), np.zeros(5), 1e-13)
    close(rbdyn.loop_jacobian(state) @ state.v, np.zeros(5), 1e-12)


def test_accelerations_and_reactions(pair):
    s, (mechanism, model, state, same) = pair
    tau, there = s.order(s.tau), np.zeros(model.nv)
    there[same] = tau[own(s)]
    mine, theirs = rbdyn.forward_dynamics(s.state, tau), rbdyn.forward_dynamics(state, there)
    nontrivial(theirs[same])
    close(mine[own(s)], theirs[same], 1e-12)
    close(rbdyn.kinetic_energy(s.state), rbdyn.kinetic_energy(state), 1e-12)
