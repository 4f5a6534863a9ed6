"""Surgery: copies attached, cut out and taken apart obey the same mechanics; a refused edit leaves no trace."""

import warnings

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    Fixed,
    Floating,
    Geometry,
    Joint,
    Mechanism,
    Model,
    Prismatic,
    Revolute,
    RigidBody,
    SinCosRevolute,
    SpatialInertia,
    Spherical,
    State,
    Transform,
    bias_forces,
    body_pose,
    mass_matrix,
)
from rbdyn.collision.shapes import Box, Sphere
from rbdyn.errors import MimicWarning
from rbdyn.mechanism import Mimic
from rbdyn.testing.random_mechanisms import random_inertia, random_transform, random_tree

GRAVITY = (1.0, -2.0, -9.0)


def snapshot(mechanism):
    """Everything a mechanism says about itself, as comparable values."""

    def of_body(b):
        frames = {name: (id(frame), pose) for name, (frame, pose) in b.frames.items()}
        return b.name, id(b), id(b.frame), b.inertia, tuple(b.collision), tuple(b.visual), frames

    def of_joint(j):
        return id(j), j.name, j.joint_type, j.position_limits, j.mimic, mechanism.edge(j)

    return (
        repr(mechanism),
        [of_body(b) for b in mechanism.bodies],
        [of_joint(j) for j in mechanism.joints],
        [(b, mechanism.find_body(b.name)) for b in mechanism.bodies],
        dict(mechanism._merged_names),
        mechanism.gravity.tolist(),
        mechanism.revision,
    )


def add_loops(mechanism, rng, count=2):
    """Loop joints between random bodies."""
    for k in range(count):
        a, b = rng.choice(len(mechanism.bodies), 2, replace=False)
        joint = Joint(f"loop{k}", (Revolute(), Spherical())[k % 2])
        mechanism.attach(
            mechanism.bodies[a], mechanism.bodies[b], joint, random_transform(rng), random_transform(rng)
        )
    return mechanism


def random_state(mechanism, seed=0):
    model = Model(mechanism)
    state = State(model)
    state.set(model.random(seed), np.random.default_rng(seed).normal(size=model.nv))
    return state


def pose_of(state, body):
    return body_pose(state, body).copy()


HIP = Transform(rpy=(0.1, 0.2, 0.3), translation=(0.1, 0.0, -0.1))
KNEE = Transform(translation=(0, 0, -0.4))


def add_leg(m, body, pose, prefix):
    """A leg written out by hand: hip, knee, a fixed foot, and a ball joint that closes a loop."""
    thigh = RigidBody(prefix + "thigh", SpatialInertia(2.0, (0, 0.05, -0.2), np.diag([0.1, 0.2, 0.15])))
    shank = RigidBody(prefix + "shank", SpatialInertia(1.0, (0.01, 0, -0.2), np.diag([0.05, 0.06, 0.04])))
    foot = RigidBody(prefix + "foot", SpatialInertia(0.3, (0.05, 0, 0)))
    m.attach(body, thigh, Joint(prefix + "hip", Spherical()), pose @ HIP)
    m.attach(thigh, shank, Joint(prefix + "knee", Revolute((0, 1, 0)), (-2, 1), rotor_inertia=0.1), KNEE)
    m.attach(shank, foot, Joint(prefix + "ankle", Fixed()), KNEE)
    stay = Transform(translation=(1, 0, 0)) @ pose.inverse()
    m.attach(foot, body, Joint(prefix + "stay", Spherical()), successor_pose=stay)


@pytest.fixture
def leg():
    m = Mechanism(RigidBody("mount", SpatialInertia(0.5, (0.1, 0.2, 0.3))), gravity=(0, 0, 5))
    add_leg(m, m.root_body, Transform(), "")
    m.root_body.add_frame("bolt", Transform(translation=(0, 0.01, 0)))
    m.root_body.collision.append(Geometry(Box((1, 1, 1)), Transform(translation=(0, 0, 1)), "mount/0"))
    m.find_body("foot").collision.append(Geometry(Sphere(0.1), name="foot/0"))
    m.find_body("foot").add_frame("sole", Transform(translation=(0, 0, -0.1)))
    return m


