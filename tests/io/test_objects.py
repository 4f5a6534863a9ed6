"""Robot objects of other packages: urdfpy and urchin on one hand, yourdfpy on the other.

First by their attributes alone, then as urchin and yourdfpy themselves make them of every robot there is, where they
are installed: the mechanism is the one that `load_urdf` reads from the same file.
"""

import importlib.metadata
import warnings
from pathlib import Path
from types import SimpleNamespace as Thing

import numpy as np
import pytest

from rbdyn import models
from rbdyn.collision.shapes import Box, Cylinder, Sphere
from rbdyn.errors import Error, UrdfError
from rbdyn.io import from_urdfpy, load_urdf
from rbdyn.mechanism import Revolute

POSE = np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])  # rpy = 0 0 pi/2, xyz = 1 2 3

TEXT = """<robot name="r">
<link name="a"/>
<link name="b">
 <inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>
 <inertia ixx="1" ixy="0.1" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>
 <collision><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="1 2 3"/></geometry></collision>
 <collision><geometry><cylinder radius="1" length="2"/></geometry></collision>
 <visual><geometry><sphere radius="1"/></geometry><material name="red"><color rgba="1 0 0 1"/></material></visual>
</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
 <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 1"/>
 <limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="5" friction="6"/></joint>
</robot>"""


def geometry(**kind):
    return Thing(**({"box": None, "sphere": None, "cylinder": None, "mesh": None} | kind))


def parts(kind_name, color):
    """The robot of TEXT as such a package would hold it."""
    none = None
    shapes = [
        Thing(origin=POSE, geometry=geometry(box=Thing(size=np.array([1.0, 2, 3]))), material=none),
        Thing(origin=none, geometry=geometry(cylinder=Thing(radius=1.0, length=2.0)), material=none),
    ]
    visual = [Thing(origin=none, geometry=geometry(sphere=Thing(radius=1.0)), material=Thing(name="red", color=color))]
    inertial = Thing(mass=2.0, origin=POSE, inertia=np.array([[1, 0.1, 0], [0.1, 2, 0], [0, 0, 2.5]]))
    links = [
        Thing(name="a", inertial=none, collisions=[], visuals=[]),
        Thing(name="b", inertial=inertial, collisions=shapes, visuals=visual),
    ]
    joint = Thing(
        name="j",
        parent="a",
        child="b",
        origin=POSE,
        axis=np.array([0.0, 0, 1]),
        limit=Thing(lower=-1.0, upper=2.0, effort=3.0, velocity=4.0),
        dynamics=Thing(damping=5.0, friction=6.0),
        mimic=none,
        **{kind_name: "revolute"},
    )
    return Thing(name="r", links=links, joints=[joint])


def urchin_robot():
    return parts("joint_type", np.array([1.0, 0, 0, 1]))


def yourdfpy_robot():
    return Thing(robot=parts("type", Thing(rgba=np.array([1.0, 0, 0, 1]))))


@pytest.mark.parametrize("make", [urchin_robot, yourdfpy_robot])
def test_same_as_the_text(make):
    ours, theirs = load_urdf(TEXT), from_urdfpy(make())
    assert theirs.name == ours.name == "r"
    assert [b.name for b in theirs.bodies] == [b.name for b in ours.bodies] == ["world", "a", "b"]
    b, c = ours.find_body("b"), theirs.find_body("b")
    np.testing.assert_allclose(c.inertia.matrix, b.inertia.matrix, atol=1e-12)
    assert [g.shape for g in c.collision] == [g.shape for g in b.collision] == [Box((1, 2, 3)), Cylinder(1, 2)]
    np.testing.assert_allclose(c.collision[0].pose.matrix, b.collision[0].pose.matrix, atol=1e-12)
    assert [g.name for g in c.collision] == ["b/0", "b/1"]
    assert [(g.shape, g.color) for g in c.visual] == [(Sphere(1), (1, 0, 0, 1))]
    j, k = ours.find_joint("j"), theirs.find_joint("j")
    assert k.joint_type == j.joint_type == Revolute((0, 0, 1))
    for name in ("position_limits", "velocity_limit", "effort_limit", "damping", "friction"):
        assert getattr(k, name) == getattr(j, name)
    np.testing.assert_allclose(theirs.edge(k).joint_pose.matrix, ours.edge(j).joint_pose.matrix, atol=1e-12)
    assert from_urdfpy(make(), floating=False).num_velocities == 1


