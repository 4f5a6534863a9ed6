"""Newton's method in velocities of joints: the answer is that of the same problem given by its rows alone."""

import numpy as np
import pytest
from reference.natural_map import natural_map

import rbdyn
from rbdyn.collision import Sphere
from rbdyn.contact import BisectionSolver, Problem
from rbdyn.mechanism.joints import Planar, Prismatic, Revolute, Spherical, Universal
from rbdyn.testing.random_mechanisms import random_tree

JOINTS = (Revolute, Prismatic, Spherical, Universal, Planar, Revolute)
LAWS = ("cone", "unilateral", "bilateral", "box")


def couple(world, robot, names, rng, followers):
    """Let so many joints of a robot follow the first one, the farthest ones first, and two others one another."""
    pairs = [(names[0], name) for name in names[-1 : -1 - followers : -1]]
    pairs += [(names[2], names[3])] if followers > 1 else []
    for leader, name in pairs:
        world.add_coupling({(robot, name): float(rng.uniform(0.5, 2.0)), (robot, leader): -0.7})


def problem_of_a_tree(seed, floating, followers):
    """A tree with friction in all joints and coupled joints falls on the ground: the problem of a step."""
    rng = np.random.default_rng(seed)
    mechanism = random_tree(rng, 14, JOINTS, floating)
    for body in mechanism.bodies[1:]:
        body.collision.append(rbdyn.Geometry(Sphere(0.15)))
    world = rbdyn.World(1e-3)
    world.set_default_material(friction=0.6)
    robot = world.add_articulated_system(mechanism)
    robot.set_joint_friction(friction=1.0)
    single = [j.name for j in mechanism.tree_joints if j.num_velocities == 1]
    couple(world, robot, single, rng, followers)
    robot.set_state(robot.model.neutral(), 3.0 * rng.normal(size=robot.nv))
    heights = sorted(float(pose[2, 3]) for pose in robot.body_poses[1:])
    world.add_ground(height=heights[3] - 0.1499)
    world.step()
    return world.problem


def block_of(p, i):
    """Block i of a problem, as `Problem.from_rows` takes it."""
    law = LAWS[p.law[i]]
    numbers = {"cone": {"friction": p.a[i]}, "box": {"low": p.a[i], "high": p.b[i]}}.get(law, {})
    rows = {} if law == "cone" else {"rows": int(p.rows[i])}
    return {"law": law, "compliance": p.compliance[i], **numbers, **rows}


@pytest.mark.parametrize("followers", [1, 3])
@pytest.mark.parametrize("floating", [False, True])
def test_the_answer_is_that_of_rows_alone(seed, floating, followers):
    """A copy of the World's problem knows its joints' velocities; one of the roots of its matrix knows rows alone."""
    told = problem_of_a_tree(seed, floating, followers)
    weights, axes = np.linalg.eigh(told.delassus)
    kept = weights > 1e-13 * weights.max()
    rows = axes[:, kept] * np.sqrt(weights[kept])
    alone = Problem.from_rows([block_of(told, i) for i in range(told.n)], rows, told.v_free, dt=told.dt)
    left = {}
    for problem in (told, alone):
        problem.impulse = np.zeros(told.n_rows)
        BisectionSolver(threshold=1e-11, max_iterations=500).solve(problem)
        residual, left[problem is told] = natural_map(problem)
        assert problem.converged and np.abs(residual).max() < 1e-9
    assert {"cone", "box", "bilateral"} <= {LAWS[law] for law in told.law}
    np.testing.assert_allclose(left[True], left[False], atol=1e-7)
    assert np.abs(told.impulse).max() > 1e-4
