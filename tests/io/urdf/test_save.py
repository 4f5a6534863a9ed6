"""What is written as URDF is read back as the same robot."""

from __future__ import annotations

import pathlib
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.compare import close, nontrivial
from reference.dressed import URDF_TYPES, dressed, example_robots

import rbdyn
from rbdyn import ExportWarning, io
from rbdyn.collision import Ellipsoid, HalfSpace, HeightMap, Mesh, Sphere
from rbdyn.mechanism import (
    Fixed,
    Floating,
    Geometry,
    Joint,
    Mechanism,
    Planar,
    Revolute,
    RigidBody,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.spatial import SpatialInertia, Transform
from rbdyn.spatial.rotations import matrix_from_rpy, rpy_from_matrix
from rbdyn.testing.random_mechanisms import random_inertia, random_transform, random_tree

PLAIN = ("position_limits", "velocity_limit", "effort_limit", "rotor_inertia", "damping", "friction", "stiffness",
         "mimic", "annotations")  # fmt: skip
moved = pytest.mark.filterwarnings("ignore:.*a body's frame away from its joint:rbdyn.ExportWarning")
pytestmark = pytest.mark.filterwarnings("ignore:URDF in dialect:rbdyn.ExportWarning")  # see test_standard.py
quick = settings(max_examples=15, deadline=None, derandomize=True)


def same(a, b, rotation=2e-15):
    """The same graph, numbers and shapes; poses within `rotation`."""
    assert [x.name for x in a.bodies] == [x.name for x in b.bodies]
    assert [x.name for x in a.joints] == [x.name for x in b.joints]
    for x, y in zip(a.joints, b.joints, strict=True):
        ex, ey = a.edge(x), b.edge(y)
        assert (ex.predecessor.name, ex.successor.name) == (ey.predecessor.name, ey.successor.name)
        close(ey.joint_pose.matrix, ex.joint_pose.matrix, rotation)
        assert type(x.joint_type) is type(y.joint_type)
        for name in PLAIN:
            assert getattr(x, name) == getattr(y, name), (x, name)
        np.testing.assert_array_equal(x.spring_reference, y.spring_reference)
        if x.joint_type.main_axis is not None:
            close(y.joint_type.main_axis, x.joint_type.main_axis, 1e-15)
    for x, y in zip(a.bodies, b.bodies, strict=True):
        assert x.inertia.mass == y.inertia.mass
        np.testing.assert_array_equal(x.inertia.com, y.inertia.com)
        np.testing.assert_array_equal(x.inertia.inertia, y.inertia.inertia)
        for kind in ("collision", "visual"):
            for g, h in zip(getattr(x, kind), getattr(y, kind), strict=True):
                assert (g.name, g.material, g.color) == (h.name, h.material, h.color)
                assert g.shape == h.shape
                close(h.pose.matrix, g.pose.matrix, rotation)


@pytest.mark.parametrize("rotations", ["rpy", "quat"])
@given(seed=st.integers(0, 2**32))
@quick
def test_a_random_robot_comes_back(tmp_path_factory, rotations, seed):
    """Names, numbers, springs, limits, mimics, shapes, materials and colours exactly; rotations to the last digits."""
    m = dressed(seed, tuple(t for t in URDF_TYPES if t is not Planar))
    file = tmp_path_factory.mktemp("urdf") / "robot.urdf"
    io.save_urdf(m, file, rotations=rotations)
    r = io.load_urdf(file, visual_meshes=True)
    for body in r.bodies:  # a drawn hull is drawn as triangles
        for k, g in enumerate(body.visual):
            if isinstance(g.shape, Mesh):
                original = m.find_body(body.name).visual[k].shape
                np.testing.assert_array_equal(original.hull.vertices, g.shape.vertices)
                body.visual[k] = Geometry(original, g.pose, g.name, g.material, color=g.color)
    same(m, r)
    assert not [line for line in r.diagnostics if "effort" not in line]


def coordinates(m, model, q):
    """q of m's tree joints in a model of the written robot; v needs no change."""
    out, at = model.neutral(), 0
    for joint in m.tree_joints:
        part = q[at : at + joint.num_positions]
        at += joint.num_positions
        if not joint.num_velocities:
            continue
        if isinstance(joint.joint_type, SinCosRevolute):
            part = [np.arctan2(*part)]
        if isinstance(joint.joint_type, SPQuatFloating):
            pose = joint.joint_type.pose(part)
            part = [*pose.translation, *pose.quat]
        names = parts_of(joint, model)
        for name, own in zip(names, np.split(np.array(part), len(names)), strict=True):
            k = model.joint_q_index(name)
            out[k : k + len(own)] = own
    return out


def parts_of(joint, model):
    """Its joints in the file: itself, or those of one degree of freedom that it is there."""
    parts = [joint.name + ending for ending, _ in joint.joint_type.series]
    return parts if parts and parts[0] in model.joint_names else [joint.name]


def order(m, model):
    """Where each degree of freedom of m is in v."""
    place = []
    for joint in m.tree_joints:
        if joint.num_velocities:
            names = parts_of(joint, model)
            n = joint.num_velocities // len(names)
            place += [model.joint_v_index(name) + k for name in names for k in range(n)]
    return np.array(place)


@given(seed=st.integers(0, 2**32))
@quick
def test_the_dynamics_of_any_mechanism_come_back(seed):
    """Of every joint type, with bodies askew in their joints: mass matrix and bias forces."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 8, floating_base=bool(seed % 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        r = io.load_urdf(io.urdf_text(m))
    r.gravity = m.gravity
    results = []
    q = np.concatenate([j.joint_type.random(rng) for j in m.tree_joints])
    v = rng.normal(size=m.num_velocities)
    for mechanism in (m, r):
        state = rbdyn.State(rbdyn.Model(mechanism))
        k = order(m, state.model)
        ours, iq = np.empty(state.model.nq), 0
        if mechanism is m:
            for joint in m.tree_joints:
                if joint.num_velocities:
                    at = state.model.joint_q_index(joint.name)
                    ours[at : at + joint.num_positions] = q[iq : iq + joint.num_positions]
                iq += joint.num_positions
        else:
            ours = coordinates(m, state.model, q)
        speeds = np.empty(state.model.nv)
        speeds[k] = v
        state.set(ours, speeds)
        results.append((rbdyn.mass_matrix(state)[np.ix_(k, k)], rbdyn.bias_forces(state)[k]))
    nontrivial(results[0][0])
    nontrivial(results[0][1])
    close(results[1][0], results[0][0], 1e-13)
    close(results[1][1], results[0][1], 1e-13)


@pytest.mark.parametrize("file", example_robots()[::9], ids=lambda f: pathlib.Path(f).stem)
def test_other_peoples_robots_come_back(tmp_path, file):
    """Written and read again: the same robot."""
    m = io.load_urdf(file, collision_mesh="skip")
    io.save_urdf(m, tmp_path / "robot.urdf")
    r = io.load_urdf(tmp_path / "robot.urdf")
    same(m, r)


def test_a_mesh_that_mujoco_alone_reads_is_written_anew(tmp_path):
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "<f4")
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], "<i4")
    (tmp_path / "a.msh").write_bytes(np.array([4, 0, 0, 4], "<i4").tobytes() + points.tobytes() + faces.tobytes())
    m = Mechanism(RigidBody("base", None, [Geometry(io.load_mesh(tmp_path / "a.msh"))]))
    with pytest.warns(ExportWarning, match="collides by its triangles"):
        io.save_urdf(m, tmp_path / "r.urdf")
    assert ".msh" not in (tmp_path / "r.urdf").read_text()
    again = io.load_urdf(tmp_path / "r.urdf", collision_mesh="triangles").find_body("base").collision[0].shape
    np.testing.assert_array_equal(again.vertices[again.faces], points[faces])


def test_meshes_are_named_by_their_files(tmp_path):
    """A mesh as its file has it, scaled and mirrored ones too; what is in no file is written beside."""
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    text = """<robot name="r"><link name="l">{}</link></robot>"""
    pieces = "".join(
        f'<visual><geometry><mesh filename="a.obj" {scale}/></geometry></visual>'
        for scale in ("", 'scale="0.001 0.001 0.001"', 'scale="1 -2 0.1"')
    )
    (tmp_path / "r.urdf").write_text(text.format(pieces))
    m = io.load_urdf(tmp_path / "r.urdf", visual_meshes=True)
    shape = m.find_body("l").visual[0].shape
    m.find_body("l").visual.append(Geometry(Mesh(shape.vertices + 0.1, shape.faces), name="l/3"))
    io.save_urdf(m, tmp_path / "out.urdf")
    written = (tmp_path / "out.urdf").read_text()
    assert written.count('filename="a.obj"') == 3
    assert 'scale="0.001 0.001 0.001"' in written
    assert 'scale="1 -2 0.1"' in written
    assert (tmp_path / "out_meshes" / "l_3.obj").is_file()
    r = io.load_urdf(tmp_path / "out.urdf", visual_meshes=True)
    assert [g.shape for g in r.find_body("l").visual] == [g.shape for g in m.find_body("l").visual]
    io.save_urdf(m, tmp_path / "own.urdf", meshes="write")
    assert "a.obj" not in (tmp_path / "own.urdf").read_text()


def parallel_robot():
    """Two chains of two bars from the ground to one platform, closed by spherical joints."""
    m = Mechanism(RigidBody("world"))
    tips = []
    for side, x in (("left", -0.5), ("right", 0.5)):
        arm = RigidBody(f"{side}_arm", SpatialInertia(1.0, (0, 0, 0.25), np.diag([0.02, 0.02, 0.001])))
        m.attach(m.root_body, arm, Joint(f"{side}_hip", Revolute((0, 1, 0))), Transform(translation=(x, 0, 0)))
        rod = RigidBody(f"{side}_rod", SpatialInertia(0.5, (0, 0, 0.2), np.diag([0.01, 0.01, 0.001])))
        m.attach(arm, rod, Joint(f"{side}_knee", Spherical()), Transform(translation=(0, 0, 0.5)))
        tips.append(rod)
    plate = RigidBody("plate", SpatialInertia(1.0, (0, 0, 0), 0.01 * np.eye(3)))
    m.attach(tips[0], plate, Joint("left_tip", Spherical()), Transform(translation=(0.1, 0, 0.4)),
             Transform(translation=(0.4, 0, 0)))  # fmt: skip
    m.attach(tips[1], plate, Joint("right_tip", Spherical()), Transform(translation=(-0.1, 0, 0.4)),
             Transform(translation=(-0.4, 0, 0)))  # fmt: skip
    return m


@moved
def test_loops_come_back_as_pins():
    """Loop errors and loop Jacobians of a parallel robot, at a random open configuration too."""
    m = parallel_robot()
    r = io.load_urdf(io.urdf_text(m))
    assert len(r.non_tree_joints) == 1
    rng = np.random.default_rng(3)
    model = rbdyn.Model(m)
    q, v = model.random(rng), rng.normal(size=model.nv)
    a, b = rbdyn.State(model), rbdyn.State(rbdyn.Model(r))
    a.set(q, v)
    b.set(q, v)
    nontrivial(rbdyn.loop_error(a))
    close(np.linalg.norm(rbdyn.loop_error(b)), np.linalg.norm(rbdyn.loop_error(a)), 1e-12)
    J, K = rbdyn.loop_jacobian(a), rbdyn.loop_jacobian(b)
    close(K.T @ K, J.T @ J, 1e-12)  # the same rows in other axes


@moved
def test_a_loop_that_is_not_closed_is_an_error():
    m = parallel_robot()
    loop = m.non_tree_joints[0]
    m.place_joint(loop, m.edge(loop).joint_pose @ Transform(translation=(0.0, 0.0, 0.05)))
    with pytest.raises(rbdyn.Error, match=r"'right_tip' is open by 0\.05 m .*configuration=q"):
        io.urdf_text(m)
    state = rbdyn.State(rbdyn.Model(m))
    closed = rbdyn.project_configuration(state.model, state.model.neutral())
    q = getattr(closed, "q", closed)
    r = io.load_urdf(io.urdf_text(m, configuration=q))
    b = rbdyn.State(rbdyn.Model(r))
    b.set(np.array(r.nominal_configuration), np.zeros(b.model.nv))
    assert np.abs(rbdyn.loop_error(b)).max() < 1e-9


def one(joint_type=None, root="world", **values):
    """A mechanism of one body with mass."""
    m = Mechanism(RigidBody(root))
    body = RigidBody("b", SpatialInertia(1.0, inertia=np.eye(3)))
    m.attach(m.root_body, body, Joint("j", joint_type or Revolute((0, 0, 1)), **values))
    return m


def shaped(shape, **values):
    m = one()
    m.find_body("b").collision.append(Geometry(shape, name="b/0", **values))
    return m


def with_gravity():
    m = one()
    m.gravity = (0, 0, -3.7)
    return m


def lost_loop():
    m = one()
    m.attach("world", "b", Joint("closing", Revolute((0, 0, 1))))
    return m


def askew():
    m = Mechanism(RigidBody("world"))
    m.attach(m.root_body, RigidBody("b"), Joint("j", Spherical()), None, Transform(translation=(1, 0, 0)))
    return m


LOST = [
    (one(static_friction=1.0), "static friction: left out: j"),
    (one(limit_restitution=0.5), "the bounce of hard stops: left out: j"),
    (one(no_load_speed=3.0), "no-load speed: left out: j"),
    (one(Spherical(), cone_limit=1.0), "cone and twist limits: left out: j"),
    (one(SinCosRevolute()), "the coordinates of sincosrevolute joints: .*: j"),
    (with_gravity(), "gravity other than 0 0 -9.81"),
    (lost_loop(), "a revolute loop joint: left out: closing"),
    (askew(), "a body's frame away from its joint: the link has the joint's: b"),
    (shaped(HeightMap(np.zeros((2, 2)), (1.0, 1.0))), "a height_map on a link: left out: b/0"),
    (shaped(Ellipsoid((1, 2, 3))), "a ellipsoid: written as triangles: b/0"),
    (shaped(Sphere(1.0), group=2), "groups and masks: left out: b/0"),
]


@pytest.mark.parametrize(("mechanism", "text"), LOST, ids=[text[:24] for _, text in LOST])
def test_what_urdf_cannot_say_is_said(tmp_path, mechanism, text):
    file = tmp_path / "robot.urdf"
    with pytest.warns(ExportWarning, match=f"URDF cannot say this: .*{text}"):
        io.save_urdf(mechanism, file)
    assert io.load_urdf(file).num_velocities == mechanism.num_velocities
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(rbdyn.Error, match=text):
        io.save_urdf(mechanism, file, strict=True)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("root", ["world", "rail"])
@pytest.mark.parametrize("kind", [Fixed(), Floating(), Revolute((0, 1, 0))])
def test_bases_come_back(root, kind):
    """Whatever the root is called, it stays at rest and the joint moves as it did."""
    m = one(kind, root)
    r = io.load_urdf(io.urdf_text(m))
    assert r.num_velocities == m.num_velocities
    assert {"b", root} <= {b.name for b in r.bodies}


def test_the_usual_floating_base_is_not_written():
    m = io.load_urdf('<robot name="ball"><link name="ball"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
                     'ixy="0" ixz="0" iyz="0"/></inertial></link></robot>')  # fmt: skip
    text = io.urdf_text(m)
    assert "<joint" not in text
    assert io.load_urdf(text).find_joint("ROOT").joint_type == Floating()


def test_frames_become_links():
    m = one()
    m.find_body("b").add_frame("tool", Transform(rpy=(1, 2, 3), translation=(4, 5, 6)))
    r = io.load_urdf(io.urdf_text(m))
    assert r.find_joint("tool_joint").joint_type == Fixed()
    close(r.edge(r.find_joint("tool_joint")).joint_pose.matrix, Transform(rpy=(1, 2, 3), translation=(4, 5, 6)).matrix,
          1e-15)  # fmt: skip


@pytest.mark.parametrize("away", [0.0, 1e-16, 1e-14, 1e-13, 1e-11, 1e-9, 1e-7, 1e-4])
def test_roll_pitch_yaw_are_exact_near_gimbal_lock(away, seed):
    rng = np.random.default_rng(seed)
    pitch = (-1) ** seed * (np.pi / 2 - away)
    R = matrix_from_rpy((rng.uniform(-3, 3), pitch, rng.uniform(-3, 3)))
    close(matrix_from_rpy(rpy_from_matrix(R)), R, 3e-15)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda f: io.save_urdf(3, f), rbdyn.Error, "mechanism must be a Mechanism, got 3"),
        (lambda f: io.save_urdf(one(), f, rotations="euler"), rbdyn.Error, "rotations.*rpy.*quat"),
        (lambda f: io.save_urdf(one(), f, meshes="embed"), rbdyn.Error, "meshes.*reference.*write"),
        (lambda f: io.save_urdf(one(), f, strict=1), rbdyn.Error, "strict"),
        (lambda f: io.save_urdf(one(), f, configuration=[1, 2]), rbdyn.Error, "configuration"),
        (lambda f: io.save_urdf(one(), f.parent / "no" / "r.urdf"), rbdyn.PathError, "cannot write .*no/r.urdf"),
        (lambda f: io.save_urdf(one(root="\x01"), f), rbdyn.Error, "characters that XML cannot hold"),
    ],
)
def test_bad_arguments(tmp_path, call, error, text):
    with pytest.raises(error, match=text):
        call(tmp_path / "r.urdf")
    assert list(tmp_path.iterdir()) == []


def test_the_mechanism_stays_as_it_is():
    m = dressed(4, tuple(t for t in URDF_TYPES if t is not Planar), hulls=False)
    revision = m.revision
    assert io.urdf_text(m) == io.urdf_text(m)
    assert m.revision == revision


def test_inertia_of_a_body_that_has_to_move_in_its_link(seed):
    rng = np.random.default_rng(seed)
    m = Mechanism(RigidBody("world"))
    pose, inertia = random_transform(rng), random_inertia(rng)
    m.attach(m.root_body, RigidBody("b", inertia), Joint("j", Spherical()), None, pose)
    with pytest.warns(ExportWarning, match="away from its joint"):
        r = io.load_urdf(io.urdf_text(m))
    close(r.find_body("b").inertia.matrix, inertia.transformed(pose).matrix, 1e-14)


@pytest.mark.parametrize("rotations", ["rpy", "quat"])
def test_half_spaces_are_bullets_planes(rotations):
    pose = Transform(rpy=(0.1, -0.2, 0.3), translation=(1, 2, 3))
    m = one(Revolute())
    m.root_body.collision = [Geometry(HalfSpace(), pose, material="ice")]
    text = io.urdf_text(m, rotations=rotations)
    assert '<plane normal="0 0 1"/>' in text
    (again,) = io.load_urdf(text).find_body("world").collision
    assert isinstance(again.shape, HalfSpace) and again.material == "ice"
    assert again.pose.translation.tolist() == [1, 2, 3]
    np.testing.assert_allclose(again.pose.rotation, pose.rotation, atol=1e-15 if rotations != "rpy" else 1e-12)
