"""URDF without words of a dialect: what other readers take, and what is said of the words that they do not."""

from __future__ import annotations

import os
import pathlib
import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from lxml import etree
from reference.compare import nontrivial
from reference.dressed import URDF_TYPES, dressed, example_robots
from reference.minitaur import urdf as minitaur

import rbdyn
from rbdyn import ExportWarning, io
from rbdyn.collision import Box, Capsule, Cylinder, HalfSpace, Sphere
from rbdyn.mechanism import (
    Fixed,
    Floating,
    Geometry,
    Helical,
    Joint,
    JointType,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.spatial import SpatialInertia, Transform
from rbdyn.testing.random_mechanisms import random_transform

NIGHT = int(os.environ.get("SEEDS", "4")) > 4
quiet = pytest.mark.filterwarnings("ignore::rbdyn.ExportWarning")

# wiki.ros.org/urdf/XML: element -> where it may stand, its attributes
WORDS = {
    "robot": ((), ("name",)),
    "link": (("robot",), ("name",)),
    "inertial": (("link",), ()),
    "mass": (("inertial",), ("value",)),
    "inertia": (("inertial",), ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "visual": (("link",), ("name",)),
    "collision": (("link",), ("name",)),
    "origin": (("inertial", "visual", "collision", "joint"), ("xyz", "rpy")),
    "geometry": (("visual", "collision"), ()),
    "box": (("geometry",), ("size",)),
    "sphere": (("geometry",), ("radius",)),
    "cylinder": (("geometry",), ("radius", "length")),
    "mesh": (("geometry",), ("filename", "scale")),
    "material": (("visual",), ("name",)),
    "color": (("material",), ("rgba",)),
    "joint": (("robot",), ("name", "type")),
    "parent": (("joint",), ("link",)),
    "child": (("joint",), ("link",)),
    "axis": (("joint",), ("xyz",)),
    "limit": (("joint",), ("lower", "upper", "effort", "velocity")),
    "dynamics": (("joint",), ("damping", "friction")),
    "mimic": (("joint",), ("joint", "multiplier", "offset")),
    "safety_controller": (("joint",), ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")),
    "calibration": (("joint",), ("reference_position", "rising", "falling")),
}
MOVED_BY_ALL = {"fixed", "revolute", "continuous", "prismatic"}


def check_words(text):
    for node in etree.fromstring(text.encode()).iter():
        parents, attributes = WORDS[node.tag]
        assert node.getparent() is None or node.getparent().tag in parents, node.tag
        assert set(node.attrib) <= set(attributes), dict(node.attrib)
        if node.tag == "joint":
            assert node.get("type") in MOVED_BY_ALL
        if node.tag == "dynamics":
            assert "damping" in node.attrib
        if node.tag == "safety_controller":
            assert "k_velocity" in node.attrib
    names = [(node.tag, node.get("name")) for node in etree.fromstring(text.encode()) if node.tag in ("link", "joint")]
    assert len(set(names)) == len(names)


def one(joint_type=None, **values):
    """A mechanism of one body with mass."""
    m = Mechanism(RigidBody("world"))
    body = RigidBody("b", SpatialInertia(1.0, inertia=np.eye(3)))
    m.attach(m.root_body, body, Joint("j", joint_type or Revolute((0, 0, 1)), **values))
    return m


def shaped(shape, **values):
    m = one()
    m.find_body("b").collision.append(Geometry(shape, name="b/0", **values))
    return m


def controlled(**words):
    m = one()
    m.find_joint("j").annotations = words
    return m


def pinned():
    m = one()
    m.attach("world", "b", Joint("pin", Spherical()))
    return m


# ---- what others read -------------------------------------------------------------------------------


@quiet
def test_random_words_are_all_standard(seed, tmp_path):
    types = [t for t in (*URDF_TYPES, SinCosRevolute, SPQuatFloating) if t is not Helical]
    m = dressed(seed, types, n=10, successor_poses=True)
    m.tree_joints[-1].annotations = {"safety_controller": {"k_position": "1"}, "calibration": {"rising": "1"}}
    for joint in m.tree_joints[:3]:  # names that a chain could take for its own
        joint.annotations = {"note": {"of": "mine"}}
        m.root_body.add_frame(f"{joint.name}_x_link", Transform())
        m.attach(m.root_body, RigidBody(f"{joint.name}_yaw_link"), Joint(f"{joint.name}_yaw", Fixed()))
    io.save_urdf(m, tmp_path / "r.urdf", dialect=False)
    check_words((tmp_path / "r.urdf").read_text("utf-8"))
    assert io.load_urdf(tmp_path / "r.urdf").num_velocities == m.num_velocities


def test_mass_matrices_of_random_mechanisms(seed, tmp_path):
    """As Pinocchio and yourdfpy read them, of all joint types of which chains are made."""
    pytest.importorskip("pinocchio")
    pytest.importorskip("yourdfpy")
    from reference.urdf_readers import TYPES, errors, random_mechanism

    m = random_mechanism(seed)
    assert {type(joint.joint_type) for joint in m.tree_joints} == set(TYPES)
    assert max(errors(m, np.random.default_rng(seed), tmp_path)) < 1e-13


@quiet
def test_mass_matrix_of_a_floating_base_of_any_name(seed, tmp_path):
    pytest.importorskip("pinocchio")
    pytest.importorskip("yourdfpy")
    from reference.urdf_readers import errors

    rng = np.random.default_rng(seed)
    m = Mechanism(RigidBody("somewhere"))
    parent = m.root_body
    for k, kind in enumerate(((Floating(), SPQuatFloating())[seed % 2], Revolute((1, 2, 3)), Planar(), Spherical())):
        body = RigidBody(f"b{k}", SpatialInertia(1.0 + k, rng.normal(size=3), np.diag([1.0, 1.2, 1.4])))
        m.attach(parent, body, Joint(f"j{k}", kind), random_transform(rng) if k else None)
        parent = body
    with pytest.warns(ExportWarning, match="names of a floating base's joint and root: 'ROOT' and 'world' there: j0"):
        text = io.urdf_text(m, dialect=False)
    check_words(text)
    assert '"j0"' not in text and '<link name="somewhere"' not in text
    assert max(errors(m, rng, tmp_path)) < 1e-13


@pytest.mark.parametrize("file", example_robots()[:: 1 if NIGHT else 9], ids=lambda f: pathlib.Path(f).stem)
def test_mass_matrices_of_other_peoples_robots(file, tmp_path):
    pytest.importorskip("pinocchio")
    pytest.importorskip("yourdfpy")
    from reference.urdf_readers import errors

    m = io.load_urdf(file, collision_mesh="skip")
    assert max(errors(m, np.random.default_rng(1), tmp_path)) < 1e-13
    check_words((tmp_path / "robot.urdf").read_text("utf-8"))


@quiet
@pytest.mark.parametrize("values", [{"rotor_inertia": 0.3}, {"stiffness": 2.0}, {"friction": 0.1}, {"damping": 0.1}])
def test_pinocchio_reads_what_is_said_of_a_joint_in_dialect_too(values):
    """urdfdom refuses a <dynamics> with neither damping nor friction, and the robot with it."""
    pinocchio = pytest.importorskip("pinocchio")
    text = io.urdf_text(one(**values))
    dynamics = etree.fromstring(text.encode()).find(".//dynamics")
    assert float(dynamics.get("damping")) == values.get("damping", 0.0)
    assert pinocchio.buildModelFromXML(text).nv == 1
    again = io.load_urdf(text).find_joint("j")
    assert all(getattr(again, name) == value for name, value in values.items())


# ---- what is said -----------------------------------------------------------------------------------

REFUSED, IGNORED = "which other readers refuse", "which other readers ignore"
DIALECT = {
    "spherical": (one(Spherical()), f"{REFUSED}: spherical joints: j", None),
    "helical": (one(Helical((0, 0, 1), 0.1)), f"{REFUSED}: helical joints: j", "joint 'j' is a helical joint"),
    "rotor": (one(rotor_inertia=1.0), f"{IGNORED}: rotor inertias: j", "rotor inertias: left out: j"),
    "spring": (one(stiffness=1.0), f"{IGNORED}: springs: j", "springs: left out: j"),
    "rest": (one(spring_reference=[1.0]), f"{IGNORED}: springs: j", "springs: left out: j"),
    "capsule": (shaped(Capsule(1.0, 2.0)), f"{REFUSED}: capsules: b/0", None),
    "plane": (shaped(HalfSpace()), f"{REFUSED}: planes: b/0", "planes: left out: b/0"),
    "material": (shaped(Box((1, 1, 1)), material="ice"), f"{IGNORED}: contact materials: b/0",
                 "contact materials: left out: b/0"),
    "pins": (pinned(), f"{IGNORED}: spherical loop joints: pin", "spherical loop joints: left out: pin"),
    "controller": (controlled(safety_controller={"k_position": "1"}),
                   f"{REFUSED}: safety controllers without k_velocity: j", "safety controllers .*: left out: j"),
    "note": (controlled(note={"of": "mine"}), f"{IGNORED}: <note> of joints: j", "<note> of joints: left out: j"),
}  # fmt: skip


@quiet
@pytest.mark.parametrize(("mechanism", "said", "lost"), DIALECT.values(), ids=DIALECT)
def test_words_of_the_dialect_are_said_and_no_loss(mechanism, said, lost):
    with pytest.warns(ExportWarning, match=f"URDF in dialect, {said}"):
        text = io.urdf_text(mechanism)
    with pytest.raises((KeyError, AssertionError)):
        check_words(text)
    with pytest.warns(ExportWarning, match="dialect"):
        assert io.urdf_text(mechanism, strict=True) == text
    if lost is not None:
        with pytest.raises(rbdyn.Error, match=lost):
            io.urdf_text(mechanism, strict=True, dialect=False)


def test_rotations_as_quaternions_are_dialect():
    with pytest.warns(ExportWarning, match=f"dialect, {IGNORED}: rotations as quat_xyzw"):
        io.urdf_text(one(), rotations="quat")
    with pytest.raises(rbdyn.Error, match="rotations='quat' writes quat_xyzw.*needed with dialect=False: 'rpy'"):
        io.urdf_text(one(), rotations="quat", dialect=False)


def test_what_needs_no_dialect_is_not_said():
    m = one(Revolute((0, 0, 1)), position_limits=(-1, 1), damping=1.0, friction=2.0)
    m.find_body("b").collision = [Geometry(Box((1, 1, 1))), Geometry(Sphere(1.0)), Geometry(Cylinder(1.0, 2.0))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = io.urdf_text(m, dialect=False, strict=True)
        assert io.urdf_text(m) == text
    check_words(text)


@dataclass(frozen=True)
class Wobbly(JointType):
    """A type of a user's, which no writer knows."""

    num_positions: ClassVar[int] = 2
    num_velocities: ClassVar[int] = 2
    num_plain: ClassVar[int] = 2
    kind: ClassVar[str] = "wobbly"


def test_a_joint_of_an_unknown_type_is_no_hinge(monkeypatch):
    monkeypatch.setattr(rbdyn.mechanism.joint, "TYPES", (*rbdyn.mechanism.joint.TYPES, Wobbly))
    m = one(Wobbly())
    with pytest.warns(ExportWarning, match=f"{REFUSED}: wobbly joints, which load_urdf does not read either: j"):
        text = io.urdf_text(m)
    assert 'type="wobbly"' in text
    with pytest.raises(rbdyn.UrdfError, match="type='wobbly' is not a joint type"):
        io.load_urdf(text)
    with pytest.raises(rbdyn.Error, match="joint 'j' is a wobbly joint, for which standard URDF has no words"):
        io.urdf_text(m, dialect=False)


# ---- how it is said otherwise -----------------------------------------------------------------------


@quiet
def test_a_chain_has_the_friction_and_bounds_of_its_joint():
    m = one(Planar(), damping=0.5, friction=0.25, effort_limit=3.0, velocity_limit=4.0)
    with pytest.warns(ExportWarning, match="a planar joint J: written as J_x, J_y, J_theta; damping"):
        r = io.load_urdf(io.urdf_text(m, dialect=False))
    assert [joint.name for joint in r.tree_joints] == ["j_x", "j_y", "j_theta"]
    assert [type(joint.joint_type) for joint in r.tree_joints] == [Prismatic, Prismatic, Revolute]
    for joint in r.tree_joints:
        assert (joint.damping, joint.friction, joint.effort_limit, joint.velocity_limit) == (0.5, 0.25, 3.0, 4.0)
    with pytest.warns(ExportWarning, match="position limits of spherical joints: left out: j"):
        io.urdf_text(one(Spherical(), position_limits=(0.0, 1.0)), dialect=False)


@quiet
def test_a_capsule_is_a_cylinder_and_two_balls(seed):
    """The same points are inside."""
    rng = np.random.default_rng(seed)
    radius, height = rng.uniform(0.2, 1.0, 2)
    pose = random_transform(rng)
    m = shaped(Capsule(radius, height), pose=pose)
    (body,) = (b for b in io.load_urdf(io.urdf_text(m, dialect=False)).bodies if b.name == "b")
    assert [type(g.shape) for g in body.collision] == [Cylinder, Sphere, Sphere]
    points = rng.uniform(-1.5, 1.5, (4000, 3))
    inside = np.zeros(len(points), bool)
    for geometry in body.collision:
        local = (points - geometry.pose.translation) @ geometry.pose.rotation
        if isinstance(geometry.shape, Sphere):
            inside |= np.linalg.norm(local, axis=1) < geometry.shape.radius
        else:
            across = np.linalg.norm(local[:, :2], axis=1)
            inside |= (across < geometry.shape.radius) & (np.abs(local[:, 2]) < geometry.shape.height / 2)
    local = (points - pose.translation) @ pose.rotation
    axis = np.clip(local[:, 2], -height / 2, height / 2)
    expected = np.linalg.norm(local - np.outer(axis, (0, 0, 1)), axis=1) < radius
    nontrivial(expected.astype(float))
    np.testing.assert_array_equal(inside, expected)


@quiet
def test_loops_are_left_out_without_asking_where_they_are_closed():
    m = io.load_urdf(minitaur())
    m.nominal_configuration = None  # the pins are open at the neutral configuration
    with pytest.raises(rbdyn.Error, match="is open by"):
        io.urdf_text(m)
    r = io.load_urdf(io.urdf_text(m, dialect=False))
    assert not r.non_tree_joints and r.num_velocities == m.num_velocities


def test_bad_flag():
    with pytest.raises(rbdyn.Error, match="dialect must be True or False, got 'no'"):
        io.urdf_text(one(), dialect="no")
