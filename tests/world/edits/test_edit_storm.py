"""Many edits of all kinds, good and bad, by calls and on the mechanism: numbers stay those of a robot built anew."""

from dataclasses import replace

import numpy as np
import pytest

import rbdyn
from rbdyn import Geometry, SpatialInertia, Transform, models
from rbdyn.collision.shapes import Box, Capsule, Sphere
from rbdyn.errors import Error
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.world import World

SHAPES = (lambda r: Sphere(r), lambda r: Box((r, 2 * r, r)), lambda r: Capsule(r, r))


def a_pose(rng):
    return Transform(rpy=rng.uniform(-0.1, 0.1, 3), translation=rng.uniform(-0.05, 0.05, 3) + (0, 0, -0.1))


def an_inertia(rng):
    a, b = rng.uniform(0.01, 0.05, 2)
    return np.diag([a, b, rng.uniform(abs(a - b), a + b) + 1e-9])


def good_edit(rng, world, robot):
    """One edit by its number, on something drawn."""
    bodies, joints = [b for b in robot.bodies if b.mass > 0.0], robot.joints[1:]
    body, joint, shapes = bodies[rng.integers(len(bodies))], joints[rng.integers(len(joints))], robot.geometries
    mechanism, x = robot.mechanism, float(rng.uniform(0.5, 2.0))
    kind = rng.integers(14)
    if kind == 0:
        body.mass = x
    elif kind == 1:
        body.set_inertia(x, rng.uniform(-0.02, 0.02, 3), an_inertia(rng))
    elif kind == 2:
        joint.set(damping=x, friction=0.1 * x, rotor_inertia=0.1 * x)
    elif kind == 3:
        joint.set(position_limits=(-x, x), effort_limit=50.0 * x)
    elif kind == 4:
        joint.placement = a_pose(rng)
    elif kind == 5:
        joint.local_axis = rng.normal(size=3)
    elif kind == 6 and shapes:
        shapes[rng.integers(len(shapes))].set(shape=SHAPES[rng.integers(3)](0.05 * x), pose=a_pose(rng))
    elif kind == 7:
        body.add_geometry(Geometry(Sphere(0.05 * x), a_pose(rng), material=f"m{rng.integers(3)}"))
    elif kind == 8 and shapes:
        shapes[rng.integers(len(shapes))].remove()
    elif kind == 9:
        mechanism.find_body(body.name).inertia = SpatialInertia(x, (0, 0, 0.01), an_inertia(rng))
    elif kind == 10:
        mechanism.place_joint(joint.name, joint_pose=a_pose(rng), successor_pose=a_pose(rng))
    elif kind == 11:
        items = mechanism.find_body(body.name).collision
        items[:] = [replace(item, group=int(rng.integers(1, 4))) for item in items][::-1]
    elif kind == 12:
        robot.self_collision = bool(rng.integers(2))
    else:
        a, b = rng.permutation(len(bodies))[:2]
        if bodies[a].carrier is not bodies[b].carrier:
            (robot.ignore_collision if rng.integers(2) else robot.allow_collision)(bodies[a], bodies[b])


def bad_edit(rng, world, robot):
    """Refused, and nothing is changed."""
    calls = (
        lambda: setattr(robot.body("base"), "mass", -1.0),
        lambda: robot.body("LF_SHANK").set_inertia(1.0, (0, 0, 0), np.diag([1.0, 1.0, 5.0])),
        lambda: robot.joint("LF_KFE").set(damping=1.0, friction=-1.0),
        lambda: setattr(robot.joint("LF_KFE"), "local_axis", (0, 0, 0)),
        lambda: robot.body("base").add_geometry(3),
        lambda: robot.ignore_collision("base", "base"),
        lambda: robot.joint("LF_KFE").place(successor_pose=1),
    )
    before = world.state_hash()
    with pytest.raises(Error):
        calls[rng.integers(len(calls))]()
    assert world.state_hash() == before


@pytest.mark.parametrize("storm", range(6))
def test_a_storm_of_edits(storm):
    rng = np.random.default_rng(storm)
    world = World(1e-3)
    world.add_ground()
    for k in range(3):
        world.add_sphere(0.1, 1.0).set_pose((0.3 * k, 1.0, 0.1))
    robot = world.add_articulated_system(models.quadruped())
    robot.set_pd_gains(80.0, 2.0)
    robot.set_state(QUADRUPED_STANCE.q)
    model, state = robot.model, robot.state
    for k in range(80):
        good_edit(rng, world, robot)
        if k % 4 == 0:
            robot.update()
            bad_edit(rng, world, robot)
        if k % 10 == 0:
            robot.set_state(QUADRUPED_STANCE.q, np.zeros(18))
        world.step(2)
    robot.update()
    assert (robot.model, robot.state) == (model, state)
    twin = rbdyn.State(rbdyn.Model(robot.mechanism))
    twin.set(robot.q, robot.v)
    for function in (rbdyn.mass_matrix, rbdyn.bias_forces, rbdyn.momentum, rbdyn.forward_kinematics):
        assert np.array_equal(function(robot.state), function(twin)), function.__name__
    compare_shapes(world, robot, twin)
    assert np.isfinite(robot.q).all()


def compare_shapes(world, robot, twin):
    """What the backend has is what the mechanism says: a ray from each side would meet the same; here by contacts.

    A World with a robot of the same mechanism, where it is now, finds the same contacts.
    """
    other = World(1e-3)
    other.add_ground()
    fresh = other.add_articulated_system(robot.mechanism, self_collision=False)
    robot.self_collision = False
    for one in (fresh, robot):
        one.set_state(QUADRUPED_STANCE.q, np.zeros(18))
    found = []
    for place, one in ((world, robot), (other, fresh)):
        place.integrate1()
        found.append(sorted((c.body_a, c.body_b, c.depth, *c.position) for c in one.contacts))
        place.integrate2()
    assert found[0] == found[1]
    names = sorted(type(g.shape).__name__ for b in robot.mechanism.bodies for g in b.collision)
    shapes = sorted(type(world.collision.shape(k)).__name__ for k in world.collision.ids)
    assert shapes == sorted([*names, "HalfSpace", *3 * ["Sphere"]])
    assert twin.model is not robot.model
