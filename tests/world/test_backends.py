"""Backends of one's own, in pure Python, and the built-in alternatives, under a standing robot."""

import numpy as np
import pytest
from world.scenes import G, World, stack, standing_quadruped

from rbdyn.collision import CollisionBackend, HalfSpace, NativeBackend, Sphere
from rbdyn.contact import BisectionSolver, ContactSolver, PGSSolver
from rbdyn.errors import CollisionError, ContactError, Error


class PlainGaussSeidel(ContactSolver):
    """A contact solver in twenty lines: normal impulse first, then friction clipped to its disc."""

    def solve(self, problem):
        G, v0, mu = problem.delassus, problem.v_free.ravel(), problem.friction
        lam = problem.impulse.ravel().copy()
        change, sweep = np.inf, 0
        while sweep < 500 and change > 1e-10:
            change, sweep = 0.0, sweep + 1
            for i in range(problem.n):
                s = slice(3 * i, 3 * i + 3)
                old = lam[s].copy()
                n = 3 * i + 2
                lam[n] = max(0.0, lam[n] - (G[n] @ lam + v0[n]) / G[n, n])
                t = slice(3 * i, 3 * i + 2)
                lam[t] -= (G[t] @ lam + v0[t]) / max(G[3 * i, 3 * i], G[3 * i + 1, 3 * i + 1])
                r, most = np.hypot(*lam[t]), mu[i] * lam[n]
                if r > most:
                    lam[t] *= most / r
                change = max(change, np.abs(lam[s] - old).max())
        problem.impulse[:] = lam.reshape(-1, 3)
        problem.iterations, problem.error, problem.converged = sweep, change, change < 1e-10


class BallsOnGround(CollisionBackend):
    """A collision backend that knows balls on a level half-space only."""

    calls = 0

    def detect(self, scene):
        self.calls += 1
        grounds = [s for s in scene.shapes if isinstance(s.shape, HalfSpace)]
        for ball in (s for s in scene.shapes if isinstance(s.shape, Sphere)):
            center = scene.world_pose(ball.id)[:3, 3]
            for ground in grounds:
                height = scene.world_pose(ground.id)[2, 3]
                depth = height + ball.shape.radius - center[2]
                if depth > 0:
                    at = [center[0], center[1], height - 0.5 * depth]
                    scene.add_contact(ball.id, ground.id, at, [0, 0, 1], depth)


def stands(world, steps=800, tolerance=1e-4):
    world.add_ground()
    robot = standing_quadruped(world)
    world.step(steps)
    force = sum(c.force_on(robot) for c in world.contacts)
    assert force[2] == pytest.approx(robot.total_mass * G, rel=tolerance)
    assert np.abs(robot.v).max() < 1e-2
    assert len(world.contacts) == 4
    assert 0.45 < robot.q[2] < 0.53
    return robot


def test_a_solver_in_python_lets_the_quadruped_stand():
    solver = PlainGaussSeidel()
    assert solver.overridden
    world = World(2.5e-3, contact=solver)
    robot = stands(world)
    assert 0 < solver.iterations < 500
    twin = World(2.5e-3)
    other = stands(twin)
    assert robot.q == pytest.approx(other.q, abs=1e-5)


def test_a_collision_backend_in_python_lets_the_quadruped_stand():
    backend = BallsOnGround()
    world = World(2.5e-3, collision=backend)
    robot = stands(world)
    assert backend.calls == 800
    twin = World(2.5e-3, collision=NativeBackend())
    other = stands(twin)
    assert robot.q == pytest.approx(other.q, abs=1e-9)


def test_pgs_lets_the_quadruped_stand():
    for contact in ("pgs", PGSSolver(max_iterations=300)):
        world = World(2.5e-3, contact=contact)
        stands(world)
        assert isinstance(world.contact, PGSSolver)


def test_fcl_carries_a_sphere_and_the_quadruped():
    pytest.importorskip("fcl")
    world = World(2e-3, collision="fcl")
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0, 0, 0.12))
    world.step(300)
    assert ball.position == pytest.approx([0, 0, 0.1], abs=1.5e-5)
    assert world.contacts[0].force_on(ball) == pytest.approx([0, 0, G], abs=1e-6)
    world = World(2.5e-3, collision="fcl")
    stands(world)


def test_a_subclass_may_call_the_solver_it_extends():
    class Halved(BisectionSolver):
        def solve(self, problem):
            super().solve(problem)
            problem.impulse[:] *= 0.5

    world = World(1e-3, contact=Halved())
    world.add_ground()
    ball = world.add_sphere(0.1, 2.0)
    ball.set_pose((0, 0, 0.1 - 1e-6))
    world.step()
    assert ball.linear_velocity[2] == pytest.approx(-0.5 * G * 1e-3, rel=1e-12)
    assert world.contacts[0].force_on(ball)[2] == pytest.approx(0.5 * 2 * G, rel=1e-12)


class SuddenError(Exception):
    """Somebody else's exception."""


