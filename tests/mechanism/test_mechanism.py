"""The graph: attaching, asking, loops, merging fixed joints; and that a refused edit leaves no trace."""

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    Fixed,
    Floating,
    Geometry,
    Joint,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    SpatialInertia,
    Spherical,
    Transform,
)
from rbdyn.collision.shapes import Sphere
from rbdyn.testing.random_mechanisms import random_inertia, random_transform, random_tree


def by_value(mechanism):
    """Everything a mechanism says about itself, as comparable values."""

    def of_body(b):
        frames = {name: (id(frame), pose) for name, (frame, pose) in b.frames.items()}
        return b.name, id(b.frame), b.inertia, tuple(b.collision), tuple(b.visual), frames

    def of_joint(j):
        e = mechanism.edge(j)
        numbers = j.position_limits, j.velocity_limit, j.effort_limit, j.rotor_inertia, j.damping, j.friction
        return id(j), j.name, j.joint_type, numbers, id(e.predecessor), id(e.successor), e.joint_pose, e.successor_pose

    return (
        [id(b) for b in mechanism.bodies],
        [of_body(b) for b in mechanism.bodies],
        [of_joint(j) for j in mechanism.tree_joints],
        [of_joint(j) for j in mechanism.non_tree_joints],
        [mechanism.path(mechanism.root_body, b) for b in mechanism.bodies],
        mechanism.gravity.tolist(),
        mechanism.revision,
        mechanism.name,
    )


@pytest.fixture
def arm():
    """world - shoulder - upper - elbow - lower - flange(fixed) - hand, and a fixed post on the world."""
    m = Mechanism(RigidBody("world"))
    upper, lower, hand, post = (RigidBody(n, SpatialInertia(1.0)) for n in ("upper", "lower", "hand", "post"))
    m.attach(m.root_body, upper, Joint("shoulder", Spherical()), Transform(translation=(0, 0, 1)))
    m.attach(upper, lower, Joint("elbow", Revolute((0, 1, 0))), Transform(translation=(0, 0, 0.5)))
    m.attach(lower, hand, Joint("flange", Fixed()), Transform(translation=(0, 0, 0.4)))
    m.attach(m.root_body, post, Joint("post", Fixed()), Transform(translation=(2, 0, 0)))
    return m


def test_queries(arm):
    upper, lower, hand, post = (arm.find_body(n) for n in ("upper", "lower", "hand", "post"))
    shoulder, elbow, flange, stand = (arm.find_joint(n) for n in ("shoulder", "elbow", "flange", "post"))
    assert arm.bodies == (arm.root_body, upper, lower, hand, post)
    assert arm.joints == arm.tree_joints == (shoulder, elbow, flange, stand)
    assert arm.non_tree_joints == ()
    assert (arm.num_positions, arm.num_velocities, arm.num_constraints) == (5, 4, 0)
    assert (arm.predecessor(elbow), arm.successor(elbow)) == (upper, lower)
    assert arm.in_joints(lower) == (elbow,)
    assert arm.out_joints(lower) == (flange,)
    assert arm.in_joints(arm.root_body) == ()
    assert arm.out_joints(arm.root_body) == arm.joints_to_children(arm.root_body) == (shoulder, stand)
    assert arm.joint_to_parent(hand) is flange
    assert arm.parent(hand) is lower
    assert arm.parent(upper) is arm.root_body
    assert arm.root_frame is arm.root_body.frame
    assert arm.edge(elbow).joint_pose == Transform(translation=(0, 0, 0.5))
    assert arm.edge(elbow).successor_pose.is_identity()


def test_paths(arm):
    upper, hand, post = (arm.find_body(n) for n in ("upper", "hand", "post"))
    shoulder, elbow, flange, stand = arm.tree_joints
    assert arm.path(upper, hand) == [(elbow, 1), (flange, 1)]
    assert arm.path(hand, upper) == [(flange, -1), (elbow, -1)]
    assert arm.path(hand, post) == [(flange, -1), (elbow, -1), (shoulder, -1), (stand, 1)]
    assert arm.path(hand, hand) == []
    assert arm.path(arm.root_body, post) == [(stand, 1)]


