"""What editing a mechanism must not change: the motion of what is the same."""

import numpy as np
import pytest
from algorithms.systems import BASES, in_motion, random_system
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Floating, Planar, Prismatic, Revolute, SinCosRevolute, Spherical, SPQuatFloating
from rbdyn.testing.random_mechanisms import random_tree

MIXED = [Fixed, Fixed, Fixed, Revolute, SinCosRevolute, Prismatic, Spherical, Planar]


def copied(mechanism):
    """The same mechanism of new bodies and joints."""
    twin = rbdyn.Mechanism(mechanism.root_body.copy(), mechanism.gravity)
    for joint in mechanism.joints:
        edge = mechanism.edge(joint)
        loop = joint in mechanism.non_tree_joints
        body = twin.find_body(edge.successor.name) if loop else edge.successor.copy()
        twin.attach(twin.find_body(edge.predecessor.name), body, joint.copy(), edge.joint_pose, edge.successor_pose)
    return twin


def at_same_state(system, mechanism):
    """A state of `mechanism`, whose moving joints have the names of the system's, where the system is."""
    model = rbdyn.Model(mechanism)
    q, v = np.empty(model.nq), np.empty(model.nv)
    order = np.empty(model.nv, int)
    for joint in system.mechanism.tree_joints:
        if joint.num_velocities:
            for x, new, index, n in (
                (q, model.joint_q_index, system.model.joint_q_index, joint.num_positions),
                (v, model.joint_v_index, system.model.joint_v_index, joint.num_velocities),
            ):
                source = system.state.q if x is q else system.state.v
                x[new(joint.name) : new(joint.name) + n] = source[index(joint.name) : index(joint.name) + n]
                if x is v:
                    order[index(joint.name) + np.arange(n)] = new(joint.name) + np.arange(n)
    state = rbdyn.State(model)
    state.set(q, v)
    return state, order


def test_merging_fixed_joints_keeps_the_dynamics(seed):
    rng = np.random.default_rng(seed)
    s = in_motion(rng, random_tree(rng, 10, MIXED, BASES[seed % 4]))
    merged = copied(s.mechanism)
    maps = merged.remove_fixed_tree_joints()
    assert maps.bodies
    state, order = at_same_state(s, merged)
    M = rbdyn.mass_matrix(s.state)
    nontrivial(M)
    close(rbdyn.mass_matrix(state)[np.ix_(order, order)], M, 1e-12)
    close(rbdyn.bias_forces(state)[order], rbdyn.bias_forces(s.state), 1e-12)
    close(rbdyn.kinetic_energy(state), rbdyn.kinetic_energy(s.state), 1e-12)
    close(rbdyn.potential_energy(state), rbdyn.potential_energy(s.state), 1e-12)
    for body in s.mechanism.bodies:  # merged ones live on as frames of the same name
        close(rbdyn.body_pose(state, body.name), rbdyn.body_pose(s.state, body.name), 1e-12)


def test_a_successor_pose_is_a_change_of_the_body_frame(seed):
    """Moving the body's frame within the body: inertia and children's joint poses follow, the motion does not care."""
    s = random_system(seed, n=7)
    m, twin = s.mechanism, rbdyn.Mechanism(rbdyn.RigidBody("world"), s.mechanism.gravity)
    shift = {m.root_body: rbdyn.Transform()}  # pose of the old body frame in the new one
    for joint in m.tree_joints:
        edge = m.edge(joint)
        shift[edge.successor] = edge.successor_pose
        body = rbdyn.RigidBody(edge.successor.name, edge.successor.inertia.transformed(edge.successor_pose))
        parent = twin.find_body(edge.predecessor.name)
        twin.attach(parent, body, joint.copy(), shift[edge.predecessor] @ edge.joint_pose)
    state, order = at_same_state(s, twin)
    close(rbdyn.mass_matrix(state)[np.ix_(order, order)], rbdyn.mass_matrix(s.state), 1e-12)
    close(rbdyn.bias_forces(state)[order], rbdyn.bias_forces(s.state), 1e-12)
    close(rbdyn.momentum(state), rbdyn.momentum(s.state), 1e-12)
    for body in m.bodies:
        expected = rbdyn.body_pose(state, body.name) @ shift[body].matrix
        close(rbdyn.body_pose(s.state, body), expected, 1e-12)


