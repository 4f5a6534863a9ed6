"""Surgery is transactional: calls with bad arguments raise a typed error, and nobody can tell that they were made."""

import copy
import itertools

import numpy as np
import pytest
from mechanism.content import belongs, content

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
from rbdyn.mechanism import Mimic
from rbdyn.testing.random_mechanisms import ALL_TYPES, random_inertia, random_transform, random_tree

pytestmark = pytest.mark.filterwarnings("ignore::rbdyn.errors.MimicWarning")  # edits take leaders away

NAN = np.full(3, np.nan)
JUNK = [None, 3, "body99", (), [], {}, np.eye(4), NAN, object(), Transform(), Revolute(), rbdyn]


def furnished(rng):
    """A random mechanism with frames, shapes, mimics and parameters; every other one has loops."""
    m = random_tree(rng, int(rng.integers(3, 10)), ALL_TYPES)
    for joint in m.joints:
        if isinstance(joint.joint_type, Planar):  # with a rotor it could not be reversed
            joint.rotor_inertia = 0.0
    for k in range(int(rng.integers(4)) * int(rng.integers(2))):
        a, b = rng.choice(len(m.bodies), 2, replace=False)
        kind = (Revolute(), Spherical(), Fixed(), Floating())[int(rng.integers(4))]
        m.attach(m.bodies[a], m.bodies[b], Joint(f"loop{k}", kind), random_transform(rng), random_transform(rng))
    for body in m.bodies[::2]:
        body.add_frame(f"{body.name}_tip", random_transform(rng))
        body.collision.append(Geometry(Sphere(0.1), random_transform(rng), f"{body.name}/0"))
    m.joints[0].mimic = Mimic(m.joints[-1].name, 2.0)
    if rng.integers(3) == 0:
        m.remove_fixed_tree_joints()
    return m


def pick(rng, things):
    return things[int(rng.integers(len(things)))]


def foreign_tree(rng):
    """A mechanism whose names are those of others."""
    return random_tree(rng, 3, (Revolute, Spherical))


def clashing(rng, m):
    """A child whose very last joint has a name of `m`."""
    child = Mechanism(RigidBody("base", random_inertia(rng), [Geometry(Sphere(0.1))]))
    child.attach(child.root_body, RigidBody("new1", random_inertia(rng)), Joint("new1", Revolute()))
    child.attach(child.root_body, child.bodies[1], Joint(pick(rng, m.joints).name, Spherical()))
    return child


def calls_of_attach(rng, m):
    body, joint, other, junk = pick(rng, m.bodies), pick(rng, m.joints), foreign_tree(rng), pick(rng, JUNK)
    fresh, link = RigidBody("fresh", random_inertia(rng)), Joint("link", Revolute())
    merged = pick(rng, [*m._merged_names, m.bodies[-1].name])
    return [
        lambda: m.attach(body, fresh, joint),  # twice
        lambda: m.attach(body, m.root_body if body is not m.root_body else m.bodies[-1], joint),
        lambda: m.attach(body, body, link),
        lambda: m.attach(body, fresh, Joint(joint.name, Revolute())),
        lambda: m.attach(body, RigidBody(merged), link),
        lambda: m.attach(other.bodies[1], fresh, link),
        lambda: m.attach(body, other.bodies[1], link),  # of another mechanism
        lambda: m.attach(body, fresh, other.joints[0] if other.joints[0].name not in names(m) else joint),
        lambda: m.attach(junk, fresh, link),
        lambda: m.attach(body, junk, link),
        lambda: m.attach(body, fresh, junk),
        lambda: m.attach(body, fresh, link, np.eye(4)),
        lambda: m.attach(body, fresh, link, None, "here"),
        lambda: m.attach(body, fresh, link, Transform(translation=NAN)),
        lambda: m.attach(body, fresh, Joint("zero", Revolute((0, 0, 0)))),
        lambda: m.attach(body, fresh, Joint("nan", Prismatic(NAN))),
    ]


def calls_of_attach_mechanism(rng, m):
    body, other, junk = pick(rng, m.bodies), foreign_tree(rng), pick(rng, JUNK)
    framed = Mechanism(RigidBody("base", random_inertia(rng)))
    framed.root_body.add_frame(body.name, Transform())
    return [
        lambda: m.attach_mechanism(body, m),
        lambda: m.attach_mechanism(body, clashing(rng, m)),
        lambda: m.attach_mechanism(body, framed),
        lambda: m.attach_mechanism(other.bodies[1], other, prefix="p_"),
        lambda: m.attach_mechanism(junk, other, prefix="p_"),
        lambda: m.attach_mechanism(body, junk, prefix="p_"),
        lambda: m.attach_mechanism(body, other, np.eye(4), "p_"),
        lambda: m.attach_mechanism(body, other, Transform(translation=NAN), "p_"),
        lambda: m.attach_mechanism(body, other, None, 3),
    ]


