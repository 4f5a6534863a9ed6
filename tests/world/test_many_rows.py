"""Robots and nets with many rows are solved to the end: rows beside few contacts are no pile."""

import numpy as np
import pytest
from world.scenes import World

from rbdyn import Joint, Revolute, Transform, models
from rbdyn.contact import BisectionSolver, PGSSolver

G = 9.81


def test_a_landing_with_friction_and_velocity_limits_keeps_the_limits():
    """A quadruped falls on its feet with a bounded row or two for each joint; velocities were off by 6.9 rad/s."""
    world = World(0.005)
    world.add_ground()
    robot = world.add_articulated_system(models.path("quadruped"), self_collision=False)
    q = models.QUADRUPED_STANCE.q.copy()
    q[2] += 0.3
    robot.set_state(q)
    robot.set_velocity_limits(2.0)
    robot.set_joint_friction(0.5, 1.0)
    reached = 0
    for _ in range(100):
        world.step()
        assert world.contact.converged
        assert np.abs(robot.v[6:]).max() < 2.0 + 1e-6
        reached += np.abs(robot.v[6:]).max() > 2.0 - 1e-6
    assert reached > 10


def test_a_net_of_ropes_carries_its_knots():
    """Six by six knots of 1 kg, four corners held: ropes do not stretch, and corners carry the weight in the mean."""
    world, n = World(0.002), 6
    knots = [world.add_sphere(0.05, 1.0, mask=0) for _ in range(n * n)]
    for k, knot in enumerate(knots):
        knot.set_pose(position=(0.2 * (k % n), 0.2 * (k // n), 0.0))
    ropes = [world.add_stiff_wire(knots[k], knots[k + 1]) for k in range(n * n) if k % n < n - 1]
    ropes += [world.add_stiff_wire(knots[k], knots[k + n]) for k in range(n * n - n)]
    welds = [world.add_weld(None, knots[k]) for k in (0, n - 1, n * n - n, n * n - 1)]
    world.step(400)
    carried = []
    for _ in range(600):
        world.step()
        carried.append(abs(sum(weld.wrench[5] for weld in welds)))
        assert max(rope.error for rope in ropes) < 1e-3
    assert 0.7 * n * n * G < np.mean(carried) < 1.3 * n * n * G


@pytest.mark.parametrize("dt", [0.001, 0.005])
@pytest.mark.parametrize("solver", [BisectionSolver, PGSSolver])
def test_what_holds_a_distance_twice_is_held_as_once(dt, solver):
    """A rod beside a hinge, and a hinge beside a hinge of one axis: as if the second were not there; 1e279 J before."""

    def run(twice):
        world = World(dt, contact=solver())
        a, b = world.add_sphere(0.1, 2.0, mask=0), world.add_sphere(0.1, 2.0, mask=0)
        a.set_pose(position=(0.5, 0.0, 0.0))
        b.set_pose(position=(0.5, 0.5, 0.3))
        world.add_joint(b, a, Joint("hinge", Revolute()))
        world.add_stiff_wire(None, a, stretch_type="both")
        if twice:
            rod = world.add_stiff_wire(b, a, stretch_type="both")
            world.add_stiff_wire(a, b)
            up = Transform(translation=(0.0, 0.0, 0.4))
            world.add_joint(b, a, Joint("again", Revolute()), up, None)
        b.set_velocity(linear=(1.0, 0.0, 0.0), angular=(0.0, 0.0, 1.0))
        world.step(round(0.5 / dt))
        if twice:
            assert abs(rod.error) < 1e-4
        return np.concatenate([a.position, b.position, a.linear_velocity, b.linear_velocity])

    once = run(False)
    assert np.abs(once[6:]).max() > 0.5
    np.testing.assert_allclose(run(True), once, atol=1e-3)
