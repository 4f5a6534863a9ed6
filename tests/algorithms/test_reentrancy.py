"""User code that computes with a State in the middle of a computation on it, threads, and results across arguments.

A sequence, mapping, number or callback of a user may call any algorithm on the State that it is an argument for.  The
working memory that a State keeps for its algorithms must not come to harm by that: results are the same bits.
"""

import threading

import numpy as np
import pytest
from algorithms.loop_systems import looped
from algorithms.systems import in_motion, random_system
from reference.compare import nontrivial

import rbdyn
from rbdyn import models
from rbdyn.contact import BisectionSolver
from rbdyn.mechanism import Prismatic, Revolute
from rbdyn.testing.random_mechanisms import random_tree


def motors(model):
    """All joints that move."""
    return model.joint_names[0 if model.floating_base else 1 :]


def interfere(s):
    """Every kind of working memory of a State is written, and made to grow, with numbers of another motion."""
    state, nv = s.state, s.model.nv
    push = {name: np.arange(6.0) for name in s.model.body_names[1:]}
    if not s.model.has_loops:
        rbdyn.inverse_dynamics_derivatives(state, np.full(nv, 3.0), push)
        rbdyn.forward_dynamics_derivatives(state, np.full(nv, 4.0), push)
        rbdyn.joint_wrenches(state, np.full(nv, 5.0), push)
        rbdyn.inverse_dynamics(state, np.full(nv, 6.0), push, actuated=motors(s.model))
    rbdyn.dynamics(state, np.full(nv, 7.0), push)
    rbdyn.project_velocity(state, np.full(nv, 8.0))
    rbdyn.loop_bias(state)
    rbdyn.coriolis_matrix(state)
    rbdyn.momentum_matrix(state)
    rbdyn.solve_mass_matrix(state, np.full(nv, 9.0))
    rbdyn.body_accelerations(state, np.full(nv, 10.0))
    rbdyn.point_acceleration(state, np.full(nv, 11.0), s.model.body_names[-1])


class Meddler:
    """An argument that computes with the State before it says what it is."""

    def __init__(self, s, value):
        self.s, self.value, self.asked = s, value, 0

    def interfere(self):
        self.asked += 1
        interfere(self.s)

    def __array__(self, dtype=None, copy=None):
        self.interfere()
        return np.array(self.value)

    def __iter__(self):
        for x in self.value:
            self.interfere()
            yield x

    def items(self):
        for item in self.value.items():
            self.interfere()
            yield item


class MeddlingList(list, Meddler):
    """The same for what must be a list."""

    def __init__(self, s, value):
        list.__init__(self, value)
        Meddler.__init__(self, s, value)

    __iter__ = Meddler.__iter__


WITH_EXTERNAL = {
    "inverse_dynamics": lambda s, x, e: rbdyn.inverse_dynamics(s.state, x, e),
    "inverse_dynamics, actuated": lambda s, x, e: rbdyn.inverse_dynamics(s.state, x, e, motors(s.model)),
    "forward_dynamics": lambda s, x, e: rbdyn.forward_dynamics(s.state, x, e),
    "dynamics": lambda s, x, e: rbdyn.dynamics(s.state, x, e).vd,
    "joint_wrenches": lambda s, x, e: rbdyn.joint_wrenches(s.state, x, e),
    "inverse_dynamics_derivatives": lambda s, x, e: rbdyn.inverse_dynamics_derivatives(s.state, x, e),
    "forward_dynamics_derivatives": lambda s, x, e: rbdyn.forward_dynamics_derivatives(s.state, x, e),
}


@pytest.mark.parametrize("name", WITH_EXTERNAL)
def test_arguments_that_compute(name):
    s = random_system(1)
    call, x = WITH_EXTERNAL[name], s.order(s.vd)
    expected = np.array(call(s, x, s.external))
    nontrivial(expected - np.array(call(s, x, None)))
    pushes = {k: Meddler(s, w) for k, w in s.external.items()}
    vector, external = Meddler(s, x), Meddler(s, pushes)
    np.testing.assert_array_equal(np.array(call(s, vector, external)), expected)
    assert vector.asked and external.asked and all(p.asked for p in pushes.values())


def test_actuated_joints_that_compute():
    s = random_system(2)
    names = motors(s.model)
    expected = rbdyn.inverse_dynamics(s.state, s.vd, s.external, names)
    nontrivial(expected - rbdyn.inverse_dynamics(s.state, s.vd, actuated=names))
    np.testing.assert_array_equal(rbdyn.inverse_dynamics(s.state, s.vd, s.external, Meddler(s, names)), expected)


@pytest.mark.parametrize("name", ["inverse_dynamics_derivatives", "forward_dynamics_derivatives"])
def test_a_list_of_results_that_computes(name):
    """The working memory would be exchanged for a larger one while the derivatives are at it."""
    s = random_system(3)
    function = getattr(rbdyn, name)
    expected = function(s.state.copy(), s.vd, s.external)
    out = MeddlingList(s, [np.full((s.model.nv, s.model.nv), np.nan) for _ in range(3)])
    results = function(s.state, s.vd, s.external, out=out)
    assert out.asked
    for a, b in zip(results, expected, strict=True):
        nontrivial(b)
        np.testing.assert_array_equal(a, b)