@pytest.mark.parametrize("where", ["solver", "collision"])
def test_exceptions_of_a_backend_cross_the_step_unchanged(where):
    problem = SuddenError("as it was")
    armed = []

    class Solver(BisectionSolver):
        def solve(self, view):
            if armed:
                raise problem
            super().solve(view)

    class Backend(NativeBackend):
        def detect(self, scene):
            if armed:
                raise problem
            super().detect(scene)

    world = World(2e-3, contact=Solver() if where == "solver" else None,
                  collision=Backend() if where == "collision" else None)
    world.contact_margin = 0.0
    twin = World(2e-3, collision=NativeBackend())
    for w in (world, twin):
        w.add_ground()
        stack(w, 2)
        robot = standing_quadruped(w)
        robot.set_state(robot.q + np.eye(19)[0])
        w.step(10)

    def present():
        boxes, robot = world.objects[1:3], world.objects[3]
        return [*((o.position, o.linear_velocity) for o in boxes), (robot.q, robot.v)]

    states = present()
    time = world.time
    armed.append(True)
    for call in (world.step, lambda: world.step(5), lambda: (world.integrate1(), world.integrate2())):
        with pytest.raises(SuddenError) as caught:
            call()
        assert caught.value is problem
        assert world.time == time
        after = present()
        for (a, b), (c, d) in zip(states, after, strict=True):
            assert (a == c).all()
            assert (b == d).all()
    armed.clear()
    world.step(50)
    twin.step(50)
    assert world.objects[3].q == pytest.approx(twin.objects[3].q, abs=1e-9)
    assert world.time == pytest.approx(60 * 2e-3)


def test_an_exception_in_the_middle_of_many_steps_keeps_those_done():
    class Third(ContactSolver):
        count = 0

        def solve(self, view):
            self.count += 1
            if self.count == 4:
                raise SuddenError

    world = World(0.01, gravity=(0, 0, 0), contact=Third())
    world.add_ground()
    ball = world.add_sphere(0.1, 1)
    ball.set_pose((0, 0, 0.0999))
    world.set_erp(0.0)
    ball.set_velocity((1, 0, 0))
    with pytest.raises(SuddenError):
        world.step(10)
    assert world.steps == 3
    assert ball.position[0] == pytest.approx(0.03, rel=1e-12)


def test_wrong_answers_of_a_backend_are_refused():
    for value in (np.nan, np.inf, -1.0):
        class Wrong(ContactSolver):
            def solve(self, view, value=value):
                view.impulse[:, 2] = value

        world = World(contact=Wrong())
        world.add_ground()
        ball = world.add_sphere(0.1, 1)
        ball.set_pose((0, 0, 0.0999))
        with pytest.raises(ContactError, match="Wrong"):
            world.step()
        assert (ball.position == [0, 0, 0.0999]).all()

    class Lost(CollisionBackend):
        def detect(self, scene):
            scene.add_contact(0, 99, (0, 0, 0), (0, 0, 1), 0.1)

    world = World(collision=Lost())
    world.add_ground()
    world.add_sphere(0.1, 1)
    with pytest.raises(Error):
        world.step()

    class Nan(CollisionBackend):
        def detect(self, scene):
            scene.add_contact(0, 1, (0, 0, np.nan), (0, 0, 1), 0.1)

    world = World(collision=Nan())
    world.add_ground()
    world.add_sphere(0.1, 1)
    with pytest.raises(CollisionError):
        world.step()
    assert world.time == 0.0


def test_a_view_kept_beyond_the_step_raises():
    kept = []

    class Keeper(BisectionSolver):
        def solve(self, view):
            kept.append((view, view.delassus))
            super().solve(view)

    world = World(contact=Keeper())
    world.add_ground()
    world.add_sphere(0.1, 1).set_pose((0, 0, 0.0999))
    world.step()
    view, matrix = kept[0]
    with pytest.raises(ContactError):
        view.v_free  # noqa: B018
    assert matrix.shape == (3, 3)


def test_unknown_backends_are_named():
    with pytest.raises(KeyError, match="bisection"):
        World(contact="bisektion")
    with pytest.raises(KeyError, match="native"):
        World(collision="bullet")
    for wrong in (3, object(), BisectionSolver):
        with pytest.raises(Error):
            World(contact=wrong)
        with pytest.raises(Error):
            World(collision=wrong)


@pytest.mark.parametrize(
    ("solver", "options"),
    [(BisectionSolver, {"threshold": "auto", "alpha_min": 0.5, "max_iterations": 7}), (PGSSolver, {"threshold": 1e-3})],
)
@pytest.mark.parametrize("given", [{"max_iterations": 20}, {"threshold": 1e-6}, {"max_iterations": 3, "threshold": 0}])
def test_parameters_that_are_not_given_keep_their_values(solver, options, given):
    """Of any solver with sweeps, "auto" among them."""
    world = World(contact=solver(**options))
    before = world.contact.parameters
    world.set_contact_solver_param(**given)
    assert world.contact.parameters == before | given != before
    world.set_contact_solver_param(threshold=before["threshold"], max_iterations=before["max_iterations"])
    assert world.contact.parameters == before
    world.set_contact_solver_param()
    assert world.contact.parameters == before
