"""Simulation of a mechanism by itself: closed forms, conserved quantities, order of convergence, entry points."""

import _thread
import gc
import pickle
import signal
import threading
import tracemalloc

import numpy as np
import pytest
from algorithms.systems import in_motion, random_system
from reference import oracle
from reference.compare import close, nontrivial
from scipy.integrate import simpson, solve_ivp
from scipy.linalg import expm
from scipy.special import ellipj, ellipk

import rbdyn
from rbdyn import models
from rbdyn.mechanism import Fixed, Floating, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import rand_chain_mechanism as chain
from rbdyn.testing.random_mechanisms import random_rotation, random_tree

G = 9.81


def single(kind, com=(0.0, 0.0, 0.0), principal=(1.0, 1.0, 1.0), gravity=(0.0, 0.0, -G)):
    """One body of 2 kg on one joint."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity)
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(2.0, com, np.diag(principal)))
    m.attach(m.root_body, body, rbdyn.Joint("joint", kind))
    return rbdyn.State(rbdyn.Model(m))


def energy(state):
    return rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)


def distance(model, a, b):
    """Between two (q, v), on the manifold."""
    return max(np.abs(rbdyn.difference(model, a[0], b[0])).max(), np.abs(a[1] - b[1]).max())


# ---- closed forms ------------------------------------------------------------------------------------------------


def test_pendulum_swings_as_elliptic_functions_say():
    """theta = 2 asin(k sn(K - w t)), k = sin(theta0 / 2), w^2 = m g c / I, released at rest at theta0."""
    state = single(Revolute((0, 1, 0)), com=(0, 0, -0.5), principal=(1, 0.3, 1))
    w, k = np.sqrt(2 * G * 0.5 / (0.3 + 2 * 0.5**2)), np.sin(2.5 / 2)
    state.set(q=[2.5])
    times, q, v = rbdyn.simulate(state, 3.0, 5e-4)
    sn, cn, _, _ = ellipj(ellipk(k * k) - w * times, k * k)
    nontrivial(q[:, 0].min(), 2.4)
    close(q[:, 0], 2 * np.arcsin(k * sn), 1e-11)
    close(v[:, 0], -2 * k * w * cn, 1e-11)


@pytest.mark.parametrize("kind", [Spherical(), Floating()])
def test_euler_top_turns_as_elliptic_functions_say(kind):
    """Landau and Lifshitz, Mechanics, section 37, for M^2 > 2 E I2; the momentum stays where it is in space."""
    I1, I2, I3 = principal = np.array([1.0, 1.7, 2.3])
    w0 = np.array([0.9, 0.0, 1.4])
    E2, M2 = w0 @ (principal * w0), (principal * w0) @ (principal * w0)
    assert M2 > E2 * I2
    com = np.array([0.3, -0.2, 0.1]) if isinstance(kind, Floating) else np.zeros(3)
    state = single(kind, com, principal, gravity=(0, 0, 0))
    q = state.model.random(3)
    R = oracle.rotation_of_quaternion(q[-4:])
    drift = np.array([0.1, 0.5, -0.3])
    w = R @ w0
    start = np.concatenate([drift - np.cross(w, R @ com), w]) if isinstance(kind, Floating) else w
    state.set(q, start)
    times, qs, vs = rbdyn.simulate(state, 5.0, 2e-3, every=50)
    rate = np.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
    modulus = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    sn, cn, dn, _ = ellipj(rate * times, modulus)
    top = np.array([w0[0] * cn, np.sqrt((E2 * I3 - M2) / (I2 * (I3 - I2))) * sn, w0[2] * dn]).T
    nontrivial(np.ptp(top, axis=0).min(), 0.1)
    turns = np.array([oracle.rotation_of_quaternion(x[-4:]) for x in qs])
    close(np.einsum("nji,nj->ni", turns, vs[:, -3:]), top, 1e-9)
    close(np.einsum("nij,nj->ni", turns, principal * top), np.tile(R @ (principal * w0), (len(times), 1)), 1e-9)
    if isinstance(kind, Floating):
        close(qs[:, :3] + turns @ com, q[:3] + R @ com + times[:, None] * drift, 1e-9)


def test_forces_that_depend_on_time_act_at_the_right_time():
    """x'' = cos(3 t) / m from rest: x = (1 - cos 3 t) / 9 m."""
    state = single(Prismatic((1, 0, 0)))
    times, q, v = rbdyn.simulate(state, 2.0, 1e-2, lambda t, s: [np.cos(3 * t)])
    close(q[:, 0], (1 - np.cos(3 * times)) / 18, 2e-10)
    close(v[:, 0], np.sin(3 * times) / 6, 2e-9)


# ---- laws --------------------------------------------------------------------------------------------------------


def ends(start, duration, counts, control=None):
    """(q, v) and energy at the end of a simulation of `start` in n steps, for each n."""
    result = []
    for n in counts:
        state = start.copy()
        rbdyn.simulate(state, duration, duration / n, control, every=n)
        result.append((np.array(state.q), np.array(state.v), energy(state)))
    return result


def orders(errors):
    return np.log2(np.array(errors[:-1]) / errors[1:])


def systems():
    """Rotating joints alone, in the middle of a tree, and all types together; each in lively motion."""
    rng = np.random.default_rng(11)
    for kind in (Spherical(), Floating()):
        state = single(kind, (0.1, -0.2, 0.3), (1, 1.7, 2.3), (1.0, 2.0, -9.0))
        state.set(state.model.random(rng), 3 * rng.normal(size=state.model.nv))
        yield pytest.param(state, 1.0, [10, 20, 40, 80], id=kind.kind)
    for types in ([Spherical] * 3, [Floating, Spherical, Floating], [Revolute, Spherical, Prismatic, Fixed, Revolute]):
        state = in_motion(rng, chain(types, 5)).state
        yield pytest.param(state, 0.5, [20, 40, 80, 160], id="-".join(t.kind for t in types))
    for seed in range(6):
        yield pytest.param(random_system(seed, n=7).state, 0.4, [20, 40, 80, 160], id=f"tree{seed}")


@pytest.mark.parametrize("state, duration, counts", list(systems()))
def test_fourth_order_and_energy(state, duration, counts):
    """Half the step, a sixteenth of the error, also in the energy, which the exact motion keeps."""
    *coarse, fine = ends(state, duration, [*counts, 16 * counts[-1]])
    errors = [distance(state.model, end, fine) for end in coarse]
    drifts = [abs(end[2] - energy(state)) for end in coarse]
    assert errors[0] > 1e-9 and min(errors[-1], errors[1]) < 1e-3
    above_rounding = [x for x in errors if x > 1e-11]
    assert len(above_rounding) >= 2
    assert abs(orders(above_rounding)[-1] - 4) < 0.25, errors
    assert abs(fine[2] - energy(state)) < 1e-9 * max(1, abs(energy(state)))
    assert drifts[-1] < 1e-10 or drifts[0] / drifts[-1] > 15.0 ** (len(counts) - 1) / 2, drifts


def turning_rate(theta, w):
    """theta' of exp(theta), angular velocity w in the parent's axes: dexp theta' = w, dexp = sum of ad^k / (k + 1)!."""
    ad, term, dexp = oracle.cross_matrix(theta), np.eye(3), np.zeros((3, 3))
    for k in range(1, 60):
        dexp += term
        term = term @ ad / (k + 1)
    return np.linalg.solve(dexp, w)