def test_a_point_is_held_until_it_has_been_read():
    s = random_system(4)
    numbers = np.array([1.0, 2.0, 3.0])

    class Memory:
        """Lends its numbers to arrays, and takes them away once nobody holds it."""

        __array_interface__ = numbers.__array_interface__

        def __del__(self):
            numbers[:] = 7.0

    class Point:
        def __array__(self, dtype=None, copy=None):
            return np.asarray(Memory())

    expected = rbdyn.angular_momentum(s.state, [1.0, 2.0, 3.0])
    nontrivial(expected - rbdyn.angular_momentum(s.state, [7.0, 7.0, 7.0]))
    np.testing.assert_array_equal(rbdyn.angular_momentum(s.state, Point()), expected)
    assert numbers[0] == 7.0


@pytest.mark.parametrize("unaligned", [False, True])
def test_unaligned_numbers_are_copied(unaligned):
    """Kernels may count on addresses that are multiples of 8: what is not is copied, so a later change is too late."""
    model = rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 3, 5))
    memory = np.zeros(8 * 3 + 8, np.uint8)
    q = memory[1 if unaligned else 0 :][: 8 * 3].view(np.float64)
    q[:] = 1.0, 2.0, 3.0

    class Late:
        def __array__(self, dtype=None, copy=None):
            q[:] = 7.0
            return np.array([0.5, 0.25, 0.125])

    result = rbdyn.integrate(model, q, Late())
    assert result.tolist() == ([1.5, 2.25, 3.125] if unaligned else [7.5, 7.25, 7.125])


ACROSS = {
    "inverse_dynamics": (lambda s, x, out: rbdyn.inverse_dynamics(s.state, x, out=out), "nv", "nv"),
    "forward_dynamics": (lambda s, x, out: rbdyn.forward_dynamics(s.state, x, out=out), "nv", "nv"),
    "solve_mass_matrix": (lambda s, x, out: rbdyn.solve_mass_matrix(s.state, x, out=out), "nv", "nv"),
    "mass_matrix_times": (lambda s, x, out: rbdyn.mass_matrix_times(s.state, x, out=out), "nv", "nv"),
    "project_velocity": (lambda s, x, out: rbdyn.project_velocity(s.state, x, out=out), "nv", "nv"),
    "integrate q": (lambda s, x, out: rbdyn.integrate(s.model, x, s.vd, 0.1, out=out), "nq", "nq"),
    "integrate v": (lambda s, x, out: rbdyn.integrate(s.model, s.state.q, x, 0.1, out=out), "nv", "nq"),
    "difference from": (lambda s, x, out: rbdyn.difference(s.model, x, s.state.q, out=out), "nq", "nv"),
    "difference to": (lambda s, x, out: rbdyn.difference(s.model, s.state.q, x, out=out), "nq", "nv"),
}


@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("name", ACROSS)
def test_results_may_lie_across_arguments(name, shift, seed):
    s = random_system(seed)
    for k, joint in enumerate(s.mechanism.tree_joints):
        joint.rotor_inertia = 0.3 + 0.1 * k if joint.num_velocities == 1 else 0.0
    s = in_motion(s.rng, s.mechanism)
    call, n_in, n_out = ACROSS[name]
    x = s.model.random(s.rng) if n_in == "nq" else s.rng.normal(size=s.model.nv)
    expected = call(s, x.copy(), None)
    nontrivial(expected)
    memory = np.full(80, 0.1)
    given, out = memory[10 : 10 + len(x)], memory[10 + shift :][: getattr(s.model, n_out)]
    given[:] = x
    np.testing.assert_array_equal(call(s, given, out), expected)


# ---- callbacks of simulate ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("loops", [False, True])
def test_a_control_that_computes(loops):
    s = looped(3) if loops else random_system(6)
    pushed = rbdyn.simulate(s.state.copy(), 0.02, 2e-3, lambda t, state: 0.1 * s.tau)

    def control(t, state):
        assert state is s.state
        interfere(s)
        return Meddler(s, 0.1 * s.tau)

    way = rbdyn.simulate(s.state, 0.02, 2e-3, control, progress=lambda done, steps: interfere(s))
    nontrivial(way.v[-1] - way.v[0])
    np.testing.assert_array_equal(way.q, pushed.q)
    np.testing.assert_array_equal(way.v, pushed.v)


def test_a_control_that_computes_and_fails():
    s = looped(5)
    start = s.state.q.copy(), s.state.v.copy()

    def control(t, state):
        interfere(s)
        if t > 0:
            raise ZeroDivisionError
        return s.tau

    with pytest.raises(ZeroDivisionError):
        rbdyn.simulate(s.state, 0.01, 1e-3, control)
    np.testing.assert_array_equal(s.state.q, start[0])
    np.testing.assert_array_equal(s.state.v, start[1])
    interfere(s)


