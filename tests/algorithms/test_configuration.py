"""Configurations on their manifold: integrate, difference, neutral, random, and other libraries' conventions."""

import numpy as np
import pytest
from algorithms.systems import layout, random_system
from reference.compare import close, nontrivial
from reference.oracle import cross_matrix, rotation_of_projection, rotation_of_quaternion
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import rbdyn
from rbdyn.mechanism import (
    Fixed,
    Floating,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.testing.random_mechanisms import rand_chain_mechanism, random_inertia, random_transform

MOVING = [Revolute, SinCosRevolute, Prismatic, Planar, Spherical, Floating, SPQuatFloating, Helical]
WITHOUT_SCREWS = ("mujoco", "rigidbodydynamics")
ANGLES = [
    0.0,
    1e-300,
    1e-160,
    1e-16,
    1e-12,
    1e-8,
    1e-6,
    1e-4,
    1e-2,
    1.0,
    3.0,
    np.pi - 1e-4,
    np.pi - 1e-8,
    np.pi - 1e-12,
]


def single(kind):
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("b", rbdyn.SpatialInertia(1.0, inertia=np.eye(3))), rbdyn.Joint("j", kind))
    return rbdyn.Model(m)


def quaternions(mechanism, iq):
    """Where the quaternions of a q in tree order stand in the model's q."""
    found, i = [], 0
    for joint in mechanism.tree_joints:
        i += joint.num_positions
        if isinstance(joint.joint_type, (Spherical, Floating)):
            found.append(iq[i - 4 : i])
    return found


def rotation(kind, q):
    """Rotation matrix of a joint that turns freely."""
    return rotation_of_projection(q[3:]) if isinstance(kind, SPQuatFloating) else rotation_of_quaternion(q[-4:])


def same_configuration(mechanism, model, actual, expected, rtol=1e-13):
    """Equal up to the sign of quaternions."""
    expected = expected.copy()
    for where in quaternions(mechanism, layout(model, mechanism)[0]):
        if actual[where] @ expected[where] < 0:
            expected[where] *= -1
    close(actual, expected, rtol)


def test_integrate_follows_the_closed_forms(seed):
    """Vectors move along lines, rotations by the matrix exponential, in the parent's axes."""
    s, dt = random_system(seed, n=8), 0.7
    q = rbdyn.integrate(s.model, s.state.q, s.state.v, dt)[s.iq]
    i = k = 0
    for joint in s.mechanism.tree_joints:
        before, after = s.q[i : i + joint.num_positions], q[i : i + joint.num_positions]
        v = s.v[k : k + joint.num_velocities]
        kind = joint.joint_type
        if isinstance(kind, (Spherical, Floating, SPQuatFloating)):
            close(rotation(kind, after), expm(dt * cross_matrix(v[-3:])) @ rotation(kind, before), 1e-13)
            before, after, v = before[: v.size - 3], after[: v.size - 3], v[:-3]
        if isinstance(kind, SinCosRevolute):
            angle = np.arctan2(*before) + dt * v[0]
            close(after, [np.sin(angle), np.cos(angle)], 1e-14)
        else:
            close(after, before + dt * v, 1e-14)
        i, k = i + joint.num_positions, k + joint.num_velocities


def test_difference_undoes_integrate_and_the_other_way_round(seed):
    s = random_system(seed, n=8)
    q0, q1 = s.model.random(s.rng), s.model.random(s.rng)
    v = rbdyn.difference(s.model, q0, q1)
    nontrivial(v)
    same_configuration(s.mechanism, s.model, rbdyn.integrate(s.model, q0, v), q1)
    close(rbdyn.difference(s.model, q0, rbdyn.integrate(s.model, q0, s.state.v, 0.3)), 0.3 * s.state.v, 1e-13)
    close(rbdyn.difference(s.model, q0, q0), np.zeros(s.model.nv), 1e-15)
    same_configuration(s.mechanism, s.model, rbdyn.integrate(s.model, q0, np.zeros(s.model.nv)), q0, 1e-15)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("kind", [Spherical(), Floating(), SPQuatFloating()])