def test_paths_of_random_trees_lead_where_they_say():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        m = random_tree(rng, 15)
        for _ in range(20):
            start, end = (m.bodies[int(k)] for k in rng.integers(16, size=2))
            body, seen = start, {start}
            for joint, sign in m.path(start, end):
                here, there = (m.predecessor(joint), m.successor(joint))[::sign]
                assert here is body
                body = there
                assert body not in seen  # no detours
                seen.add(body)
            assert body is end
            assert m.path(end, start) == [(j, -s) for j, s in reversed(m.path(start, end))]


def test_look_ups_that_fail(arm):
    with pytest.raises(rbdyn.UnknownNameError, match="did you mean 'upper'"):
        arm.find_body("uper")
    with pytest.raises(KeyError, match="elbow"):
        arm.find_joint("ellbow")
    foreign, loose = RigidBody("upper"), Joint("elbow", Fixed())
    for call in (arm.in_joints, arm.out_joints, arm.joint_to_parent, arm.joints_to_children, arm.parent):
        with pytest.raises(rbdyn.MechanismError, match="upper"):
            call(foreign)
    for call in (arm.edge, arm.predecessor, arm.successor):
        with pytest.raises(rbdyn.MechanismError, match="elbow"):
            call(loose)
    for call in (arm.joint_to_parent, arm.parent):
        with pytest.raises(rbdyn.MechanismError, match="root"):
            call(arm.root_body)
    with pytest.raises(rbdyn.MechanismError):
        arm.path(arm.root_body, foreign)
    for bad in (None, 3, "elbo", []):
        with pytest.raises(rbdyn.Error):
            arm.edge(bad)


