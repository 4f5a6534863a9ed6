"""What is written as MJCF moves in MuJoCo as it moves here."""

from __future__ import annotations

import importlib.metadata
import pathlib
import warnings

import numpy as np
import pytest
from algorithms.systems import in_motion, random_system
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.compare import close, nontrivial
from reference.dressed import MJCF_TYPES, dressed, example_robots

import rbdyn
from rbdyn import ExportWarning, io
from rbdyn.collision import Box, ConvexHull, Ellipsoid, HalfSpace, HeightMap, Mesh, Sphere
from rbdyn.mechanism import (
    Fixed,
    Floating,
    Geometry,
    Helical,
    Joint,
    Mechanism,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.spatial import SpatialInertia, Transform

mujoco = pytest.importorskip("mujoco")
from reference.mujoco_export import Exported  # noqa: E402

ALL = (Fixed, Revolute, SinCosRevolute, Prismatic, Planar, Spherical, Floating, SPQuatFloating)
quiet = pytest.mark.filterwarnings("ignore::rbdyn.ExportWarning")
quick = settings(max_examples=15, deadline=None, derandomize=True)


def compiled(mechanism, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        return mujoco.MjModel.from_xml_string(io.mjcf_text(mechanism, **options))


def agree(s, model, rtol=1e-12):
    """Poses, mass matrix and bias forces."""
    twin = Exported(s.mechanism, model, s.q, s.v)
    for body in s.mechanism.bodies[1:]:
        close(rbdyn.body_pose(s.state, body), twin.pose(body.name), rtol)
    M, h = twin.mass_matrix(), twin.bias_forces()
    nontrivial(M, 1e-6)
    close(s.tree_matrix(rbdyn.mass_matrix(s.state)), M, rtol)
    close(s.tree(rbdyn.bias_forces(s.state)), h, rtol)
    return twin


@given(seed=st.integers(0, 2**32))
@quick
def test_a_random_mechanism_moves_as_here(seed):
    """Every joint type but screws, anywhere, with rotors and bodies askew in their joints."""
    s = random_system(seed, joint_types=ALL)
    agree(s, compiled(s.mechanism), 1e-13)


@pytest.mark.parametrize("file", example_robots()[::4], ids=lambda f: pathlib.Path(f).stem)
@quiet
def test_other_peoples_robots_move_as_here(tmp_path, file):
    """With a moment of inertia that no body has, MuJoCo's differ: such bodies are named by the warning."""
    m = io.load_urdf(file, collision_mesh="skip")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        io.save_mjcf(m, tmp_path / "robot.xml")
    if any("moments of inertia that no body has" in str(w.message) for w in said):
        pytest.skip("no body has its inertia")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    if m.num_velocities:
        agree(in_motion(np.random.default_rng(0), m), model)


def test_passive_elements_and_limits(seed):
    """Damping, springs and dry friction act as forces; limits are MuJoCo's limits."""
    m = dressed(seed, (Fixed, Revolute, Prismatic, Planar), floating_base=False)
    s = in_motion(np.random.default_rng(seed), m)
    model = compiled(m)
    twin = agree(s, model)
    i = k = 0
    expected = np.zeros(model.nv)
    for joint in m.tree_joints:
        n = joint.num_velocities
        pull = -joint.stiffness * (s.q[i : i + n] - joint.spring_reference)
        expected[k : k + n] = pull - joint.damping * s.v[k : k + n]
        i, k = i + n, k + n
    nontrivial(expected)
    close(twin.T.T @ twin.data.qfrc_passive, expected, 1e-12)
    for joint in m.tree_joints:
        if joint.num_positions == 1:
            there = model.joint(joint.name)
            dof = model.jnt_dofadr[there.id]
            assert model.dof_frictionloss[dof] == joint.friction
            assert bool(there.limited[0]) == (joint.position_limits is not None)
            if joint.position_limits is not None:
                np.testing.assert_array_equal(there.range, joint.position_limits)
            if joint.effort_limit is not None:
                bounds = (-joint.effort_limit, joint.effort_limit)
                np.testing.assert_array_equal(model.jnt_actfrcrange[there.id], bounds)


def test_mimics_are_equalities():
    m = Mechanism(RigidBody("world"))
    inertia = SpatialInertia(1.0, (0.1, 0, 0), 0.01 * np.eye(3))
    m.attach("world", RigidBody("a", inertia), Joint("lead", Revolute((0, 0, 1))))
    m.attach("a", RigidBody("b", inertia), Joint("follow", Prismatic((1, 0, 0)), mimic=Mimic("lead", -2.0, 0.3)))
    model = compiled(m)
    data = mujoco.MjData(model)
    data.qpos[:] = 0.5, 0.1
    mujoco.mj_forward(model, data)
    close(data.efc_pos[: data.ne], [0.1 - (0.3 - 2.0 * 0.5)], 1e-15)


def four_bar(joint_type):
    m = Mechanism(RigidBody("world"))
    inertia = SpatialInertia(1.0, (0.2, 0, 0), 0.01 * np.eye(3))
    for k in range(3):
        before = Transform(translation=(0.4 * k, 0, 0))
        m.attach(m.bodies[-1], RigidBody(f"b{k}", inertia), Joint(f"j{k}", Revolute((0, 0.6, 0.8))), before)
    m.attach("b2", "world", Joint("closing", joint_type), Transform(rpy=(1, 2, 3), translation=(0.3, 0.1, 0)),
             Transform(rpy=(3, 1, 2), translation=(-0.5, 0, 0.2)))  # fmt: skip
    return m


@pytest.mark.parametrize("kind", [Spherical(), Fixed(), Revolute((0, 0.6, 0.8))], ids=lambda k: k.kind)
def test_loops_are_equalities(kind):
    """At a configuration where the loop is open: the gap that MuJoCo sees is the gap here."""
    m = four_bar(kind)
    s = in_motion(np.random.default_rng(1), m)
    twin = Exported(m, compiled(m), s.q, s.v)
    poses = {b.name: rbdyn.body_pose(s.state, b) for b in m.bodies}
    edge = m.edge(m.find_joint("closing"))
    a = poses[edge.predecessor.name] @ edge.joint_pose.matrix
    b = poses[edge.successor.name] @ edge.successor_pose.inverse().matrix
    points = [(0, 0, 0)] if not isinstance(kind, Revolute) else [-0.1 * np.array(kind.axis), 0.1 * np.array(kind.axis)]
    expected = np.concatenate([(a - b)[:3, :3] @ p + (a - b)[:3, 3] for p in points])
    nontrivial(expected)
    rows = twin.data.efc_pos[: twin.data.ne]
    assert len(rows) == (6 if not isinstance(kind, Spherical) else 3)
    close(np.abs(rows[: len(expected)]), np.abs(expected), 1e-12)


def shaped(shape, joint_type=None):
    m = Mechanism(RigidBody("world"))
    body = RigidBody("b", SpatialInertia(1.0, inertia=np.eye(3)), [Geometry(shape, name="b/0")])
    m.attach("world", body, Joint("j", joint_type or Revolute((0, 0, 1))))
    return m


@pytest.mark.parametrize("shape", [Box((1, 2, 3)), Ellipsoid((0.1, 0.2, 0.3)),
    ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])], ids=lambda s: s.kind)  # fmt: skip
