"""Joint types, joints, bodies and geometry: what they accept, and what they say when they do not."""

import dataclasses
import math
import re

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    Fixed,
    Floating,
    Geometry,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
    Transform,
    Universal,
)
from rbdyn.collision.shapes import Box, Sphere
from rbdyn.mechanism.joints import TYPES

SIZES = {
    Fixed: (0, 0),
    Revolute: (1, 1),
    SinCosRevolute: (2, 1),
    Prismatic: (1, 1),
    Planar: (3, 3),
    Spherical: (4, 3),
    Floating: (7, 6),
    SPQuatFloating: (6, 6),
    Helical: (1, 1),
}
AXIAL = [Revolute, SinCosRevolute, Prismatic, Helical]


@pytest.mark.parametrize("kind", SIZES)
def test_sizes_and_neutral(kind):
    joint = Joint("j", kind())
    assert (joint.num_positions, joint.num_velocities) == SIZES[kind]
    neutral = kind().neutral()
    assert neutral.shape == (SIZES[kind][0],)
    assert np.linalg.norm(neutral) == (1.0 if kind in (SinCosRevolute, Spherical, Floating) else 0.0)
    assert kind().kind == kind.__name__.lower()


@pytest.mark.parametrize("kind", SIZES)
def test_random_configurations(kind):
    rng = np.random.default_rng(0)
    qs = np.array([kind().random(rng) for _ in range(400)])
    assert qs.shape == (400, SIZES[kind][0])
    if kind in (Spherical, Floating):
        np.testing.assert_allclose(np.linalg.norm(qs[:, -4:], axis=1), 1, atol=1e-14)
        assert (qs[:, -4:].min(axis=0) < -0.8).all()  # all over the sphere
    if kind is SinCosRevolute:
        np.testing.assert_allclose(np.linalg.norm(qs, axis=1), 1, atol=1e-14)
        assert (qs.min(axis=0) < -0.99).all()
        assert (qs.max(axis=0) > 0.99).all()
    if kind is Revolute:
        assert np.abs(qs).max() <= math.pi
        assert np.abs(qs).max() > 3


@pytest.mark.parametrize("kind", AXIAL)
def test_axes_are_normalised(kind):
    assert kind(axis=(0, 0, 5)).axis == (0.0, 0.0, 1.0)
    assert kind(axis=[0, -2, 0]).axis == (0.0, -1.0, 0.0)
    np.testing.assert_allclose(kind(axis=np.array([3, 4, 0])).axis, (0.6, 0.8, 0), atol=1e-16)
    axis = tuple(np.array([1.0, 2.0, -3.0]) / math.sqrt(14))
    again = kind(axis=kind(axis=axis).axis)
    assert again.axis == kind(axis=axis).axis  # normalising twice changes no bit
    assert again == kind(axis=axis)
    assert hash(again) == hash(kind(axis=axis))
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.axis = (1, 0, 0)


@pytest.mark.parametrize(
    "bad",
    [(0, 0, 0), (1e-12, 0, 0), (1e200, 0, 0), (1, 0), (np.nan, 0, 1), "z", None, (1, 0, 0, 0), (True, False, False)],
)
@pytest.mark.parametrize("kind", AXIAL)
def test_bad_axes(kind, bad):
    with pytest.raises(rbdyn.Error, match="axis"):
        kind(axis=bad)


def test_planar_axes():
    joint = Planar(x_axis=(0, 2, 0), y_axis=(0, 0, 3))
    assert (joint.x_axis, joint.y_axis) == ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(rbdyn.MechanismError, match="orthogonal"):
        Planar(x_axis=(1, 0, 0), y_axis=(1, 1, 0))
    with pytest.raises(rbdyn.Error, match="y_axis"):
        Planar(y_axis=(0, 0, 0))


