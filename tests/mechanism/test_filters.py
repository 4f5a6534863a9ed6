"""Pairs of bodies that never collide follow their bodies through copies and surgery."""

import copy
import pickle

import numpy as np
import pytest

from rbdyn import Fixed, Geometry, Joint, Mechanism, Revolute, RigidBody, SpatialInertia
from rbdyn.collision import Sphere
from rbdyn.errors import MechanismError, UnknownNameError


def ball(name):
    return RigidBody(name, SpatialInertia(1.0, inertia=np.eye(3)), [Geometry(Sphere(0.1), name=name)])


def chain(names="abcd"):
    m = Mechanism(RigidBody("world"))
    last = m.root_body
    for name in names:
        body = ball(name)
        m.attach(last, body, Joint(f"{name}_j", Revolute((0, 0, 1))))
        last = body
    return m


def ignoring(*pairs):
    m = chain()
    for a, b in pairs:
        m.ignore_collision(a, b)
    return m


AC, AD, BD = ("a", "c"), ("a", "d"), ("b", "d")


def test_pairs_are_listed_in_the_order_of_the_bodies():
    m = chain()
    assert (m.ignored_collisions, m.self_collision) == ((), True)
    revision, structure = m.revision, m.structure
    m.ignore_collision("d", m.find_body("b"))
    m.ignore_collision("c", "a")
    assert m.ignored_collisions == (AC, BD)
    assert m.revision == revision + 2
    assert m.structure == structure
    m.ignore_collision("a", "c")
    m.allow_collision("a", "b")
    assert m.revision == revision + 2                      # nothing changed
    m.allow_collision("b", "d")
    assert m.ignored_collisions == (AC,)


def test_errors_change_nothing():
    m = ignoring(AC)
    with pytest.raises(UnknownNameError, match="nobody"):
        m.ignore_collision("a", "nobody")
    with pytest.raises(MechanismError, match="'a' twice"):
        m.ignore_collision("a", "a")
    with pytest.raises(MechanismError, match="not in mechanism"):
        m.allow_collision("a", ball("a"))
    with pytest.raises(MechanismError, match="self_collision must be True or False"):
        m.self_collision = 1
    assert (m.ignored_collisions, m.self_collision) == ((AC,), True)


@pytest.mark.parametrize("copied", [
    copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), lambda m: m.submechanism("world")[0],
    lambda m: m.maximal_coordinates()[0],
])  # fmt: skip
def test_copies_have_pairs_of_their_own(copied):
    m = ignoring(AC, BD)
    m.self_collision = False
    other = copied(m)
    assert (other.ignored_collisions, other.self_collision) == ((AC, BD), False)
    m.allow_collision("a", "c")
    assert other.ignored_collisions == (AC, BD)


def test_copies_attached_with_a_prefix():
    m, child = ignoring(AC), ignoring(AD, ("world", "c"))
    for prefix in ("x_", "y_"):
        m.attach_mechanism("d", child, prefix=prefix)
    assert m.ignored_collisions == (AC, ("x_a", "x_d"), ("y_a", "y_d"))       # the child's root has no shapes
    child.root_body.collision.append(Geometry(Sphere(0.2)))
    m.attach_mechanism("d", child, prefix="z_")
    assert set(m.ignored_collisions) >= {("z_a", "z_d"), ("d", "z_c")}


def test_labels_of_shapes_get_the_prefix_too():
    child = chain("ab")
    for name in "ab":
        child.find_body(name).collision[0] = Geometry(Sphere(0.1), name=name, pairs=["p", "o", "p"])
    assert child.find_body("a").collision[0].pairs == ("o", "p")
    m = chain("c")
    m.attach_mechanism("c", child, prefix="x_")
    assert m.find_body("x_a").collision[0].pairs == ("x_o", "x_p")
    with pytest.raises(MechanismError, match="sequence of labels"):
        Geometry(Sphere(0.1), pairs="p")
    with pytest.raises(MechanismError, match="label in pairs"):
        Geometry(Sphere(0.1), pairs=[""])


@pytest.mark.parametrize("shy", ["parent", "child"])
def test_one_that_does_not_collide_with_itself_lists_its_pairs(shy):
    m, child = chain("ab"), chain("cd")
    (m if shy == "parent" else child).self_collision = False
    m.attach_mechanism("b", child)
    assert m.self_collision
    assert m.ignored_collisions == ((("a", "b"),) if shy == "parent" else (("c", "d"),))


def test_cutting_drops_pairs_of_what_goes():
    m = ignoring(AC, AD, BD)
    m.remove_subtree("d_j")
    assert m.ignored_collisions == (AC,)
    m = ignoring(AC, AD, BD, ("c", "d"))
    m.self_collision = False
    near, far = m.remove_joint("c_j", split=True)
    assert (near.ignored_collisions, far.ignored_collisions) == ((), (("c", "d"),))
    assert not far.self_collision
    m = ignoring(AC, BD)
    m.attach("a", "d", Joint("loop", Revolute((0, 0, 1))))
    m.remove_joint("c_j")                                  # c and d hang on the loop joint now
    assert set(m.ignored_collisions) == {AC, ("d", "b")} or set(m.ignored_collisions) == {AC, BD}
    part, _ = m.submechanism("d")
    assert part.ignored_collisions == ()


def test_merged_bodies_ignore_what_their_parts_did():
    m = chain("ab")
    for name, parent in (("hand", "b"), ("tip", "hand")):
        m.attach(parent, ball(name), Joint(f"{name}_j", Fixed()))
    m.ignore_collision("a", "tip")
    m.ignore_collision("hand", "tip")
    m.remove_fixed_tree_joints()
    assert m.ignored_collisions == (("a", "b"),)
