"""Rows that the step before needed late are there from the start: a step is not done twice, step after step."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn.contact import BisectionSolver

DT = 0.01


class Counting(BisectionSolver):
    """Counts its solves."""

    solves = 0

    def solve(self, problem):
        self.solves += 1
        super().solve(problem)


def cart(mass, *joints):
    """A box of 0.1 m behind these joints."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = mechanism.root_body
    for joint in joints:
        link = rbdyn.RigidBody(f"behind {joint.name}", rbdyn.SpatialInertia(mass, (0, 0, 0), 0.01 * mass * np.eye(3)))
        mechanism.attach(body, link, joint)
        body = link
    body.collision.append(rbdyn.Geometry(rbdyn.collision.Box((0.1, 0.1, 0.1))))
    return mechanism


def test_a_light_cart_presses_with_all_that_its_motor_has():
    """Free motion takes its motor for one within its limits, and the wall shows that it is not."""
    world = World(DT, gravity=(0, 0, 0), contact=Counting())
    wall = world.add_box(0.1, 1.0, 1.0, 1.0)
    wall.body_type = "static"
    wall.set_pose((0.1, 0.0, 0.0))
    robot = world.add_articulated_system(cart(1e-3, rbdyn.Joint("rail", rbdyn.Prismatic((1, 0, 0)))))
    robot.set_effort_limits(-5.0, 5.0)
    robot.set_pd_gains(1e4, 10.0)
    robot.set_pd_target([0.1])
    world.step(5)
    for _ in range(20):
        before = world.contact.solves
        world.step()
        assert world.contact.solves == before + 1
        assert robot.applied_force == pytest.approx([5.0], rel=1e-6)
        assert sum(c.force_on(robot) for c in world.contacts)[0] == pytest.approx(-5.0, rel=1e-4)
    robot.set_pd_target([-1e-4])
    world.step(20)
    assert robot.q[0] == pytest.approx(-1e-4, abs=1e-6)


def test_a_cart_on_a_belt_stays_at_its_largest_speed():
    """Friction alone drives it beyond, and no longer once the belt stands."""
    world = World(DT, contact=Counting())
    belt = world.add_box(10.0, 1.0, 0.1, 1.0)
    belt.body_type = "kinematic"
    belt.set_pose((0.0, 0.0, -0.1))
    belt.set_velocity((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    rail = rbdyn.Joint("rail", rbdyn.Prismatic((1, 0, 0)), velocity_limit=0.2)
    robot = world.add_articulated_system(cart(1.0, rail, rbdyn.Joint("lift", rbdyn.Prismatic((0, 0, 1)))))
    world.step(50)
    for _ in range(20):
        before = world.contact.solves
        world.step()
        assert world.contact.solves == before + 1
        assert robot.v[0] == pytest.approx(0.2, rel=1e-9)
    belt.set_velocity((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.step(50)
    assert robot.v[0] == pytest.approx(0.0, abs=1e-9)