def test_rotations_by_any_angle(kind, angle):
    """From denormal to nearly half a turn, the way back gives the same vector, digit for digit relative to its size."""
    model = single(kind)
    rng = np.random.default_rng(2)
    q0, axis = model.random(rng), rng.normal(size=3)
    v = np.zeros(model.nv)
    v[-3:] = angle * axis / np.linalg.norm(axis)
    q1 = rbdyn.integrate(model, q0, v)
    if not isinstance(kind, SPQuatFloating):
        np.testing.assert_allclose(np.linalg.norm(q1[-4:]), 1.0, rtol=0, atol=1e-15)
    close(rotation(kind, q1), expm(cross_matrix(v[-3:])) @ rotation(kind, q0), 1e-14)
    close(rbdyn.difference(model, q0, q1), v, 1e-14)
    start = model.neutral()
    back = rbdyn.difference(model, start, rbdyn.integrate(model, start, v))
    np.testing.assert_allclose(back[-3:], v[-3:], rtol=1e-11 if angle < 3.1 else 1e-7, atol=1e-300)


MANY_ANGLES = (np.pi, -np.pi, np.pi + 0.1, 4.0, 2 * np.pi - 1e-6, 7.0, 100.0)


@pytest.mark.parametrize("kind", [Spherical(), SPQuatFloating()])
def test_half_a_turn_and_more(kind):
    """At half a turn either way is right; beyond, the shorter one is taken; p stays in the unit ball."""
    model = single(kind)
    for axis in np.eye(3):
        for angle in MANY_ANGLES:
            step = np.append(np.zeros(model.nv - 3), angle * axis)
            q = rbdyn.integrate(model, model.neutral(), step)
            close(rotation(kind, q), expm(cross_matrix(step[-3:])), 1e-13)
            v = rbdyn.difference(model, model.neutral(), q)
            assert np.linalg.norm(v) <= np.pi + 1e-12
            same = rbdyn.integrate(model, model.neutral(), v)
            close(rotation(kind, same), rotation(kind, q), 1e-13)
            assert np.linalg.norm(q[-3:]) <= 1 + 1e-15


def test_q_and_minus_q_are_one_rotation():
    model = single(Spherical())
    q = np.array([0.5, 0.5, -0.5, 0.5])
    np.testing.assert_array_equal(
        rbdyn.difference(model, model.neutral(), q), rbdyn.difference(model, model.neutral(), -q)
    )


@pytest.mark.parametrize("size", [1e-12, 3e-9, 3e-8, 1e-3])
def test_a_small_turn_from_q_to_minus_q(size):
    """The other quaternion of a small turn: the way is the small one, in its own direction."""
    turn = size * np.array([2.0, -3.0, 6.0])
    small = np.concatenate([[np.cos(3.5 * size)], np.sin(3.5 * size) / (7 * size) * turn])
    v = rbdyn.difference(single(Spherical()), [1.0, 0.0, 0.0, 0.0], -small)
    np.testing.assert_allclose(v, turn, rtol=1e-12)


def test_a_projection_and_its_shadow_are_one_rotation():
    """p and -p / |p|^2: to integrate, and to difference."""
    model, rng = single(SPQuatFloating()), np.random.default_rng(3)
    for _ in range(20):
        q0, q1, v = model.random(rng), model.random(rng), rng.normal(size=6)
        shadow = np.append(q0[:3], -q0[3:] / (q0[3:] @ q0[3:]))
        nontrivial(q0 - shadow)
        close(rbdyn.integrate(model, shadow, v), rbdyn.integrate(model, q0, v), 1e-14)
        assert np.linalg.norm(rbdyn.integrate(model, shadow, v)[3:]) <= 1
        close(rbdyn.difference(model, shadow, q1), rbdyn.difference(model, q0, q1), 1e-13)


