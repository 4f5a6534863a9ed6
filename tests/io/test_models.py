"""The bundled robots: physically what their drawings say, and readable by everybody."""

import numpy as np
import pytest

from rbdyn import models
from rbdyn.collision.shapes import Box, Cylinder, Sphere
from rbdyn.errors import UnknownNameError
from rbdyn.io import load_urdf
from rbdyn.mechanism import Fixed, Floating, Revolute
from rbdyn.spatial import Transform


def uniform(shape, mass):
    """Principal inertia of a homogeneous solid about its centre (closed forms)."""
    if isinstance(shape, Box):
        x, y, z = np.square(shape.size)
        return mass / 12 * np.diag([y + z, x + z, x + y])
    if isinstance(shape, Cylinder):
        side = mass / 12 * (3 * shape.radius**2 + shape.height**2)
        return np.diag([side, side, mass / 2 * shape.radius**2])
    assert isinstance(shape, Sphere)
    return 0.4 * mass * shape.radius**2 * np.eye(3)


@pytest.mark.parametrize("name", models.NAMES)
def test_inertias_are_those_of_the_primitives(name):
    m = load_urdf(models.path(name), strict=True)
    checked = 0
    for body in m.bodies:
        if body.inertia.mass:
            (drawn,) = body.visual
            R = drawn.pose.rotation
            np.testing.assert_allclose(body.inertia.com, drawn.pose.translation, atol=1e-12)
            expected = R @ uniform(drawn.shape, body.inertia.mass) @ R.T
            np.testing.assert_allclose(body.inertia.inertia, expected, rtol=1e-7, atol=1e-12)
            checked += 1
    assert checked >= 2


@pytest.mark.parametrize(
    "name, mass, nq, nv", [("double_pendulum", 2, 2, 2), ("six_axis_arm", 27.4, 6, 6), ("quadruped", 35.8, 19, 18)]
)
def test_facts(name, mass, nq, nv):
    m = getattr(models, name)()
    assert m.name == name
    assert sum(b.inertia.mass for b in m.bodies) == pytest.approx(mass, rel=1e-12)
    assert (m.num_positions, m.num_velocities) == (nq, nv)
    assert m.diagnostics == []


def test_unknown_model():
    with pytest.raises(UnknownNameError, match="did you mean 'quadruped'"):
        models.path("quadrupet")


def stance_poses(mechanism, stance):
    """World poses in the stance, composed edge by edge."""
    poses = {mechanism.root_body: Transform()}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        kind = joint.joint_type
        moved = Transform()
        if isinstance(kind, Floating):
            moved = Transform(translation=(0, 0, stance.base_height))
        elif isinstance(kind, Revolute):
            c, s = np.cos(stance.joint_angles[joint.name]), np.sin(stance.joint_angles[joint.name])
            turn = {(1, 0, 0): [[1, 0, 0], [0, c, -s], [0, s, c]], (0, 1, 0): [[c, 0, s], [0, 1, 0], [-s, 0, c]]}
            moved = Transform(rotation=turn[kind.axis])
        else:
            assert isinstance(kind, Fixed)
        poses[edge.successor] = poses[edge.predecessor] @ edge.joint_pose @ moved
    return poses


def test_quadruped_stance():
    m, stance = models.quadruped(), models.QUADRUPED_STANCE
    moving = [j.name for j in m.joints if isinstance(j.joint_type, Revolute)]
    assert moving == [f"{leg}_{joint}" for leg in ("LF", "RF", "LH", "RH") for joint in ("HAA", "HFE", "KFE")]
    assert list(stance.joint_angles) == moving
    assert stance.q.shape == (m.num_positions,)
    assert stance.q[:7].tolist() == [0, 0, stance.base_height, 1, 0, 0, 0]
    poses = stance_poses(m, stance)
    feet = []
    for leg in ("LF", "RF", "LH", "RH"):
        foot = m.find_body(f"{leg}_FOOT")
        (ball,) = foot.collision
        feet.append(poses[foot].translation)
        assert feet[-1][2] - ball.shape.radius == pytest.approx(0, abs=1e-12), "the feet touch the ground"
    xy = np.array(feet)[:, :2]
    assert (np.sign(xy) == [[1, 1], [1, -1], [-1, 1], [-1, -1]]).all()
    com = sum(b.inertia.mass * (poses[b] @ b.inertia.com) for b in m.bodies) / 35.8
    assert np.abs(com[:2]).max() < 1e-12, "balanced over the feet"
    lowest = min((poses[b] @ g.pose).translation[2] for b in m.bodies for g in b.collision if "FOOT" not in b.name)
    assert lowest > 0.1


def test_quadruped_stands_in_mujoco():
    """Under joint PD for two seconds, in an engine that shares no code."""
    mujoco = pytest.importorskip("mujoco")
    root = '<link name="world"/><joint name="ROOT" type="floating"><parent link="world"/><child link="base"/></joint>'
    text = models.path("quadruped").read_text().replace('<link name="base">', root + '<link name="base">', 1)
    spec = mujoco.MjSpec.from_string(text)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    spec.option.timestep = 0.002
    model = spec.compile()
    data = mujoco.MjData(model)
    assert model.nq == 19
    assert model.body_mass.sum() == pytest.approx(35.8)
    stance = models.QUADRUPED_STANCE
    data.qpos[:] = stance.q
    for _ in range(1000):
        data.qfrc_applied[6:] = 300 * (stance.q[7:] - data.qpos[7:]) - 10 * data.qvel[6:]
        mujoco.mj_step(model, data)
    assert data.ncon == 4
    assert abs(data.qpos[2] - stance.base_height) < 0.03
    assert data.qpos[3] > 0.9999
    assert np.abs(data.qvel).max() < 0.02
    assert np.abs(data.qfrc_applied).max() < 80, "within the effort limits"


def test_a_path_may_come_from_an_array():
    """Of text: numpy.str_ is a str."""
    (file,) = np.array([str(models.path("quadruped"))])
    assert load_urdf(file).num_velocities == models.quadruped().num_velocities