REFUSED = {
    "a foreign predecessor": (lambda m: (RigidBody("world"), RigidBody("x"), Joint("x", Fixed())), "world"),
    "a joint twice": (lambda m: (m.root_body, RigidBody("x"), m.joints[0]), "shoulder"),
    "a joint's name": (lambda m: (m.root_body, RigidBody("x"), Joint("elbow", Fixed())), "elbow"),
    "a body's name": (lambda m: (m.root_body, RigidBody("hand"), Joint("x", Fixed())), "hand"),
    "the root's name": (lambda m: (m.bodies[1], RigidBody("world"), Joint("x", Fixed())), "world"),
    "a body to itself": (lambda m: (m.bodies[1], m.bodies[1], Joint("x", Fixed())), "upper"),
    "no joint": (lambda m: (m.root_body, RigidBody("x"), Fixed()), "Joint"),
    "no body": (lambda m: (m.root_body, 3, Joint("x", Fixed())), "RigidBody"),
    "nothing": (lambda m: (m.root_body, None, None), "successor must be a RigidBody"),
    "no predecessor": (lambda m: (None, RigidBody("x"), Joint("x", Fixed())), "None"),
    "a joint of a subclass": (
        lambda m: (m.root_body, RigidBody("x"), type("J", (Joint,), {"num_velocities": 40})("x", Fixed())),
        "Joint itself",
    ),
    "a matrix for a pose": (lambda m: (m.root_body, RigidBody("x"), Joint("x", Fixed()), np.eye(4)), "joint_pose"),
    "a tuple for a pose": (
        lambda m: (m.root_body, RigidBody("x"), Joint("x", Fixed()), None, (0, 0, 1)),
        "successor_pose",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_attach_leaves_no_trace(arm, case):
    arm.attach(arm.find_body("post"), arm.find_body("hand"), Joint("loop", Spherical()))
    arguments, words = REFUSED[case]
    before = by_value(arm)
    with pytest.raises(rbdyn.MechanismError, match=words):
        arm.attach(*arguments(arm))
    assert by_value(arm) == before
    arm.attach(arm.root_body, RigidBody("x"), Joint("x", Fixed()))  # and the mechanism still works
    assert by_value(arm) != before


def test_gravity(arm):
    assert arm.gravity.tolist() == [0, 0, -9.81]
    before = by_value(arm)
    for bad in ([0, 0], [0, 0, np.nan], "down", None):
        with pytest.raises(rbdyn.Error, match="gravity"):
            arm.gravity = bad
        with pytest.raises(rbdyn.Error, match="gravity"):
            Mechanism(RigidBody("world"), gravity=bad)
    arm.gravity[2] = 5.0  # a copy
    assert by_value(arm) == before
    revision = arm.revision
    arm.gravity = (0, 0, -1.62)
    assert arm.gravity.tolist() == [0, 0, -1.62]
    assert arm.revision > revision


@pytest.mark.parametrize("bad", [None, "world", 3, RigidBody])
def test_the_root_must_be_a_body(bad):
    with pytest.raises(rbdyn.MechanismError, match="root_body"):
        Mechanism(bad)


def test_every_edit_counts(arm):
    counts = [arm.revision]
    arm.attach(arm.root_body, RigidBody("x"), Joint("x", Fixed()))
    counts.append(arm.revision)
    arm.attach(arm.find_body("x"), arm.find_body("hand"), Joint("y", Fixed()))
    counts.append(arm.revision)
    arm.remove_fixed_tree_joints()
    counts.append(arm.revision)
    assert counts == sorted(set(counts))
    arm.remove_fixed_tree_joints()  # nothing left to do
    assert arm.revision == counts[-1]


@pytest.mark.parametrize(
    ("kind", "rows"),
    [(Fixed(), 6), (Revolute(), 5), (Prismatic(), 5), (Planar(), 3), (Spherical(), 3), (Floating(), 0)],
)
def test_loops(arm, kind, rows):
    """A joint between two bodies that are inside closes a loop: no new body, no new freedom, some constraints."""
    bodies, nq, nv = arm.bodies, arm.num_positions, arm.num_velocities
    loop = Joint("loop", kind)
    arm.attach(arm.find_body("post"), arm.find_body("hand"), loop, Transform(translation=(1, 0, 0)))
    assert (arm.bodies, arm.num_positions, arm.num_velocities) == (bodies, nq, nv)
    assert arm.num_constraints == rows
    assert arm.non_tree_joints == (loop,)
    assert loop not in arm.tree_joints
    assert arm.joints[-1] is loop
    hand = arm.find_body("hand")
    assert arm.in_joints(hand) == (arm.find_joint("flange"), loop)
    assert arm.joint_to_parent(hand) is arm.find_joint("flange")
    assert loop in arm.out_joints(arm.find_body("post"))
    assert loop not in arm.joints_to_children(arm.find_body("post"))
    assert "loop: hand <- loop" in repr(arm)
    arm.attach(hand, arm.root_body, Joint("second", Spherical()))  # the root may be a successor of a loop
    assert arm.num_constraints == rows + 3


def test_repr_shows_the_tree(arm):
    text = repr(arm)
    assert "5 bodies, 4 tree joints, 0 loop joints, nq=5, nv=4" in text
    lines = text.splitlines()
    assert "hand <- flange (fixed) <- lower" in text
    indents = {name: len(line) - len(line.lstrip()) for line in lines[1:] for name in [line.split()[0]]}
    assert indents["world"] < indents["upper"] < indents["lower"] < indents["hand"]
    assert indents["post"] == indents["upper"]


# ---- merging fixed joints -----------------------------------------------------------------------------------------


def rest_poses(mechanism):
    """Pose of every body, and of every frame and geometry on it, with all joints at their neutral configuration."""
    body = {mechanism.root_body: Transform()}
    for joint in mechanism.tree_joints:
        e = mechanism.edge(joint)
        body[e.successor] = body[e.predecessor] @ e.joint_pose @ e.successor_pose
    frames = {b.frame: T for b, T in body.items()}
    shapes = {}
    for b, T in body.items():
        frames |= {frame: T @ pose for frame, pose in b.frames.values()}
        shapes |= {item.name: T @ item.pose for item in (*b.collision, *b.visual)}
    return body, frames, shapes


def total_inertia(mechanism):
    bodies = rest_poses(mechanism)[0]
    return sum((b.inertia.transformed(T) for b, T in bodies.items()), start=SpatialInertia.zero())


def furnished_tree(rng, n):
    """A random tree with many fixed joints, where every body has a frame and two shapes."""
    m = random_tree(rng, n, [Fixed, Fixed, Revolute, Spherical])
    for b in m.bodies:
        b.add_frame("tip", random_transform(rng))
        b.collision.append(Geometry(Sphere(0.1), random_transform(rng), f"{b.name}/0"))
        b.visual.append(Geometry(Sphere(0.2), random_transform(rng), f"{b.name}/v"))
    return m


def test_merging_moves_everything_along(seed):
    rng = np.random.default_rng(seed)
    m = furnished_tree(rng, 14)
    order = [j for j in m.tree_joints if not isinstance(j.joint_type, Fixed)]
    bodies, frames, shapes = rest_poses(m)
    inertia = total_inertia(m)
    maps = m.remove_fixed_tree_joints()
    assert list(m.tree_joints) == order
    assert len(maps.bodies) == 14 - len(order) > 0
    assert not any(isinstance(j.joint_type, Fixed) for j in m.tree_joints)
    for old, host in maps.bodies.items():
        assert old not in m.bodies
        assert host in m.bodies
        assert host.frames[old.name][0] is old.frame
    bodies_now, frames_now, shapes_now = rest_poses(m)
    assert set(frames_now) == set(frames)
    assert set(shapes_now) == set(shapes)
    for now, before in ((frames_now, frames), (shapes_now, shapes), (bodies_now, {b: bodies[b] for b in m.bodies})):
        for key, pose in before.items():
            np.testing.assert_allclose(now[key].matrix, pose.matrix, atol=1e-13)
    now = total_inertia(m)
    np.testing.assert_allclose(now.mass, inertia.mass, rtol=1e-14)
    np.testing.assert_allclose(now.com, inertia.com, atol=1e-13)
    np.testing.assert_allclose(now.inertia, inertia.inertia, atol=1e-11)


def test_merging_rewires_loops(seed):
    """The ends of loop joints stay where they are in space; one whose ends become one body holds nothing and goes."""
    rng = np.random.default_rng(seed)
    m = furnished_tree(rng, 14)
    for k, kind in enumerate((Fixed(), Revolute(), Spherical())):
        a, b = rng.choice(15, 2, replace=False)
        loop = Joint(f"loop{k}", kind)
        m.attach(m.bodies[int(a)], m.bodies[int(b)], loop, random_transform(rng), random_transform(rng))

    def ends():
        bodies = rest_poses(m)[0]
        edges = [m.edge(j) for j in m.non_tree_joints]
        before = [bodies[e.predecessor] @ e.joint_pose for e in edges]
        after = [bodies[e.successor] @ e.successor_pose.inverse() for e in edges]
        return [T.matrix for T in before + after]

    joints, places = m.non_tree_joints, np.reshape(ends(), (2, 3, 4, 4))
    old = [(m.predecessor(j), m.successor(j)) for j in joints]
    maps = m.remove_fixed_tree_joints()
    assert maps.bodies
    new = [tuple(maps.bodies.get(b, b) for b in pair) for pair in old]
    kept = [k for k, (a, b) in enumerate(new) if a is not b]
    assert m.non_tree_joints == tuple(joints[k] for k in kept)
    assert [(m.predecessor(joints[k]), m.successor(joints[k])) for k in kept] == [new[k] for k in kept]
    if kept:
        np.testing.assert_allclose(np.reshape(ends(), (2, -1, 4, 4)), places[:, kept], atol=1e-13)


def test_merging_chains_of_fixed_joints_into_the_root(arm):
    """Fixed on fixed, down to the root; names that clash get their body's name in front."""
    post = arm.find_body("post")
    lamp = RigidBody("lamp", SpatialInertia(0.5, (0.1, 0, 0)))
    for body in (arm.root_body, post, lamp):
        body.add_frame("tip", Transform(translation=(0, 0, 0.1)))
    arm.attach(post, lamp, Joint("socket", Fixed()), Transform(translation=(0, 0, 3)))
    maps = arm.remove_fixed_tree_joints()
    assert maps.bodies == {post: arm.root_body, lamp: arm.root_body, maps_hand(maps): arm.find_body("lower")}
    assert [b.name for b in arm.bodies] == ["world", "upper", "lower"]
    assert set(arm.root_body.frames) == {"tip", "post", "post/tip", "lamp", "lamp/tip"}
    np.testing.assert_allclose(arm.root_body.frames["lamp/tip"][1].translation, [2, 0, 3.1])
    np.testing.assert_allclose(arm.root_body.inertia.mass, 1.5)
    np.testing.assert_allclose(arm.find_body("lower").inertia.com, [0, 0, 0.2])


def maps_hand(maps):
    return next(b for b in maps.bodies if b.name == "hand")


def test_merging_nothing():
    m = random_tree(np.random.default_rng(0), 5, [Revolute, Prismatic])
    before = by_value(m)
    assert m.remove_fixed_tree_joints().bodies == {}
    assert by_value(m) == before


def test_massless_bodies_merge():
    """A massless frame body on a massless root: no division by zero."""
    m = Mechanism(RigidBody("world"))
    m.attach(m.root_body, RigidBody("frame"), Joint("f", Fixed()), Transform(translation=(1, 0, 0)))
    m.attach(m.find_body("frame"), RigidBody("b", SpatialInertia(1.0)), Joint("r", Revolute()))
    m.remove_fixed_tree_joints()
    assert m.root_body.inertia == SpatialInertia.zero()
    np.testing.assert_array_equal(m.edge(m.find_joint("r")).joint_pose.translation, [1, 0, 0])


def test_merged_bodies_are_gone_from_the_queries(arm):
    hand = arm.find_body("hand")
    arm.remove_fixed_tree_joints()
    with pytest.raises(rbdyn.UnknownNameError):
        arm.find_body("hand")
    with pytest.raises(rbdyn.MechanismError):
        arm.parent(hand)
    with pytest.raises(rbdyn.UnknownNameError):
        arm.find_joint("flange")


def test_the_name_of_a_merged_body_stays_taken(arm):
    """Otherwise one name means a frame of `lower` and a body of its own."""
    arm.remove_fixed_tree_joints()
    with pytest.raises(rbdyn.MechanismError, match="hand"):
        arm.attach(arm.root_body, RigidBody("hand", random_inertia(np.random.default_rng(0))), Joint("x", Revolute()))


def test_bodies_and_joints_are_found_by_number(arm):
    assert [arm.find_body(k) for k in range(len(arm.bodies))] == list(arm.bodies)
    assert [arm.find_joint(np.int32(k)) for k in range(len(arm.joints))] == list(arm.joints)
    assert arm.num_additional_states == 0
    with pytest.raises(rbdyn.UnknownNameError, match="no body number 5, only 0 to 4"):
        arm.find_body(5)
    for bad in (-1, True, 1.0, None, [0], np.zeros(1, int)):
        with pytest.raises(rbdyn.UnknownNameError):
            arm.find_joint(bad)
