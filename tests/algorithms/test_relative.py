"""Accelerations, rates of Jacobians and relative motion, on random trees with merged bodies and named frames.

The oracle knows matrices of poses H and their exact derivatives: the velocity of a frame is H' H^-1, that of frame i
relative to j and expressed in k is H_k^-1 (H_i' H_i^-1 - H_j' H_j^-1) H_k.
"""

import numpy as np
import pytest
from algorithms.systems import BASES, in_motion
from reference import oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.errors import StateError, UnknownNameError
from rbdyn.mechanism import Fixed, Revolute
from rbdyn.testing.random_mechanisms import ALL_TYPES, random_rotation, random_tree

POINT = np.array([0.3, -0.5, 0.7])


def build(seed, types=ALL_TYPES):
    """A system whose frames are its root, its bodies and three named frames, and their poses in bodies."""
    rng = np.random.default_rng([seed, 401])
    while True:
        mechanism = random_tree(rng, int(rng.integers(3, 10)), types, floating_base=BASES[seed % 4])
        if mechanism.num_velocities > 1:
            break
    frames = {body.name: (body.name, np.eye(4)) for body in mechanism.bodies}
    for n, body in enumerate(rng.choice(mechanism.bodies, 3)):
        pose = rbdyn.Transform(random_rotation(rng), translation=rng.normal(size=3))
        body.add_frame(f"frame{n}", pose)
        frames[f"frame{n}"] = (body.name, pose.matrix)
    return in_motion(rng, mechanism), frames


def triples(s, frames, n=6):
    """Names of frames i, j, k at random; k is None at times."""
    names = list(frames)
    return [(*s.rng.choice(names, 2, replace=False), s.rng.choice([*names, None])) for _ in range(n)]


def vector(K):
    return np.append(oracle.axial(K[:3, :3]), K[:3, 3])


class Motion:
    """Poses of frames with derivatives along v and vd, by the oracle."""

    def __init__(self, s, frames):
        H, D = oracle.moving_poses(s.mechanism, s.q, s.v, s.v, s.vd), oracle.columns(s.mechanism, s.q)
        self.H = {f: H[b][0] @ pose for f, (b, pose) in frames.items()}
        self.V = {f: H[b][1] @ np.linalg.inv(H[b][0]) for f, (b, _) in frames.items()}
        self.A = {f: H[b][3] @ np.linalg.inv(H[b][0]) - self.V[f] @ self.V[f] for f, (b, _) in frames.items()}
        self.D = {f: D[b] @ np.linalg.inv(H[b][0]) for f, (b, _) in frames.items()}

    def into(self, k, V):
        return vector(np.linalg.inv(self.H[k]) @ V @ self.H[k])

    def velocity(self, i, j, k):
        return self.into(k, self.V[i] - self.V[j])

    def acceleration(self, i, j, k):
        V, Vk = self.V[i] - self.V[j], self.V[k]
        return self.into(k, self.A[i] - self.A[j] + V @ Vk - Vk @ V)

    def jacobian(self, i, j, k):
        return np.array([self.into(k, c) for c in self.D[i] - self.D[j]]).T


def derivative(s, function, h=2e-3, vd=None):
    """Time derivative of function(state) as v, and q along it, go on: central differences of sixth order."""
    total = 0.0
    a = np.zeros(s.model.nv) if vd is None else vd
    for n, weight in zip((1, 2, 3), (3 / 4, -3 / 20, 1 / 60), strict=True):
        for sign in (1, -1):
            t = sign * n * h
            state = rbdyn.State(s.model)
            q = rbdyn.integrate(s.model, s.state.q, s.state.v + 0.5 * t * a, t)
            state.set(q, s.state.v + t * a)
            total = total + sign * weight / h * np.asarray(function(state))
    return total


@pytest.fixture(scope="module")
def case(seed):
    return build(seed)


def test_the_systems_are_varied():
    kinds, merged, nontrivial_frames = set(), 0, 0
    for seed in range(4):
        s, frames = build(seed)
        kinds |= {type(j.joint_type) for j in s.mechanism.tree_joints}
        merged += any(isinstance(j.joint_type, Fixed) for j in s.mechanism.tree_joints)
        nontrivial_frames += len(frames) > len(s.mechanism.bodies)
    assert kinds == set(ALL_TYPES)
    assert merged > 1
    assert nontrivial_frames == 4