def test_shapes(shape):
    """Rays from all sides end where they end here."""
    m = shaped(shape, Fixed())
    model = compiled(m)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    world = rbdyn.World()
    world.add_articulated_system(m)
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(50):
        start = 5 * rng.normal(size=3)
        direction = rng.uniform(0, 0.3, 3) - start
        length = np.linalg.norm(direction)
        there = mujoco.mj_ray(model, data, start, direction / length, None, 1, -1, np.zeros(1, np.int32))
        hit = world.ray_test(start, direction, 100.0)
        assert (there < 0) == (hit is None)
        if hit is not None:
            hits += 1
            assert abs(hit.distance - there) < 1e-6  # MuJoCo's meshes are of single precision
    assert hits > 10


def test_terrain():
    """Heights where they are here, rows and columns alike."""
    rng = np.random.default_rng(2)
    heights = rng.uniform(-0.3, 0.7, (4, 6))
    m = Mechanism(RigidBody("world", None, [Geometry(HeightMap(heights, (5.0, 3.0)), name="ground")]))
    model = compiled(m)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for row, y in enumerate(np.linspace(-1.5, 1.5, 4)):
        for column, x in enumerate(np.linspace(-2.5, 2.5, 6)):
            start = np.array([x * (1 - 1e-9), y * (1 - 1e-9), 2.0])
            down = mujoco.mj_ray(model, data, start, np.array([0, 0, -1.0]), None, 1, -1, np.zeros(1, np.int32))
            assert abs(2.0 - down - heights[row, column]) < 1e-6