@pytest.mark.parametrize("length", [1e-170, 1e-80, 1e-40, 1e-10, 1e10, 1e40, 1e80, 1e170, 1e300])
def test_a_projection_of_any_length_is_a_rotation(length):
    """From none to a whole turn, |p| = tan(angle / 4): steps and differences are those of that rotation."""
    model, rng = single(SPQuatFloating()), np.random.default_rng(5)
    for _ in range(5):
        axis, q1, v = rng.normal(size=3), model.random(rng), rng.normal(size=6)
        axis /= np.linalg.norm(axis)
        q0 = np.append(rng.normal(size=3), length * axis)
        before = expm(4 * np.arctan(length) * cross_matrix(axis))
        q2 = rbdyn.integrate(model, q0, v)
        close(rotation_of_projection(q2[3:]), expm(cross_matrix(v[3:])) @ before, 1e-13)
        turn = rbdyn.difference(model, q0, q1)[3:]
        nontrivial(turn, 0.1)
        close(expm(cross_matrix(turn)) @ before, rotation_of_projection(q1[3:]), 1e-13)


@pytest.mark.parametrize("angle", [*ANGLES, *MANY_ANGLES])
def test_a_sine_and_cosine_turn_by_any_angle(angle):
    """difference gives the angle that is left within (-pi, pi], from wherever the turn begins."""
    model = single(SinCosRevolute((0, 0.6, 0.8)))
    left = np.arctan2(np.sin(angle), np.cos(angle))
    for start in (0.0, 1.0, -2.5, 3.1):
        q0 = np.array([np.sin(start), np.cos(start)])
        q1 = rbdyn.integrate(model, q0, [angle])
        close(q1, [np.sin(start + angle), np.cos(start + angle)], 1e-13)
        assert abs(np.linalg.norm(q1) - 1) < 1e-15
        v = rbdyn.difference(model, q0, q1)
        assert np.abs(v) <= np.pi
        assert np.abs(np.exp(1j * v) - np.exp(1j * left)) < 1e-13
        if start == 0.0 and abs(angle) < 3:
            np.testing.assert_allclose(v, angle, rtol=1e-14)


def test_constant_velocity_is_a_one_parameter_group():
    for seed in range(6):
        s = random_system(seed, n=6)
        twice = rbdyn.integrate(s.model, rbdyn.integrate(s.model, s.state.q, s.state.v, 0.3), s.state.v, 0.5)
        same_configuration(s.mechanism, s.model, twice, rbdyn.integrate(s.model, s.state.q, s.state.v, 0.8))


@pytest.mark.parametrize("kind", [Floating(), SPQuatFloating()])
def test_rotations_stay_rotations_over_many_steps(kind):
    model = single(kind)
    q, v = model.neutral(), np.array([0.1, 0, 0, 1.0, -2.0, 0.5])
    longest = 0.0
    for _ in range(20_000):
        rbdyn.integrate(model, q, v, 0.01, out=q)
        longest = max(longest, q[3:] @ q[3:])
    assert abs(longest - 1) < (1e-14 if isinstance(kind, Floating) else 1e-2)  # p reaches half a turn, not more
    assert longest < 1 + 1e-14
    close(rotation(kind, q), expm(200 * cross_matrix(v[3:])), 1e-9)
    close(q[0], 0.1 * 200, 1e-11)


def test_a_sine_and_cosine_stay_on_the_circle_over_many_steps():
    model = single(SinCosRevolute())
    q = model.neutral()
    for _ in range(20_000):
        rbdyn.integrate(model, q, [1.7], 0.01, out=q)
    assert abs(np.linalg.norm(q) - 1) < 1e-15
    close(q, [np.sin(340), np.cos(340)], 1e-10)


def test_neutral_puts_the_joint_frames_together(seed):
    s = random_system(seed, n=8)
    state = rbdyn.State(s.model)
    np.testing.assert_array_equal(state.q, s.model.neutral())
    np.testing.assert_array_equal(state.v, np.zeros(s.model.nv))
    pose = {s.mechanism.root_body: np.eye(4)}
    for joint in s.mechanism.tree_joints:
        edge = s.mechanism.edge(joint)
        pose[edge.successor] = pose[edge.predecessor] @ edge.joint_pose.matrix @ edge.successor_pose.matrix
        close(rbdyn.body_pose(state, edge.successor), pose[edge.successor], 1e-13)


