"""Linkages that run for ten seconds: loops stay closed, energy stays, and the motion is the right one."""

import math

import numpy as np
import pytest
from algorithms.four_bar import equation, in_motion
from algorithms.stewart_platform import stewart_platform
from reference.compare import nontrivial
from scipy.integrate import solve_ivp

import rbdyn
from rbdyn.mechanism import Revolute

SECONDS = 10.0
START, RATE = 1.0, -2.0  # crank of the four-bar [rad, rad/s]


def run(state, control=None):
    """The path, kept every 10 ms, the largest loop error along it, and the energies."""
    path = rbdyn.simulate(state, SECONDS, control=control, every=10)
    there, drift, energy = rbdyn.State(state.model), 0.0, []
    for q, v in zip(path.q, path.v, strict=True):
        there.set(q, v)
        drift = max(drift, np.abs(rbdyn.loop_error(there)).max())
        energy.append(rbdyn.kinetic_energy(there) + rbdyn.potential_energy(there))
    assert path.times[-1] == SECONDS
    return path, drift, np.array(energy)


@pytest.fixture(scope="module")
def crank_angle():
    """The crank's angle at 1, 2, ... 10 s by its equation in one coordinate."""

    def rate(_, y):
        m, s, w = equation(y[0])
        return [y[1], -(s * y[1] ** 2 + w) / m]

    seconds = np.arange(1.0, SECONDS + 0.5)
    return solve_ivp(rate, (0, SECONDS), [START, RATE], "DOP853", seconds, rtol=1e-12, atol=1e-12).y[0]


@pytest.mark.parametrize("pins", [(0.0,), (0.0, 0.05), (-0.1, 0.05, 0.1)], ids=len)
def test_four_bar(pins, crank_angle):
    """One pin, or two or three on one hinge axis: redundant constraints change nothing."""
    state, _, _, order = in_motion(START, RATE, pins=pins)
    assert (state.model.num_constraints, rbdyn.dynamics(state).rank) == (5 * len(pins), 2)
    path, drift, energy = run(state)
    angle = path.q[:, order[0]]
    nontrivial(np.ptp(angle), 1.0)
    nontrivial(np.ptp(crank_angle), 1.0)
    assert drift < 1e-6
    assert np.ptp(energy) < 1e-5
    np.testing.assert_allclose(angle[100::100], crank_angle, atol=1e-5)


def bennett():
    """Four skew hinges: one row of K depends on the others wherever the loop is closed, and nowhere else."""
    twist = 0.7
    sides = [(1.0, twist), (0.6, math.asin(0.6 * math.sin(twist)))] * 2
    steps = [rbdyn.Transform(rpy=(angle, 0, 0), translation=(length, 0, 0)) for length, angle in sides]
    m = rbdyn.Mechanism(rbdyn.RigidBody("ground"))
    place = rbdyn.Transform()
    for k in range(3):
        link = rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(1.0, (0.3, 0.02, 0.05), np.diag([0.02, 0.1, 0.1])))
        m.attach(m.bodies[-1], link, rbdyn.Joint(f"hinge{k}", Revolute()), place)
        place = steps[k]
    m.attach(m.bodies[-1], m.root_body, rbdyn.Joint("last", Revolute()), place, steps[3])
    return rbdyn.Model(m)


def test_bennett_linkage():
    model = bennett()
    state = rbdyn.State(model)
    state.set(rbdyn.project_configuration(model, [1.5, -2.6, -1.5]))
    state.set(state.q, rbdyn.project_velocity(state, [1.0, 1.0, -1.0]))
    assert (model.num_constraints, rbdyn.dynamics(state).rank) == (5, 2)
    path, drift, energy = run(state)
    nontrivial(np.ptp(path.q[:, 0]), 1.0)
    assert 1e-14 < drift < 1e-9
    assert np.ptp(energy) < 1e-8


@pytest.mark.parametrize("open_by", [0.0, 1e-9, 1e-5])
def test_four_bar_in_maximal_coordinates(open_by, crank_angle):
    """Eighteen coordinates and twenty rows, of rank 17 where the loops are closed; a small opening locks nothing."""
    hinged = in_motion(START, RATE)[0]
    flat, maps = hinged.model.mechanism.maximal_coordinates()
    state = maps.carry(hinged)
    shift = open_by * np.random.default_rng(0).normal(size=state.model.nv)
    state.set(rbdyn.integrate(state.model, state.q, shift, 1.0), state.v)
    assert (np.abs(rbdyn.loop_error(state)).max() > 0.1 * open_by) and (state.model.nv, len(shift)) == (18, 18)
    rbdyn.simulate(state, 1.0)
    crank = rbdyn.body_pose(state, hinged.model.body_names[hinged.model.joint_names.index("motor")])
    turned = np.array([math.cos(crank_angle[0]), math.sin(crank_angle[0])])
    assert rbdyn.dynamics(state).rank == 17
    np.testing.assert_allclose(crank[:2, 0], turned, atol=1e-5 + 100 * open_by)


def test_stewart_platform():
    """Springs in the legs: the energy is that of the bodies and of the springs."""
    model = rbdyn.Model(stewart_platform())
    assert (model.nv, model.num_constraints) == (24, 18)
    legs = [model.joint_v_index(f"leg{k}") for k in range(6)]
    lengths = [model.joint_q_index(f"leg{k}") for k in range(6)]
    stiffness = 2000.0 * (1 + 0.1 * np.arange(6))
    tau = np.zeros(model.nv)

    def springs(_, state):
        tau[legs] = -stiffness * state.q[lengths]
        return tau

    state = rbdyn.State(model)
    assert np.abs(rbdyn.loop_error(state)).max() < 1e-14
    state.set(state.q, np.random.default_rng(0).normal(size=24))
    state.set(state.q, rbdyn.project_velocity(state))
    path, drift, energy = run(state, springs)
    total = energy + 0.5 * (path.q[:, lengths] ** 2 * stiffness).sum(axis=1)
    nontrivial(np.ptp(energy), 1.0)
    assert drift < 1e-6
    assert np.ptp(total) < 1e-5 * np.ptp(energy)