def calls_of_cutting(rng, m):
    joint, other, junk = pick(rng, m.joints), foreign_tree(rng), pick(rng, JUNK)
    bridge = [j for j in m.tree_joints if is_bridge(m, j)]
    loops = m.non_tree_joints
    on_loop = [j for j in m.joints if j not in bridge]
    calls = [
        lambda: m.remove_joint(other.joints[0]),
        lambda: m.remove_joint(junk),
        lambda: m.remove_joint(joint, split="yes"),
        lambda: m.remove_joint(joint, next_edge=3),
        lambda: m.remove_joint(joint, split=True, next_edge=lambda joints: joints[0]),
        lambda: m.remove_subtree(other.joints[0]),
        lambda: m.remove_subtree(junk),
        lambda: m.replace_joint(joint, other.joints[0]),
        lambda: m.replace_joint(joint, pick(rng, m.joints)),
        lambda: m.replace_joint(joint, junk),
        lambda: m.replace_joint(other.joints[0], Joint("new", Fixed())),
        lambda: m.replace_joint(junk, Joint("new", Fixed())),
    ]
    if len(m.joints) > 1:
        rest = pick(rng, [j for j in m.joints if j is not joint])
        calls.append(lambda: m.replace_joint(joint, Joint(rest.name, Fixed())))
    calls += [lambda j=j: m.remove_joint(j) for j in bridge[:2]]
    calls += [lambda j=j: m.remove_joint(j, split=True) for j in on_loop[:2]]
    calls += [lambda j=j: m.remove_subtree(j) for j in loops[:1]]
    hung = [j for j in on_loop if j in m.tree_joints][:1]
    calls += [lambda j=j: m.remove_joint(j, next_edge=lambda joints: j) for j in hung]
    return calls


def calls_of_copying_and_spanning(rng, m):
    body, other, junk = pick(rng, m.bodies), foreign_tree(rng), pick(rng, JUNK)
    steps = itertools.count()  # the last joint is wrong
    return [
        lambda: m.submechanism(other.bodies[1]),
        lambda: m.submechanism(junk),
        lambda: m.submechanism(body, gravity="turn"),
        lambda: m.submechanism(body, gravity=-np.eye(3)),
        lambda: m.submechanism(body, gravity=np.full((3, 3), np.nan)),
        lambda: m.maximal_coordinates(Revolute()),
        lambda: m.maximal_coordinates(Floating),
        lambda: m.maximal_coordinates(3),
        lambda: m.rebuild_spanning_tree(next_edge=3),
        lambda: m.rebuild_spanning_tree(next_edge=lambda joints: None),
        lambda: m.rebuild_spanning_tree(next_edge=lambda joints: other.joints[0]),
        lambda: m.rebuild_spanning_tree(next_edge=lambda joints: [joints[0]]),
        lambda: m.rebuild_spanning_tree(
            next_edge=lambda joints: joints[0] if next(steps) < len(m.bodies) - 2 else junk
        ),
        lambda: setattr(m, "gravity", NAN),
        lambda: setattr(m, "gravity", "down"),
        lambda: setattr(body, "inertia", 3.0),
        lambda: setattr(pick(rng, m.joints), "damping", -1.0),
        lambda: m.fixed_transform(body.name, "nowhere"),
        lambda: m.frame_to_body([junk]),
        lambda: m.frame_to_body(NAN),
        lambda: m.find_body(-1),
        lambda: m.find_joint(len(m.joints)),
        lambda: m.find_joint(True),
        lambda: m.in_joints(junk),
        lambda: m.path(body, junk),
    ]


def names(m):
    return {j.name for j in m.joints}


def is_bridge(m, joint):
    """Whether nothing else connects what `joint` carries: told by walking the graph."""
    seen, left = {m.root_body}, [m.root_body]
    while left:
        body = left.pop()
        for j in {*m.in_joints(body), *m.out_joints(body)} - {joint}:
            for end in (m.predecessor(j), m.successor(j)):
                if end not in seen:
                    seen.add(end)
                    left.append(end)
    return len(seen) < len(m.bodies)


GROUPS = (calls_of_attach, calls_of_attach_mechanism, calls_of_cutting, calls_of_copying_and_spanning)


@pytest.mark.parametrize("group", GROUPS, ids=lambda f: f.__name__)
def test_a_call_that_raises_was_never_made(group, seed):
    rng = np.random.default_rng([seed, GROUPS.index(group)])
    m = furnished(rng)
    before, twin = content(m, identities=True), m.copy()
    for k, call in enumerate(group(rng, m)):
        with pytest.raises(rbdyn.Error):
            call()
        assert content(m, identities=True) == before, k
    assert content(m) == content(twin)
    assert belongs(m)


