"""Stacks, walls and random contact graphs: the laws hold, and velocities are those of sweeps alone."""

import numpy as np
import pytest

from rbdyn import models
from rbdyn.contact import BisectionSolver, ContactSolver, Problem
from rbdyn.world import World


class Recorder(ContactSolver):
    """Hands every problem on, and keeps its matrix, right side and impulses."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def solve(self, problem):
        self.inner.solve(problem)
        self.delassus, self.v_free = problem.delassus.copy(), problem.v_free.reshape(-1).copy()
        self.impulse, self.friction = problem.impulse.reshape(-1).copy(), problem.friction.copy()
        self.solved = problem.converged


def stack(n, solver, tilt=0.0, heading=0.0):
    """One step of a stack of n cubes, each resting on the one below, from no impulses, on a slope along `heading`."""
    recorder = Recorder(solver)
    down = np.array([np.sin(tilt) * np.cos(heading), np.sin(tilt) * np.sin(heading), -np.cos(tilt)])
    world = World(0.005, gravity=9.81 * down, contact=recorder)
    world.add_ground()
    for k in range(n):
        world.add_box(0.2, 0.2, 0.2, 1.0 + k % 3).set_pose((0.0, 0.0, 0.1 + 0.2 * k))
    world.step()
    return recorder


def residual(r):
    """Largest violation of the law: velocities that should vanish, cones, complementarity [m/s, N s]."""
    v = (r.delassus @ r.impulse + r.v_free).reshape(-1, 3)
    lam = r.impulse.reshape(-1, 3)
    slack = r.friction * lam[:, 2] - np.hypot(lam[:, 0], lam[:, 1])
    sticking = slack > 1e-9 * (1 + lam[:, 2])
    return max(
        -v[:, 2].min(initial=0.0),
        np.abs(v[:, 2] * lam[:, 2]).max(),
        np.abs(v[sticking]).max(initial=0.0),
        -slack.min(initial=0.0),
        -lam[:, 2].min(initial=0.0),
    )


@pytest.mark.parametrize("n, tilt, heading", [(5, 0.0, 0.0), (20, 0.0, 0.0), (12, 0.05, 0.0), (12, 0.05, 1.0)])
def test_a_cold_stack_is_solved(n, tilt, heading):
    """Twenty cubes stand after one cold solve: every contact at rest, the ground carries the weight."""
    solver = BisectionSolver(warm_start=False)
    r = stack(n, solver, tilt, heading)
    assert r.solved and residual(r) < 1e-8
    weight = 9.81 * np.cos(tilt) * 0.005 * sum(1.0 + k % 3 for k in range(n))
    assert weight > 0.3
    ground = r.impulse.reshape(-1, 3)[:4, 2]
    assert ground.sum() == pytest.approx(weight, rel=1e-8)


def test_a_toppling_tower_lets_go_where_it_must():
    """Leaning too far to stand, the tower opens contacts on its upper side; the law holds all the same."""
    r = stack(12, BisectionSolver(threshold=1e-8, warm_start=False), 0.3)
    assert r.solved and residual(r) < 1e-8
    lam = r.impulse.reshape(-1, 3)[:, 2]
    assert (lam == 0).sum() >= 2 and (lam > 0).sum() >= 20


def test_sweeps_alone_do_not_get_there():
    """The reason for Newton's method: without it, the same stack is not solved in 150 sweeps."""
    solver = BisectionSolver(warm_start=False, newton=False)
    r = stack(20, solver)
    assert not r.solved
    assert residual(r) > 1e-6