def test_the_order_of_attaching_does_not_matter(seed):
    """Children attached before or after their uncles: the same mechanism in other rows."""
    s = random_system(seed, n=8)
    m, twin = s.mechanism, rbdyn.Mechanism(rbdyn.RigidBody("world"), s.mechanism.gravity)
    pending = list(m.joints_to_children(m.root_body))
    while pending:  # depth first, last child first
        joint = pending.pop()
        edge = m.edge(joint)
        parent = twin.find_body(edge.predecessor.name)
        twin.attach(parent, edge.successor.copy(), joint.copy(), edge.joint_pose, edge.successor_pose)
        pending += m.joints_to_children(edge.successor)
    state, order = at_same_state(s, twin)
    close(rbdyn.mass_matrix(state)[np.ix_(order, order)], rbdyn.mass_matrix(s.state), 1e-12)
    close(rbdyn.bias_forces(state)[order], rbdyn.bias_forces(s.state), 1e-12)
    tau = np.empty(state.model.nv)
    tau[order] = s.tau
    close(rbdyn.forward_dynamics(state, tau)[order], rbdyn.forward_dynamics(s.state, s.tau))


def test_a_separate_tree_on_the_root_does_not_interfere():
    """Two robots in one mechanism: block-diagonal mass matrix."""
    s = random_system(3, n=5, floating_base=False)
    other = random_system(4, n=5, floating_base=False)
    both = copied(s.mechanism)
    for joint in other.mechanism.tree_joints:
        edge = other.mechanism.edge(joint)
        root = edge.predecessor is other.mechanism.root_body
        parent = both.root_body if root else both.find_body(f"other_{edge.predecessor.name}")
        body, new = edge.successor.copy(f"other_{edge.successor.name}"), joint.copy(f"other_{joint.name}")
        both.attach(parent, body, new, edge.joint_pose, edge.successor_pose)
    model = rbdyn.Model(both)
    assert model.nv == s.model.nv + other.model.nv
    state = rbdyn.State(model)
    state.set(model.random(np.random.default_rng(0)))
    M = rbdyn.mass_matrix(state)
    first = np.zeros(model.nv, bool)
    for joint in s.mechanism.tree_joints:
        if joint.num_velocities:
            k = model.joint_v_index(joint.name)
            first[k : k + joint.num_velocities] = True
    assert (M[np.ix_(first, ~first)] == 0).all()
    nontrivial(M[np.ix_(~first, ~first)])


def test_compiling_a_model_leaves_the_mechanism_alone():
    s = random_system(2, n=8, joint_types=MIXED)
    m = copied(s.mechanism)
    inertias = [b.inertia for b in m.bodies]
    revision, bodies, joints = m.revision, m.bodies, m.joints
    state = rbdyn.State(rbdyn.Model(m))
    rbdyn.forward_dynamics(state, np.zeros(state.model.nv))
    assert (m.revision, m.bodies, m.joints) == (revision, bodies, joints)
    assert all(b.inertia is i for b, i in zip(m.bodies, inertias, strict=True))


@pytest.mark.parametrize("base", [Floating(), SPQuatFloating()])
@pytest.mark.parametrize("extra", [None, Fixed(), Revolute()])
def test_which_body_is_the_base(extra, base):
    """Body 0 is the floating body if nothing else moves on the root, otherwise the root."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    inertia = rbdyn.SpatialInertia(1.0, inertia=np.eye(3))
    trunk, post, hand = (rbdyn.RigidBody(name, inertia) for name in ("trunk", "post", "hand"))
    m.attach(m.root_body, trunk, rbdyn.Joint("float", base))
    if extra is not None:
        m.attach(m.root_body, post, rbdyn.Joint("post", extra))
    m.attach(trunk, hand, rbdyn.Joint("wrist", Prismatic()))
    model = rbdyn.Model(m)
    fixed = isinstance(extra, Revolute)
    assert list(model.body_names)[0] == ("world" if fixed else "trunk")
    assert set(model.body_names) == ({"world", "trunk", "post", "hand"} if fixed else {"trunk", "hand"})
    assert rbdyn.forward_kinematics(rbdyn.State(model)).shape == (model.n_bodies, 4, 4)
    np.testing.assert_array_equal(rbdyn.body_pose(rbdyn.State(model), "world"), np.eye(4))
