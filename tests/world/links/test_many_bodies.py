"""Wires over three and more single bodies: closed forms, the laws of momentum and energy, and what happens to them."""

import numpy as np
import pytest

import rbdyn
from rbdyn.contact import BisectionSolver, PGSSolver
from rbdyn.errors import RemovedError
from rbdyn.world import World
from tests.world.scenes import exact

G = 9.81


def ball(world, mass, place, velocity=(0, 0, 0)):
    body = world.add_sphere(0.05, mass, group=2, mask=1)
    body.set_pose(place)
    body.set_velocity(velocity)
    return body


def machine(dt, masses, kind="stretch_resistant", **options):
    """m1 and m3 on the ends of a rope over two fixed pulleys, m2 on the loose pulley between these.

    All run along one vertical line, so that nothing turns.
    """
    world = World(dt, **options)
    bodies = [ball(world, mass, (0, 0, -1.0 - k)) for k, mass in enumerate(masses)]
    top = (None, (0, 0, 0.0))
    rope = world.add_stiff_wire(bodies[0], bodies[2], via=[top, (bodies[1], (0, 0, 0)), top], stretch_type=kind)
    return world, bodies, rope


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
@pytest.mark.parametrize("masses", [(1.0, 2.5, 1.5), (0.4, 3.0, 4.0), (2.0, 4.0, 2.0)])
def test_atwoods_machine_of_three_masses_with_a_loose_pulley(masses, dt):
    """T (1 / m1 + 4 / m2 + 1 / m3) = 4 g, since z1 + 2 z2 + z3 stays; m a = n T - m g with n = 1, 2, 1 parts."""
    world, bodies, rope = machine(dt, masses)
    m, n = np.array(masses), np.array([1.0, 2.0, 1.0])
    tension = 4.0 * G / (n**2 / m).sum()
    acceleration = n * tension / m - G
    steps = round(0.2 / dt)
    world.step(steps)
    assert [b.linear_velocity[2] for b in bodies] == pytest.approx(acceleration * steps * dt, rel=1e-9, abs=1e-9)
    assert rope.tension == pytest.approx(tension, rel=1e-9)
    assert rope.wrench[5] == pytest.approx(tension, rel=1e-9)
    assert rope.stretch == pytest.approx(0.0, abs=1e-9)
    assert n @ acceleration == pytest.approx(0.0, abs=1e-9)
    if masses[1] != 2.0 * masses[0]:
        assert np.abs(acceleration).min() > 0.2


def test_a_rope_over_five_balls_pulls_at_all_of_them_at_once():
    """From rest, v_k = dt T c_k / m_k with the pull c_k, and the rope gets longer as the winch lets it out."""
    world = World(1e-3, gravity=(0, 0, 0))
    rng = np.random.default_rng(5)
    places, masses = rng.uniform(-1, 1, (5, 3)), rng.uniform(0.5, 3.0, 5)
    bodies = [ball(world, m, p) for m, p in zip(masses, places, strict=True)]
    rope = world.add_stiff_wire(bodies[0], bodies[4], via=[(b, (0, 0, 0)) for b in bodies[1:4]], ratios=(1, 2, 1, 3))
    rope.speed = -0.7
    way = np.diff(places, axis=0)
    way *= (rope.ratios / np.linalg.norm(way, axis=1))[:, None]
    pull = np.zeros((5, 3))
    pull[:-1] += way
    pull[1:] -= way
    world.step()
    impulse = 0.7 / ((pull**2).sum(1) / masses).sum()
    assert rope.impulse == pytest.approx(impulse, rel=1e-9)
    for body, c, m in zip(bodies, pull, masses, strict=True):
        assert body.linear_velocity == pytest.approx(impulse * c / m, rel=1e-9, abs=1e-12)
    assert rope.wrench[3:] == pytest.approx(impulse / 1e-3 * pull[4], rel=1e-9)


def net(seed, dt, kind, solver=None, boxes=6):
    """Boxes in space, thrown, with wires of one kind through points of three to five of them."""
    rng = np.random.default_rng(seed)
    world = World(dt, gravity=(0, 0, 0), **({"contact": solver} if solver else {}))
    bodies = []
    for k in range(boxes):
        body = world.add_box(*rng.uniform(0.1, 0.3, 3), mass=rng.uniform(0.5, 3.0), group=2, mask=1)
        q = rng.normal(size=4)
        body.set_pose((2.0 * np.cos(k), 2.0 * np.sin(k), 0.5 * k), q / np.linalg.norm(q))
        body.set_velocity(0.5 * rng.normal(size=3), rng.normal(size=3))
        bodies.append(body)
    for _ in range(3):
        on = [(bodies[k], rng.uniform(-0.05, 0.05, 3)) for k in rng.permutation(boxes)[: rng.integers(3, 6)]]
        points = {"point_a": on[0][1], "point_b": on[-1][1], "via": on[1:-1]}
        if kind == "elastic":
            wire = world.add_compliant_wire(on[0][0], on[-1][0], stiffness=50.0, damping=0.0, **points)
            wire.length = 0.9 * wire.distance
        else:
            world.add_stiff_wire(on[0][0], on[-1][0], stretch_type=kind, **points)
    if kind == "stretch_resistant":
        bodies[0].set_velocity(2.0 * np.array(bodies[0].position) - 1.0, (0, 0, 0))
    return world, bodies


