"""A screw joint: closed forms of one that falls, and of one that closes a loop."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Model, Prismatic, Revolute, RigidBody, SpatialInertia, State
from rbdyn.mechanism.joints import Helical

M, IZ, PITCH, G = 2.0, 0.3, 0.4, 9.81
NUT = SpatialInertia(M, (0.1, -0.2, 0.05), np.diag([0.5, 0.6, IZ - M * 0.05]))  # IZ about the axis


def screw(axis=(0, 0, 1), pitch=PITCH, **options):
    m = Mechanism(RigidBody("world"))
    m.attach("world", RigidBody("nut", NUT), Joint("screw", Helical(axis, pitch), **options))
    return m


def test_a_screw_has_the_energy_of_both_its_motions():
    """T = (I + m p^2) w^2 / 2, and what falls by p q does m g p q of work."""
    state = State(Model(screw()))
    state.set([7.5], [1.5])
    assert rbdyn.kinetic_energy(state) == pytest.approx(0.5 * (IZ + M * PITCH**2) * 1.5**2, rel=1e-14)
    assert rbdyn.mass_matrix(state)[0, 0] == pytest.approx(IZ + M * PITCH**2, rel=1e-14)
    assert rbdyn.bias_forces(state)[0] == pytest.approx(M * G * PITCH, rel=1e-14)
    assert rbdyn.forward_dynamics(state, [0.0])[0] == pytest.approx(-M * G * PITCH / (IZ + M * PITCH**2), rel=1e-13)
    np.testing.assert_allclose(rbdyn.body_pose(state, "nut")[:3, 3], (0, 0, 3.0), atol=1e-15)
    np.testing.assert_allclose(rbdyn.point_velocity_6d(state, "nut"), (0, 0, 1.5, 0, 0, 0.6), atol=1e-15)


def test_without_pitch_it_is_a_hinge():
    axis = (1, 2, 3)
    hinge = Mechanism(RigidBody("world"))
    hinge.attach("world", RigidBody("nut", NUT), Joint("screw", Revolute(axis)))
    answers = []
    for m in (screw(axis, 0.0), hinge):
        state = State(Model(m))
        state.set([0.7], [1.5])
        answers.append([rbdyn.mass_matrix(state), rbdyn.bias_forces(state), rbdyn.forward_dynamics(state, [0.3])])
    for a, b in zip(*answers, strict=True):
        assert np.abs(b).min() > 0.1
        np.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.parametrize("turns", [0.0, 1.0, -3.0])
def test_a_screw_closes_a_loop(turns):
    """A slider and a hinge on it, coupled by a screw joint, are one screw, however often it has turned."""
    m = Mechanism(RigidBody("world"))
    m.attach("world", RigidBody("slider"), Joint("slide", Prismatic((0, 0, 1))))
    m.attach("slider", RigidBody("nut", NUT), Joint("turn", Revolute((0, 0, 1))))
    m.attach("world", "nut", Joint("screw", Helical((0, 0, 1), PITCH), rotor_inertia=0.2))
    q = 0.6 + 2.0 * np.pi * turns
    state = State(Model(m))
    state.set([PITCH * q, q], [PITCH * 1.5, 1.5])
    np.testing.assert_allclose(rbdyn.loop_error(state), np.zeros(5), atol=1e-14)
    np.testing.assert_allclose(rbdyn.loop_jacobian(state) @ state.v, np.zeros(5), atol=1e-14)
    vd = rbdyn.forward_dynamics(state, [0.0, 0.0])
    expected = -M * G * PITCH / (IZ + 0.2 + M * PITCH**2)
    np.testing.assert_allclose(vd, [PITCH * expected, expected], rtol=1e-12)
    assert rbdyn.kinetic_energy(state) == pytest.approx(0.5 * (IZ + 0.2 + M * PITCH**2) * 1.5**2, rel=1e-13)
    state.set([PITCH * q + 0.01, q])
    assert rbdyn.loop_error(state)[-1] == pytest.approx(0.01)


def test_what_is_no_pitch():
    for bad in (None, "x", np.nan, np.inf, 1j, [0.1], 1e10):
        with pytest.raises(rbdyn.MechanismError, match="pitch must be a number"):
            Helical((0, 0, 1), bad)


def test_libraries():
    model = Model(screw())
    assert rbdyn.convert(model, [0.3], [0.4], to="pinocchio") == (pytest.approx([0.3]), pytest.approx([0.4]))
    for library, name in {"mujoco": "MuJoCo", "rigidbodydynamics": r"RigidBodyDynamics\.jl"}.items():
        with pytest.raises(rbdyn.Error, match=f"{name} has no helical joint"):
            rbdyn.convert(model, [0.3], to=library)
        with pytest.raises(rbdyn.Error, match=f"{name} has no helical joint"):
            rbdyn.convert(model, [0.3], source=library)


def test_a_nut_falls_in_a_world_to_its_stop():
    """A constant acceleration -m g p / (I + m p^2); at the stop it rests with the torque of its weight."""
    world = rbdyn.World(1e-3)
    robot = world.add_articulated_system(screw())
    vd = -M * G * PITCH / (IZ + M * PITCH**2)
    world.step(400)
    assert robot.q[0] == pytest.approx(0.5 * vd * 0.4**2, rel=1e-12)
    assert robot.v[0] == pytest.approx(vd * 0.4, rel=1e-12)
    np.testing.assert_allclose(rbdyn.body_pose(robot.state, "nut")[:3, 3], (0, 0, PITCH * robot.q[0]), atol=1e-14)
    world = rbdyn.World(1e-3)
    robot = world.add_articulated_system(screw(position_limits=(-1.0, 8.0)))
    world.step(2000)
    assert robot.q[0] == pytest.approx(-1.0, abs=1e-9) and robot.v[0] == pytest.approx(0.0, abs=1e-9)
    assert world.contact.get_state()["row_impulse"] / 1e-3 == pytest.approx([M * G * PITCH], rel=1e-9)
