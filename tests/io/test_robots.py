"""Real robots: every file of example-robot-data loads, and says what pinocchio says."""

import importlib.metadata
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbdyn import State, bias_forces, forward_dynamics, mass_matrix
from rbdyn.collision.shapes import Box, ConvexHull, Cylinder, Sphere
from rbdyn.errors import MeshError, UrdfError
from rbdyn.io import load_urdf
from rbdyn.mechanism import Fixed, Floating, Prismatic, Revolute
from rbdyn.spatial import SpatialInertia, Transform
from rbdyn.spatial.rotations import random_quat

SEEDS = int(os.environ.get("SEEDS", "4"))  # 200 or more: all thousand of Bullet's random things


def robot_files():
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(f.locate()).resolve() for f in files if str(f).endswith(".urdf"))


FILES = robot_files()
NO_LINKS = {"ur3.urdf"}  # an empty <robot> without a name: xacro had nothing to say
needs_robots = pytest.mark.skipif(not FILES, reason="example-robot-data is not installed")


def robot(name):
    return next(f for f in FILES if str(f).endswith(name))


@needs_robots
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_loads(file):
    if file.name in NO_LINKS:
        with pytest.raises(UrdfError, match="has no links"):
            load_urdf(file)
        return
    m = load_urdf(file, collision_mesh="skip")
    assert m.num_velocities > 0
    assert all(w.startswith(f"{file}:") for w in m.diagnostics)
    assert not [w for w in m.diagnostics if "<mesh>" in w]


@needs_robots
def test_there_are_as_many_as_were_tried():
    assert len(FILES) >= 69


MESHED = ["panda.urdf", "talos_reduced.urdf", "kinova.urdf", "hyq_no_sensors.urdf"]


@needs_robots
@pytest.mark.parametrize("name", MESHED)
def test_collision_meshes_are_found_and_become_hulls(name):
    pytest.importorskip("collada")
    m = load_urdf(robot(name))
    hulls = [g for b in m.bodies for g in b.collision if isinstance(g.shape, ConvexHull)]
    assert len(hulls) > 5
    assert all(0.005 < np.ptp(g.shape.vertices, axis=0).max() < 2 for g in hulls), "in metres"
    assert not [w for w in m.diagnostics if "<mesh>" in w]


@needs_robots
def test_anymal_c_has_its_primitives():
    m = load_urdf(robot("anymal_c_simple_description/urdf/anymal.urdf"))
    shapes = [g.shape for b in m.bodies for g in b.collision]
    assert len(shapes) == 45
    assert {type(s) for s in shapes} == {Box, Cylinder, Sphere}
    assert sum("triangle inequality" in w for w in m.diagnostics) == 5


# ---- against pinocchio, which shares no code -------------------------------------------------------

ROBOTS = [
    ("anymal_c_simple_description/urdf/anymal.urdf", True),
    ("talos_data/robots/talos_reduced.urdf", True),
    ("panda_description/urdf/panda.urdf", False),
    ("tiago_description/robots/tiago.urdf", True),
    ("solo_description/robots/solo12.urdf", True),
]


def motion(joint, angle):
    kind = joint.joint_type
    if isinstance(kind, Revolute):
        return Transform(rotation=Rotation.from_rotvec(np.multiply(kind.axis, angle)).as_matrix())
    assert isinstance(kind, Prismatic)
    return Transform(translation=np.multiply(kind.axis, angle))


def body_poses(mechanism, angles, base):
    """World pose of every body, composed edge by edge."""
    poses = {mechanism.root_body: Transform()}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        kind = joint.joint_type
        moved = Transform() if isinstance(kind, Fixed) else base if isinstance(kind, Floating) else None
        moved = moved or motion(joint, angles[joint.name])
        poses[edge.successor] = poses[edge.predecessor] @ edge.joint_pose @ moved @ edge.successor_pose
    return poses