def momenta(bodies):
    linear = sum(b.linear_momentum for b in bodies)
    return linear, sum(np.cross(b.position, b.linear_momentum) + b.angular_momentum for b in bodies)


def energy(world, bodies):
    stored = sum(0.5 * w.stiffness * max(0.0, w.stretch) ** 2 for w in world.constraints)
    return sum(b.kinetic_energy for b in bodies) + stored


@pytest.mark.parametrize("kind", ["both", "stretch_resistant", "elastic"])
@pytest.mark.parametrize("which", range(4))
def test_random_nets_keep_momentum_and_make_no_energy(which, kind):
    """Linear momentum is exact, and angular momentum of what is elastic.

    All else errs by the second order; of ropes, which get taut and are led back, by the first or more.
    """
    errors = []
    for dt in (4e-3, 1e-3):
        world, bodies = net(which, dt, kind, exact())
        linear, angular = momenta(bodies)
        start = lowest = energy(world, bodies)
        gained, acted = 0.0, False
        for _ in range(round(1.0 / dt)):
            world.step()
            now = energy(world, bodies)
            acted |= any(w.active for w in world.constraints)
            gained, lowest = max(gained, now - lowest), min(lowest, now)
        end = momenta(bodies)
        assert end[0] == pytest.approx(linear, abs=1e-10)
        opened = max(float(w.error) for w in world.constraints) if kind != "elastic" else 0.0
        errors.append((np.abs(end[1] - angular).max(), gained / start, opened))
        assert acted
    for coarse, fine in zip(*errors, strict=True):
        assert fine < 1e-11 or fine < coarse / (2.5 if kind == "stretch_resistant" else 8.0)
    assert errors[1][0] < (1e-11 if kind == "elastic" else 1e-5)
    assert errors[1][1] < 1e-4 and errors[1][2] < 5e-6


def over_all(world, bodies, **options):
    """A rope from the first to the last, through the others' centres."""
    via = [(body, (0, 0, 0)) for body in bodies[1:-1]]
    return world.add_stiff_wire(bodies[0], bodies[-1], via=via, **options)


def flying(n=4, dt=2e-3, **options):
    """Balls that fly apart, on a rod over all of them."""
    world = World(dt, gravity=(0, 0, 0), **options)
    rng = np.random.default_rng(n)
    bodies = [ball(world, rng.uniform(0.5, 3.0), rng.uniform(-1, 1, 3), rng.normal(size=3)) for _ in range(n)]
    return world, bodies, over_all(world, bodies, stretch_type="both")


class Recorder(BisectionSolver):
    """Keeps what it was given."""

    def solve(self, problem):
        super().solve(problem)
        self.delassus, self.jacobian = problem.delassus.copy(), problem.jacobian.toarray()


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_problem_of_such_a_row_is_seen_whole(n):
    """G = sum c_k^2 / m_k, J has each body once; a copy of the problem is the same one."""
    solver = Recorder()
    world, bodies, rod = flying(n, contact=solver)
    points = rod.points
    second = over_all(world, bodies[1:], stretch_type="both")
    world.step()
    pulls = np.zeros((2, n, 3))
    for row, first in enumerate((0, 1)):
        way = np.diff(points[first:], axis=0)
        way /= np.linalg.norm(way, axis=1)[:, None]
        pulls[row, first:-1] += way
        pulls[row, first + 1 :] -= way
    masses = np.array([b.mass for b in bodies])
    expected = np.einsum("rkx,skx,k->rs", pulls, pulls, 1.0 / masses)
    np.testing.assert_allclose(solver.delassus, expected, rtol=1e-12)
    assert abs(expected[0, 1]) > 0.1
    J = solver.jacobian.reshape(2, -1, 6)
    moved = [k for k in range(J.shape[1]) if J[:, k].any()]
    np.testing.assert_allclose(np.abs(J[:, moved, :3]).sum(1), np.abs(pulls).sum(1), rtol=1e-12)
    np.testing.assert_allclose(world.problem.delassus, expected, rtol=1e-12)
    assert second.active and rod.active


@pytest.mark.parametrize("solver", [exact(), exact(threads=2), PGSSolver(threshold=1e-13, max_iterations=5000)])
def test_solvers_agree(solver):
    worlds = [net(7, 2e-3, "both", s) for s in (exact(), solver)]
    for world, _ in worlds:
        world.step(100)
    for one, other in zip(worlds[0][1], worlds[1][1], strict=True):
        np.testing.assert_allclose(other.position, one.position, atol=1e-9)