def test_servos_pull_as_pd_control():
    m = dressed(2, (Revolute, Prismatic), floating_base=False)
    p, d = np.arange(1.0, 8.0), np.linspace(0.1, 0.7, 7)
    model = compiled(m, pd_gains=(p, d))
    s = in_motion(np.random.default_rng(0), m)
    for joint in m.tree_joints:
        joint.effort_limit = None
    model = compiled(m, pd_gains=(p, d))
    twin = Exported(m, model, s.q, s.v)
    targets = np.linspace(-1, 1, 7)
    for k, joint in enumerate(m.tree_joints):
        twin.data.ctrl[model.actuator(joint.name).id] = targets[k]
    mujoco.mj_forward(model, twin.data)
    close(twin.T.T @ twin.data.qfrc_actuator, p * (targets - s.q) - d * s.v, 1e-12)


def test_motors_are_bounded_by_efforts():
    m = shaped(Box((1, 1, 1)))
    m.find_joint("j").effort_limit = 3.0
    model = compiled(m)
    np.testing.assert_array_equal(model.actuator("j").ctrlrange, (-3.0, 3.0))
    assert compiled(m, actuators="none").nu == 0


def test_frames_are_sites():
    m = shaped(Box((1, 1, 1)))
    m.find_body("b").add_frame("tool", Transform(rpy=(1, 2, 3), translation=(4, 5, 6)))
    site = compiled(m).site("tool")
    np.testing.assert_array_equal(site.pos, (4, 5, 6))


def test_neighbours_do_not_collide():
    """Where MuJoCo would let them: a body on one that is fixed to the world, and bodies that a loop joins.

    The world's own shapes are nobody's neighbours, here and there.
    """
    m = four_bar(Spherical())
    m.attach(m.root_body, RigidBody("base"), Joint("foot", Fixed()))
    for body in m.bodies:
        body.collision.append(Geometry(Box((3, 3, 3))))
    model = compiled(m)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = {tuple(sorted((model.body(model.geom_bodyid[c.geom1]).name, model.body(model.geom_bodyid[c.geom2]).name)))
             for c in data.contact}  # fmt: skip
    assert pairs == {("b0", "b2"), ("b0", "world"), ("b1", "world"), ("b2", "world"), ("b1", "base")}


def impossible():
    m = shaped(Box((1, 1, 1)))
    m.find_body("b").take_inertia(SpatialInertia(1.0, inertia=np.diag([1.0, 1.0, 5.0])))
    return m


def massless():
    m = Mechanism(RigidBody("world"))
    m.attach("world", RigidBody("b"), Joint("j", Revolute()))
    return m


def lost_loop():
    m = four_bar(Spherical())
    m.attach("b1", "world", Joint("rail", Prismatic((0, 0, 1))))
    return m


def other_world():
    m = Mechanism(RigidBody("universe"))
    m.attach("universe", RigidBody("world", SpatialInertia(1.0, inertia=np.eye(3))), Joint("j", Floating()))
    return m


TRIANGLE = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def with_joint(joint_type=None, **values):
    m = massless()
    m.find_body("b").inertia = SpatialInertia(1.0, inertia=np.eye(3))
    m.replace_joint("j", Joint("j", joint_type or Revolute(), **values))
    return m


@pytest.mark.parametrize(
    ("mechanism", "text"),
    [
        (impossible(), "moments of inertia that no body has: they are changed: b"),
        (massless(), "moves without mass or inertia: it has 1e-14 kg"),
        (lost_loop(), "a prismatic loop joint: left out: rail"),
        (other_world(), "a body called 'world' that is not MuJoCo's: it is 'world_2'"),
        (shaped(HalfSpace()), "a half-space on a body that moves: left out: b/0"),
        (shaped(TRIANGLE), "collides by its triangles: MuJoCo takes its convex hull: b/0"),
        (with_joint(Helical((0, 0, 1), 0.1)), "a helical joint: it is fixed there: j"),
        (with_joint(velocity_limit=1.0), "velocity limits: left out: j"),
        (with_joint(static_friction=1.0), "static friction: left out: j"),
        (with_joint(Spherical(), effort_limit=1.0), "effort limits of balls and free joints: left out: j"),
        (with_joint(Spherical(), stiffness=1.0, spring_reference=(0, 1, 0, 0)), "where a spring of a ball rests"),
    ],
)
def test_what_mjcf_cannot_say_is_said(mechanism, text):
    with pytest.warns(ExportWarning, match=f"MJCF cannot say this: .*{text}"):
        xml = io.mjcf_text(mechanism)
    mujoco.MjModel.from_xml_string(xml)
    with pytest.raises(rbdyn.Error, match=text):
        io.mjcf_text(mechanism, strict=True)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m, f: io.save_mjcf(3, f), "mechanism must be a Mechanism, got 3"),
        (lambda m, f: io.save_mjcf(m, f, actuators="servo"), "actuators.*motor"),
        (lambda m, f: io.save_mjcf(m, f, pd_gains=(1, 2)), "pd_gains"),
        (lambda m, f: io.save_mjcf(m, f, pd_gains=7), r"pd_gains must be \(p, d\)"),
        (lambda m, f: io.save_mjcf(m, f / "no" / "x.xml"), "cannot write"),
    ],
)
def test_bad_arguments(tmp_path, call, text):
    with pytest.raises(rbdyn.Error, match=text):
        call(shaped(Box((1, 1, 1))), tmp_path / "r.xml")
    assert list(tmp_path.iterdir()) == []