@pytest.mark.parametrize("h", [0.01, 0.05, 0.3, 1.0])
def test_one_step_is_that_of_munthe_kaas(h):
    """Four stages, written out with series of matrices; rotation by up to 3 rad in the step."""
    state = single(Spherical(), (0.1, -0.2, 0.3), (1, 1.7, 2.3), (1.0, 2.0, -9.0))
    q, v = state.model.random(8), np.array([1.5, -1.0, 2.0])
    R = oracle.rotation_of_quaternion(q)

    def rates(theta, v):
        x = rbdyn.integrate(state.model, q, theta)
        return turning_rate(theta, v), oracle.forward_dynamics(state.model.mechanism, x, v, np.zeros(3))

    K1, A1 = rates(np.zeros(3), v)
    K2, A2 = rates(h / 2 * K1, v + h / 2 * A1)
    K3, A3 = rates(h / 2 * K2, v + h / 2 * A2)
    K4, A4 = rates(h * K3, v + h * A3)
    state.set(q, v)
    rbdyn.simulate(state, h, h)
    theta = h / 6 * (K1 + 2 * K2 + 2 * K3 + K4)
    close(oracle.rotation_of_quaternion(state.q), expm(oracle.cross_matrix(theta)) @ R, 1e-13)
    close(state.v, v + h / 6 * (A1 + 2 * A2 + 2 * A3 + A4), 1e-13)