def test_velocities_equal_those_of_sweeps_alone(seed):
    """Random coupled problems with stick, slip and open contacts: the contact velocities are those of plain sweeps."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    rows = rng.normal(size=(3 * n, 3 * n + 4))
    G = rows @ rows.T / (3 * n)
    v_free = rng.normal(size=(n, 3))
    v_free[:, 2] -= 1.0
    friction = rng.uniform(0.0, 1.5, n)
    friction[0] = 0.0
    answers = []
    for newton in (True, False):
        problem = Problem(G, v_free, friction)
        solver = BisectionSolver(newton=newton, max_iterations=20000, threshold=1e-13)
        solver.solve(problem)
        assert problem.converged
        answers.append(np.array(problem.velocity()))
    assert np.abs(answers[1]).max() > 1e-2
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-9)


def test_bodies_that_cannot_move_hold():
    """A problem may name bodies of infinite mass; they stay where they are and the others rest on them."""
    contacts = 3
    frame = np.broadcast_to(np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]), (contacts, 3, 3))
    arms = np.array([[0.1, 0.0, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]])
    problem = Problem.from_bodies(
        inverse_mass=[1.0, 0.0],
        inverse_inertia=[np.eye(3) * 100.0, np.zeros((3, 3))],
        frame=frame,
        single_a=[0, 0, 0],
        single_b=[1, 1, 1],
        arm_a=arms,
        arm_b=arms + (0.0, 0.0, 1.0),
        v_free=np.tile([0.02, 0.0, -0.05], (contacts, 1)),
        friction=0.8,
    )
    solver = BisectionSolver()
    solver.solve(problem)
    assert problem.converged
    assert np.abs(problem.velocity()).max() < 1e-8
    assert problem.impulse.reshape(-1, 3)[:, 2].sum() == pytest.approx(0.05, rel=1e-6)


def random_bodies(rng, bodies=14, contacts=30, friction=(0.3, 1.2)):
    """Arguments of contacts between random pairs of free bodies, and with the ground."""
    frames = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(contacts)]
    a = rng.integers(0, bodies, contacts)
    b = (a + rng.integers(1, bodies, contacts)) % bodies
    b[rng.uniform(size=contacts) < 0.2] = -1
    v_free = rng.normal(size=(contacts, 3))
    v_free[:, 2] -= 1.0
    A = rng.normal(size=(bodies, 3, 3))
    return {
        "inverse_mass": rng.uniform(0.5, 2.0, bodies), "inverse_inertia": A @ A.transpose(0, 2, 1) + np.eye(3),
        "frame": [R * np.linalg.det(R) for R in frames], "single_a": a, "single_b": b, "v_free": v_free,
        "arm_a": rng.normal(size=(contacts, 3)), "arm_b": rng.normal(size=(contacts, 3)),
        "friction": rng.uniform(*friction, contacts),
    }  # fmt: skip


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_bodies_that_touch_in_any_pattern(seed, friction):
    """Random contact graphs, whose factor fills in: the velocities of plain sweeps."""
    arguments = random_bodies(np.random.default_rng(seed), friction=(friction, 1.5 * friction))
    velocities = []
    for newton in (True, False):
        problem = Problem.from_bodies(**arguments)
        solver = BisectionSolver(newton=newton, max_iterations=20000, threshold=1e-12)
        solver.solve(problem)
        assert problem.converged
        velocities.append(np.array(problem.velocity()))
    assert np.abs(velocities[1]).max() > 0.1
    np.testing.assert_allclose(velocities[0], velocities[1], atol=1e-10)


def test_a_cold_wall_is_solved():
    """Bricks in bond have no order in which only neighbours touch."""
    recorder = Recorder(BisectionSolver(warm_start=False, threshold=1e-8))
    world = World(0.005, contact=recorder)
    world.add_ground()
    for row in range(9):
        for k in range(9):
            world.add_box(0.1, 0.19, 0.1, 1.0).set_pose((0.0, 0.2 * k + 0.1 * (row % 2), 0.05 + 0.1 * row))
    world.step()
    assert recorder.solved
    assert residual(recorder) < 1e-8


@pytest.mark.parametrize("rows", [3, 4])
def test_what_ends_on_the_rim_of_its_friction_is_settled(rows):
    """Half a brick of every second row juts out and tips: one corner slides, and all others hold."""
    recorder = Recorder(BisectionSolver(warm_start=False))
    world = World(0.005, contact=recorder)
    world.add_ground()
    for row in range(rows):
        for k in range(4):
            world.add_box(0.1, 0.19, 0.1, 1.0).set_pose((0.0, 0.2 * (k + 0.5 * (row % 2)), 0.05 + 0.1 * row))
    world.step()
    assert recorder.solved
    assert residual(recorder) < 1e-8


def standing(solver):
    """One step of a quadruped that comes to stand on its four feet, from no impulses."""
    recorder = Recorder(solver)
    world = World(0.005, contact=recorder)
    world.add_ground()
    world.add_articulated_system(models.quadruped()).set_state(models.QUADRUPED_STANCE.q)
    world.step()
    assert len(recorder.friction) == 4
    return recorder


@pytest.mark.parametrize("count", [1, 12])
def test_memory_at_hand_decides_nothing(count):
    """The room that other islands, solved before by this thread, had left changes no bit."""
    used = BisectionSolver()
    stack(count, used)
    after = standing(used)
    np.testing.assert_array_equal(after.impulse, standing(BisectionSolver()).impulse)


@pytest.mark.parametrize("threshold", ["auto", 1e-8])
def test_one_body_rests_on_many(threshold):
    """100 kg on 25 balls of a gram, which touch nothing else: a star, whose envelope was full and never factored."""
    world = World(0.01, contact=BisectionSolver(threshold=threshold))
    world.set_default_material(0.3)
    world.add_ground()
    for i in range(25):
        world.add_sphere(0.09, 1e-3).set_pose(((i // 5 - 2) * 0.195, (i % 5 - 2) * 0.195, 0.09))
    box = world.add_box(0.8, 0.8, 0.2, 100.0)
    box.set_pose((0.0, 0.0, 0.282))
    unconverged = 0
    for _ in range(100):
        world.step()
        unconverged += world.contact.statistics.unconverged
    assert unconverged == 0 and box.position[2] == pytest.approx(0.28, abs=1e-5)
    assert sum(c.force_on(box)[2] for c in box.contacts) == pytest.approx(981.0, rel=1e-6)


def test_impulses_between_two_walls_do_not_run_away(seed):
    """A box turns between walls of friction 2 that throw it back, with 5 mm to spare: laws contradict there."""
    rng = np.random.default_rng(80 if seed == 0 else seed)
    world = World(0.002, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(friction=2.0, restitution=1.0)
    world.set_erp(0.0)
    for x in (0.225, -0.225):
        world.add_box(0.2, 2.0, 2.0, body_type="static").set_pose((x, 0.0, 0.0))
    box = world.add_box(0.22, 0.3, 0.3, mass=1.0)
    box.set_velocity(3.0 * rng.normal(size=3), 20.0 * rng.normal(size=3))
    touched = 0
    for _ in range(250):
        before = box.kinetic_energy
        world.step()
        touched += len(world.contacts)
        assert box.kinetic_energy <= before * (1 + 1e-9)
        assert all(np.abs(c.impulse).max() < 1e4 for c in world.contacts)
    assert touched > 0