@pytest.mark.parametrize(
    "kind",
    [Revolute((0.6, 0, 0.8)), SinCosRevolute((0, 0.6, -0.8)), Prismatic((0, -1, 0)), Planar((0, 1, 0), (0.6, 0, 0.8))],
)
def test_canonical_rotation_is_a_rotation(kind):
    R = kind.canonical_rotation()
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) > 0
    axis = np.cross(kind.x_axis, kind.y_axis) if isinstance(kind, Planar) else kind.axis
    np.testing.assert_allclose(R @ axis, [0, 0, 1], atol=1e-15)


@pytest.mark.parametrize("bad", [None, Revolute, "revolute", 3, rbdyn.JointType, rbdyn.JointType()])
def test_what_is_no_joint_type(bad):
    with pytest.raises(rbdyn.MechanismError, match="Revolute"):
        Joint("knee", bad)


NUMBERS = ["velocity_limit", "effort_limit", "rotor_inertia", "damping", "friction", "stiffness"]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("bad", [-1.0, np.nan, -np.inf])
def test_bad_joint_numbers_are_named(name, bad):
    with pytest.raises(rbdyn.MechanismError, match=f"{name}.*knee"):
        Joint("knee", Revolute(), **{name: bad})


@pytest.mark.parametrize("name", NUMBERS)
def test_joint_numbers_must_be_numbers(name):
    for bad in ("1.5", "abc", [1.0], 1j, True):
        with pytest.raises(rbdyn.Error, match=name):
            Joint("knee", Revolute(), **{name: bad})


@pytest.mark.parametrize("name", ["rotor_inertia", "damping", "friction", "stiffness"])
def test_infinite_passive_elements(name):
    with pytest.raises(rbdyn.MechanismError, match=name):
        Joint("knee", Revolute(), **{name: np.inf})
    assert Joint("knee", Revolute(), effort_limit=np.inf).effort_limit == np.inf


def test_limits_of_sine_and_cosine_are_finite_and_less_than_a_turn_apart():
    """Of an angle that is known but for whole turns one limit alone, or two a turn apart, say nothing."""
    for limits in ((-1.0, 2.0), (2.0, 4.0), (-10.0, -5.0)):
        joint = Joint("j", SinCosRevolute(), position_limits=limits)
        assert joint.position_limits == limits and joint.limits_of_each == (limits,)
    for limits in ((-np.inf, 0.5), (0.0, np.inf), (-3.2, 3.2), (0.0, 2.0 * np.pi)):
        with pytest.raises(rbdyn.MechanismError, match="must be finite, and less than a turn apart, for a SinCosRev"):
            joint.position_limits = limits
    assert joint.position_limits == (-10.0, -5.0)


def test_coordinates_of_sine_and_cosine_are_nearest_to_the_middle_of_the_limits():
    kind = SinCosRevolute()
    for limits in ((-1.0, 2.0), (2.0, 4.0), (-10.0, -5.0), (-np.inf, np.inf)):
        middle = 0.5 * sum(limits) if np.isfinite(limits).all() else 0.0
        for angle in middle + np.linspace(-3.1, 3.1, 9):
            q = kind.from_coordinates(np.array([angle]))
            np.testing.assert_allclose(q, [np.sin(angle), np.cos(angle)], atol=1e-15)
            np.testing.assert_allclose(kind.coordinates(q, (limits,)), [angle], atol=1e-14)


def test_errors_list_the_kinds_that_have_limits():
    rng = np.random.default_rng(0)
    limited = {kind.__name__ for kind in TYPES if kind.random_type(np.eye(3), rng).has_limits} | {"Spherical"}
    with pytest.raises(rbdyn.MechanismError, match="choices: .* joints have position limits") as error:
        Joint("j", Floating(), position_limits=(0.0, 1.0))
    assert set(re.findall(r"\w+", str(error.value).split("choices: ")[1].split(" joints")[0])) - {"and"} == limited