@pytest.mark.parametrize("theta", [0.01, 0.0999, 0.1001, 0.5, 0.75, 3.0])
def test_rate_of_the_rotation_vector_to_the_last_digits(theta):
    """A kick in the third stage makes a quick spin about y of a slow one about x: the fourth stage has it alone.

    There the rotation vector is (theta, 0, 0) and dexp^-1 (a, b, 0) = (a, b x cot x, -theta b / 2), x = theta / 2.
    """
    spin, quick, calls = theta, 15.0, []
    state = single(Spherical(), gravity=(0.0, 0.0, 0.0))
    state.set(v=[spin, 0.0, 0.0])

    def control(t, s):
        calls.append(t)
        return [0.0, quick, 0.0] if len(calls) == 3 else np.zeros(3)

    rbdyn.simulate(state, 1.0, 1.0, control)
    x = theta / 2
    last = np.array([spin, quick * x / np.tan(x), -x * quick])
    turn = (np.array([5 * spin, 0.0, 0.0]) + last) / 6
    angle = np.linalg.norm(turn)
    expected = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) / angle * turn])
    nontrivial(expected)
    np.testing.assert_allclose(state.q * np.sign(state.q @ expected), expected, rtol=0, atol=4e-15)


def test_agrees_with_another_integrator_of_another_formulation(seed):
    """DOP853 on quaternions as plain numbers, accelerations by virtual work (reference/oracle.py), and a control."""
    rng = np.random.default_rng([seed, 5])
    types = [(Spherical, Revolute), (Floating, Prismatic, Spherical), (Revolute, rbdyn.Planar)][seed % 3]
    s = in_motion(rng, chain(types, seed))
    nq, push = s.model.nq, rng.normal(size=s.model.nv)

    def forces(t, v):
        return push * np.cos(2 * t) - 0.2 * v

    def rate(t, y):
        q, v = y[:nq], y[nq:]
        qd, i, k = [], 0, 0
        for joint in s.mechanism.tree_joints:
            n, p = joint.num_velocities, joint.num_positions
            flat = n - 3 if p > n else n
            qd += list(v[k : k + flat])
            if p > n:
                w, x = v[k + flat : k + n], q[i + flat : i + p]
                qd += [-0.5 * w @ x[1:], *(0.5 * (x[0] * w + np.cross(w, x[1:])))]
            i, k = i + p, k + n
        return np.concatenate([qd, oracle.forward_dynamics(s.mechanism, q, v, forces(t, v))])

    exact = solve_ivp(rate, (0, 0.4), np.concatenate([s.q, s.v]), "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    start = np.array(s.state.v)
    rbdyn.simulate(s.state, 0.4, 1e-3, lambda t, state: forces(t, state.v))
    nontrivial(s.state.v - start, 0.1)
    close(s.state.q, exact[:nq], 1e-8)
    close(s.state.v, exact[nq:], 1e-8)


def test_energy_changes_by_the_work_of_the_control(seed):
    state = random_system(seed, n=5).state
    wave = np.random.default_rng(seed).uniform(0, 6, state.model.nv)

    def forces(t, v):
        return 3 * np.sin(wave + 4 * t) - 0.5 * v

    before = energy(state)
    times, _, vs = rbdyn.simulate(state, 0.5, 2.5e-4, lambda t, s: forces(t, s.v))
    work = simpson([forces(t, v) @ v for t, v in zip(times, vs, strict=True)], x=times)
    nontrivial(work, 0.1)
    close(energy(state) - before, work, 1e-8)


# ---- what comes back ---------------------------------------------------------------------------------------------


def test_steps_hit_the_duration_and_every_so_many_are_kept():
    for duration, step, every, times in (
        (0.5, 0.2, 1, [0, 0.2, 0.4, 0.5]),
        (0.3, 0.1, 1, [0, 0.1, 0.2, 0.3]),
        (1.0, 0.3, 2, [0, 0.6, 1.0]),
        (1.2, 0.3, 2, [0, 0.6, 1.2]),
        (0.5, 0.2, 10**6, [0, 0.5]),
        (0.1, 7.0, 1, [0, 0.1]),
        (0, 0.1, 1, [0]),
        (1e-12, 1e-3, 1, [0, 1e-12]),
    ):
        state = single(Floating())
        state.set(v=[1, 2, 3, 4, 5, 6])
        way = rbdyn.simulate(state, duration, step, every=every)
        close(way.times, times, 1e-15)
        assert way.times[-1] == duration
        assert way.q.shape == (len(times), 7) and way.v.shape == (len(times), 6)
        np.testing.assert_array_equal(way.q[0], state.model.neutral())
        np.testing.assert_array_equal(way.q[-1], state.q)
        np.testing.assert_array_equal(way.v[-1], state.v)
        close(way.q[:, 0], way.times, 1e-15)
        close(way.v[:, 2], 3 - G * way.times, 1e-15)


def test_thinned_out_trajectory_is_the_full_one_and_a_second_call_continues():
    full, thin, halves = (random_system(3).state for _ in range(3))
    all_of_it, some = rbdyn.simulate(full, 0.2), rbdyn.simulate(thin, 0.2, every=7)
    np.testing.assert_array_equal(all_of_it.q[::7], some.q[:-1])
    np.testing.assert_array_equal(all_of_it.v[-1], some.v[-1])
    rbdyn.simulate(halves, 0.1)
    rbdyn.simulate(halves, 0.1)
    close(halves.v, full.v, 1e-12)


def test_trajectory_is_a_frozen_value():
    state = random_system(2).state
    way = rbdyn.simulate(state, 0.01)
    times, q, v = way
    assert times is way.times and q is way.q and v is way.v
    assert repr(way) == f"Trajectory(11 states over 0.01 s, nq={state.model.nq}, nv={state.model.nv})"
    with pytest.raises(AttributeError):
        way.q = q
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(way)).q, q)
    kept = q.copy()
    rbdyn.simulate(state, 0.01)
    np.testing.assert_array_equal(q, kept)


