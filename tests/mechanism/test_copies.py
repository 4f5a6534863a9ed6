"""Copies by copy(), deepcopy and pickle: the same numbers, another identity.  And what a mechanism says of itself."""

import copy
import html
import pickle

import numpy as np
import pytest
from mechanism.content import belongs, content
from mechanism.loops import closed, motion
from mechanism.test_transactions import furnished

import rbdyn
from rbdyn import Joint, Mechanism, Revolute, RigidBody, SpatialInertia, State


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


WAYS = {"copy()": Mechanism.copy, "copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_copy_is_equal_and_independent(seed, way):
    m = furnished(np.random.default_rng([seed, 11]))
    before = content(m, identities=True)
    twin = way(m)
    assert content(twin) == content(m)
    assert belongs(twin)
    assert twin._revision is not m._revision
    assert not {*twin.bodies, *twin.joints, *twin.frames} & {*m.bodies, *m.joints, *m.frames}
    assert not {f.id for f in twin.frames} & {f.id for f in m.frames}
    for body in twin.bodies:  # frames are those of the copy, whichever way they are reached
        assert twin.find_frame(body.frame.id) is twin.default_frame(body.name)
    base = Mechanism(RigidBody("base"))
    with pytest.raises(rbdyn.MechanismError, match="part of mechanism"):
        base.attach(base.root_body, twin.bodies[-1], Joint("new", Revolute()))
    twin.bodies[-1].inertia = SpatialInertia(3.0)
    twin.joints[0].damping = 0.4
    twin.attach(twin.bodies[-1], RigidBody("tool"), Joint("tool", Revolute()))
    twin.remove_subtree(twin.joints[0])
    assert content(m, identities=True) == before


@pytest.mark.parametrize("way", (copy.deepcopy, pickled))
def test_what_is_copied_together_stays_together(way):
    m, state = closed(2)
    twin, hand, joint, frame, model = way((m, m.bodies[3], m.joints[2], m.bodies[3].frame, state.model))
    assert twin.bodies[3] is hand
    assert twin.joints[2] is joint
    assert hand.frame is frame
    assert model.mechanism is twin
    fresh = State(model)
    fresh.set(state.q, state.v)
    np.testing.assert_array_equal(motion(fresh, twin.bodies), motion(state, m.bodies))
    np.testing.assert_array_equal(rbdyn.mass_matrix(fresh), rbdyn.mass_matrix(state))


@pytest.mark.parametrize("way", (copy.copy, copy.deepcopy, pickled))
def test_a_part_copied_alone_belongs_to_nobody(way):
    m, _ = closed(2)
    count = m.revision
    body, joint = way(m.bodies[1]), way(m.joints[1])
    assert not {body.frame, joint.frame_before, joint.frame_after} & set(m.frames)
    assert body.frames is not m.bodies[1].frames
    body.inertia = SpatialInertia(2.0)
    joint.damping = 2.0
    assert m.revision == count
    with pytest.raises(ValueError, match="read-only"):
        joint.spring_reference[...] = 1.0
    other = Mechanism(RigidBody("other"))
    other.attach(other.root_body, body, joint)
    assert (body.name, joint.name, joint.joint_type) == (m.bodies[1].name, m.joints[1].name, m.joints[1].joint_type)


def test_the_text_is_the_tree():
    m = Mechanism(RigidBody("world"))
    for k, parent in enumerate((0, 1, 0, 1, 4)):
        m.attach(m.bodies[parent], RigidBody(f"b{k}"), Joint(f"j{k}", Revolute()))
    m.attach(m.find_body("b4"), m.root_body, Joint("back", Revolute()))
    assert repr(m).splitlines() == [
        "Mechanism('world': 6 bodies, 5 tree joints, 1 loop joints, nq=5, nv=5)",
        "  world",
        "    b0 <- j0 (revolute) <- world",
        "      b1 <- j1 (revolute) <- b0",
        "      b3 <- j3 (revolute) <- b0",
        "        b4 <- j4 (revolute) <- b3",
        "    b2 <- j2 (revolute) <- world",
        "  loop: world <- back (revolute) <- b4",
    ]


def test_the_text_of_many_bodies_has_an_end():
    m = Mechanism(RigidBody("world"))
    for k in range(1200):
        m.attach(m.bodies[-1], RigidBody(f"b{k}"), Joint(f"j{k}", Revolute()))
    lines = repr(m).splitlines()
    assert len(lines) == 202
    assert lines[-1] == "  ... and 1001 more"
    assert max(map(len, lines)) < 130


def test_html_is_escaped():
    name = "<script>alert('&')</script>"
    m = Mechanism(RigidBody("world"))
    m.attach(m.root_body, RigidBody(name), Joint("<b>", Revolute()))
    text = m._repr_html_()
    assert text.startswith("<pre><b>Mechanism(")
    assert "<script>" not in text
    assert html.unescape(text.replace("<pre><b>", "").replace("</b>\n", "\n").replace("</pre>", "")) == repr(m)


def test_names_cannot_move_a_terminal_or_break_lines():
    m = Mechanism(RigidBody("world"))
    m.attach(m.root_body, RigidBody("a\x1b[31m"), Joint("j\nfake <- line", Revolute()))
    m.attach(m.bodies[1], m.root_body, Joint("back\u202ewards", Revolute()))
    for text in (repr(m), m._repr_html_()):
        assert text.replace("\n", "").isprintable()
        assert text.count("\n") == repr(m).count("\n") == 3
    assert "a\\x1b[31m <- j\\nfake <- line (revolute) <- world" in repr(m)