@pytest.mark.parametrize("kind", [Fixed(), Floating(), SPQuatFloating()])
def test_joints_without_coordinates_have_no_limits(kind):
    needed = f"position_limits of joint 'j' must be None for a {type(kind).__name__} joint"
    for limits in ((-1, 2), [0, 1], (-np.inf, 0.5)):
        with pytest.raises(rbdyn.MechanismError, match=needed):
            Joint("j", kind, position_limits=limits)
    joint = Joint("j", kind, position_limits=(0, 0))
    with pytest.raises(rbdyn.MechanismError, match="must be None"):
        joint.position_limits = (0, 1)
    assert joint.position_limits is None


@pytest.mark.parametrize("kind", [Planar(), Universal()], ids=lambda kind: kind.kind)
def test_joints_of_several_coordinates_have_limits_of_each(kind):
    n = kind.num_velocities
    given = [(-1, 2), None, (0.5, 0.5)][:n]
    joint = Joint("j", kind, position_limits=given)
    none = (-np.inf, np.inf)
    assert joint.position_limits == joint.limits_of_each == ((-1.0, 2.0), none, none)[:n]
    joint.position_limits = np.array([(-1.0, 2.0)] * n)
    assert joint.limits_of_each == ((-1.0, 2.0),) * n
    for bad in ((-1, 2, 3, 4), 1.0, "ab", [(1, 0)] * n, [(0, np.nan)] * n, [None] * (n + 1)):
        with pytest.raises(rbdyn.MechanismError, match="position_limits of joint 'j'"):
            joint.position_limits = bad
    assert joint.limits_of_each == ((-1.0, 2.0),) * n
    joint.position_limits = [None] * n
    assert joint.position_limits is None
    assert joint.limits_of_each == (none,) * n


def test_limits_of_a_ball_are_a_largest_angle():
    joint = Joint("j", Spherical(), position_limits=(0, 1.5))
    assert joint.position_limits == (0.0, 1.5)
    with pytest.raises(rbdyn.MechanismError, match=r"must be \(0, largest angle\) for a Spherical joint"):
        joint.position_limits = (-1, 1)
    m = rbdyn.Mechanism(RigidBody("world"))
    m.attach(m.root_body, RigidBody("ball"), joint)
    assert not np.isfinite(rbdyn.Model(m).array("upper")).any()  # an angle bounds no entry of a quaternion


def test_position_limits():
    assert Joint("j", Revolute(), position_limits=(-1, 2)).position_limits == (-1.0, 2.0)
    assert Joint("j", Revolute(), position_limits=(0, 0)).position_limits is None
    assert Joint("j", Revolute()).position_limits is None
    for bad in ((1, -1), (np.nan, 1), (0, np.nan)):
        with pytest.raises(rbdyn.MechanismError, match="position_limits"):
            Joint("j", Revolute(), position_limits=bad)


@pytest.mark.parametrize("bad", [(1,), (1, 2, 3), 1.0, "ab", (None, 1)])
def test_malformed_position_limits(bad):
    with pytest.raises(rbdyn.MechanismError, match="position_limits"):
        Joint("j", Revolute(), position_limits=bad)


def test_spring_reference():
    assert Joint("j", Spherical()).spring_reference.tolist() == [1, 0, 0, 0]
    assert Joint("j", Planar(), spring_reference=[1, 2, 3]).spring_reference.tolist() == [1, 2, 3]
    with pytest.raises(rbdyn.Error, match="spring_reference"):
        Joint("j", Planar(), spring_reference=[1, 2])