def test_control_sees_every_stage():
    """The state given is the state seen, at the start, twice in the middle and at the end of each step."""
    state, seen = single(Prismatic((0, 0, 1))), []
    rbdyn.simulate(state, 0.2, 0.1, lambda t, s: seen.append((s is state, t, s.v[0])) or [0.0])
    assert all(same for same, _, _ in seen)
    close([t for _, t, _ in seen], [0, 0.05, 0.05, 0.1, 0.1, 0.15, 0.15, 0.2], 1e-15)
    close([v for _, _, v in seen], [-G * t for _, t, _ in seen], 1e-14)


def test_control_may_use_any_algorithm_and_its_results():
    """What cancels gravity and velocities holds the speed; results are no part of what is computed next."""
    state = random_system(5, n=8).state
    speed = np.array(state.v)

    def control(t, s):
        rbdyn.forward_kinematics(s)
        rbdyn.forward_dynamics(s, np.ones(s.model.nv), external={"body2": np.ones(6)})
        return rbdyn.bias_forces(s)

    rbdyn.simulate(state, 0.05, 1e-2, control)
    close(state.v, speed, 1e-11)


def test_gravity_and_place_of_the_root_are_those_of_the_state():
    """The State of a robot in a World falls as its World says."""
    world = rbdyn.World(gravity=(0, 0, -2.0))
    robot = world.add_articulated_system(models.quadruped())
    close(rbdyn.simulate(robot.state, 1.0, 0.1).v[-1, 2], -2.0, 1e-12)
    assert not robot.v.any()
    world.remove(robot)
    rbdyn.simulate(robot.state, 1.0, 0.1)  # it is its user's now
    close(robot.state.v[2], -2.0, 1e-12)


def test_progress_is_told():
    told = []
    rbdyn.simulate(single(Revolute()), 0.2, progress=lambda done, steps: told.append((done, steps)))
    assert told == [(64, 200), (128, 200), (192, 200), (200, 200)]


