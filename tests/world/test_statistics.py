"""What a World says of its solves."""

import numpy as np
import pytest

import rbdyn
from rbdyn.contact import BisectionSolver, ContactStatistics


def dropped_boxes(**options):
    world = rbdyn.World(2e-3, contact=BisectionSolver(**options))
    world.add_ground()
    for k in range(6):
        world.add_box(0.2, 0.2, 0.2, 1.0).set_pose((0.05 * k, 0.0, 0.2 + 0.25 * k), (np.cos(0.2), np.sin(0.2), 0, 0))
    return world


def test_steps_are_counted_over_the_latest_call():
    """The same sums as a look after every step."""
    watched, told = dropped_boxes(max_iterations=5), dropped_boxes(max_iterations=5)
    unconverged = sweeps = 0
    worst = 0.0
    for _ in range(200):
        watched.step()
        unconverged += not watched.contact.converged
        sweeps += watched.contact.iterations
        worst = max(worst, watched.contact.error)
    told.step(200)
    seen = told.contact.statistics
    assert isinstance(seen, ContactStatistics)
    assert (seen.steps, seen.unconverged, seen.iterations, seen.worst_error) == (200, unconverged, sweeps, worst)
    assert unconverged > 10 and worst > 1e-6
    told.step(3)
    assert told.contact.statistics.steps == 3
    assert told.position_solver.statistics.steps == 3


def test_what_no_velocities_can_meet_is_counted():
    """Two fixed plates squeeze a ball: each asks it to part from the other."""
    world = rbdyn.World(2e-3, gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, 1.0)
    for z in (-0.15, 0.15):
        plate = world.add_box(1.0, 1.0, 0.2, 1.0)
        plate.set_pose((0.0, 0.0, 1.2 * z))
        plate.body_type = "static"
    world.step(5)
    seen = world.position_solver.statistics
    assert (seen.rescued, seen.compliant, seen.replaced, seen.swept + seen.refined) == (5, 5, 0, 0)
    assert seen.worst_object == ball.name and seen.worst_error > 1e-3
    assert ball.position == pytest.approx([0, 0, 0], abs=1e-6)
    assert world.contact.statistics.rescued == 0


def test_each_island_ends_with_one_stage():
    """A ball that lies is an island in each of 300 steps, an arm on its stops in most of them."""
    world = rbdyn.World(2e-3)
    world.add_ground()
    world.add_sphere(0.1, 1.0, name="ball").set_pose((0.0, 0.0, 0.1))
    arm = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = arm.root_body
    for k in range(2):
        link = rbdyn.RigidBody(f"link {k}", rbdyn.SpatialInertia(1.0, (0.2, 0.0, 0.0), 0.06 * np.eye(3)))
        arm.attach(body, link, rbdyn.Joint(f"hinge {k}", rbdyn.Revolute((0, 1, 0)), position_limits=(-0.1, 0.1)))
        body = link
    robot = world.add_articulated_system(arm, name="arm")
    world.step(300)
    seen = world.contact.statistics
    assert seen.swept > 100 and seen.given_up == seen.replaced == 0
    assert seen.swept + seen.refined + seen.compliant >= 300
    assert seen.worst_object in ("ball", robot.name) and seen.worst_error > 0.0


def test_reset_counts_anew():
    world = dropped_boxes()
    world.step(50)
    world.contact.reset()
    assert world.contact.statistics == (0, 0, 0, 0, 0.0, None, 0, 0, 0, 0, 0)