def test_random_configurations_are_valid_seeded_and_within_limits():
    m = rand_chain_mechanism([*MOVING, Fixed, *MOVING], 4)
    for joint in m.joints:
        if joint.num_positions == 1:
            joint.position_limits = (0.2, 0.3)
    model = rbdyn.Model(m)
    iq, _ = layout(model, m)
    qs = np.array([model.random(np.random.default_rng(k)) for k in range(50)])
    np.testing.assert_array_equal(qs[7], model.random(np.random.default_rng(7)))
    assert (qs.std(axis=0) > 0.01).all()
    for where in quaternions(m, iq):
        np.testing.assert_allclose(np.linalg.norm(qs[:, where], axis=1), 1.0, atol=1e-14)
    limited = [model.joint_q_index(j.name) for j in m.joints if j.num_positions == 1]
    assert len(limited) == 6
    pairs = [model.joint_q_index(j.name) + np.arange(2) for j in m.joints if isinstance(j.joint_type, SinCosRevolute)]
    for where in pairs:
        np.testing.assert_allclose(np.linalg.norm(qs[:, where], axis=1), 1.0, atol=1e-14)
        assert np.isinf(model.array("lower")[where]).all()
        assert np.isinf(model.array("upper")[where]).all()
    assert len(pairs) == 2
    assert (qs[:, limited] >= 0.2).all()
    assert (qs[:, limited] <= 0.3).all()


# ---- other libraries' conventions --------------------------------------------------------------------------------


def chain_in_motion(types, seed):
    m = rand_chain_mechanism(types, seed)
    model, rng = rbdyn.Model(m), np.random.default_rng(seed)
    iq, iv = layout(model, m)
    assert iq.tolist() == sorted(iq)  # a chain has only one order
    assert iv.tolist() == sorted(iv)
    return m, model, model.random(rng), rng.normal(size=model.nv)


@pytest.mark.parametrize("kind, half", [(Revolute, np.pi), (Prismatic, 1.0), (Helical, np.pi)])
def test_random_configurations_keep_to_one_limit_and_to_far_ones(kind, half):
    """With one limit the usual interval, moved as little as brings it inside; limits beyond it change nothing."""
    cases = {  # limits -> the interval that is filled
        (2.0, np.inf): (2.0, 2.0 + 2 * half), (-np.inf, -9.0): (-9.0 - 2 * half, -9.0), (0.0, np.inf): (0.0, 2 * half),
        (-50.0, np.inf): (-half, half), (-np.inf, 50.0): (-half, half), (-1.7e308, 1e308): (-half, half),
        (5.0, 5.5): (5.0, 5.5), (1e300, np.inf): (1e300, 1e300),
    }  # fmt: skip
    for limits, (low, high) in cases.items():
        m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
        m.attach("world", rbdyn.RigidBody("b"), rbdyn.Joint("j", kind(), position_limits=limits))
        rng = np.random.default_rng(1)
        q = np.array([rbdyn.Model(m).random(rng)[0] for _ in range(300)])
        assert ((q >= limits[0]) & (q <= limits[1])).all()
        assert low <= q.min() <= low + 0.05 * (high - low) and high - 0.05 * (high - low) <= q.max() <= high


def test_convert_to_pinocchio(seed):
    pytest.importorskip("pinocchio")
    from reference.pinocchio_twin import PinocchioTwin

    m, model, q, v = chain_in_motion([Floating, Fixed, SPQuatFloating, Spherical, Planar, *MOVING], seed)
    q_pin, T, _ = PinocchioTwin(m).convert(q, v)
    converted = rbdyn.convert(model, q, v, to="pinocchio")
    assert np.abs(T - np.eye(model.nv)).max() > 0.1
    close(converted[0], q_pin, 1e-14)
    close(converted[1], T @ v, 1e-14)