# ---- entry points --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"duration": -1.0}, "duration must not be negative, got -1"),
        ({"duration": np.nan}, "duration must be finite"),
        ({"duration": np.inf}, "duration must be finite"),
        ({"duration": "1"}, "duration must hold real numbers"),
        ({"duration": True}, "duration must hold real numbers"),
        ({"duration": None}, "duration must hold real numbers"),
        ({"duration": [1.0]}, "duration must have shape"),
        ({"duration": 1e300, "time_step": 1e-300}, "too many steps"),
        ({"time_step": 0}, "time_step must be above 0"),
        ({"time_step": -0.1}, "time_step must not be negative"),
        ({"time_step": np.nan}, "time_step must be finite"),
        ({"every": 0}, "every must be a number of steps, an int of 1 or more, got 0"),
        ({"every": 1.5}, "every must be"),
        ({"every": True}, "every must be"),
        ({"every": 2**70}, "every must be"),
        ({"stiffness": -1}, "stiffness must not be negative"),
        ({"damping": np.nan}, "damping must be finite"),
        ({"control": 3.0}, "control must be a function or None, got 3.0"),
        ({"progress": "bar"}, "progress must be a function"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, said):
    state = random_system(1).state
    q, v = np.array(state.q), np.array(state.v)
    with pytest.raises(rbdyn.StateError, match=said):
        rbdyn.simulate(state, **({"duration": 1.0} | arguments))
    np.testing.assert_array_equal(state.q, q)
    np.testing.assert_array_equal(state.v, v)


def test_states_that_are_none():
    with pytest.raises(TypeError):
        rbdyn.simulate(None, 1.0)
    with pytest.raises(rbdyn.StateError, match="without its model"):
        rbdyn.simulate(rbdyn.State.__new__(rbdyn.State), 1.0)