def test_point_accelerations(case):
    s, frames = case
    vd, seen = s.order(s.vd), []
    for name, (body, pose) in frames.items():
        point = (pose @ np.append(POINT, 1.0))[:3]
        expected = oracle.point_acceleration_6d(s.mechanism, s.q, s.v, s.vd, body, point)
        close(rbdyn.point_acceleration_6d(s.state, vd, name, POINT), expected)
        close(rbdyn.point_acceleration(s.state, vd, name, POINT), expected[3:])
        origin = oracle.point_acceleration_6d(s.mechanism, s.q, s.v, s.vd, body, pose[:3, 3])
        close(rbdyn.point_acceleration(s.state, vd, name), origin[3:])
        seen.append(np.abs(expected).min())
    nontrivial(seen)


def test_an_acceleration_knows_nothing_of_gravity_or_of_what_ran_before(case):
    s, _ = case
    vd = s.order(s.vd)
    before = rbdyn.point_acceleration_6d(s.state, vd, "body1", POINT)
    rbdyn.forward_dynamics(s.state, s.tau)
    rbdyn.bias_forces(s.state)
    np.testing.assert_array_equal(rbdyn.point_acceleration_6d(s.state, vd, "body1", POINT), before)


def test_point_jacobian_dot(case):
    s, frames = case
    vd, v, seen = s.order(s.vd), s.state.v, []
    for name, (body, pose) in frames.items():
        point = (pose @ np.append(POINT, 1.0))[:3]
        expected = oracle.body_jacobian_dot(s.mechanism, s.q, s.v, body, point)
        J_dot = rbdyn.point_jacobian_dot_6d(s.state, name, POINT)
        close(s.tree(J_dot), expected)
        np.testing.assert_array_equal(rbdyn.point_jacobian_dot(s.state, name, POINT), J_dot[3:])
        J = rbdyn.point_jacobian_6d(s.state, name, POINT)
        close(J @ vd + J_dot @ v, rbdyn.point_acceleration_6d(s.state, vd, name, POINT))
        seen.append(np.abs(J_dot).max())
    nontrivial(seen)


def test_body_spatial_jacobian_dot(case):
    s, frames = case
    vd, v = s.order(s.vd), s.state.v
    motion = Motion(s, frames)
    for name in frames:
        J, J_dot = rbdyn.body_spatial_jacobian(s.state, name), rbdyn.body_spatial_jacobian_dot(s.state, name)
        close(J @ vd + J_dot @ v, motion.acceleration(name, "world", name))
    name = s.rng.choice(list(frames))
    expected = derivative(s, lambda state: rbdyn.body_spatial_jacobian(state, name))
    close(rbdyn.body_spatial_jacobian_dot(s.state, name), expected, 1e-8)


def test_spatial_velocity_and_its_jacobian(case):
    s, frames = case
    motion, seen = Motion(s, frames), []
    for i, j, k in triples(s, frames):
        expected = motion.velocity(i, j, k or i)
        close(rbdyn.spatial_velocity(s.state, i, j, k), expected)
        J = rbdyn.relative_body_spatial_jacobian(s.state, i, j, k)
        close(s.tree(J), motion.jacobian(i, j, k or i))
        close(J @ s.state.v, expected)
        seen.append(np.abs(expected).max())
    nontrivial(seen)
    close(rbdyn.spatial_velocity(s.state, "body1"), rbdyn.body_spatial_jacobian(s.state, "body1") @ s.state.v)


def test_spatial_acceleration_is_the_rate_of_spatial_velocity(case):
    s, frames = case
    vd = s.order(s.vd)
    motion, seen = Motion(s, frames), []
    for i, j, k in triples(s, frames):
        a = rbdyn.spatial_acceleration(s.state, vd, i, j, k)
        close(a, motion.acceleration(i, j, k or i))
        J, J_dot = rbdyn.relative_body_spatial_jacobian_and_dot(s.state, i, j, k)
        close(J @ vd + J_dot @ s.state.v, a)
        seen.append(np.abs(a).max())
        np.testing.assert_array_equal(rbdyn.relative_body_spatial_jacobian(s.state, i, j, k), J)
        np.testing.assert_array_equal(rbdyn.relative_body_spatial_jacobian_dot(s.state, i, j, k), J_dot)
    nontrivial(seen)
    close(J_dot, derivative(s, lambda state: rbdyn.relative_body_spatial_jacobian(state, i, j, k)), 1e-8)