def trunk_on_world():
    m = Mechanism(RigidBody("world"), gravity=GRAVITY)
    trunk = RigidBody("trunk", SpatialInertia(10.0, (0, 0, 0.1), np.eye(3)))
    m.attach(m.root_body, trunk, Joint("base", Floating()))
    return m, trunk


MOUNTS = {"a_": (0.3, 0.2, 0.0), "b_": (-0.3, 0.2, 0.1), "c_": (0.0, -0.4, 0.2)}


# ---- attach_mechanism ------------------------------------------------------------------------


def test_three_legs_move_as_if_written_by_hand(leg):
    before = snapshot(leg)
    m, trunk = trunk_on_world()
    hand, hand_trunk = trunk_on_world()
    all_maps = {}
    for prefix, place in MOUNTS.items():
        pose = Transform(rpy=place, translation=place)
        all_maps[prefix] = m.attach_mechanism(trunk, leg, pose, prefix)
        hand_trunk.inertia = hand_trunk.inertia + leg.root_body.inertia.transformed(pose)
        add_leg(hand, hand_trunk, pose, prefix)
    assert snapshot(leg) == before
    assert [b.name for b in m.bodies] == [b.name for b in hand.bodies]
    assert [j.name for j in m.joints] == [j.name for j in hand.joints]
    assert m.num_constraints == hand.num_constraints == 9
    np.testing.assert_array_equal(m.gravity, GRAVITY)
    ours, theirs = random_state(m, 4), random_state(hand, 4)
    expected, bias = mass_matrix(theirs), bias_forces(theirs)
    assert np.abs(bias).min() > 1e-3
    np.testing.assert_allclose(mass_matrix(ours), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(bias_forces(ours), bias, rtol=0, atol=1e-11)
    for prefix, maps in all_maps.items():
        assert maps.bodies[leg.root_body] is trunk
        for old in leg.bodies[1:]:
            new = maps.bodies[old]
            assert new is m.find_body(prefix + old.name) is not old
            np.testing.assert_allclose(pose_of(ours, new), pose_of(theirs, prefix + old.name), atol=1e-13)
        loop = maps.joints[leg.find_joint("stay")]
        assert loop in m.non_tree_joints
        for a, b in zip(before_after(m, loop), before_after(hand, hand.find_joint(prefix + "stay")), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-13)


def before_after(mechanism, joint):
    edge = mechanism.edge(joint)
    return edge.joint_pose.matrix, edge.successor_pose.matrix


def test_legs_on_the_world_do_not_feel_each_other(leg):
    m = Mechanism(RigidBody("world"), gravity=leg.gravity)
    for prefix in MOUNTS:
        m.attach_mechanism(m.root_body, leg, None, prefix)
    one = random_state(leg, 7)
    state = State(Model(m))
    state.set(np.tile(one.q, 3), np.tile(one.v, 3))
    np.testing.assert_allclose(mass_matrix(state), np.kron(np.eye(3), mass_matrix(one)), atol=1e-13)
    np.testing.assert_allclose(bias_forces(state), np.tile(bias_forces(one), 3), atol=1e-12)


def test_copies_are_independent_and_all_frames_are_mapped(leg):
    m, trunk = trunk_on_world()
    first = m.attach_mechanism(trunk, leg, Transform(translation=(0, 0, 1)), "l_")
    second = m.attach_mechanism(trunk, leg, Transform(translation=(0, 0, 2)), "r_")
    frames = {leg.root_frame, leg.root_body.frames["bolt"][0], leg.find_body("foot").frames["sole"][0]}
    frames |= {b.frame for b in leg.bodies} | {f for j in leg.joints for f in (j.frame_before, j.frame_after)}
    for maps in (first, second):
        assert set(maps.frames) == frames
        assert set(maps.joints) == set(leg.joints)
        assert set(maps.bodies) == set(leg.bodies)
    assert not set(first.frames.values()) & (set(second.frames.values()) | frames)
    m.find_body("l_shank").inertia = SpatialInertia(7.0)
    m.find_joint("l_knee").damping = 3.0
    assert m.find_body("r_shank").inertia.mass == leg.find_body("shank").inertia.mass == 1.0
    assert m.find_joint("r_knee").damping == leg.find_joint("knee").damping == 0.0
    model = random_state(m)
    for maps, prefix in ((first, "l_"), (second, "r_")):
        sole = leg.find_body("foot").frames["sole"][0]
        np.testing.assert_array_equal(pose_of(model, maps.frames[sole]), pose_of(model, prefix + "sole"))
        assert m.find_body(prefix + "foot").collision[0].name == prefix + "foot/0"


def test_the_childs_root_goes_into_the_parent_body(leg):
    m, trunk = trunk_on_world()
    pose = Transform(rpy=(0.3, 0.1, 0.2), translation=(0.5, 0.6, 0.7))
    mass = trunk.inertia.mass
    maps = m.attach_mechanism(trunk, leg, pose, "x_")
    assert trunk.inertia.mass == mass + 0.5
    moment = mass * np.array([0, 0, 0.1]) + 0.5 * (pose @ (0.1, 0.2, 0.3))
    np.testing.assert_allclose(trunk.inertia.com, moment / 10.5)
    (item,) = trunk.collision
    assert item.name == "x_mount/0"
    np.testing.assert_allclose(item.pose.translation, pose @ (0, 0, 1))
    frame, where = trunk.frames["x_mount"]
    assert (frame, where) == (maps.frames[leg.root_frame], pose)
    frame, where = trunk.frames["x_bolt"]
    assert frame is maps.frames[leg.root_body.frames["bolt"][0]]
    np.testing.assert_allclose(where.translation, pose @ (0, 0.01, 0))


def test_names_that_are_taken_are_named(leg):
    m, trunk = trunk_on_world()
    m.attach_mechanism(trunk, leg)
    before = snapshot(m)
    with pytest.raises(rbdyn.MechanismError, match="name 'thigh'.*another prefix"):
        m.attach_mechanism(trunk, leg)
    with pytest.raises(rbdyn.MechanismError, match="frame named 'mount'"):  # it lives on as a frame of the trunk
        m.attach(trunk, RigidBody("mount"), Joint("new", Fixed()))
    assert snapshot(m) == before
    small = Mechanism(RigidBody("world"))
    small.attach(small.root_body, RigidBody("x"), Joint("knee", Fixed()))
    with pytest.raises(rbdyn.MechanismError, match="name 'knee', which joint 'knee'"):
        m.attach_mechanism(trunk, small)
    assert snapshot(m) == before
    small = Mechanism(RigidBody("world"))
    maps = m.attach_mechanism(trunk, small)  # a root called like ours is no reason to refuse
    assert trunk.frames["world_2"][0] is maps.frames[small.root_frame]


def test_merged_bodies_and_mimics_come_along(leg):
    follower = RigidBody("flap", SpatialInertia(0.1))
    leg.attach(leg.find_body("thigh"), follower, Joint("flap", Revolute(), mimic=Mimic("knee", 2.0)))
    leg.remove_fixed_tree_joints()
    m, trunk = trunk_on_world()
    maps = m.attach_mechanism(trunk, leg, prefix="l_")
    assert maps.joints[leg.find_joint("flap")].mimic == Mimic("l_knee", 2.0)
    assert "l_foot" in m.find_body("l_shank").frames
    with pytest.raises(rbdyn.MechanismError, match="l_foot"):
        m.attach(trunk, RigidBody("l_foot"), Joint("new", Fixed()))


def test_a_mechanism_may_be_attached_to_itself(leg):
    count = len(leg.bodies)
    leg.attach_mechanism(leg.find_body("foot"), leg, prefix="next_")
    assert len(leg.bodies) == 2 * count - 1
    assert leg.num_constraints == 6
    assert leg.parent(leg.find_body("next_thigh")).name == "foot"
    np.linalg.cholesky(mass_matrix(random_state(leg)))


# ---- submechanism ----------------------------------------------------------------------------


def test_a_part_moves_like_the_whole_with_its_base_held(seed):
    rng = np.random.default_rng(seed)
    m = add_loops(random_tree(rng, 12), rng, 4)
    before = snapshot(m)
    body = max(m.bodies[1:6], key=lambda b: sum(x is not b and b in chain(m, x) for x in m.bodies))
    state = random_state(m, seed)
    R = Transform.from_matrix(as_matrix(pose_of(state, body))).rotation.T
    part, maps = m.submechanism(body, gravity=R)
    assert snapshot(m) == before
    inside = [b for b in m.bodies if b is body or body in chain(m, b)]
    assert list(maps.bodies) == inside
    assert [b.name for b in part.bodies] == [b.name for b in inside]
    kept = [j.name for j in m.non_tree_joints if {m.predecessor(j), m.successor(j)} <= set(inside)]
    assert [j.name for j in part.non_tree_joints] == kept
    np.testing.assert_allclose(part.gravity, R @ m.gravity)
    np.testing.assert_array_equal(m.submechanism(body)[0].gravity, m.gravity)
    assert part.num_velocities > 0

    # The same q; the joints outside stand still.
    model, small = state.model, Model(part)
    q_rows, v_rows = rows(model, part)
    v = np.zeros(model.nv)
    v[v_rows] = state.v[v_rows]
    state.set(state.q.copy(), v)
    held = State(small)
    held.set(state.q[q_rows], v[v_rows])
    base = np.linalg.inv(as_matrix(pose_of(state, body)))
    for old in inside:
        ours = as_matrix(pose_of(held, maps.bodies[old]))
        np.testing.assert_allclose(ours, base @ as_matrix(pose_of(state, old)), atol=1e-12)
    np.testing.assert_allclose(mass_matrix(held), mass_matrix(state)[np.ix_(v_rows, v_rows)], atol=1e-12)
    expected = bias_forces(state)[v_rows]
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(bias_forces(held), expected, atol=1e-11)


def chain(m, body):
    """The bodies between `body` and the root."""
    out = []
    while body is not m.root_body:
        body = m.parent(body)
        out.append(body)
    return out


def as_matrix(pose):
    """(4, 4) of a pose [x, y, z, w, x, y, z]."""
    return pose if pose.shape == (4, 4) else Transform(quat=pose[3:], translation=pose[:3]).matrix


def rows(model, part):
    """Where the coordinates and velocities of the joints of `part` stand in those of `model`."""
    joints = [j for j in part.tree_joints if j.num_velocities]
    q = [model.joint_q_index(j.name) + k for j in joints for k in range(j.num_positions)]
    v = [model.joint_v_index(j.name) + k for j in joints for k in range(j.num_velocities)]
    return q, v


def test_a_mimic_of_a_joint_outside_is_dropped(leg):
    follower = RigidBody("flap", SpatialInertia(0.1))
    leg.attach(leg.find_body("shank"), follower, Joint("flap", Revolute(), mimic=Mimic("knee")))
    assert leg.submechanism(leg.root_body)[0].find_joint("flap").mimic == Mimic("knee")
    with pytest.warns(MimicWarning, match=r"lose the leader that they follow: 'flap' \(of 'knee'\)"):
        part = leg.submechanism(leg.find_body("shank"))[0]
    assert part.find_joint("flap").mimic is None


def test_gravity_is_copied_or_turned_and_nothing_else(leg):
    for bad in ("rotate", np.eye(2), 2 * np.eye(3), None, [["x"] * 3] * 3, np.full((3, 3), np.nan)):
        with pytest.raises(rbdyn.MechanismError, match=r"gravity must be \"copy\" or a \(3, 3\) rotation"):
            leg.submechanism(leg.root_body, gravity=bad)


# ---- taking apart ----------------------------------------------------------------------------


def relative(state, a, b):
    return np.linalg.inv(as_matrix(pose_of(state, a))) @ as_matrix(pose_of(state, b))


def test_a_loop_joint_is_dropped(leg):
    stay = leg.find_joint("stay")
    tree = leg.tree_joints
    maps = leg.remove_joint(stay)
    assert (maps.bodies, maps.joints, maps.frames) == ({}, {}, {})
    assert leg.joints == leg.tree_joints == tree
    with pytest.raises(rbdyn.UnknownNameError):
        leg.find_joint("stay")
    leg.attach(leg.find_body("foot"), leg.root_body, stay)  # it is free again
    assert leg.non_tree_joints == (stay,)


def test_a_cut_loop_hangs_on_its_other_end(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 9, (Revolute, Prismatic, Fixed, SinCosRevolute))
    for k, kind in enumerate((Revolute((0.6, 0, 0.8)), Prismatic((0, 0.6, 0.8)), Fixed())):
        a, b = rng.choice(10, 2, replace=False)
        ends = m.bodies[a], m.bodies[b]
        limits = (-2.0, 1.0) if kind.num_positions == 1 else None
        m.attach(*ends, Joint(f"loop{k}", kind, limits), random_transform(rng), random_transform(rng))
    m.find_joint("joint3").damping = 0.7
    loop = m.non_tree_joints[0]
    path = m.path(m.predecessor(loop), m.successor(loop))
    cut, _ = path[int(rng.integers(len(path)))]
    old_edges = {j: m.edge(j) for j in m.joints}
    inertias = {b: b.inertia for b in m.bodies}
    before = random_state(m, seed)
    q = {j: before.q[joint_slice(before.model, j)] for j in m.tree_joints if j.num_positions}
    poses = {j: relative(before, e.predecessor, e.successor) for j, e in old_edges.items() if j in m.tree_joints}

    maps = m.remove_joint(cut)

    assert set(m.bodies) == set(inertias)
    assert all(b.inertia is inertia for b, inertia in inertias.items())
    assert {j.name for j in m.joints} == {j.name for j in old_edges} - {cut.name}
    assert len(m.tree_joints) == 9
    state = random_state(m, seed + 1)
    new_q = state.q.copy()
    for old, value in q.items():
        new = maps.joints.get(old, old)
        if new in m.tree_joints:
            new_q[joint_slice(state.model, new)] = value
    state.set(new_q)
    np.linalg.cholesky(mass_matrix(state) + 1e-12 * np.eye(state.model.nv))
    for old, pose in poses.items():
        new, edge = maps.joints.get(old, old), old_edges[old]
        if new in m.tree_joints:
            np.testing.assert_allclose(relative(state, edge.predecessor, edge.successor), pose, atol=1e-12)
    for old, new in maps.joints.items():
        edge = old_edges[old]
        assert new.name == old.name
        assert (new.frame_before, new.frame_after) == (old.frame_after, old.frame_before)
        assert new.position_limits == old.position_limits
        assert new.damping == old.damping
        assert (m.predecessor(new), m.successor(new)) == (edge.successor, edge.predecessor)
        if old in poses or not old.num_positions:
            continue
        pair = Mechanism(RigidBody("base"))  # a loop joint that was flipped into the tree, alone and unflipped
        tip = RigidBody("tip", SpatialInertia(1.0))
        pair.attach(pair.root_body, tip, old.copy(), edge.joint_pose, edge.successor_pose)
        alone = State(Model(pair))
        alone.set(new_q[joint_slice(state.model, new)])
        expected = as_matrix(pose_of(alone, "tip"))
        np.testing.assert_allclose(relative(state, edge.predecessor, edge.successor), expected, atol=1e-12)


def joint_slice(model, joint):
    start = model.joint_q_index(joint.name)
    return slice(start, start + joint.num_positions)


def test_what_can_stay_as_it_is_stays_so(leg):
    """Old tree joints before loop joints, and those that lead outwards before those that must be flipped."""
    twin = leg.copy()
    stay = leg.find_joint("stay")
    maps = leg.remove_joint(leg.find_joint("hip"))
    assert [j.name for j in leg.tree_joints] == ["stay", "ankle", "knee"]  # by its ball joint alone it can be reached
    assert leg.tree_joints == tuple(maps.joints.values())
    assert maps.joints[stay].joint_type == Spherical()
    assert leg.non_tree_joints == ()
    twin.attach(twin.root_body, twin.find_body("shank"), Joint("rod", Prismatic((1, 0, 0)), (0, 2)))
    knee = twin.find_joint("knee")
    maps = twin.remove_joint(twin.find_joint("hip"))
    assert list(maps.joints) == [knee]
    knee = twin.find_joint("knee")
    assert [j.name for j in twin.tree_joints] == ["rod", "ankle", "knee"]
    assert (knee.joint_type, knee.position_limits) == (Revolute((0, -1, 0)), (-2, 1))
    assert list(maps.joints.values()) == [knee]
    assert twin.find_joint("stay") in twin.non_tree_joints


def test_a_sine_and_cosine_turned_round_keep_their_q():
    m = Mechanism(RigidBody("world"))
    upper, lower = RigidBody("upper", SpatialInertia(1.0)), RigidBody("lower", SpatialInertia(1.0))
    m.attach(m.root_body, upper, Joint("shoulder", Revolute()))
    m.attach(upper, lower, Joint("elbow", SinCosRevolute((0.6, 0.0, 0.8))), random_transform(np.random.default_rng(1)))
    m.attach(m.root_body, lower, Joint("rod", Prismatic()))
    before = State(Model(m))
    before.set([0.3, 0.6, -0.8])
    expected = relative(before, upper, lower)
    maps = m.remove_joint(m.find_joint("shoulder"))
    (elbow,) = maps.joints.values()
    assert elbow.joint_type == SinCosRevolute((-0.6, 0.0, -0.8))
    after = State(Model(m))
    after.set([0.1, 0.6, -0.8])
    np.testing.assert_allclose(relative(after, upper, lower), expected, atol=1e-14)


def test_a_bridge_splits_only_when_asked(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 9)
    joint = m.tree_joints[int(rng.integers(4))]
    body = m.successor(joint)
    part, _ = m.submechanism(body)
    below = [b for b in m.bodies if b is body or body in chain(m, b)]
    rest = [b for b in m.bodies if b not in below]
    before = snapshot(m)
    with pytest.raises(rbdyn.MechanismError, match="split=True"):
        m.remove_joint(joint)
    assert snapshot(m) == before
    old = Model(m)
    near, far = m.remove_joint(joint, split=True)
    assert near is m
    assert near.bodies == tuple(rest)
    assert far.bodies == tuple(below)
    assert repr(far) == repr(part)
    with pytest.raises(rbdyn.StaleModelError):
        old.check()
    if far.num_velocities:
        np.testing.assert_array_equal(mass_matrix(random_state(far)), mass_matrix(random_state(part)))
    count = near.revision, far.revision
    body.inertia = SpatialInertia(9.0)  # whose part it is now
    assert (near.revision, far.revision) == (count[0], count[1] + 1)
    body_far = far.root_body
    near.attach(near.root_body, RigidBody("carrier"), Joint("carrier", Fixed()))
    with pytest.raises(rbdyn.MechanismError, match="part of mechanism"):
        near.attach(near.root_body, body_far, joint)


def test_a_subtree_goes_with_its_loops(seed):
    rng = np.random.default_rng(seed)
    m = add_loops(random_tree(rng, 9), rng, 4)
    joint = m.tree_joints[int(rng.integers(5))]
    body = m.successor(joint)
    rest = [b for b in m.bodies if b is not body and body not in chain(m, b)]
    kept = [j for j in m.joints if m.predecessor(j) in rest and m.successor(j) in rest]
    m.remove_subtree(joint)
    assert m.bodies == tuple(rest)
    assert m.joints == tuple(kept)
    count = m.revision
    body.inertia, joint.damping = SpatialInertia(9.0), 2.0
    assert m.revision == count  # what was removed is no longer this mechanism's
    m.attach(m.root_body, body, joint)  # both are free again
    assert m.parent(body) is m.root_body
    assert m.joint_to_parent(body) is joint


def test_loop_joints_stay_before_those_that_became_ones():
    m = Mechanism(RigidBody("world"))
    for k in range(4):
        m.attach(m.bodies[-1], RigidBody(f"b{k}", SpatialInertia(1.0)), Joint(f"j{k}", Revolute()))
    m.attach(m.find_body("b0"), m.find_body("b2"), Joint("stays", Revolute()))
    m.attach(m.root_body, m.find_body("b3"), Joint("joins", Revolute()))
    assert [j.name for j in m.joints] == ["j0", "j1", "j2", "j3", "stays", "joins"]
    m.rebuild_spanning_tree(next_edge=lambda joints: next((j for j in joints if j.name in ("joins", "j3")), joints[0]))
    assert [j.name for j in m.tree_joints] == ["joins", "j3", "j0", "j2"]  # j2 was met before j1
    assert [j.name for j in m.non_tree_joints] == ["stays", "j1"]


def test_mimics_follow_or_are_let_go():
    """A replaced leader is still followed; one that went to the other part is not."""
    m = Mechanism(RigidBody("world"))
    for k, leader in enumerate((None, "j0", "j1", "j2")):
        mimic = Mimic(leader, 2.0) if leader else None
        m.attach(m.bodies[-1], RigidBody(f"b{k}"), Joint(f"j{k}", Revolute(), mimic=mimic))
    m.replace_joint(m.find_joint("j2"), Joint("new", Revolute()))
    assert m.find_joint("j3").mimic == Mimic("new", 2.0)
    m.find_joint("new").mimic = Mimic("j0")
    m.find_joint("j0").mimic = Mimic("new")
    with pytest.warns(MimicWarning) as said:
        _, far = m.remove_joint(m.find_joint("j1"), split=True)
    assert [str(one.message) for one in said] == [f"joints lose the leader that they follow: {pair}"
                                                  for pair in ("'new' (of 'j0')", "'j0' (of 'new')")]  # fmt: skip
    assert (m.find_joint("j0").mimic, far.find_joint("new").mimic) == (None, None)
    assert far.find_joint("j3").mimic == Mimic("new", 2.0)


@pytest.mark.parametrize("edit", [
    lambda m: m.submechanism("b2"), lambda m: m.remove_joint("j2", split=True), lambda m: m.remove_subtree("j2"),
    lambda m: m.remove_joint("j2", split=True), lambda m: m.remove_joint("j1", split=True)])  # fmt: skip
def test_who_refuses_to_lose_a_leader_keeps_it(edit):
    """The warning comes before anything is changed: made an error, it leaves the mechanism as it was."""
    m = Mechanism(RigidBody("world"))
    for k, leader in enumerate(("j2", "j2", None, "j0")):
        mimic = Mimic(leader, 2.0) if leader else None
        m.attach(m.bodies[-1], RigidBody(f"b{k}"), Joint(f"j{k}", Revolute(), mimic=mimic))
    before = snapshot(m)
    with warnings.catch_warnings():
        warnings.simplefilter("error", MimicWarning)
        with pytest.raises(MimicWarning, match="lose the leader that they follow: "):
            edit(m)
    assert snapshot(m) == before
    with pytest.warns(MimicWarning):
        edit(m)


# ---- refused edits ---------------------------------------------------------------------------


def failing_calls(m, rng):
    """Calls that must raise, with random bodies of `m`."""
    body = m.bodies[int(rng.integers(len(m.bodies)))]
    other = random_tree(rng, 3)
    twin = Mechanism(RigidBody("base"))  # the name that clashes comes last
    twin.attach(twin.root_body, RigidBody("fresh", random_inertia(rng)), Joint("fresh", Revolute()))
    clash = m.joints[int(rng.integers(len(m.joints)))].name
    twin.attach(twin.root_body, twin.bodies[1], Joint(clash, Spherical()))
    framed = Mechanism(RigidBody("base", random_inertia(rng), [Geometry(Sphere(0.1))]))
    framed.root_body.add_frame(body.name, Transform())
    return [
        lambda: m.attach_mechanism(body, m),
        lambda: m.attach_mechanism(body, other),
        lambda: m.attach_mechanism(body, twin),
        lambda: m.attach_mechanism(body, framed),
        lambda: m.attach_mechanism(other.bodies[1], other, prefix="p_"),
        lambda: m.attach_mechanism([body], other, prefix="p_"),
        lambda: m.attach_mechanism(body, body, prefix="p_"),
        lambda: m.attach_mechanism(body, other, np.eye(4), "p_"),
        lambda: m.attach_mechanism(body, other, None, 3),
        lambda: m.remove_joint(other.joints[0]),
        lambda: m.remove_joint(m.non_tree_joints[0].name, split=True),
        lambda: m.remove_joint(m.joints[0], split="yes"),
        lambda: m.remove_joint(m.non_tree_joints[0], split=True),
        lambda: m.remove_subtree(other.joints[0]),
        lambda: m.remove_subtree(None),
        lambda: m.remove_subtree(m.non_tree_joints[0]),
        lambda: m.submechanism(other.bodies[1]),
        lambda: m.submechanism(m.joints[0]),
        lambda: m.submechanism(body, gravity="turn"),
        lambda: m.submechanism(body, gravity=-np.eye(3)),
    ]


def test_a_refused_edit_leaves_no_trace(seed):
    rng = np.random.default_rng(seed)
    m = add_loops(random_tree(rng, int(rng.integers(3, 12))), rng)
    before = snapshot(m)
    for call in failing_calls(m, rng):
        with pytest.raises(rbdyn.MechanismError):
            call()
        assert snapshot(m) == before
