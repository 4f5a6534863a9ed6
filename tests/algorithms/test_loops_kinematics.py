"""Rows of loop joints: Jacobian, bias and error against their derivatives and against differentiated poses."""

import numpy as np
import pytest
from algorithms.loop_systems import LOOP_TYPES, looped, rate
from reference import loop_oracle, oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Floating, Helical, Planar, Prismatic, Revolute, SinCosRevolute, Spherical, Universal
from rbdyn.spatial.rotations import random_quat
from rbdyn.testing.random_mechanisms import add_random_loops, random_tree


@pytest.mark.parametrize("joint_type", LOOP_TYPES)
@pytest.mark.parametrize("closed", [True, False])
def test_error_moves_with_the_jacobian(joint_type, seed, closed):
    """e' = K v, in rows of translations everywhere, in rows of rotations where the loops are closed."""
    s = looped(seed, 2, joint_types=[joint_type], closed=closed)
    if closed:  # a random velocity: along the projected one both sides would be zero
        s.state.set(s.state.q, s.rng.normal(size=s.model.nv))
        close(rbdyn.loop_error(s.state), np.zeros(s.model.num_constraints), 1e-13, floor=1.0)
    expected = rate(rbdyn.loop_error, s)
    actual = rbdyn.loop_jacobian(s.state) @ s.state.v
    nontrivial(expected)
    if closed:
        close(actual, expected, 1e-7)
    else:
        shifts = translations(s)
        close(actual[shifts], expected[shifts], 1e-9, floor=1.0)


def translations(s):
    """Rows of translations alone: the last ones of each joint, but a screw's third holds its rotation, too.

    And the one rotation of a universal joint, whose error has that rate everywhere.
    """
    count = {Fixed: 3, Revolute: 3, SinCosRevolute: 3, Spherical: 3, Prismatic: 2, Planar: 1, Helical: 3,
             Universal: 4}
    rows = []
    for name, where in s.model.loop_rows.items():
        kind = type(s.mechanism.find_joint(name).joint_type)
        last = np.arange(where.start, where.stop)[-count[kind] :]
        rows.append(last[:2] if kind is Helical else last)
    return np.concatenate(rows)


@pytest.mark.parametrize("joint_type", [kind for kind in LOOP_TYPES if kind is not Helical])
def test_jacobian_gives_the_gradient_of_the_squared_error(joint_type, seed):
    """d(|e|^2 / 2)/dt = e.K v, also far from closed: what projection and line searches rely on.

    For a screw only if the axes of its two frames are parallel: else its angle has another rate than w_z.
    """
    s = looped(seed, 2, joint_types=[joint_type], closed=False)
    s.state.set(s.model.random(s.rng), s.state.v)
    expected = rate(lambda x: np.array([0.5 * np.sum(rbdyn.loop_error(x) ** 2)]), s)
    nontrivial(expected)
    close(np.array([rbdyn.loop_error(s.state) @ rbdyn.loop_jacobian(s.state) @ s.state.v]), expected, 1e-6)


def test_a_screw_that_does_not_tilt_gives_that_gradient():
    """Slide, turn and screw along one axis, far from closed and turns away."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach("world", rbdyn.RigidBody("slider"), rbdyn.Joint("slide", Prismatic((0, 0, 1))))
    m.attach("slider", rbdyn.RigidBody("nut"), rbdyn.Joint("turn", Revolute((0, 0, 1))))
    m.attach("world", "nut", rbdyn.Joint("screw", Helical((0, 0, 1), 0.4)))
    state = rbdyn.State(rbdyn.Model(m))
    for q in ([0.3, -0.9], [4.0, 9.3], [-7.0, 1.0]):
        state.set(q, [1.5, -2.0])
        e = rbdyn.loop_error(state)
        assert abs(e[-1]) == pytest.approx(abs((q[0] - 0.4 * q[1] + 0.4 * np.pi) % (0.8 * np.pi) - 0.4 * np.pi))
        assert rbdyn.loop_jacobian(state)[-1] @ state.v == pytest.approx(1.5 + 0.4 * 2.0)


@pytest.mark.parametrize("joint_type", LOOP_TYPES)
@pytest.mark.parametrize("closed", [True, False])
def test_bias_is_the_rate_of_the_jacobian(joint_type, seed, closed):
    s = looped(seed, 2, joint_types=[joint_type], closed=closed)
    s.state.set(s.state.q, s.rng.normal(size=s.model.nv))
    v = s.state.v.copy()
    expected = rate(lambda x: rbdyn.loop_jacobian(x) @ v, s)
    nontrivial(expected)
    close(rbdyn.loop_bias(s.state), expected, 1e-7)


def test_rows_agree_with_differentiated_poses(seed):
    """Jacobian and bias of all joint types, an orthonormal mixture of the library's rows: by their Gram forms."""
    s = looped(seed, 3, closed=False)
    K = s.tree(rbdyn.loop_jacobian(s.state))
    k = rbdyn.loop_bias(s.state)
    expected = loop_oracle.constraint_rows(s.mechanism, s.q)
    expected_k = loop_oracle.constraint_biases(s.mechanism, s.q, s.v)
    nontrivial(expected)
    for where in s.model.loop_rows.values():
        close(K[where].T @ K[where], expected[where].T @ expected[where], 1e-12)
        close(K[where].T @ k[where], expected[where].T @ expected_k[where], 1e-11)