def test_relative_points(case):
    s, frames = case
    v, vd = s.state.v, s.order(s.vd)
    for i, j, k in triples(s, frames, 4):
        k = k or "world"
        R = rbdyn.body_pose(s.state, k)[:3, :3]
        difference = rbdyn.point_velocity_6d(s.state, i) - rbdyn.point_velocity_6d(s.state, j)
        J, J_dot = rbdyn.relative_point_jacobian_and_dot_6d(s.state, i, j, k)
        close(J @ v, np.append(R.T @ difference[:3], R.T @ difference[3:]))
        np.testing.assert_array_equal(rbdyn.relative_point_jacobian_6d(s.state, i, j, k), J)
        np.testing.assert_array_equal(rbdyn.relative_point_jacobian_dot_6d(s.state, i, j, k), J_dot)
        inertial = rbdyn.relative_point_jacobian_dot_6d(s.state, i, j)
        difference = rbdyn.point_acceleration_6d(s.state, vd, i) - rbdyn.point_acceleration_6d(s.state, vd, j)
        close(rbdyn.relative_point_jacobian_6d(s.state, i, j) @ vd + inertial @ v, difference)
        close(J @ vd + J_dot @ v, rbdyn.relative_point_acceleration_6d(s.state, vd, i, j, k))
        close(J_dot, np.concatenate([R.T @ inertial[:3], R.T @ inertial[3:]]))
    close(inertial, derivative(s, lambda state: rbdyn.relative_point_jacobian_6d(state, i, j)), 1e-8)


def origin(s, frames, name, moving):
    """Angular and linear part of a frame's origin in the oracle: derivative `moving` of its pose, (4, 4)."""
    H = oracle.moving_poses(s.mechanism, s.q, s.v, s.v, s.vd)[frames[name][0]] @ frames[name][1]
    W = H[1] @ np.linalg.inv(H[0])
    if moving == 3:
        W = H[3] @ np.linalg.inv(H[0]) - W @ W
    return np.append(oracle.axial(W[:3, :3]), H[moving][:3, 3]), H[0][:3, :3]


def test_relative_velocities_and_accelerations_of_points(case):
    s, frames = case
    vd, seen = s.order(s.vd), []
    for i, j, k in triples(s, frames, 4):
        k = k or "world"
        R = origin(s, frames, k, 1)[1]
        for moving, call in (
            (1, lambda *at: rbdyn.relative_point_velocity_6d(s.state, *at)),
            (3, lambda *at: rbdyn.relative_point_acceleration_6d(s.state, vd, *at)),
        ):
            expected = origin(s, frames, i, moving)[0] - origin(s, frames, j, moving)[0]
            close(call(i, j), expected)
            close(call(i, j, k), np.append(R.T @ expected[:3], R.T @ expected[3:]))
            np.testing.assert_array_equal(call(j, i, k), -call(i, j, k))
            seen.append(np.abs(expected).max())
        J, J_dot = rbdyn.relative_point_jacobian_and_dot_6d(s.state, i, j)
        close(J @ s.state.v, rbdyn.relative_point_velocity_6d(s.state, i, j))
        close(J @ vd + J_dot @ s.state.v, rbdyn.relative_point_acceleration_6d(s.state, vd, i, j))
    nontrivial(seen)
    name = s.rng.choice(list(frames))
    close(rbdyn.relative_point_velocity_6d(s.state, name, "world"), rbdyn.point_velocity_6d(s.state, name))
    a = rbdyn.point_acceleration_6d(s.state, vd, name)
    close(rbdyn.relative_point_acceleration_6d(s.state, vd, name, "world"), a)


