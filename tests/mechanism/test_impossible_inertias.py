"""Inertias that no body has: refused of bodies made in a program and in a World, kept and noted of those in files."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, MechanismError, RigidBody, SpatialInertia, Transform, collision, io

TURNED = Transform(rpy=(0.3, 0.4, 0.5)).rotation
NEGATIVE = SpatialInertia(1.0, (0.1, 0, 0), TURNED @ np.diag([0.2, 0.3, -0.1]) @ TURNED.T)
TEXT = """<robot name="r"><link name="a"><inertial><mass value="2"/>
<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="-0.1"/></inertial></link></robot>"""
HINGE = """<link name="world"/><joint name="hinge" type="continuous"><parent link="world"/><child link="a"/>
<axis xyz="1 0 0"/></joint></robot>"""


@pytest.mark.parametrize("moments", [(0.2, 0.3, -0.1), (-1e-6, 1.0, 1.0), (-1.0, -1.0, -1.0)])
def test_a_negative_moment_is_refused(moments):
    bad = SpatialInertia(1.0, (0.1, 0, 0), TURNED @ np.diag(moments) @ TURNED.T)
    assert "negative" in bad.defect()
    with pytest.raises(MechanismError, match=r"inertia of body 'arm'.*negative: \[-.*all must be 0 or more"):
        RigidBody("arm", bad)
    body = RigidBody("arm", SpatialInertia(3.0))
    with pytest.raises(MechanismError, match="inertia of body 'arm'.*negative"):
        body.inertia = bad
    assert body.inertia == SpatialInertia(3.0)


@pytest.mark.parametrize("moments", [(1.0, 1.0, 3.0), (0.0, 0.0, 1e-3), (1.0, 2.0, 3.001), (1e-6, 1e-6, 3e-6)])
def test_moments_that_break_the_triangle_inequality_are_refused(moments):
    """I1 + I2 - I3 = 2 int z^2 dm of the third axis' own z: it cannot be negative."""
    bad = SpatialInertia(1.0, (0.1, 0, 0), TURNED @ np.diag(moments) @ TURNED.T)
    match = r"inertia of body 'arm': principal moments \[.*triangle inequality.*none larger than the sum of the others"
    with pytest.raises(MechanismError, match=match):
        RigidBody("arm", bad)
    body = RigidBody("arm", SpatialInertia(3.0))
    with pytest.raises(MechanismError, match=match):
        body.inertia = bad
    assert body.inertia == SpatialInertia(3.0)
    body.take_inertia(bad)
    assert body.copy().inertia == bad


def test_files_keep_moments_that_break_it():
    """As before: a note, and the same numbers; a robot of it runs, and takes in another mass."""
    text = TEXT.replace('izz="-0.1"', 'izz="0.9"')
    m = io.load_urdf(text)
    assert [one for one in m.diagnostics if "link 'a'" in one and "triangle inequality" in one]
    world = rbdyn.World(1e-3)
    robot = world.add_articulated_system(text.replace("</robot>", HINGE))
    robot.body("a").mass = 1.5
    world.step()
    assert np.diag(robot.body("a").inertia).tolist() == [0.2, 0.3, 0.9]


@pytest.mark.parametrize("cloud", range(20))
def test_clouds_of_points_are_bodies(cloud):
    """Whatever masses stand where: a few points, on a line, in a plane, in nanometres and in light years."""
    rng = np.random.default_rng(cloud)
    n = 1 + cloud % 5
    points = rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-9, 16) * np.array([1, cloud % 2, cloud % 3])
    masses = 10.0 ** rng.uniform(-3, 3, n)
    com = masses @ points / masses.sum()
    d = (points - com) @ TURNED.T
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, d, strict=True))
    assert RigidBody("cloud", SpatialInertia(masses.sum(), com, J)).inertia.mass == masses.sum()


@pytest.mark.parametrize("moments", [(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (1.0, 2.0, 3.0), (-1e-12, 1.0, 1.0)])
def test_moments_that_bodies_have_are_taken(moments):
    """Points, rods and plates, and what rounding leaves of them."""
    inertia = SpatialInertia(1.0, (0.1, 0, 0), TURNED @ np.diag(moments) @ TURNED.T)
    assert RigidBody("arm", inertia).inertia is inertia


def test_files_keep_theirs_and_so_does_what_is_made_of_them():
    """A copy, a prefix, an attachment, a merger, a robot in a World, and a lighter one."""
    m = io.load_urdf(TEXT)
    assert [text for text in m.diagnostics if "link 'a'" in text and ":2: " in text and "is negative" in text]
    inertia = m.find_body("a").inertia
    assert np.linalg.eigvalsh(inertia.inertia)[0] == -0.1
    host = Mechanism(RigidBody("world"))
    host.attach("world", RigidBody("b", SpatialInertia(1.0)), Joint("j", rbdyn.Floating()))
    maps = host.attach_mechanism("b", m, prefix="left_")
    assert host.find_body("left_a").inertia == inertia and maps.bodies
    assert m.find_body("a").copy().inertia == inertia
    host.remove_fixed_tree_joints()
    two = Mechanism(RigidBody("world"))
    two.attach("world", m.find_body("a").copy(), Joint("j", Fixed()))
    two.remove_fixed_tree_joints()
    assert two.root_body.inertia == inertia
    world = rbdyn.World(1e-3)
    robot = world.add_articulated_system(TEXT.replace("</robot>", HINGE))
    robot.body("a").mass = 1.5
    assert robot.body("a").inertia.tolist() == inertia.inertia.tolist() and robot.body("a").mass == 1.5


@pytest.mark.parametrize(("moments", "match"), [
    ((1.0, 1.0, 3.0), "inertia must be that of a body.*triangle inequality"),
    ((1.0, 1.0, -1.0), "inertia must be symmetric and positive definite"),
    ((1.0, 1.0, 0.0), "positive definite"), ((1.0, np.nan, 1.0), "inertia"), ((1.0, np.inf, 1.0), "inertia"),
])  # fmt: skip
def test_single_bodies(moments, match):
    world = rbdyn.World(1e-3)
    with pytest.raises(rbdyn.Error, match=match):
        world.add_single_body([], 1.0, TURNED @ np.diag(moments) @ TURNED.T if np.isfinite(moments).all()
                              else np.diag(moments))
    assert world.objects == ()
    for mass in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(rbdyn.Error, match="mass must be"):
            world.add_single_body([], mass, np.eye(3))
        with pytest.raises(rbdyn.Error, match="mass"):
            world.add_sphere(0.1, mass)


@pytest.mark.parametrize("mass", [-1.0, np.nan, np.inf])
def test_inertias_of_shapes_and_values(mass):
    with pytest.raises(rbdyn.Error, match="mass must be"):
        SpatialInertia.from_shape(collision.Sphere(0.1), mass=mass)
    with pytest.raises(rbdyn.Error, match="density must be"):
        SpatialInertia.from_shape(collision.Sphere(0.1), density=mass)
    with pytest.raises(rbdyn.Error, match="mass must be"):
        SpatialInertia(mass)
    with pytest.raises(rbdyn.Error, match="inertia must"):
        SpatialInertia(1.0, inertia=np.full((3, 3), mass if not np.isfinite(mass) else np.nan))
