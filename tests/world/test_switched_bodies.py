"""Bodies in welds, joints, wires, couplings and contacts that become static, kinematic and dynamic again.

Islands of constraints in which nothing moves are among them: they have rows, and no unknowns.
"""

import copy

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform
from rbdyn.testing import random_tree
from rbdyn.world import World

SOLVERS = ({}, {"threshold": 0.0}, {"threshold": 1e-14, "max_iterations": 400})
JOINTS = (Revolute((0, 1, 0)), Prismatic((0, 0, 1)), Spherical())


def ends(world, kind="weld"):
    """Two boxes, held to one another and to the ground; wires hang from a metre above them."""
    ground = world.add_ground()
    boxes = [world.add_box(0.2, 0.2, 0.2, 1.0) for _ in range(2)]
    for k, box in enumerate(boxes):
        box.set_pose((0.5 * k, 0.0, 1.0))
    a, b = boxes
    for one, two in ((ground, a), (a, b), (ground, b)):
        above = (two.position[0], 0.0, 2.0) if one is ground else (0.0, 0.0, 0.0)
        if kind == "weld":
            world.add_weld(one, two)
        elif kind == "joint":
            world.add_joint(one, two, Joint("held", Spherical()))
        elif kind == "stiff wire":
            world.add_stiff_wire(one, two, point_a=above)
        elif kind == "compliant wire":
            world.add_compliant_wire(one, two, stiffness=1e3, damping=10.0, point_a=above)
        else:
            world.add_custom_wire(one, two, law=lambda x, v: 1e3 * x + v, point_a=above)
    return boxes


def hold(body, kind):
    """Make a body of a type; what becomes kinematic stands still."""
    body.body_type = kind
    if kind == "kinematic":
        body.set_velocity(np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("solver", [0, 1, 2])
@pytest.mark.parametrize("kind", ["weld", "joint", "stiff wire", "compliant wire", "custom wire"])
@pytest.mark.parametrize("held", ["static", "kinematic"])
def test_constraints_between_what_does_not_move(solver, kind, held):
    """They ask nothing of anybody, in contacts with the ground too, and act as before once their bodies are free."""
    world = World(1e-3)
    world.set_contact_solver_param(**SOLVERS[solver])
    boxes = ends(world, kind)
    world.step(3)
    before = [(box.position.copy(), box.rotation.copy()) for box in boxes]
    for box in boxes:
        hold(box, held)
    world.step(3)
    boxes[0].set_pose((0.0, 0.0, 0.05))                # in the ground, far from where its constraints want it
    world.step(3)
    boxes[0].set_pose(before[0][0])
    for box, (position, rotation) in zip(boxes, before, strict=True):
        assert np.array_equal(box.position, position)
        assert np.allclose(box.rotation, rotation, rtol=0, atol=1e-15)
        assert not box.linear_velocity.any() and not box.angular_velocity.any()
    for box in boxes:
        box.body_type = "dynamic"
    world.step(3)
    fall = before[0][0][2] - boxes[0].position[2]
    assert (abs(fall) < 1e-9) == (kind in ("weld", "joint", "stiff wire")) and fall < 1e-3


def machine(rng):
    """A few joints of all kinds; by chance fixed to the world, with nothing that moves, or free."""
    if rng.integers(4) == 0:
        still = Mechanism(RigidBody("world"))
        still.attach(still.root_body, RigidBody("only", SpatialInertia(1.0, (0, 0, 0), 0.1 * np.eye(3))),
                     Joint("fixed", rbdyn.Fixed()))  # fmt: skip
        return still
    mechanism = random_tree(rng, int(rng.integers(1, 5)))
    for k, body in enumerate(mechanism.bodies[1:]):
        body.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.1), name=f"shape{k}"))
    return mechanism


def scene(rng, solver):
    """A World of bodies and robots, with constraints between any of them."""
    world = World(2e-3)
    world.set_contact_solver_param(**SOLVERS[solver])
    ground = world.add_ground()
    bodies = [world.add_box(0.2, 0.3, 0.2, 1.0) if rng.integers(2) else world.add_sphere(0.15, 2.0) for _ in range(5)]
    for body in bodies:
        body.set_pose(rng.uniform((-0.5, -0.5, 0.1), (0.5, 0.5, 0.6)))
    robots = [world.add_articulated_system(machine(rng)) for _ in range(2)]
    links = [(robot, robot.mechanism.bodies[-1].name) for robot in robots]
    for _ in range(6):
        a, b = (([ground, *bodies, *links])[k] for k in rng.choice(8, 2, replace=False))
        kind = rng.integers(5)
        if kind == 0:
            world.add_weld(a, b)
        elif kind == 1:
            world.add_joint(a, b, Joint("held", JOINTS[rng.integers(3)]), Transform(translation=rng.normal(size=3)))
        elif kind == 2:
            world.add_stiff_wire(a, b, point_b=(0.0, 0.0, 0.1))
        elif kind == 3:
            world.add_compliant_wire(a, b, stiffness=1e3, damping=1.0, point_b=(0.1, 0.0, 0.0))
        else:
            world.add_spring(a, b, 500.0, 2.0, point_b=(0.0, 0.1, 0.0))
    return world, bodies


def state_of(world, bodies):
    robots = [np.concatenate([r.q, r.v]) for r in world.objects if hasattr(r, "q")]
    return np.concatenate([x for b in bodies for x in (b.position, b.rotation.ravel(), b.linear_velocity)] + robots)


@pytest.mark.parametrize("solver", [0, 1, 2])
def test_random_worlds(seed, solver):
    """What is held keeps its place, all stays finite, and a copy goes on bit for bit with whatever is warm."""
    rng = np.random.default_rng([seed, 44])
    world, bodies = scene(rng, solver)
    start = state_of(world, bodies)
    for _ in range(12):
        for body in bodies:
            hold(body, ("static", "kinematic", "dynamic")[rng.integers(3)])
        held = {body: body.position.copy() for body in bodies if body.body_type != "dynamic"}
        steps = int(rng.integers(1, 4))
        twin = copy.deepcopy(world)
        world.step(steps)
        assert all(np.array_equal(body.position, place) for body, place in held.items())
        assert np.isfinite(state_of(world, bodies)).all()
        twin.step(steps)
        assert twin.state_hash() == world.state_hash()
    assert np.abs(state_of(world, bodies) - start).max() > 1e-3