@pytest.mark.parametrize("joint_type", [Revolute, Prismatic, Planar, Spherical, Fixed])
def test_errors_are_displacements_in_the_before_frame(joint_type):
    """A body moved by a known way from where its joint fits: the error says which way."""
    rng = np.random.default_rng(3)
    kind = {Revolute: Revolute((0, 0, 1)), Prismatic: Prismatic((0, 0, 1))}.get(joint_type, joint_type())
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0))
    m.attach(m.root_body, body, rbdyn.Joint("base", Floating()))
    before = rbdyn.Transform(quat=random_quat(rng), translation=rng.normal(size=3))
    m.attach(m.root_body, body, rbdyn.Joint("loop", kind), before)
    state = rbdyn.State(rbdyn.Model(m))
    u, d = np.array([0.3, -0.5, 0.2]), np.array([0.7, 0.4, -0.6])
    if joint_type in (Revolute, Planar):
        u[2] = 0.0
    turn = oracle.rotation_about(u / np.linalg.norm(u), np.array([np.linalg.norm(u), 0, 0, 0]))[0]
    there = before @ rbdyn.Transform(rotation=turn, translation=d)
    state.set([*there.translation, *there.quat])
    blocked = {Revolute: [0, 1, 3, 4, 5], Prismatic: [0, 1, 2, 3, 4], Planar: [0, 1, 5], Spherical: [3, 4, 5]}
    expected = np.concatenate([u, d])[blocked.get(joint_type, range(6))]
    close(rbdyn.loop_error(state), expected, 1e-14)


def test_what_a_joint_allows_is_no_error(seed):
    s = looped(seed, 3)
    close(rbdyn.loop_error(s.state), np.zeros(s.model.num_constraints), 1e-13, floor=1.0)


def floater(kind):
    """A floating body with a loop joint to the world."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0, (0, 0, 0), np.eye(3)))
    m.attach(m.root_body, body, rbdyn.Joint("base", Floating()))
    m.attach(m.root_body, body, rbdyn.Joint("loop", kind))
    return rbdyn.State(rbdyn.Model(m))


@pytest.mark.parametrize("kind", [Revolute((0, 0, 1)), Planar(), Fixed(), Prismatic((0, 0, 1))])
@pytest.mark.parametrize("short", [0.0, 1e-300, 1e-12, 1e-9, 1e-6])
def test_half_a_turn_is_the_largest_error(kind, short):
    """Rotated by pi, a joint is pi from fitting, and continuous in length on the way there."""
    state = floater(kind)
    half = 0.5 * (np.pi - short)
    state.set([0, 0, 0, np.cos(half) if short else 0.0, np.sin(half), 0, 0])
    close(np.linalg.norm(rbdyn.loop_error(state)), np.pi - short, 1e-14)


@pytest.mark.parametrize("angle", [1e-300, 1e-160, 1e-12, 1e-8, 1e-4])
@pytest.mark.parametrize("kind", [Revolute((0, 0, 1)), Fixed()])
def test_small_errors_keep_their_digits(kind, angle):
    state = floater(kind)
    state.set([0, 0, 0, np.cos(0.5 * angle), 0.5 * angle, 0, 0])
    close(rbdyn.loop_error(state)[:2], [np.sin(0.5 * angle) * 2 if angle > 1e-5 else angle, 0.0], 1e-8, floor=1e-305)


def test_rows_are_listed_by_joint():
    s = looped(5, 3, joint_types=[Revolute, Planar, Floating, Fixed])
    rows = s.model.loop_rows
    assert tuple(rows) == s.model.loop_names == tuple(j.name for j in s.mechanism.non_tree_joints)
    at = 0
    for name, where in rows.items():
        assert where == slice(at, at + 6 - s.mechanism.find_joint(name).num_velocities)
        at = where.stop
    assert at == s.model.num_constraints == s.mechanism.num_constraints > 0


def test_joints_above_both_ends_do_not_appear():
    """Exactly zero, not rounding: a floating base does not move the legs against one another."""
    rng = np.random.default_rng(4)
    m = random_tree(rng, 1, floating_base=True)
    for name in ("left", "right"):
        m.attach(m.bodies[1], rbdyn.RigidBody(name, rbdyn.SpatialInertia(1.0)), rbdyn.Joint(f"j_{name}", Spherical()))
    m.attach(m.bodies[2], m.bodies[3], rbdyn.Joint("loop", Fixed()))
    model = rbdyn.Model(m)
    state = rbdyn.State(model)
    state.set(model.random(rng))
    K = rbdyn.loop_jacobian(state)
    assert (K[:, :6] == 0).all()
    assert (K[:, 6:] != 0).any()


def test_frames_of_loop_joints_can_be_asked_for():
    """Closed: the after-frame of a fixed loop joint is where its before-frame is."""
    s = looped(1, 2, joint_types=[Fixed])
    for joint in s.mechanism.non_tree_joints:
        after = rbdyn.body_pose(s.state, joint.frame_after)
        close(rbdyn.body_pose(s.state, joint.frame_before), after, 1e-13)
        nontrivial(after)


def test_the_generator_is_seeded_and_closes_at_neutral():
    def make():
        rng = np.random.default_rng(9)
        m = random_tree(rng, 4)
        add_random_loops(rng, m, 3)
        return rbdyn.State(rbdyn.Model(m))

    a, b = make(), make()
    close(rbdyn.loop_error(a), np.zeros(a.model.num_constraints), 1e-13, floor=1.0)
    np.testing.assert_array_equal(rbdyn.loop_jacobian(a), rbdyn.loop_jacobian(b))