def test_what_was_refused_is_free_to_go_elsewhere():
    rng = np.random.default_rng(0)
    m, other = foreign_tree(rng), foreign_tree(rng)
    fresh, taken = RigidBody("fresh"), other.joints[0]
    free = Joint("free", Revolute())
    for call in (lambda: m.attach(m.root_body, fresh, taken), lambda: m.attach(m.root_body, other.bodies[1], free),
                 lambda: Mechanism(fresh, gravity=NAN), lambda: m.replace_joint(m.joints[0], taken)):  # fmt: skip
        with pytest.raises(rbdyn.Error):
            call()
    third = Mechanism(fresh)
    third.attach(fresh, RigidBody("x"), free)
    assert third.find_joint("free") is free


def test_a_next_edge_that_edits_is_refused():
    m = foreign_tree(np.random.default_rng(0))
    tree = m.tree_joints

    def re_enter(joints):
        m.bodies[1].inertia = SpatialInertia(7.0)
        return joints[0]

    with pytest.raises(rbdyn.MechanismError, match="next_edge edited"):
        m.rebuild_spanning_tree(next_edge=re_enter)
    assert m.tree_joints == tree


def test_an_error_of_next_edge_comes_through():
    m = foreign_tree(np.random.default_rng(0))
    before = content(m, identities=True)
    with pytest.raises(ZeroDivisionError):
        m.rebuild_spanning_tree(next_edge=lambda joints: 1 // 0)
    assert content(m, identities=True) == before


def test_a_loop_of_fixed_joints_is_merged_away():
    """What would join a body to itself after merging is dropped, so the result can still be copied."""
    m = Mechanism(RigidBody("world"))
    a, b = RigidBody("a", SpatialInertia(1.0)), RigidBody("b", SpatialInertia(2.0))
    m.attach(m.root_body, a, Joint("a", Revolute()))
    m.attach(a, b, Joint("weld", Fixed()))
    m.attach(b, a, Joint("weld2", Fixed()))
    m.attach(b, m.root_body, Joint("stay", Spherical()))
    m.remove_fixed_tree_joints()
    assert [j.name for j in m.joints] == ["a", "stay"]
    assert a.inertia.mass == 3.0
    assert len(m.submechanism(m.root_body)[0].joints) == 2


@pytest.mark.filterwarnings("ignore::rbdyn.errors.MimicWarning")  # leaders go
def test_random_surgery_keeps_its_promises(seed):
    """A long random life: after every edit the graph is whole, its order right, and its copy equal."""
    rng = np.random.default_rng([seed, 4])
    m = furnished(rng)
    for step in range(25):
        live(rng, m, step)
        check(m)
    assert content(m.copy()) == content(m)


def live(rng, m, step):
    """One random edit."""
    joint, body = pick(rng, m.joints), pick(rng, m.bodies)
    kind = int(rng.integers(7))
    if kind == 0 or len(m.joints) < 3:
        m.attach_mechanism(body, foreign_tree(rng), random_transform(rng), f"s{step}_")
    elif kind == 1:
        m.rebuild_spanning_tree(next_edge=lambda joints: pick(rng, joints))
    elif kind == 2 and not is_bridge(m, joint):
        m.remove_joint(joint, next_edge=lambda joints: pick(rng, joints))
    elif kind == 3 and is_bridge(m, joint) and len(m.bodies) > 12:
        check(m.remove_joint(joint, split=True).far)
    elif kind == 4:
        m.replace_joint(joint, Joint(f"r{step}", pick(rng, (Fixed(), Spherical(), Revolute((1, 1, 0))))))
    elif kind == 5:
        m.remove_fixed_tree_joints()
    else:
        m.attach(body, pick(rng, [b for b in m.bodies if b is not body]), Joint(f"l{step}", Floating()))


def check(m):
    """Parents come before children, look-ups agree with the lists, and all parts are the mechanism's own."""
    place = {b: k for k, b in enumerate(m.bodies)}
    assert len(place) == len(m.bodies) == len(m.tree_joints) + 1
    for k, joint in enumerate(m.tree_joints):
        assert place[m.predecessor(joint)] < place[m.successor(joint)] == k + 1
        assert m.joint_to_parent(m.successor(joint)) is joint
    assert len(names(m)) == len(m.joints)
    for joint in m.joints:
        assert joint in m.out_joints(m.predecessor(joint))
        assert joint in m.in_joints(m.successor(joint))
        assert m.predecessor(joint) is not m.successor(joint)
    assert belongs(m)
    assert len(set(m.frames)) == len(m.frames)
    rbdyn.Model(copy.deepcopy(m))