QUESTIONS = {
    "point_velocity": lambda s, i, j, k: rbdyn.point_velocity(s.state, i, POINT),
    "point_velocity_6d": lambda s, i, j, k: rbdyn.point_velocity_6d(s.state, i, POINT),
    "point_acceleration": lambda s, i, j, k: rbdyn.point_acceleration(s.state, s.vd, i, POINT),
    "point_acceleration_6d": lambda s, i, j, k: rbdyn.point_acceleration_6d(s.state, s.vd, i, POINT),
    "point_jacobian": lambda s, i, j, k: rbdyn.point_jacobian(s.state, i, POINT),
    "point_jacobian_6d": lambda s, i, j, k: rbdyn.point_jacobian_6d(s.state, i, POINT),
    "point_jacobian_dot": lambda s, i, j, k: rbdyn.point_jacobian_dot(s.state, i, POINT),
    "point_jacobian_dot_6d": lambda s, i, j, k: rbdyn.point_jacobian_dot_6d(s.state, i, POINT),
    "body_spatial_jacobian": lambda s, i, j, k: rbdyn.body_spatial_jacobian(s.state, i),
    "body_spatial_jacobian_dot": lambda s, i, j, k: rbdyn.body_spatial_jacobian_dot(s.state, i),
    "sparse_point_jacobian": lambda s, i, j, k: rbdyn.sparse_point_jacobian(s.state, i, POINT).dense(),
    "sparse_point_jacobian_6d": lambda s, i, j, k: rbdyn.sparse_point_jacobian_6d(s.state, i, POINT).dense(),
    "sparse_point_jacobian_dot": lambda s, i, j, k: rbdyn.sparse_point_jacobian_dot(s.state, i, POINT).dense(),
    "sparse_point_jacobian_dot_6d": lambda s, i, j, k: rbdyn.sparse_point_jacobian_dot_6d(s.state, i, POINT).dense(),
    "supporting_columns": lambda s, i, j, k: rbdyn.supporting_columns(s.model, i),
    "spatial_velocity": lambda s, i, j, k: rbdyn.spatial_velocity(s.state, i, j, k),
    "spatial_acceleration": lambda s, i, j, k: rbdyn.spatial_acceleration(s.state, s.vd, i, j, k),
    "relative_body_spatial_jacobian": lambda s, i, j, k: rbdyn.relative_body_spatial_jacobian(s.state, i, j, k),
    "relative_body_spatial_jacobian_dot": lambda s, i, j, k: rbdyn.relative_body_spatial_jacobian_dot(s.state, i, j, k),
    "relative_point_velocity_6d": lambda s, i, j, k: rbdyn.relative_point_velocity_6d(s.state, i, j, k),
    "relative_point_acceleration_6d": lambda s, i, j, k: rbdyn.relative_point_acceleration_6d(s.state, s.vd, i, j, k),
    "relative_point_jacobian_6d": lambda s, i, j, k: rbdyn.relative_point_jacobian_6d(s.state, i, j, k),
    "relative_point_jacobian_dot_6d": lambda s, i, j, k: rbdyn.relative_point_jacobian_dot_6d(s.state, i, j, k),
}