def test_an_invented_inertia_is_noted_and_dropped():
    urchin = pytest.importorskip("urchin")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs
        links = [urchin.Link("a", None, None, None)]
        robot = urchin.URDF("r", links, [])
    assert robot.links[0].inertial.mass == 1.0
    m = from_urdfpy(robot)
    assert m.find_body("a").inertia.mass == 0.0
    assert any("link 'a'" in w and "invents" in w for w in m.diagnostics)
    assert from_urdfpy(robot, invented_inertia="keep").find_body("a").inertia.mass == 1.0
    with pytest.raises(UrdfError, match="invents"):
        from_urdfpy(robot, strict=True)
    with pytest.raises(Error, match="invented_inertia must be one of"):
        from_urdfpy(robot, invented_inertia="invent")


def spoil(path, value):
    def change(robot):
        *steps, last = path.split(".")
        for step in steps:
            robot = robot[int(step)] if step.isdigit() else getattr(robot, step)
        setattr(robot, last, value)

    return change


@pytest.mark.parametrize(
    "change, text",
    [
        (spoil("links.1.inertial.mass", -1), "link 'b'.*mass.*at least 0"),
        (spoil("links.1.inertial.mass", np.nan), "link 'b'.*finite"),
        (spoil("links.1.inertial.inertia", np.eye(2)), "link 'b'.*inertia"),
        (spoil("links.1.inertial.origin", np.eye(3)), "link 'b'.*4, 4"),
        (spoil("links.1.collisions.0.geometry.box", Thing(size=(1, 2))), "link 'b'.*three side lengths"),
        (spoil("links.1.collisions.0.geometry.box", None), "link 'b'.*no box"),
        (spoil("links.1.collisions.0.geometry", None), "link 'b'"),
        (spoil("joints.0.joint_type", "hinge"), "joint 'j'.*'hinge'"),
        (spoil("joints.0.axis", (0, 0, 0)), "joint 'j'.*axis"),
        (spoil("joints.0.axis", None), ""),
        (spoil("joints.0.joint_type", "helical"), "joint 'j'.*do not keep the pitch of a screw.*load_urdf"),
        (spoil("joints.0.parent", "x"), "no link named 'x'"),
        (spoil("joints.0.child", "a"), "'a' to itself"),
        (spoil("joints.0.limit", Thing(lower=np.nan, upper=-1, effort=1, velocity=1)), "joint 'j'.*position_limits"),
        (spoil("joints.0.limit.effort", "much"), "joint 'j'.*effort='much' is not a number"),
        (spoil("joints.0.dynamics.damping", "1,5"), "joint 'j'.*damping='1,5' is not a number .decimal comma"),
        (spoil("joints.0.dynamics.damping", True), "joint 'j'.*damping must be a number"),
        (spoil("links.1.collisions.0.geometry.box", Thing(size=("1", "2", "x"))), "link 'b'.*size.2.='x'"),
        (spoil("links.1.collisions.0.geometry", geometry(mesh=Thing(filename="m", scale=(1, 2)))), "link 'b'.*scale"),
        (
            spoil("links.1.collisions.0.geometry", geometry(mesh=Thing(filename="m", scale=(1, 0, 1)))),
            "link 'b'.*scale",
        ),
        (spoil("joints.0.limit", Thing()), "joint 'j'"),
        (spoil("joints.0.dynamics", Thing(damping=-1, friction=0)), "joint 'j'.*damping"),
        (spoil("joints.0.mimic", Thing(joint="j", multiplier=None, offset=None)), "itself"),
        (spoil("links", []), "no links"),
        (spoil("links", None), ""),
    ],
)
def test_bad_objects(change, text):
    robot = urchin_robot()
    change(robot)
    if robot.links is None:
        with pytest.raises((Error, TypeError)):
            from_urdfpy(robot)
    elif not text:
        assert from_urdfpy(robot).find_joint("j").joint_type == Revolute((1, 0, 0))
    else:
        with pytest.raises(UrdfError, match=text):
            from_urdfpy(robot)