def fails_after(state, bad, error, said, steps=3):
    """A control that turns bad in its step `steps` + 1: the state then stands where `steps` steps lead."""
    nv = state.model.nv
    good = state.copy()
    rbdyn.simulate(good, steps * 0.01, 0.01)
    calls = []

    def control(t, s):
        calls.append(t)
        return bad(t, s) if len(calls) == 4 * steps + 3 else np.zeros(nv)

    with pytest.raises(error, match=said):
        rbdyn.simulate(state, 1.0, 0.01, control)
    assert len(calls) == 4 * steps + 3
    np.testing.assert_allclose(state.q, good.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(state.v, good.v, rtol=0, atol=1e-14)
    return good


def throw(error):
    raise error


@pytest.mark.parametrize(
    "bad, error, said",
    [
        (lambda t, s: np.zeros(s.model.nv + 1), rbdyn.StateError, r"what control\(t, state\) returns must have"),
        (lambda t, s: np.full(s.model.nv, np.nan), rbdyn.StateError, r"control\(t, state\) returns must be finite"),
        (lambda t, s: None, rbdyn.StateError, r"control\(t, state\) returns must hold real numbers"),
        (lambda t, s: np.zeros((s.model.nv, 1)), rbdyn.StateError, "must have"),
        (lambda t, s: throw(RuntimeError("my own")), RuntimeError, "my own"),
        (lambda t, s: throw(KeyboardInterrupt("stop")), KeyboardInterrupt, "stop"),
        (lambda t, s: s.set(v=np.ones(s.model.nv)), rbdyn.StateError, "in the middle of a step"),
        (lambda t, s: rbdyn.simulate(s, 1.0), rbdyn.StateError, "in the middle of a step"),
        (lambda t, s: np.full(s.model.nv, 1e308), rbdyn.DivergenceError, "is not finite; the state was left"),
    ],
)
def test_a_control_that_goes_wrong_leaves_the_last_whole_step(bad, error, said):
    state = random_system(7, n=6).state
    good = fails_after(state, bad, error, said)
    rbdyn.simulate(state, 0.1)  # and nothing is stuck
    rbdyn.simulate(good, 0.1)
    close(state.v, good.v, 1e-12)


def test_control_that_edits_the_mechanism():
    state = random_system(7, n=6).state
    mechanism = state.model.mechanism

    def edit(t, s):
        mechanism.gravity = (0, 0, -1)
        return np.zeros(s.model.nv)

    fails_after(state, edit, rbdyn.StaleModelError, "was edited")


def test_the_state_of_a_robot_moves_with_its_world_alone():
    """simulate moves a copy, also after surgery gave the robot another State, and beside steps of its World."""
    world = rbdyn.World()
    robot = world.add_articulated_system(models.double_pendulum())
    robot.set_state([1.0, 0.5])
    before = world.snapshot()
    expected = rbdyn.simulate(robot.state.copy(), 0.1)
    way = rbdyn.simulate(robot.state, 0.1)
    np.testing.assert_array_equal(way.q, expected.q)
    assert world.state_hash() == before.hash and world.time == 0.0

    def step(t, s):
        assert s is not robot.state
        world.step()
        return np.zeros(s.model.nv)

    way = rbdyn.simulate(robot.state, 0.01, control=step)
    np.testing.assert_array_equal(way.q, expected.q[: len(way.q)])
    assert world.steps == 40
    old = robot.state
    robot.weld("elbow")
    q = robot.q
    rbdyn.simulate(robot.state, 0.1)
    np.testing.assert_array_equal(robot.q, q)
    world.restore(before)
    rbdyn.simulate(old, 0.1)
    np.testing.assert_array_equal(robot.q, [1.0, 0.5])
    world.integrate1()
    rbdyn.simulate(robot.state, 0.1)
    np.testing.assert_array_equal(robot.q, [1.0, 0.5])
    world.integrate2()


def test_divergence_names_joint_and_time():
    """A force that grows with the speed, up to the largest there is, makes the speed overflow."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, 0))
    for name in ("calm", "wild"):
        body = rbdyn.RigidBody(name + "_body", rbdyn.SpatialInertia(1.0))
        m.attach(m.root_body, body, rbdyn.Joint(name, Prismatic()))
    state = rbdyn.State(rbdyn.Model(m))
    state.set(v=[1.0, 1.0])
    with pytest.raises(rbdyn.DivergenceError, match=r"time (\S+) s: the .* of joint 'wild' of mechanism 'world'") as e:
        rbdyn.simulate(state, 100.0, 0.1, lambda t, s: [0.0, min(1e6 * float(s.v[1]), 1.7e308)])
    reached = float(str(e.value).split("time ")[1].split()[0])
    assert 1 < reached < 10
    assert np.isfinite(state.q).all() and np.isfinite(state.v).all()
    close(state.q[0], reached, 1e-12)
    assert abs(state.v[1]) > 1e100


def test_joint_without_inertia_is_named():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("nothing"), rbdyn.Joint("loose", Revolute()))
    state = rbdyn.State(rbdyn.Model(m))
    with pytest.raises(rbdyn.MechanismError, match="'loose' moves no inertia"):
        rbdyn.simulate(state, 1.0)
    state.set(v=[1.0])


def test_nothing_that_moves():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    way = rbdyn.simulate(rbdyn.State(rbdyn.Model(m)), 0.01, control=lambda t, s: [])
    assert way.q.shape == way.v.shape == (11, 0)


def test_ctrl_c_ends_a_long_simulation():
    state = single(Revolute((0, 1, 0)), com=(0, 0, -0.5))
    state.set(q=[1.0])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without one
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            rbdyn.simulate(state, 1e9, every=2**31 - 1)
    finally:
        signal.signal(signal.SIGINT, before)
    timer.join()
    assert abs(state.q[0]) <= 1.0 + 1e-9 and state.v[0] != 0.0
    state.set(q=[0.0])


def test_other_threads_cannot_set_the_state_meanwhile():
    state, caught = random_system(3).state, []

    def disturb():
        try:
            state.set(v=np.zeros(state.model.nv))
        except rbdyn.StateError as error:
            caught.append(error)

    def control(t, s):
        if not caught:
            other = threading.Thread(target=disturb)
            other.start()
            other.join()
        return np.zeros(s.model.nv)

    rbdyn.simulate(state, 0.01, control=control)
    assert len(caught) == 1


def test_memory_does_not_grow_with_the_steps():
    state = in_motion(np.random.default_rng(1), random_tree(np.random.default_rng(1), 6)).state

    def peak(steps):
        gc.collect()
        tracemalloc.start()
        rbdyn.simulate(state, steps * 1e-4, 1e-4, every=10**6)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(10)
    assert abs(peak(5000) - peak(10)) < 200


def test_rotation_far_beyond_a_turn_in_one_step_stays_finite_or_says_so():
    state = single(Spherical(), principal=(1, 1.7, 2.3))
    rng = np.random.default_rng(2)
    for speed in (1e1, 1e3, 1e6):
        state.set(v=speed * random_rotation(rng)[0])
        try:
            rbdyn.simulate(state, 1.0, 0.5)
        except rbdyn.DivergenceError:
            continue
        np.testing.assert_allclose(np.linalg.norm(state.q), 1.0, atol=1e-14)
