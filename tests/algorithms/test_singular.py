"""Singular mass matrices are refused whatever the rounding, the units and the orientation; regular ones never are."""

import signal

import numpy as np
import pytest

import rbdyn
from rbdyn.errors import BusyError, MechanismError, StateError


def turn(rng):
    """A rotation matrix, uniformly drawn."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def chain(rng, joints, bodies, length=1.0):
    """Joint types in a row, each with its body; frames lie anywhere."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    last = mechanism.root_body
    for k, (joint_type, inertia) in enumerate(zip(joints, bodies, strict=True)):
        body = rbdyn.RigidBody(f"body{k}", inertia)
        pose = rbdyn.Transform(rotation=turn(rng), translation=length * rng.normal(size=3))
        mechanism.attach(last, body, rbdyn.Joint(f"joint{k}", joint_type), joint_pose=pose)
        last = body
    return mechanism


def lump(rng, mass=1.0, length=1.0):
    """A body with inertia about every axis."""
    A = rng.normal(size=(3, 3))
    spread = A @ A.T / 3.0 + np.eye(3)
    c = 0.3 * length * rng.uniform(-1, 1, size=3)
    return rbdyn.SpatialInertia(mass, c, mass * length**2 * (np.trace(spread) * np.eye(3) - spread))


def axis(rng):
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def point_on_axis(rng, mass, length):
    """A revolute joint whose body is a point mass on the axis."""
    a = axis(rng)
    p = length * rng.normal() * a
    point = rbdyn.SpatialInertia(mass, p, mass * (p @ p * np.eye(3) - np.outer(p, p)))
    joints = [rbdyn.Revolute(axis(rng)), rbdyn.Revolute(a)]
    return chain(rng, joints, [lump(rng, mass, length), point], length), "joint1"


def seven_joints(rng, mass, length):
    """Seven joints on one body: three slides and three hinges, far from gimbal lock, use up all that it can do."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    last, R = mechanism.root_body, turn(rng)
    joints = [rbdyn.Revolute(axis(rng)), *(rbdyn.Prismatic(a) for a in R), *(rbdyn.Revolute(a) for a in R)]
    for k, joint in enumerate(joints):
        inertia = lump(rng, mass, length) if k == 6 else rbdyn.SpatialInertia(0.0, np.zeros(3), np.zeros((3, 3)))
        body = rbdyn.RigidBody(f"body{k}", inertia)
        mechanism.attach(last, body, rbdyn.Joint(f"joint{k}", joint))
        last = body
    return mechanism, "joint0"


def parallel_slides(rng, mass, length):
    """Two slides along one line with nothing between them."""
    a = axis(rng)
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    between = rbdyn.RigidBody("between", rbdyn.SpatialInertia(0.0, np.zeros(3), np.zeros((3, 3))))
    mechanism.attach(mechanism.root_body, between, rbdyn.Joint("joint0", rbdyn.Prismatic(a)))
    end = rbdyn.RigidBody("end", lump(rng, mass, length))
    R = turn(rng)
    pose = rbdyn.Transform(rotation=R, translation=length * rng.normal(size=3))
    mechanism.attach(between, end, rbdyn.Joint("joint1", rbdyn.Prismatic(R.T @ a)), joint_pose=pose)
    return mechanism, "joint0"


CASES = [point_on_axis, seven_joints, parallel_slides]
CALLS = [
    lambda state: rbdyn.forward_dynamics(state, np.zeros(state.model.nv)),
    lambda state: rbdyn.inverse_mass_matrix(state),
    lambda state: rbdyn.solve_mass_matrix(state, np.zeros(state.model.nv)),
    lambda state: rbdyn.forward_dynamics_derivatives(state, np.zeros(state.model.nv)),
]


@pytest.mark.parametrize("case", CASES)
def test_a_singular_tree_is_refused_in_all_units(case, seed):
    """What is left of the inertia is rounding, of either sign; it is refused by the name of the joint."""
    rng = np.random.default_rng(seed)
    for _ in range(8):
        mass, length = 10.0 ** rng.uniform(-6, 6, size=2)
        mechanism, name = case(rng, mass, length)
        state = rbdyn.State(rbdyn.Model(mechanism))
        slides = np.array([isinstance(j.joint_type, rbdyn.Prismatic) for j in mechanism.tree_joints])
        state.set(rng.uniform(-0.8, 0.8, state.model.nq) * np.where(slides, length, 1.0))
        for call in CALLS:
            with pytest.raises(MechanismError, match=f"singular: joint '{name}'"):
                call(state)


def test_a_regular_tree_is_taken_in_all_units(seed):
    """Also one with a finger of a millionth of its mass and a thousandth of its size at the end."""
    rng = np.random.default_rng(seed)
    mass, length = 10.0 ** rng.uniform(-6, 6, size=2)
    kinds = [rbdyn.Revolute, rbdyn.Prismatic, rbdyn.Revolute]
    joints = [kinds[k](axis(rng)) for k in rng.integers(0, 3, 6)]
    bodies = [lump(rng, mass, length) for _ in range(5)] + [lump(rng, 1e-6 * mass, 1e-3 * length)]
    state = rbdyn.State(rbdyn.Model(chain(rng, joints, bodies, length)))
    state.set(rng.uniform(-1, 1, 6))
    M = rbdyn.mass_matrix(state)
    tau = M @ (vd := rng.normal(size=6)) + rbdyn.bias_forces(state)
    scale = np.sqrt(np.diag(M))
    assert rbdyn.forward_dynamics(state, tau) * scale == pytest.approx(vd * scale, abs=1e-6 * np.abs(vd * scale).max())
    assert rbdyn.inverse_mass_matrix(state) @ M == pytest.approx(np.eye(6), abs=1e-4 * (scale.max() / scale.min()))


def test_a_rotor_moves_what_has_no_inertia():
    """Reflected rotor inertia makes a mass matrix regular, however small: a billionth of the body's here."""
    rng = np.random.default_rng(0)
    mechanism, _ = point_on_axis(rng, 1.0, 1.0)
    with pytest.raises(MechanismError, match="joint1"):
        rbdyn.forward_dynamics(rbdyn.State(rbdyn.Model(mechanism)), np.zeros(2))
    mechanism.find_joint("joint1").rotor_inertia = 1e-9
    state = rbdyn.State(rbdyn.Model(mechanism))
    free = rbdyn.forward_dynamics(state, np.zeros(2))
    assert rbdyn.forward_dynamics(state, np.array([0.0, 1e-9]))[1] - free[1] == pytest.approx(1.0, rel=1e-6)