@needs_robots
@pytest.mark.parametrize("name, floating", ROBOTS, ids=lambda x: Path(str(x)).stem)
def test_agrees_with_pinocchio(name, floating):
    pin = pytest.importorskip("pinocchio")
    file = robot(name)
    m = load_urdf(file, floating=floating, collision_mesh="skip")
    model = pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if floating else []))
    data = model.createData()
    moving = {j.name: j for j in m.joints if isinstance(j.joint_type, (Revolute, Prismatic))}
    theirs = [n for n in model.names if n not in ("universe", "root_joint")]
    assert sorted(theirs) == sorted(moving)
    assert len(moving) > 6

    rng = np.random.default_rng(7)
    q = pin.neutral(model)
    angles = {}
    for joint_name in theirs:
        j = model.joints[model.getJointId(joint_name)]
        ours = moving[joint_name]
        angles[joint_name] = rng.uniform(-1, 1)
        if j.nq == 1:
            q[j.idx_q] = angles[joint_name]
            low, high = model.lowerPositionLimit[j.idx_q], model.upperPositionLimit[j.idx_q]
            assert ours.position_limits == ((low, high) if low < high else None)
        else:  # a continuous joint: cosine and sine
            q[j.idx_q : j.idx_q + 2] = np.cos(angles[joint_name]), np.sin(angles[joint_name])
            assert ours.position_limits is None
        assert ours.effort_limit == model.upperEffortLimit[j.idx_v]
        assert ours.velocity_limit == (model.upperVelocityLimit[j.idx_v] or None)
        assert ours.damping == model.damping[j.idx_v]
    base = Transform()
    if floating:
        base = Transform(quat=random_quat(rng), translation=rng.normal(size=3))
        q[:7] = [*base.translation, *base.quat[[1, 2, 3, 0]]]

    poses = body_poses(m, angles, base)
    pin.framesForwardKinematics(model, data, q)
    compared = 0
    for body, pose in poses.items():
        if body is not m.root_body:
            placement = data.oMf[model.getFrameId(body.name, pin.FrameType.BODY)]
            np.testing.assert_allclose(pose.matrix, placement.homogeneous, atol=1e-9)
            compared += 1
    assert compared >= len(moving)

    total = SpatialInertia.zero()
    for body, pose in poses.items():
        total = total + body.inertia.transformed(pose)
    pin.ccrba(model, data, q, np.zeros(model.nv))
    fixed = model.inertias[0].mass  # what is welded to the universe does not count in theirs
    assert total.mass - fixed == pytest.approx(data.Ig.mass, rel=1e-12)
    if floating:
        np.testing.assert_allclose(total.com, pin.centerOfMass(model, data, q), atol=1e-9)
        scale = np.abs(data.Ig.inertia).max()
        assert scale > 0.01
        np.testing.assert_allclose(total.inertia, data.Ig.inertia, atol=1e-9 * scale)


# ---- dynamics, of all of them, against pinocchio ---------------------------------------------------


def bullet_files(random_ones):
    """Robots that ship with Bullet: those with names, and every `random_ones`-th of a thousand random things."""
    try:
        files = importlib.metadata.files("pybullet") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    every = sorted(Path(f.locate()).resolve() for f in files if str(f).endswith(".urdf"))
    things = [f for f in every if "random_urdfs" in f.parts]
    return [f for f in every if "random_urdfs" not in f.parts] + things[::random_ones]


BULLET = bullet_files(max(1, 200 // SEEDS))
NOT_READ = {  # by whom, and why
    "husky.urdf": "of roslaunch: load_xacro reads it",
    "torus_deform.urdf": "a soft body without links: no reader of rigid ones",
    "concave_box.urdf": "a signed distance field, of which the file is missing: not even Bullet",
}
# pinocchio refuses numbers that others forgive, bytes behind the end
NOT_THEIRS = {"bike.urdf", "biped2d_pybullet.urdf", "humanoid.urdf", "microtaur.urdf"}
NOT_THEIRS |= {"spherical_joint_limit.urdf"}  # nor spherical joints


@pytest.mark.parametrize("file", [*FILES, *BULLET], ids=lambda f: f"{f.parent.name}/{f.name}")
def test_dynamics_agree_with_pinocchio(file):
    pytest.importorskip("pinocchio")
    from reference.robot_in_pinocchio import Twin

    if file.name in NO_LINKS | NOT_READ.keys():
        pytest.skip(NOT_READ.get(file.name, "has no links"))
    m = load_urdf(file, collision_mesh="skip")
    twin = Twin.of(m, str(file))
    if isinstance(twin, str):
        assert file.name in NOT_THEIRS, twin
        pytest.skip(twin)
    state = State(twin.model)
    if not twin.model.nv:
        return
    (q, v, tau), (mass, bias, acceleration) = twin.random(np.random.default_rng(3))
    state.set(q, v)
    assert np.abs(mass_matrix(state) - mass).max() <= 1e-12 * np.abs(mass).max()
    assert np.abs(bias_forces(state) - bias).max() <= 1e-12 * np.abs(bias).max()
    if np.linalg.cond(mass) > 1e12:  # links without mass or extent: forward dynamics is not defined
        return
    assert np.abs(forward_dynamics(state, tau) - acceleration).max() <= 1e-9 * np.abs(acceleration).max()


@pytest.mark.parametrize("file", BULLET, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_bullets_robots_load_with_their_meshes(file):
    if file.name in NOT_READ:
        with pytest.raises(UrdfError):
            load_urdf(file)
        return
    if file.name == "168.urdf":
        with pytest.raises(MeshError, match="'nan' is not a number"):
            load_urdf(file)
        return
    m = load_urdf(file, collision_mesh="skip" if file.name == "samurai.urdf" else "triangles")  # one of 80 MB
    assert all(w.startswith(("/", str(file))) for w in m.diagnostics)
