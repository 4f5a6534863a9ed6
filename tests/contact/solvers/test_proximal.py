"""Proximal steps: what they are by an oracle of another kind, and what they do for towers."""

import numpy as np
import pytest
from reference.contact_system import residual

from rbdyn.contact import BisectionSolver, Problem
from rbdyn.world import World

PRECISE = {"threshold": 1e-8, "max_iterations": 1, "warm_start": False, "alternate": False}
STIFFNESS = 300.0  # of the first step, in units of 1 / mean diagonal of G_ii


def tower(world, height, kick=0.02, shape="box", seed=0, friction=0.8):
    """Bodies of 0.2 m and 1 kg on one another, which rest for a tenth of a second and are kicked."""
    rng = np.random.default_rng(seed)
    world.add_ground()
    world.set_default_material(friction)
    add = {"box": lambda: world.add_box(0.2, 0.2, 0.2, 1.0), "cylinder": lambda: world.add_cylinder(0.1, 0.2, 1.0)}[
        shape
    ]
    bodies = [add() for _ in range(height)]
    for k, body in enumerate(bodies):
        body.set_pose((0.0, 0.0, 0.2 * (k + 0.5)))
    world.step(round(0.1 / world.time_step))
    for body in bodies:
        body.set_velocity(kick * rng.normal(size=3), 3 * kick * rng.normal(size=3))
    return bodies


def energy(bodies):
    return sum(body.kinetic_energy + body.potential_energy for body in bodies)


class Beside(BisectionSolver):
    """Solves every tenth problem twice more, by one sweep, and by one sweep with proximal steps after it."""

    def __init__(self):
        super().__init__()
        self.cases, self.count = [], 0
        self.sweep, self.steps = BisectionSolver(**PRECISE, direct=False), BisectionSolver(**PRECISE)

    def solve(self, problem):
        self.count += 1
        if self.count % 10 == 0:
            before, found = problem.impulse.copy(), []
            for solver in (self.sweep, self.steps):
                problem.impulse = before
                solver.solve(problem)
                found.append(problem.impulse.copy())
            self.cases.append((problem.delassus, problem.v_free.copy(), problem.friction.copy(), before, *found))
            problem.impulse = before
        super().solve(problem)


def proximal_step(G, v_free, mu, rho, lam):
    """Coulomb's law for v + (lam+ - lam) / rho, by sweeps of the dense problem, and looked at."""
    soft, free = G + np.diag(np.repeat(1 / rho, 3)), v_free - lam / rho[:, None]
    problem = Problem(soft, free, mu)
    problem.impulse = lam
    BisectionSolver(threshold=1e-14, max_iterations=20000, patience=20000, direct=False).solve(problem)
    assert residual(soft, free, mu, problem.impulse, "coulomb")[0] < 1e-9
    return problem.impulse.copy()


def test_steps_are_those_of_the_proximal_point_method():
    """Impulses of rocking towers after one sweep and the steps: the first iterate, or a later one that is nearer."""
    cases, first, later, modes = [], 0, 0, set()
    for friction, kick in ((0.8, 0.02), (0.3, 0.05), (0.1, 0.1), (0.05, 0.1)):
        world = World(2e-3, contact=Beside())
        tower(world, 7, kick, friction=friction)
        world.step(200)
        cases += world.contact.cases[5:]
    for G, v_free, mu, before, swept, ours in cases:
        if np.array_equal(swept, ours):  # the sweep was as good
            continue
        rho = STIFFNESS * 3 / G.diagonal().reshape(-1, 3).sum(axis=1)
        lam = proximal_step(G, v_free, mu, rho, before)
        if np.abs(ours - lam).max() < 1e-6 * np.abs(lam).max():
            first += 1
        else:
            assert residual(G, v_free, mu, ours, "coulomb")[0] < 0.5 * residual(G, v_free, mu, lam, "coulomb")[0]
            later += 1
        r, push = np.hypot(ours[:, 0], ours[:, 1]), ours[:, 2]
        modes |= {"open"} if (push == 0).any() else set()
        modes |= {"slide"} if ((push > 0) & (r > 0.999999 * mu * push)).any() else set()
        modes |= {"stick"} if (r < 0.9 * mu * push).any() else set()
    assert first >= 12 and later >= 1 and modes == {"open", "slide", "stick"}


@pytest.mark.parametrize("shape", ["box", "cylinder"])
@pytest.mark.parametrize(
    ("dt", "height", "kick"), [(1e-3, 15, 0.02), (1e-3, 25, 0.02), (2e-3, 25, 0.05), (2e-3, 40, 0.02)]
)
def test_towers_that_were_kicked_come_to_rest(shape, dt, height, kick):
    """Whatever the step: they once rocked for ever, at 0.1 m/s, on what correcting depths lifted, or fell."""
    for seed in range(2):
        world = World(dt)
        bodies = tower(world, height, kick, shape, seed)
        most = energy(bodies)
        for _ in range(round(2.0 / dt)):
            world.step()
            assert energy(bodies) <= most
        assert world.contact.converged
        assert max(np.linalg.norm(body.linear_velocity) for body in bodies) < 1e-5
        assert max(np.hypot(*body.position[:2]) for body in bodies) < 0.1
        np.testing.assert_allclose([body.position[2] for body in bodies], 0.2 * (np.arange(height) + 0.5), atol=1e-3)


def test_precise_towers_rest():
    """With a number as the threshold proximal steps follow 150 sweeps, at any speed."""
    world = World(2e-3, contact=BisectionSolver(threshold=1e-8))
    bodies = tower(world, 25, seed=2)
    world.step(1000)
    assert max(np.linalg.norm(body.linear_velocity) for body in bodies) < 1e-5


@pytest.mark.parametrize("options", [{"friction_law": "raisim"}, {"alpha_min": 0.9}, {"max_iterations": 1}])
def test_what_takes_none(options):
    """Other laws and relaxed sweeps stay as they are; only with Coulomb's law and plain sweeps `direct` counts."""
    found = []
    for direct in (True, False):
        world = World(
            2e-3, contact=BisectionSolver(**{"threshold": 1e-8, "max_iterations": 7} | options, direct=direct)
        )
        bodies = tower(world, 7)
        world.step(20)
        found.append(np.array([body.position for body in bodies]))
    assert np.array_equal(*found) == (options != {"max_iterations": 1})


@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3])
def test_a_brick_that_is_pushed_out_leaves_its_load_behind(dt):
    """A plank on three bricks, the middle one of which is pushed: friction of the two others is twice what drags."""
    world = World(dt)
    world.add_ground()
    world.set_default_material(0.5)
    world.set_material_pair("slip", "default", friction=0.0)
    bricks = [world.add_box(0.1, 0.05, 0.05, 0.2) for _ in range(3)]
    for k, brick in enumerate(bricks):
        brick.set_pose((0.0, 0.1 * (k - 1), 0.025))
    plank = world.add_box(0.1, 0.3, 0.02, 10.0)
    plank.set_pose((0.0, 0.0, 0.06))
    for k in range(4):
        world.add_box(0.04, 0.04, 0.04, 0.1).set_pose((0.0, 0.08 * k - 0.12, 0.09))
    pusher = world.add_box(0.02, 0.01, 0.03, body_type="kinematic", material="slip")
    pusher.set_pose((-0.0601, 0.0, 0.025))
    world.step(round(0.3 / dt))
    pusher.set_velocity((0.005, 0.0, 0.0))
    world.step(round(2.0 / dt))
    assert bricks[1].position[0] > 0.0095
    assert all(abs(body.position[0]) < 2e-4 for body in (plank, bricks[0], bricks[2]))