def test_spring_references_are_configurations():
    for joint_type, bad in (
        (Spherical(), [2, 0, 0, 0]),
        (SinCosRevolute(), [0, 0]),
        (Floating(), [0, 0, 1, 0, 0, 0, 0]),
        (Floating(), [1, 0, 0, 0, 0.99, 0, 0]),
    ):
        with pytest.raises(rbdyn.MechanismError, match="spring_reference of joint 'j'.* of length"):
            Joint("j", joint_type, spring_reference=bad)
    near = Joint("j", Floating(), spring_reference=[3, 2, 1, 0.6001, 0, 0.8, 0]).spring_reference
    assert near[:3].tolist() == [3, 2, 1]
    assert np.linalg.norm(near[3:]) == pytest.approx(1.0, abs=1e-15)
    assert near[3] == pytest.approx(0.60006, abs=1e-5)
    pair = Joint("j", SinCosRevolute(), spring_reference=[0.6, 0.8001]).spring_reference
    assert np.linalg.norm(pair) == pytest.approx(1.0, abs=1e-15)
    beyond = Joint("j", SPQuatFloating(), spring_reference=[3, 2, 1, 0, 2, 0]).spring_reference
    np.testing.assert_allclose(beyond, [3, 2, 1, 0, -0.5, 0], rtol=1e-15)


@pytest.mark.parametrize("bad", ["", None, 3, b"j"])
def test_names(bad):
    with pytest.raises(rbdyn.MechanismError, match="name"):
        Joint(bad, Fixed())
    with pytest.raises(rbdyn.MechanismError, match="name"):
        RigidBody(bad)


def test_copies_of_joints_share_values_and_not_frames():
    mimic = rbdyn.Mimic("leader", 2.0, 0.1)
    joint = Joint("j", Revolute((1, 0, 0)), (-1, 1), 2, 3, 0.1, 0.2, 0.3, 0.4, [0.5], mimic)
    for twin, name in ((joint.copy(), "j"), (joint.copy("k"), "k")):
        assert twin.name == name
        assert twin.frame_before is not joint.frame_before
        assert twin.frame_after is not joint.frame_after
        for field in ("joint_type", "position_limits", "mimic", *NUMBERS):
            assert getattr(twin, field) == getattr(joint, field)
        twin.spring_reference = [9]
        with pytest.raises(ValueError, match="read-only"):
            twin.spring_reference[0] = 3
    assert joint.spring_reference[0] == 0.5
    assert "Revolute" in repr(joint)
    assert "'j'" in repr(joint)


# ---- bodies -------------------------------------------------------------------------------------------------------


def test_bodies():
    ball = Geometry(Sphere(0.1), Transform(translation=(1, 0, 0)), "ball/0")
    body = RigidBody("ball", rbdyn.SpatialInertia(2.0), collision=[ball], visual=(ball,))
    assert body.collision == [ball]
    assert RigidBody("dust").inertia == rbdyn.SpatialInertia.zero()
    assert repr(body) == "RigidBody('ball', mass=2)"
    tip = body.add_frame("tip", Transform(translation=(0, 0, 1)))
    twin = body.copy("other")
    assert (twin.name, twin.frame.name, twin.inertia) == ("other", "other", body.inertia)
    assert twin.frames["tip"][0] is not tip
    assert twin.frames["tip"][1] == body.frames["tip"][1]
    twin.collision.clear()
    assert body.collision == [ball]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"inertia": 1.0}, "inertia"),
        ({"inertia": np.eye(3)}, "inertia"),
        ({"collision": [Sphere(1.0)]}, "Geometry"),
        ({"visual": [None]}, "Geometry"),
    ],
)
def test_bad_bodies(bad, words):
    with pytest.raises(rbdyn.MechanismError, match=words):
        RigidBody("b", **bad)


def test_frames_of_a_body_have_names_of_their_own():
    body = RigidBody("b")
    body.add_frame("tip", Transform())
    for taken in ("tip", "b"):
        with pytest.raises(rbdyn.MechanismError, match=taken):
            body.add_frame(taken, Transform())
    assert list(body.frames) == ["tip"]


def test_moved_geometry():
    pose = Transform(rpy=(0, 0, math.pi / 2), translation=(0, 1, 0))
    moved = Geometry(Box((1, 2, 3)), Transform(translation=(1, 0, 0)), "b/0", "steel", 2, 5).moved(pose)
    np.testing.assert_allclose(moved.pose.translation, [0, 2, 0], atol=1e-15)
    assert (moved.name, moved.material, moved.group, moved.mask) == ("b/0", "steel", 2, 5)