def test_meshes_lie_beside_the_file(tmp_path):
    """MuJoCo finds them from another folder; ASCII STL and COLLADA, which it does not read, are written anew."""
    (tmp_path / "a.stl").write_text(
        "solid a\n" + "".join(
            "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in TRIANGLE.vertices[f])
            + "endloop\nendfacet\n" for f in TRIANGLE.faces) + "endsolid a\n")  # fmt: skip
    mesh = io.load_mesh(tmp_path / "a.stl")
    m = shaped(mesh.convex_hull())
    m.find_body("b").visual.append(Geometry(mesh, name="drawn"))
    io.save_mjcf(m, tmp_path / "robot.xml")
    assert "a.stl" not in (tmp_path / "robot.xml").read_text()
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml")).nmesh == 2


PLATE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


@pytest.mark.parametrize("turned", [False, True])
def test_a_flat_mesh_is_drawn_and_collides_no_more(tmp_path, turned):
    """A square of two triangles, from a URDF: MuJoCo makes no hull of points in a plane."""
    corners = np.array(PLATE, dtype=float)
    if turned:  # in a plane but for rounding
        corners = corners @ Transform(rpy=(0.3, -0.7, 1.1)).rotation.T + (1, 2, 3)
    lines = [*(f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()), "f 1 2 3", "f 1 3 4"]
    (tmp_path / "plate.obj").write_text("\n".join(lines))
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial><collision><geometry><mesh filename="plate.obj"/></geometry></collision>'
        "</link></robot>"
    )
    m = io.load_urdf(tmp_path / "r.urdf")
    assert isinstance(m.find_body("l").collision[0].shape, Mesh)
    with pytest.warns(ExportWarning, match="a flat mesh that collides: .* it is drawn and does not: l/0"):
        io.save_mjcf(m, tmp_path / "r.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml"))
    geom = model.geom("l/0")
    assert (geom.type[0], geom.contype[0], geom.conaffinity[0]) == (mujoco.mjtGeom.mjGEOM_MESH, 0, 0)
    assert model.mesh_vertnum[0] == 4


def test_meshes_of_one_triangle_and_of_none():
    for vertices, faces, meshes in ((PLATE[:3], [(0, 1, 2)], 1), ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], 0)):
        m = shaped(Sphere(0.1))
        m.find_body("b").visual.append(Geometry(Mesh(vertices, faces), name="sheet"))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = mujoco.MjModel.from_xml_string(io.mjcf_text(m))
        assert model.nmesh == meshes
        assert [str(w.message) for w in said] == (
            [] if meshes else ["MJCF cannot say this: a mesh without area: left out: sheet"]
        )


def test_a_thin_plate_collides():
    thin = [*PLATE, *((x, y, 1e-5) for x, y, _ in PLATE)]
    model = mujoco.MjModel.from_xml_string(io.mjcf_text(shaped(ConvexHull(thin)), strict=True))
    assert model.geom_contype[0] == 1


def test_mujoco_that_the_project_was_tried_with():
    """Sites of equality constraints came with 3.2."""
    assert tuple(map(int, importlib.metadata.version("mujoco").split(".")[:2])) >= (3, 2)


def test_dressed_robots_compile(seed):
    m = dressed(seed, MJCF_TYPES)
    agree(in_motion(np.random.default_rng(seed), m), compiled(m))