@pytest.mark.parametrize("base", [Floating(), SPQuatFloating()])
def test_convert_to_mujoco(seed, base):
    pytest.importorskip("mujoco")
    from reference.mujoco_twin import MujocoTwin

    rng = np.random.default_rng(seed)
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    inner = [Revolute((1, 0, 0)), Spherical(), SinCosRevolute((0, 1, 0)), Prismatic((0, 1, 0)), Planar()]
    for k, kind in enumerate([base, *inner]):
        pose = random_transform(rng) if k else rbdyn.Transform()  # MuJoCo's free bodies know the world only
        body = rbdyn.RigidBody(f"b{k}", random_inertia(rng))
        m.attach(m.bodies[-1], body, rbdyn.Joint(f"j{k}", kind), pose, random_transform(rng))
    model = rbdyn.Model(m)
    q, v = model.random(rng), rng.normal(size=model.nv)
    twin = MujocoTwin(m, q, v)
    q_mj, v_mj = rbdyn.convert(model, q, v, to="mujoco")
    close(q_mj, twin.data.qpos, 1e-14)
    close(v_mj, twin.data.qvel, 1e-14)
    assert np.abs(v_mj - v).max() > 0.1


def test_convert_to_rigidbodydynamics():
    """RigidBodyDynamics.jl: quaternion before position, angular before linear velocity, velocities in child axes."""
    _, model, q, v = chain_in_motion([Floating, Planar], 1)
    R, (x, y, turn) = rotation_of_quaternion(q[3:7]), q[7:]
    q_jl, v_jl = rbdyn.convert(model, q, v, to="rigidbodydynamics")
    close(q_jl, [*q[3:7], *q[:3], x, y, turn], 1e-14)
    c, s = np.cos(turn), np.sin(turn)
    close(v_jl, [*R.T @ v[3:6], *R.T @ v[:3], c * v[6] + s * v[7], c * v[7] - s * v[6], v[8]], 1e-14)


