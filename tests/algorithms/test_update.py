"""Kinematics of all bodies at once, and of one body alone: the same bits, whichever came first."""

import numpy as np
import pytest
from algorithms.systems import random_system
from reference import oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Planar, Prismatic, Revolute, Spherical

POINT = np.array([0.3, -0.5, 0.7])


def test_velocities_and_accelerations_of_all_bodies(seed):
    s = random_system(seed)
    vd = s.order(s.vd)
    V, A = rbdyn.body_velocities(s.state), rbdyn.body_accelerations(s.state, vd)
    assert V.shape == A.shape == (s.model.n_bodies, 6)
    for k, body in enumerate(s.model.body_names):
        close(V[k], oracle.body_jacobian(s.mechanism, s.q, body, np.zeros(3)) @ s.v)
        close(A[k], oracle.point_acceleration_6d(s.mechanism, s.q, s.v, s.vd, body, np.zeros(3)))
    nontrivial(V)
    nontrivial(A)


QUESTIONS = {
    "body_pose": lambda s, b: rbdyn.body_pose(s.state, b),
    "point_velocity_6d": lambda s, b: rbdyn.point_velocity_6d(s.state, b, POINT),
    "point_acceleration_6d": lambda s, b: rbdyn.point_acceleration_6d(s.state, s.vd, b, POINT),
    "point_jacobian_6d": lambda s, b: rbdyn.point_jacobian_6d(s.state, b, POINT),
    "point_jacobian_dot_6d": lambda s, b: rbdyn.point_jacobian_dot_6d(s.state, b, POINT),
    "spatial_velocity": lambda s, b: rbdyn.spatial_velocity(s.state, b, "body2", "body1"),
    "spatial_acceleration": lambda s, b: rbdyn.spatial_acceleration(s.state, s.vd, b, "body2", "body1"),
    "relative_point_velocity_6d": lambda s, b: rbdyn.relative_point_velocity_6d(s.state, b, "body2", "body1"),
    "relative_point_acceleration_6d": lambda s, b: rbdyn.relative_point_acceleration_6d(s.state, s.vd, b, "body2"),
    "relative_jacobian": lambda s, b: rbdyn.relative_body_spatial_jacobian_dot(s.state, b, "body2", "body1"),
}
BEFORE = {
    "nothing": lambda s: None,
    "poses": lambda s: rbdyn.forward_kinematics(s.state),
    "transforms": lambda s: rbdyn.mass_matrix(s.state),
    "velocities": lambda s: rbdyn.inverse_dynamics(s.state, s.vd),
    "another body": lambda s: rbdyn.point_acceleration_6d(s.state, s.vd, "body1"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_one_body_alone_or_after_all_the_same_bits(name):
    """Whatever was computed before at this q and v, and nothing of what was computed at another."""
    seen = []
    for seed in range(6):
        s = random_system(seed, n=6)
        q, v = s.state.q.copy(), s.state.v.copy()
        body = s.model.body_names[-1]
        rbdyn.update_kinematics(s.state, q, v)
        expected = QUESTIONS[name](s, body)
        seen.append(np.abs(expected).max())
        for before in BEFORE.values():
            rbdyn.update_kinematics(s.state, s.model.random(1), v + 1.0)
            s.state.set(q, v)
            before(s)
            np.testing.assert_array_equal(QUESTIONS[name](s, body), expected)
    nontrivial(np.sort(seen)[2:3])


def test_the_stages():
    """q alone, q and v, v alone, vd alone, nothing at all."""
    s = random_system(9)
    q, v, vd = s.state.q.copy(), s.state.v.copy(), s.order(s.vd)
    expected = rbdyn.body_accelerations(s.state, vd)
    V = rbdyn.body_velocities(s.state)
    nontrivial(expected)
    state = rbdyn.State(s.model)
    assert rbdyn.update_kinematics(state, q) is None
    np.testing.assert_array_equal(state.q, q)
    assert not state.v.any()
    assert rbdyn.update_kinematics(state, v=v) is None
    np.testing.assert_array_equal(state.v, v)
    np.testing.assert_array_equal(rbdyn.body_velocities(state), V)
    np.testing.assert_array_equal(rbdyn.update_kinematics(state, vd=vd), expected)
    rbdyn.update_kinematics(state, s.model.neutral(), 2 * v)
    np.testing.assert_array_equal(rbdyn.update_kinematics(state, q, v, vd), expected)
    assert rbdyn.update_kinematics(state) is None
    assert rbdyn.update_kinematics(state, q, v) is None
    np.testing.assert_array_equal(rbdyn.body_velocities(state), V)


@pytest.mark.parametrize("threads", [1, 2, 64])
def test_threads_do_not_change_a_bit(threads):
    s = random_system(11, n=9)
    q, v, vd = s.state.q.copy(), s.state.v.copy(), s.order(s.vd)
    expected = rbdyn.body_accelerations(s.state, vd)
    np.testing.assert_array_equal(rbdyn.update_kinematics(s.state, q, v, vd, threads=threads), expected)


BAD = {
    "vd needs v": {"q": "q", "vd": "vd"},
    "vd must": {"q": "q", "v": "v", "vd": [1.0]},
    "v must": {"q": "q", "v": [np.nan], "vd": "vd"},
    "q must": {"q": [0.0], "v": "v"},
}


@pytest.mark.parametrize("message", BAD)
def test_what_is_refused_changes_nothing(message):
    s = random_system(13)
    given = {"q": s.model.neutral(), "v": np.ones(s.model.nv), "vd": s.vd}
    q, v, V = s.state.q.copy(), s.state.v.copy(), rbdyn.body_velocities(s.state)
    assert not np.array_equal(q, given["q"])
    arguments = {k: given[x] if isinstance(x, str) else x for k, x in BAD[message].items()}
    with pytest.raises(rbdyn.StateError, match=message):
        rbdyn.update_kinematics(s.state, **arguments)
    np.testing.assert_array_equal(s.state.q, q)
    np.testing.assert_array_equal(s.state.v, v)
    np.testing.assert_array_equal(rbdyn.body_velocities(s.state), V)


@pytest.mark.parametrize("threads", [0, -1, 1.5, None, True, "2"])
def test_bad_threads(threads):
    s = random_system(13)
    with pytest.raises(rbdyn.Error, match="threads"):
        rbdyn.update_kinematics(s.state, threads=threads)


def test_empty_states():
    empty = rbdyn.State.__new__(rbdyn.State)
    for call in (
        lambda: rbdyn.update_kinematics(empty),
        lambda: rbdyn.body_velocities(empty),
        lambda: rbdyn.body_accelerations(empty, []),
    ):
        with pytest.raises(rbdyn.StateError):
            call()


# ---- a root that has been moved -----------------------------------------------------------------------------------


def moved(seed):
    """The same random mechanism in the same motion, with its root at the origin and elsewhere."""
    s = random_system(seed, 6, [Revolute, Spherical, Planar, Prismatic, Fixed], floating_base=False)
    T = rbdyn.Transform(rpy=(0.3, -0.8, 1.9), translation=(1.0, -2.0, 0.5))
    robots = [rbdyn.World().add_articulated_system(s.mechanism) for _ in range(2)]
    for robot in robots:
        robot.set_state(s.state.q, s.state.v)
    robots[1].set_base_pose(T.translation, T.quat)
    return s, robots[0].state, robots[1].state, T


def test_kinematics_of_a_moved_root(seed):
    """All that is said in world axes turns and shifts with the root; what is said in a body's frame does not."""
    s, home, away, T = moved(seed)
    R, p = T.rotation, T.translation
    turn = np.kron(np.eye(2), R)
    i, j = s.model.body_names[-1], s.model.body_names[1]
    vd, seen = s.order(s.vd), []
    for body in (i, j):
        close(rbdyn.body_pose(away, body), T.matrix @ rbdyn.body_pose(home, body))
    close(rbdyn.forward_kinematics(away), T.matrix @ rbdyn.forward_kinematics(home))
    close(rbdyn.body_velocities(away), rbdyn.body_velocities(home) @ turn.T)
    for call in (
        lambda x: rbdyn.point_velocity_6d(x, i, POINT),
        lambda x: rbdyn.point_acceleration_6d(x, vd, i, POINT),
        lambda x: rbdyn.point_jacobian_6d(x, i, POINT),
        lambda x: rbdyn.point_jacobian_dot_6d(x, i, POINT),
        lambda x: rbdyn.sparse_point_jacobian_6d(x, i, POINT).dense(),
        lambda x: rbdyn.relative_point_velocity_6d(x, i, j, "world"),
        lambda x: rbdyn.relative_point_acceleration_6d(x, vd, i, j, "world"),
        lambda x: rbdyn.relative_point_jacobian_dot_6d(x, i, j, "world"),
    ):
        seen.append(np.abs(call(home)).max())
        close(call(away), turn @ call(home))
    for call in (
        lambda x: rbdyn.spatial_velocity(x, i, j),
        lambda x: rbdyn.spatial_velocity(x, i, "world"),
        lambda x: rbdyn.spatial_acceleration(x, vd, i, "world", j),
        lambda x: rbdyn.body_spatial_jacobian_dot(x, i),
        lambda x: rbdyn.relative_point_velocity_6d(x, i, j, j),
        lambda x: rbdyn.mass_matrix(x),
    ):
        seen.append(np.abs(call(home)).max())
        close(call(away), call(home))
    nontrivial(np.sort(seen)[len(seen) // 2 :])
    at_origin = rbdyn.spatial_velocity(home, i, "world", "world")  # of the point at the world's origin
    shifted = np.append(R @ at_origin[:3], R @ at_origin[3:] - np.cross(R @ at_origin[:3], p))
    close(rbdyn.spatial_velocity(away, i, "world", "world"), shifted)


def test_the_world_has_no_pose_but_its_own():
    """Wherever the root stands, and whatever it is called."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("bench"))
    m.attach(
        m.root_body,
        rbdyn.RigidBody("wheel", rbdyn.SpatialInertia(1.0, inertia=np.eye(3))),
        rbdyn.Joint("axle", Revolute()),
    )
    robot = rbdyn.World().add_articulated_system(m)
    T = rbdyn.Transform(rpy=(0.3, -0.8, 1.9), translation=(1.0, -2.0, 0.5))
    robot.set_base_pose(T.translation, T.quat)
    close(rbdyn.body_pose(robot.state, "bench"), T.matrix)
    np.testing.assert_array_equal(rbdyn.body_pose(robot.state, "world"), np.eye(4))


def test_momentum_of_a_moved_root(seed):
    s, home, away, T = moved(seed)
    R, p = T.rotation, T.translation
    h = rbdyn.momentum(home)
    nontrivial(h)
    carried = np.append(R @ h[:3] + np.cross(p, R @ h[3:]), R @ h[3:])  # about the world's origin
    close(rbdyn.momentum(away), carried)
    close(rbdyn.momentum_matrix(away) @ s.state.v, carried)
    close(rbdyn.center_of_mass(away), T @ rbdyn.center_of_mass(home))
    close(rbdyn.center_of_mass_jacobian(away), R @ rbdyn.center_of_mass_jacobian(home))
    close(rbdyn.angular_momentum(away, p), R @ h[:3])
    close(rbdyn.kinetic_energy(away), rbdyn.kinetic_energy(home))
    b = rbdyn.momentum_bias(home)
    close(rbdyn.momentum_bias(away), np.append(R @ b[:3] + np.cross(p, R @ b[3:]), R @ b[3:]))