def test_two_ropes_that_say_the_same_share_the_load_and_change_nothing():
    alone, bodies, rope = machine(2e-3, (1.0, 2.5, 1.5))
    double, others, first = machine(2e-3, (1.0, 2.5, 1.5))
    top = (None, (0, 0, 0))
    second = double.add_stiff_wire(others[0], others[2], via=[top, (others[1], (0, 0, 0)), top])
    for world in (alone, double):
        world.step(100)
    assert first.tension + second.tension == pytest.approx(rope.tension, rel=1e-8)
    for one, other in zip(bodies, others, strict=True):
        assert other.linear_velocity == pytest.approx(one.linear_velocity, abs=1e-8)


def test_the_body_in_the_middle_takes_the_wire_with_it():
    world, bodies, rod = flying()
    world.step(20)
    assert rod.active
    world.remove(bodies[1])
    assert world.constraints == ()
    with pytest.raises(RemovedError):
        rod.tension  # noqa: B018
    left = [b for k, b in enumerate(bodies) if k != 1]
    speeds = [b.linear_velocity for b in left]
    world.step(50)
    for body, v in zip(left, speeds, strict=True):
        np.testing.assert_array_equal(body.linear_velocity, v)


def test_a_wire_that_is_cut_and_laid_anew_goes_on():
    world, bodies, rod = flying()
    world.step(20)
    momentum = momenta(bodies)[0]
    world.remove(rod)
    again = over_all(world, bodies, stretch_type="both")
    world.step(20)
    assert again.active and abs(again.error) < 1e-3
    assert momenta(bodies)[0] == pytest.approx(momentum, abs=1e-11)


def test_what_is_too_long_is_led_back_in_positions_without_speed():
    world, bodies, rod = flying(5)
    for body in bodies:
        body.set_velocity((0, 0, 0))
    rod.length = rod.distance - 0.05
    centre = sum(b.mass * b.position for b in bodies)
    world.step(200)
    assert abs(rod.error) < 1e-5
    assert max(np.abs(b.linear_velocity).max() for b in bodies) < 1e-12
    assert sum(b.mass * b.position for b in bodies) == pytest.approx(centre, abs=1e-12)


def test_a_snapshot_goes_on_bit_for_bit():
    world, bodies, rod = flying(5)
    world.step(30)
    taken = world.snapshot()
    world.step(30)
    end, tension = [b.position.tobytes() for b in bodies], rod.tension
    world.restore(taken)
    world.step(30)
    assert [b.position.tobytes() for b in bodies] == end and rod.tension == tension != 0.0


def test_all_of_them_are_one_island_that_sleeps_and_wakes_together():
    world = World(5e-3)
    world.add_ground()
    world.sleeping, world.sleep_time = True, 0.1
    boxes = [world.add_box(0.2, 0.2, 0.2, mass=1.0) for _ in range(5)]
    for k, box in enumerate(boxes):
        box.set_pose(position=(float(k), 0, 0.1))
    rope = over_all(world, boxes[:4])
    for _ in range(400):
        world.step()
        assert len({box.asleep for box in boxes[:4]}) == 1
    assert all(box.asleep for box in boxes)
    boxes[2].set_external_force(0, (0, 0, 1.0))
    assert [box.asleep for box in boxes] == [False] * 4 + [True]
    rope.length = 3.0
    assert not boxes[0].asleep


def test_pulling_at_one_end_moves_all_that_the_rope_runs_over():
    """Bodies far apart, and a robot between: one island, one solve."""
    world = World(1e-3, gravity=(0, 0, 0), contact=exact())
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("rail"), gravity=(0, 0, 0))
    cart = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(2.0, (0, 0, 0), 0.1 * np.eye(3)))
    mechanism.attach(mechanism.root_body, cart, rbdyn.Joint("rail", rbdyn.Prismatic((0, 1, 0))))
    robot = world.add_articulated_system(mechanism)
    places = [(10, 0, 0), (5, 3, 0), (-5, 3, 0), (-10, 0, 0)]
    bodies = [ball(world, 1.0, p) for p in places]
    via = [(bodies[1], (0, 0, 0)), ((robot, "cart"), (0, 0, 0)), (bodies[2], (0, 0, 0))]
    world.add_stiff_wire(bodies[0], bodies[3], via=via)
    bodies[0].set_external_force(0, (10.0, 0, 0))
    world.step()
    assert all(np.abs(b.linear_velocity).max() > 1e-4 for b in bodies) and robot.v[0] > 1e-4


def test_a_step_that_fails_leaves_no_trace():
    world, bodies, rod = flying()
    world.step(10)
    before = rod.impulse, rod.wrench.tolist(), [b.position.tolist() for b in bodies]
    bodies[2].set_external_force(0, (1e308, 0, 0))
    bodies[2].set_external_force(0, (1e308, 0, 0))
    with pytest.raises(rbdyn.DivergenceError):
        world.step()
    assert (rod.impulse, rod.wrench.tolist(), [b.position.tolist() for b in bodies]) == before
    world.step()
    assert rod.active