def bench():
    """A wheel on an arm on a bench, a lamp screwed to the wheel (merged into it), and a frame at the lamp's end."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("bench"))
    wheel, lamp = rbdyn.RigidBody("wheel"), rbdyn.RigidBody("lamp")
    arm = rbdyn.RigidBody("arm")
    m.attach(m.root_body, arm, rbdyn.Joint("shoulder", Revolute((0, 1, 0))), rbdyn.Transform(translation=(0, 0.3, 0)))
    m.attach(arm, wheel, rbdyn.Joint("axle", Revolute((0.6, 0, 0.8))), rbdyn.Transform(translation=(1, 0, 2)))
    m.attach(wheel, lamp, rbdyn.Joint("screw", Fixed()), rbdyn.Transform(rpy=(0.4, 0.1, 0), translation=(0, 0.5, 0.3)))
    tip = lamp.add_frame("tip", rbdyn.Transform(rpy=(0, 0.3, 1), translation=(0.1, 0.2, 0.3)))
    s = in_motion(np.random.default_rng(0), m)
    return s, {"wheel": [wheel, wheel.frame], "lamp": [lamp, lamp.frame], "tip": [tip], "bench": [m.root_body]}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_knows_every_kind_of_frame(name):
    """A body, a merged body, a named frame, the root and the world; by name, as RigidBody and as CartesianFrame."""
    ask = QUESTIONS[name]
    s, objects = bench()
    answers = {i: ask(s, i, "bench", "world") for i in objects}
    for i, others in objects.items():
        for other in others:
            np.testing.assert_array_equal(ask(s, other, s.mechanism.root_body, "world"), answers[i])
    for i in ("wheel", "lamp", "tip"):
        nontrivial(answers[i], 0.01 if answers[i].dtype != int else -1)
    np.testing.assert_array_equal(ask(s, "world", "bench", "world"), 0 * answers["bench"])
    np.testing.assert_array_equal(ask(s, "tip", "world", "world"), answers["tip"])
    if "jacobian" in name and "spatial" not in name and "relative" not in name:
        close(answers["lamp"], QUESTIONS[name](s, "lamp", None, None))
    if name.startswith("point"):  # the same point of the same body, given in another frame
        H = np.linalg.inv(rbdyn.body_pose(s.state, "tip")) @ rbdyn.body_pose(s.state, "lamp")
        function, first = getattr(rbdyn, name), (s.vd,) if "acceleration" in name else ()
        close(function(s.state, *first, "tip", (H @ [*POINT, 1])[:3]), answers["lamp"])


def test_the_accelerations_by_differences(seed):
    """Central differences along q(t) = q + t v + t^2 vd / 2, which one-dof and planar joints follow exactly."""
    s, frames = build(2 * seed, [Revolute, rbdyn.Prismatic, rbdyn.Planar, Fixed])
    assert s.model.nq == s.model.nv > 1
    vd = s.order(s.vd)
    for i, j, k in triples(s, frames, 3):
        expected = derivative(s, lambda state, at=(i, j, k): rbdyn.spatial_velocity(state, *at), vd=vd)
        close(rbdyn.spatial_acceleration(s.state, vd, i, j, k), expected, 1e-8)
        expected = derivative(s, lambda state, i=i: rbdyn.point_velocity_6d(state, i, POINT), vd=vd)
        close(rbdyn.point_acceleration_6d(s.state, vd, i, POINT), expected, 1e-8)
        expected = derivative(s, lambda state, at=(i, j): rbdyn.relative_point_velocity_6d(state, *at), vd=vd)
        close(rbdyn.relative_point_acceleration_6d(s.state, vd, i, j), expected, 1e-8)


def test_a_body_does_not_move_relative_to_itself_nor_to_what_is_merged_into_it(case):
    s, frames = case
    for i, (body, _) in frames.items():
        for k in (None, "world"):
            assert not rbdyn.spatial_velocity(s.state, i, body, k).any()
            assert not rbdyn.relative_body_spatial_jacobian(s.state, i, body, k).any()
            assert not rbdyn.spatial_acceleration(s.state, s.vd, i, body, k).any()
        assert not rbdyn.relative_point_jacobian_dot_6d(s.state, i, i).any()


def test_frames_are_named_in_three_ways(case):
    s, _ = case
    root, body = s.mechanism.root_body, s.mechanism.bodies[-1]
    expected = rbdyn.spatial_velocity(s.state, body.name, "world", "world")
    for b in (body.name, body, body.frame):
        for r in ("world", root, root.frame):
            np.testing.assert_array_equal(rbdyn.spatial_velocity(s.state, b, r, r), expected)
    np.testing.assert_array_equal(
        rbdyn.spatial_velocity(s.state, root, body, root), -rbdyn.spatial_velocity(s.state, body, root, root)
    )


def test_the_world_is_known_to_a_mechanism_with_another_root():
    m = rbdyn.Mechanism(rbdyn.RigidBody("bench"))
    m.attach(m.root_body, rbdyn.RigidBody("wheel"), rbdyn.Joint("axle", Revolute(axis=(0, 0, 1))))
    state = rbdyn.State(rbdyn.Model(m))
    state.set([0.3], [2.0])
    np.testing.assert_array_equal(rbdyn.spatial_velocity(state, "wheel", "world"), [0, 0, 2, 0, 0, 0])
    np.testing.assert_array_equal(rbdyn.spatial_velocity(state, "wheel", "bench", "world"), [0, 0, 2, 0, 0, 0])
    np.testing.assert_array_equal(
        rbdyn.relative_point_jacobian_6d(state, "world", "wheel"), [[0], [0], [-1], *[[0]] * 3]
    )


def test_refusals():
    s, _ = build(3)
    for bad in ("nobody", None, 3, [], rbdyn.RigidBody("body1")):
        for call in (
            lambda b: rbdyn.spatial_velocity(s.state, b),
            lambda b: rbdyn.spatial_acceleration(s.state, s.vd, "body1", b),
            lambda b: rbdyn.relative_body_spatial_jacobian(s.state, "body1", b),
            lambda b: rbdyn.relative_point_jacobian_6d(s.state, "body1", "body2", b),
            lambda b: rbdyn.point_acceleration(s.state, s.vd, b),
            lambda b: rbdyn.body_spatial_jacobian_dot(s.state, b),
        ):
            with pytest.raises(UnknownNameError):
                call(bad)
    with pytest.raises(StateError, match="vd"):
        rbdyn.spatial_acceleration(s.state, s.vd[1:], "body1")
    J = np.empty((6, s.model.nv))
    with pytest.raises(StateError, match="out_dot"):
        rbdyn.relative_body_spatial_jacobian_and_dot(s.state, "body1", "body2", out=J, out_dot=J)
    empty = rbdyn.State.__new__(rbdyn.State)
    for call in (
        lambda: rbdyn.spatial_velocity(empty, "world"),
        lambda: rbdyn.spatial_acceleration(empty, [], "world"),
        lambda: rbdyn.relative_point_jacobian_6d(empty, "world", "world"),
        lambda: rbdyn.point_acceleration(empty, [], "world"),
        lambda: rbdyn.point_jacobian_dot(empty, "world"),
        lambda: rbdyn.body_spatial_jacobian_dot(empty, "world"),
    ):
        with pytest.raises(StateError):
            call()