def test_progress_that_edits_the_mechanism():
    s = random_system(7)

    def edit(done, steps):
        s.mechanism.gravity = (0, 0, -1)

    with pytest.raises(rbdyn.StaleModelError, match="was edited"):
        rbdyn.simulate(s.state, 0.128, 1e-3, progress=edit)


def test_numbers_that_edit_the_mechanism():
    s = random_system(8)

    class Edit:
        def __array__(self, dtype=None, copy=None):
            raise AssertionError

        def __index__(self):
            s.mechanism.gravity = (0, 0, -1)
            return 1

    with pytest.raises(rbdyn.StaleModelError, match="was edited"):
        rbdyn.simulate(s.state, 0.01, 1e-3, every=Edit())


def test_what_a_world_does_to_a_root_leaves_a_simulation_alone():
    """A robot's copy keeps the root and the gravity that it began with."""
    world = rbdyn.World()
    robot = world.add_articulated_system(models.double_pendulum())
    robot.set_state([1.0, 0.5])
    expected = rbdyn.simulate(robot.state, 0.01)

    def edit(t, s):
        robot.set_base_pose((0, 0, 1.0 + t))
        world.gravity = (0, 0, -1.0)
        return np.zeros(robot.nv)

    np.testing.assert_array_equal(rbdyn.simulate(robot.state, 0.01, control=edit).q, expected.q)
    assert world.gravity[2] == -1.0 and robot.base_position[2] > 1.0


# ---- threads -----------------------------------------------------------------------------------------------------


def beside(work, other):
    """Run `work` in a thread, and other() here over and over until it is done; how often other() met a BusyError."""
    busy, ready, failed = 0, threading.Event(), []

    def run():
        ready.set()
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait()
    while thread.is_alive():
        try:
            other()
        except rbdyn.BusyError:
            busy += 1
    thread.join()
    assert not failed, failed
    return busy


def test_a_state_that_another_thread_simulates():
    """What is computed from it meanwhile would spoil the simulation, and the other way round."""
    s = random_system(9, n=8)
    alone = s.state.copy()
    rbdyn.simulate(alone, 0.2, 2e-5)
    assert beside(lambda: rbdyn.simulate(s.state, 0.2, 2e-5), lambda: rbdyn.mass_matrix(s.state)) > 0
    np.testing.assert_array_equal(s.state.q, alone.q)
    np.testing.assert_array_equal(s.state.v, alone.v)
    rbdyn.mass_matrix(s.state)


def test_a_control_that_lets_other_threads_compute():
    s = random_system(10)

    def control(t, state):
        thread = threading.Thread(target=interfere, args=(s,))
        thread.start()
        thread.join()
        return s.tau

    alone = rbdyn.simulate(s.state.copy(), 0.004, 1e-3, lambda t, state: s.tau)
    np.testing.assert_array_equal(rbdyn.simulate(s.state, 0.004, 1e-3, control).v, alone.v)


def test_states_of_one_model_in_two_threads():
    s = random_system(11)
    alone, twin = s.state.copy(), s.state.copy()
    rbdyn.simulate(alone, 0.1, 2e-5)
    assert beside(lambda: rbdyn.simulate(twin, 0.1, 2e-5), lambda: interfere(s)) == 0
    np.testing.assert_array_equal(twin.q, alone.q)


def test_a_state_that_another_thread_steps():
    def falling():
        world = rbdyn.World(time_step=1e-4)
        robot = world.add_articulated_system(random_tree(np.random.default_rng(3), 8, [Revolute, Prismatic], False))
        robot.set_state(v=np.ones(robot.nv))
        return world, robot

    (world, robot), (free, alone) = falling(), falling()
    free.step(20000)
    assert beside(lambda: world.step(20000), lambda: rbdyn.body_pose(robot.state, robot.model.body_names[-1])) > 0
    np.testing.assert_array_equal(robot.q, alone.q)
    rbdyn.mass_matrix(robot.state)


def test_a_contact_solver_that_computes_with_the_states():
    class Curious(BisectionSolver):
        def solve(self, problem):
            seen.append(rbdyn.forward_dynamics(robot.state, np.full(robot.nv, 3.0)))
            rbdyn.inverse_dynamics_derivatives(robot.state, np.full(robot.nv, 2.0))
            rbdyn.solve_mass_matrix(robot.state, np.ones(robot.nv))
            super().solve(problem)

    ends, seen = [], []
    for solver in (BisectionSolver(), Curious()):
        world = rbdyn.World(contact=solver)
        world.add_ground()
        robot = world.add_articulated_system(models.quadruped())
        world.step(60)
        ends.append(np.concatenate([robot.q, robot.v]))
    assert len(seen) > 10
    np.testing.assert_array_equal(ends[1], ends[0])