def planar_of_urdf(tmp_path, axis):
    """A mechanism of one planar joint, read from a file that gives its normal."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    file = tmp_path / "planar.urdf"
    file.write_text(
        f'<robot name="p"><link name="world"/><link name="b">{inertial}</link><joint name="j" type="planar">'
        f'<parent link="world"/><child link="b"/><axis xyz="{" ".join(map(repr, axis))}"/></joint></robot>'
    )
    return rbdyn.io.load_urdf(file)


NORMALS = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.48, -0.6, 0.64),
           (0.36, 0.48, -0.8)]  # fmt: skip
AXES_JL = {  # of a few normals, worked out by hand from RigidBodyDynamics.jl's reader
    (1.0, 0.0, 0.0): ((0, 0, -1), (0, 1, 0)),
    (0.0, 1.0, 0.0): ((1, 0, 0), (0, 0, -1)),
    (0.0, 0.0, 1.0): ((1, 0, 0), (0, 1, 0)),
    (0.0, 0.0, -1.0): ((1, 0, 0), (0, -1, 0)),
    (-1.0, 0.0, 0.0): ((0, 0, 1), (0, 1, 0)),
}


@pytest.mark.parametrize("normal", NORMALS)
def test_convert_a_planar_joint_of_a_file_to_rigidbodydynamics(tmp_path, normal):
    """Its reader takes the axes to which the shortest rotation from z to the normal turns x and y."""
    if normal in AXES_JL:
        x, y = map(np.array, AXES_JL[normal])
    else:
        axis = np.cross((0, 0, 1), normal)
        shortest = Rotation.from_rotvec(np.arccos(normal[2]) * axis / np.linalg.norm(axis))
        x, y = shortest.apply((1, 0, 0)), shortest.apply((0, 1, 0))
    np.testing.assert_allclose(np.cross(x, y), normal, atol=1e-15)
    model = rbdyn.Model(planar_of_urdf(tmp_path, normal))
    state = rbdyn.State(model)
    state.set([0.3, -0.7, 0.9], [0.5, 1.1, -0.4])
    q, v = rbdyn.convert(model, state.q, state.v, to="rigidbodydynamics")
    pose = rbdyn.body_pose(state, "b")
    twist = rbdyn.point_velocity_6d(state, "b")
    np.testing.assert_allclose(q[0] * x + q[1] * y, pose[:3, 3], atol=1e-15)
    np.testing.assert_allclose(Rotation.from_rotvec(q[2] * np.array(normal)).as_matrix(), pose[:3, :3], atol=1e-15)
    np.testing.assert_allclose(pose[:3, :3] @ (v[0] * x + v[1] * y), twist[3:], atol=1e-14)
    np.testing.assert_allclose(v[2] * np.array(normal), twist[:3], atol=1e-15)
    back = rbdyn.convert(model, q, v, source="rigidbodydynamics")
    np.testing.assert_allclose(np.concatenate(back), [0.3, -0.7, 0.9, 0.5, 1.1, -0.4], atol=1e-15)


@pytest.mark.filterwarnings("ignore:URDF in dialect:rbdyn.ExportWarning")
def test_planar_joints_keep_their_numbers_through_a_file_for_rigidbodydynamics(tmp_path, seed):
    """A joint with axes of its own has them there, too: its file turns the frame, and the numbers are the same."""
    m, model, q, v = chain_in_motion([Planar, Planar], seed)
    with pytest.warns(rbdyn.ExportWarning, match="body's frame"):
        rbdyn.io.save_urdf(m, tmp_path / "p.urdf")
    again = rbdyn.Model(rbdyn.io.load_urdf(tmp_path / "p.urdf"))
    direct = rbdyn.convert(model, q, v, to="rigidbodydynamics")
    filed = rbdyn.convert(again, q, v, to="rigidbodydynamics")
    np.testing.assert_allclose(np.concatenate(filed), np.concatenate(direct), atol=1e-14)
    np.testing.assert_array_equal(direct[0], q)
    assert np.abs(direct[1] - v).max() > 0.1


def test_convert_to_rigidbodydynamics_with_sines_and_projections():
    """RigidBodyDynamics.jl: SinCosRevolute has sine, cosine; SPQuatFloating the rotation before the position."""
    _, model, q, v = chain_in_motion([SPQuatFloating, SinCosRevolute], 1)
    R = rotation_of_projection(q[3:6])
    q_jl, v_jl = rbdyn.convert(model, q, v, to="rigidbodydynamics")
    close(q_jl, [*q[3:6], *q[:3], *q[6:]], 1e-15)
    close(v_jl, [*R.T @ v[3:6], *R.T @ v[:3], v[6]], 1e-14)


def test_convert_to_rdl_with_sines_and_projections():
    """RDL: the plain angle; a quaternion, its w at the very end."""
    _, model, q, v = chain_in_motion([SPQuatFloating, SinCosRevolute, Spherical], 1)
    R, ball = rotation_of_projection(q[3:6]), q[8:]
    q_rdl, v_rdl = rbdyn.convert(model, q, v, to="rdl")
    assert q_rdl.shape == (12,)
    close(q_rdl[[*range(3), 6, *range(7, 10), 11]], [*q[:3], np.arctan2(*q[6:8]), *ball[1:], ball[0]], 1e-15)
    close(rotation_of_quaternion(q_rdl[[10, 3, 4, 5]]), R, 1e-14)
    close(v_rdl[:7], [*v[:3], *R.T @ v[3:6], v[6]], 1e-14)


@pytest.mark.parametrize("library", ["pinocchio", "mujoco", "rdl", "rigidbodydynamics", "rbdyn"])
def test_convert_there_and_back(library):
    for seed in range(4):
        kinds = [kind for kind in MOVING if kind is not Helical or library not in WITHOUT_SCREWS]
        _, model, q, v = chain_in_motion([Floating, Spherical, *kinds, Spherical], seed)
        q_there, v_there = rbdyn.convert(model, q, v, to=library)
        q_back, v_back = rbdyn.convert(model, q_there, v_there, source=library)
        close(q_back, q, 1e-14)
        close(v_back, v, 1e-14)


def test_convert_to_an_unknown_library():
    model = single(Floating())
    with pytest.raises(rbdyn.UnknownNameError, match="pinocchio"):
        rbdyn.convert(model, model.neutral(), np.zeros(6), to="pinochio")


def test_convert_refuses_what_is_no_state():
    model = single(Floating())
    with pytest.raises(rbdyn.StateError):
        rbdyn.convert(model, np.zeros(6), np.zeros(6), to="mujoco")
    with pytest.raises(rbdyn.StateError):
        rbdyn.convert(model, model.neutral(), [np.nan] * 6, to="mujoco")


@pytest.mark.parametrize("joint_type", [SinCosRevolute, Spherical, Floating])
def test_integrate_and_difference_refuse_what_is_no_rotation(joint_type):
    model = rbdyn.Model(rand_chain_mechanism([joint_type], seed=1))
    q, v = model.neutral(), np.ones(model.nv)
    for bad in (0.0 * q, 2.0 * q):
        with pytest.raises(rbdyn.StateError, match=r"^q holds .* of length [02]"):
            rbdyn.integrate(model, bad, v)
        with pytest.raises(rbdyn.StateError, match=r"^q0 holds"):
            rbdyn.difference(model, bad, q)
        with pytest.raises(rbdyn.StateError, match=r"^q1 holds"):
            rbdyn.difference(model, q, bad)


def test_convert_refuses_odd_arguments():
    model = rbdyn.Model(rand_chain_mechanism([Spherical], seed=1))
    with pytest.raises(rbdyn.Error, match="model must be a Model, got None"):
        rbdyn.convert(None, model.neutral())
    with pytest.raises(rbdyn.UnknownNameError):
        rbdyn.convert(model, model.neutral(), to=np.zeros(3))


def test_results_may_overlap_the_arguments():
    """Also in part: `out` may be another stretch of one array that holds everything."""
    model = rbdyn.Model(rand_chain_mechanism([Floating, Revolute, Spherical, Revolute], seed=4))
    rng = np.random.default_rng(7)
    q0, q1, v = model.random(rng), model.random(rng), rng.normal(size=model.nv)
    calls = (
        (lambda a, out: rbdyn.integrate(model, a, v, 0.3, out=out), q0, model.nq),
        (lambda a, out: rbdyn.integrate(model, q0, a, 0.3, out=out), v, model.nq),
        (lambda a, out: rbdyn.difference(model, a, q1, out=out), q0, model.nv),
        (lambda a, out: rbdyn.difference(model, q0, a, out=out), q1, model.nv),
    )
    for call, given, size in calls:
        expected = call(given, None)
        nontrivial(expected)
        for first, second in ((0, 0), (0, 2), (2, 0), (3, 0), (0, 5)):
            memory = np.zeros(len(given) + size + 8)
            argument, out = memory[first : first + len(given)], memory[second : second + size]
            argument[:] = given
            np.testing.assert_array_equal(call(argument, out), expected)


def test_a_projection_may_be_as_long_as_numbers_go():
    """A whole turn, whose square overflows: nothing that is not finite comes of it."""
    model = rbdyn.Model(rand_chain_mechanism([SPQuatFloating], seed=1))
    far = np.array([0.0, 0.0, 0.0, 0.0, 1e200, 0.0])
    v = np.array([0.0, 0.0, 0.0, 0.3, 0.0, 0.0])
    np.testing.assert_allclose(rbdyn.integrate(model, far, v), [0, 0, 0, np.tan(0.075), 0, 0], atol=1e-15)
    np.testing.assert_allclose(rbdyn.difference(model, far, rbdyn.integrate(model, far, v)), v, atol=1e-15)