@pytest.mark.parametrize("thing", [None, 3, "robot.urdf", Thing(), Thing(robot=None)])
def test_other_objects_are_refused(thing):
    with pytest.raises(UrdfError, match="from_urdfpy takes a robot object"):
        from_urdfpy(thing)


def test_numbers_as_text():
    """yourdfpy hands damping, friction and more on as the file has them."""
    robot = yourdfpy_robot()
    for name, attributes in {
        "links.1.inertial": {"mass": "2"},
        "links.1.collisions.0.geometry": {"box": Thing(size=("1", " 2", "3e0"))},
        "links.1.collisions.1.geometry": {"cylinder": Thing(radius="1", length="2.0")},
        "links.1.visuals.0.geometry": {"sphere": Thing(radius="1")},
        "links.1.visuals.0.material": {"color": Thing(rgba=("1", "0", "0", "1"))},
        "joints.0": {"axis": ("0", "0", "1")},
        "joints.0.limit": {"lower": "-1", "upper": "2", "effort": "3", "velocity": "4"},
        "joints.0.dynamics": {"damping": "5.0", "friction": "6"},
    }.items():
        for attribute, value in attributes.items():
            spoil(f"{name}.{attribute}", value)(robot.robot)
    assert_same(from_urdfpy(robot), load_urdf(TEXT))


def test_the_rules_are_those_of_files():
    """Limits that are swapped or mean none, spheres of radius 0, colours beyond 1, scales of four numbers."""
    robot = yourdfpy_robot()
    for name, value in {
        "joints.0.limit": Thing(lower=2.0, upper=-1.0, effort=-1, velocity=0),
        "links.1.collisions.0.geometry": geometry(sphere=Thing(radius=0)),
        "links.1.visuals.0.material.color.rgba": (2, 0, 0, -1),
        "links.1.visuals.0.geometry": geometry(mesh=Thing(filename="no_such.stl", scale=[1, 2, 3, 4])),
    }.items():
        spoil(name, value)(robot.robot)
    m = from_urdfpy(robot, visual_meshes=True)
    j, b = m.find_joint("j"), m.find_body("b")
    assert (j.position_limits, j.effort_limit, j.velocity_limit) == ((-1, 2), None, None)
    assert [g.name for g in b.collision] == ["b/1"]
    words = ("swapped", "-1 is taken", "velocity 0", "radius 0", "between 0 and 1", "4 numbers", "no_such.stl")
    assert all(sum(word in text for text in m.diagnostics) == 1 for word in words), m.diagnostics
    assert all(text.startswith("types robot 'r', ") for text in m.diagnostics)
    with pytest.raises(UrdfError, match="strict=True"):
        from_urdfpy(robot, strict=True)


def test_shapes_without_extent_are_left_out_as_of_files():
    """Points, and of what is only drawn flat and thin shapes too."""
    robot = yourdfpy_robot()
    spoil("links.1.collisions.0.geometry", geometry(box=Thing(size=[0, 0, 0])))(robot.robot)
    spoil("links.1.visuals.0.geometry", geometry(cylinder=Thing(radius=0.5, length=0)))(robot.robot)
    m = from_urdfpy(robot)
    assert [g.name for g in m.find_body("b").collision] == ["b/1"]
    assert not [g for g in m.find_body("b").visual if g.name == "b/0"]
    for words in ("a box of size 0 0 0; left out", "a cylinder of radius 0.5, length 0; left out"):
        assert sum(words in text for text in m.diagnostics) == 1, m.diagnostics
    flat = yourdfpy_robot()
    spoil("links.1.collisions.0.geometry", geometry(box=Thing(size=[1, 1, 0])))(flat.robot)
    with pytest.raises(Error, match="size"):
        from_urdfpy(flat)