# ---- results that overflow -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [
    lambda state, x: rbdyn.forward_dynamics(state, x),
    lambda state, x: rbdyn.inverse_dynamics(state, x),
    lambda state, x: rbdyn.solve_mass_matrix(state, x),
    lambda state, x: rbdyn.mass_matrix_times(state, x),
    lambda state, x: rbdyn.dynamics(state, x),
    lambda state, x: rbdyn.forward_dynamics_derivatives(state, x),
])  # fmt: skip
def test_a_result_that_overflows_is_said(call):
    rng = np.random.default_rng(3)
    state = rbdyn.State(rbdyn.Model(chain(rng, [rbdyn.Revolute(axis(rng)) for _ in range(4)], [lump(rng)] * 4)))
    call(state, np.full(4, 1e3))
    with pytest.raises(StateError, match=r"\[\d\] came out as (nan|inf|-inf).*too large"):
        call(state, np.full(4, 1.7e308))


# ---- long work -------------------------------------------------------------------------------------------------------


def long_chain(n):
    """A State of a chain of hinges."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    last = mechanism.root_body
    for k in range(n):
        body = rbdyn.RigidBody(f"b{k}", rbdyn.SpatialInertia(1.0, (0.5, 0, 0), 0.4 * np.eye(3)))
        pose = rbdyn.Transform(translation=(1.0 if k else 0.0, 0, 0))
        mechanism.attach(last, body, rbdyn.Joint(f"j{k}", rbdyn.Revolute((0, k % 2, 1 - k % 2))), joint_pose=pose)
        last = body
    return rbdyn.State(rbdyn.Model(mechanism))


def test_the_inverse_of_a_long_chain():
    state = long_chain(500)
    assert rbdyn.inverse_mass_matrix(state) @ rbdyn.mass_matrix(state) == pytest.approx(np.eye(500), abs=1e-4)


@pytest.mark.parametrize(("call", "n"), [(CALLS[1], 1500), (CALLS[3], 500)])
def test_a_signal_interrupts_dense_work_and_the_state_stays_usable(call, n):
    """The handler raises where it finds the State at work, which it can neither use nor spoil; else it waits."""
    state = long_chain(n)
    right = rbdyn.inverse_mass_matrix(state)

    def handler(*_):
        try:
            rbdyn.mass_matrix(state)
        except BusyError:
            raise KeyboardInterrupt from None
        signal.setitimer(signal.ITIMER_REAL, 5e-3)

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 5e-3)
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(50):
                call(state)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert (rbdyn.inverse_mass_matrix(state) == right).all()
