"""Proximal steps: what they are by an oracle of another kind, and what they do for towers."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver
from rbdyn.world import World

PRECISE = {"threshold": 1e-8, "max_iterations": 1, "warm_start": False, "alternate": False}
STIFFNESS = (300.0, 300.0, 9000.0)  # of the first steps, in units of 1 / mean diagonal of G_ii


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
                found.append((problem.impulse.copy(), problem.velocity()))
            self.cases.append((problem.delassus, problem.v_free.copy(), problem.friction.copy(), before, *found))
            problem.impulse = before
        super().solve(problem)


def nearest(y, mu):
    """The points of the cones |t| <= mu n nearest to y (n, 3)."""
    r = np.hypot(y[:, 0], y[:, 1])
    push = np.maximum((mu * r + y[:, 2]) / (1 + mu**2), 0.0)
    side = np.where(r > 0, mu * push / np.where(r > 0, r, 1.0), 0.0)
    edge = np.column_stack([side * y[:, 0], side * y[:, 1], push])
    return np.where((r <= mu * y[:, 2])[:, None], y, edge)


def proximal_step(G, v_free, mu, rho, lam, velocity):
    """The least of a convex function of the impulses, by accelerated projected gradients, to rounding."""
    shift = np.zeros_like(lam)
    shift[:, 2] = mu * np.hypot(velocity[:, 0], velocity[:, 1])
    A = G + np.diag(np.repeat(1 / rho, 3))
    b = (v_free + shift - lam / rho[:, None]).ravel()
    step, momentum, x, y = 1 / np.linalg.norm(A, 2), 1.0, lam.ravel().copy(), lam.ravel().copy()
    for _ in range(20000):
        new = nearest((y - step * (A @ y + b)).reshape(-1, 3), mu).ravel()
        if (y - new) @ (new - x) > 0:  # restart: the way turned back
            momentum = 1.0
        after = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        y = new + (momentum - 1) / after * (new - x)
        moved = np.abs(new - x).max()
        x, momentum = new, after
        if moved < 1e-15:
            break
    return x.reshape(-1, 3)


def test_steps_are_those_of_the_proximal_point_method():
    """Impulses of rocking towers after one sweep and the steps: one of three iterates of the dense Delassus matrix."""
    cases, steps, modes = [], [], set()
    for friction, kick in ((0.8, 0.02), (0.1, 0.1)):
        world = World(2e-3, contact=Beside())
        tower(world, 7, kick, friction=friction)
        world.step(200)
        cases += world.contact.cases[5:]
    for G, v_free, mu, before, (swept, velocity), (ours, _) in cases:
        if np.array_equal(swept, ours):  # the sweep was as good
            continue
        lam, distances = before, []
        for stiffness in STIFFNESS:
            rho = stiffness * 3 / G.diagonal().reshape(-1, 3).sum(axis=1)
            lam = proximal_step(G, v_free, mu, rho, lam, velocity)
            velocity = v_free + (G @ lam.ravel()).reshape(-1, 3)
            distances.append(np.abs(ours - lam).max() / np.abs(lam).max())
        assert min(distances) < 1e-6
        steps.append(int(np.argmin(distances)))
        r, push = np.hypot(ours[:, 0], ours[:, 1]), ours[:, 2]
        modes |= {"open"} if (push == 0).any() else set()
        modes |= {"slide"} if ((push > 0) & (r > 0.999999 * mu * push)).any() else set()
        modes |= {"stick"} if (r < 0.9 * mu * push).any() else set()
    assert set(steps) == {0, 1, 2} and modes == {"open", "slide", "stick"}


@pytest.mark.parametrize("shape", ["box", "cylinder"])
@pytest.mark.parametrize(
    ("dt", "height", "kick"), [(1e-3, 15, 0.02), (1e-3, 25, 0.02), (2e-3, 25, 0.05), (5e-3, 40, 0.02)]
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