def test_named_colours_are_looked_up():
    robot = yourdfpy_robot()
    robot.robot.materials = [Thing(name="red", color=Thing(rgba=np.array([1.0, 0, 0, 1])))]
    robot.robot.links[1].visuals[0].material.color = None
    assert from_urdfpy(robot).find_body("b").visual[0].color == (1, 0, 0, 1)


# ---- the packages themselves -----------------------------------------------------------------------


def robot_files():
    """Every robot file of example-robot-data, where it is installed, and the bundled ones."""
    bundled = sorted(Path(models.__file__).parent.glob("*.urdf"))
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return bundled
    return bundled + sorted(Path(f.locate()).resolve() for f in files if str(f).endswith(".urdf"))


FILES = robot_files()
NOT_READ = {  # by the package itself
    "urchin": {
        "alex_psyonic_hands.urdf",
        "icub.urdf",
        "icub_reduced.urdf",
        "romeo_laas_small.urdf",
        "talos_left_arm.urdf",
        "ur3.urdf",
    },
    "yourdfpy": {"ur3.urdf"},
}
# links that weigh 1 kg by their own word
UNIT_INERTIA = dict.fromkeys(("simple_humanoid", "simple_humanoid_classical"), ("RARM_LINK3", "LARM_LINK3"))


def read_by(package, file):
    """The robot object that a package makes of a file; no mesh is opened."""
    reader = importlib.import_module(package).URDF
    if package == "urchin":
        return reader.load(str(file), lazy_load_meshes=True)
    none = ("build_scene_graph", "build_collision_scene_graph", "load_meshes", "load_collision_meshes")
    return reader.load(str(file), **dict.fromkeys(none, False))


def assert_same(theirs, ours):
    """Two mechanisms are of the same bodies, joints, shapes and numbers."""
    assert [b.name for b in theirs.bodies] == [b.name for b in ours.bodies]
    for b, c in zip(ours.bodies, theirs.bodies, strict=True):
        if b.name in UNIT_INERTIA.get(ours.name, ()) and c.inertia.mass == 0:
            assert any(f"link {b.name!r}: mass 1 and a unit inertia" in text for text in theirs.diagnostics)
            continue
        np.testing.assert_allclose(c.inertia.matrix, b.inertia.matrix, rtol=1e-9, atol=1e-12)
        assert [(g.name, g.shape) for g in c.collision] == [(g.name, g.shape) for g in b.collision]
        for g, h in zip(b.collision, c.collision, strict=True):
            np.testing.assert_allclose(h.pose.matrix, g.pose.matrix, atol=1e-9)
        assert [(g.name, g.shape) for g in c.visual] == [(g.name, g.shape) for g in b.visual]
    assert [j.name for j in theirs.joints] == [j.name for j in ours.joints]
    for j, k in zip(ours.joints, theirs.joints, strict=True):
        assert type(k.joint_type) is type(j.joint_type)
        np.testing.assert_allclose(theirs.edge(k).joint_pose.matrix, ours.edge(j).joint_pose.matrix, atol=1e-9)
        for name in ("position_limits", "velocity_limit", "effort_limit", "damping", "friction", "mimic"):
            assert getattr(k, name) == getattr(j, name), (j.name, name)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
@pytest.mark.parametrize("package", ["urchin", "yourdfpy"])
def test_every_robot_that_a_package_reads(package, file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs
        pytest.importorskip(package)
        try:
            robot = read_by(package, file)
        except Exception as error:
            assert file.name in NOT_READ[package], error
            return
    assert_same(from_urdfpy(robot, collision_mesh="skip"), load_urdf(file, collision_mesh="skip"))
