"""Parameters changed after attach: checked, and seen by the Models compiled before."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, MechanismError, Revolute, RigidBody, SpatialInertia
from rbdyn.mechanism import Fixed, Spherical


def arm():
    mechanism = Mechanism(RigidBody("world"))
    body = RigidBody("arm", SpatialInertia(1.0, (0, 0, -0.5), 0.1 * np.eye(3)))
    joint = Joint("shoulder", Revolute((0, 1, 0)))
    mechanism.attach(mechanism.root_body, body, joint)
    return mechanism, body, joint


@pytest.mark.parametrize(
    "name, bad",
    [
        ("rotor_inertia", np.nan),
        ("damping", -5.0),
        ("stiffness", np.inf),
        ("effort_limit", "3"),
        ("position_limits", (1, -1)),
        ("spring_reference", np.zeros(0)),
        ("spring_reference", [np.nan]),
    ],
)
def test_joint_parameters_are_checked_when_set(name, bad):
    _, _, joint = arm()
    before = getattr(joint, name)
    with pytest.raises(rbdyn.Error, match=name):
        setattr(joint, name, bad)
    np.testing.assert_array_equal(getattr(joint, name), before)


def test_a_body_keeps_its_inertia_when_another_is_refused():
    _, body, _ = arm()
    with pytest.raises(MechanismError, match="arm"):
        body.inertia = "heavy"
    assert body.inertia.mass == 1.0
    body.inertia = None
    assert body.inertia.mass == 0.0


def test_what_decides_the_layout_cannot_be_set():
    _, body, joint = arm()
    for thing, name, value in ((joint, "joint_type", Spherical()), (joint, "name", "x"), (body, "name", "x")):
        with pytest.raises(AttributeError):
            setattr(thing, name, value)


@pytest.mark.parametrize("edit", ["joint", "body"])
def test_an_edit_makes_models_stale(edit):
    mechanism, body, joint = arm()
    state = rbdyn.State(rbdyn.Model(mechanism))
    assert rbdyn.mass_matrix(state)[0, 0] == pytest.approx(0.35)
    if edit == "joint":
        joint.rotor_inertia = 0.5
    else:
        body.inertia = SpatialInertia(2.0, (0, 0, -0.5), 0.35 * np.eye(3))
    with pytest.raises(rbdyn.StaleModelError):
        rbdyn.mass_matrix(state)
    assert state.q.tolist() == [0.0]
    assert rbdyn.mass_matrix(rbdyn.State(rbdyn.Model(mechanism)))[0, 0] == pytest.approx(0.85)


def test_a_body_belongs_to_one_mechanism():
    mechanism, body, joint = arm()
    other = Mechanism(RigidBody("world"))
    with pytest.raises(MechanismError, match="arm.*copy"):
        other.attach(other.root_body, body, Joint("j", Revolute()))
    with pytest.raises(MechanismError, match="shoulder.*copy"):
        other.attach(other.root_body, RigidBody("b"), joint)
    with pytest.raises(MechanismError, match="world.*copy"):
        Mechanism(mechanism.root_body)
    assert len(other.bodies) == 1
    other.attach(other.root_body, body.copy(), joint.copy())


def test_merging_is_all_or_nothing():
    mechanism = Mechanism(RigidBody("world"))
    hosts = [RigidBody(n, SpatialInertia(m)) for n, m in (("a", 1.0), ("b", 1e308))]
    guests = [RigidBody(n, SpatialInertia(m)) for n, m in (("c", 1.0), ("d", 1e308))]
    for host, guest in zip(hosts, guests, strict=True):
        mechanism.attach(mechanism.root_body, host, Joint("j" + host.name, Revolute()))
        mechanism.attach(host, guest, Joint("f" + host.name, Fixed()))
    with pytest.raises(rbdyn.Error):
        mechanism.remove_fixed_tree_joints()
    assert [b.inertia.mass for b in hosts] == [1.0, 1e308]
    assert len(mechanism.bodies) == 5


@pytest.mark.parametrize("bad", ["shoulder", 3, ("shoulder", 1.0, 0.0)])
def test_a_mimic_that_is_none_is_refused(bad):
    """Edits read it in the midst of their changes; it must not fail there."""
    mechanism, body, joint = arm()
    with pytest.raises(MechanismError):
        Joint("elbow", Revolute(), mimic=bad)
    with pytest.raises(MechanismError):
        joint.mimic = bad
    assert joint.mimic is None
    mechanism.rebuild_spanning_tree()
