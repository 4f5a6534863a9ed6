"""After any edit every number of a robot's Model is, to the bit, that of a mechanism compiled anew: a slow twin's."""

import numpy as np
import pytest
from reference.compiled_model import numbers_of as slow_numbers

from benchmarks.edits import ours
from rbdyn import Error, Fixed, Geometry, Prismatic, Revolute, Spherical, Transform
from rbdyn.collision.shapes import Box
from rbdyn.model.insides import numbers_of
from rbdyn.testing.random_mechanisms import random_inertia, random_transform, random_tree
from rbdyn.world import World

TYPES = (Revolute, Prismatic, Spherical, Fixed, Revolute(axis=(1.0, 0.0, 0.0)))


def check(robot):
    fast, slow = numbers_of(robot.model), slow_numbers(robot.mechanism)
    slow["gravity"] = fast["gravity"]
    for name in slow:
        if isinstance(slow[name], np.ndarray):
            assert np.array_equal(fast[name], slow[name].reshape(fast[name].shape)), name
        else:
            assert fast[name] == slow[name], name
    for joint in robot.mechanism.tree_joints:
        if joint.num_velocities:
            assert robot.model.array("damping")[robot.model.joint_v_index(joint.name)] == joint.damping


def edit(rng, robot):
    """One edit of one thing, at random."""
    joints = [joint for joint in robot.mechanism.tree_joints if joint.num_velocities]
    joint = joints[int(rng.integers(len(joints)))]
    any_joint = robot.mechanism.tree_joints[int(rng.integers(len(robot.mechanism.tree_joints)))]
    body = robot.mechanism.bodies[int(rng.integers(1, len(robot.mechanism.bodies)))]
    new = random_inertia(rng)
    edits = (
        lambda: setattr(robot.joint(joint), "placement", random_transform(rng)),
        lambda: robot.joint(any_joint).place(random_transform(rng), random_transform(rng)),
        lambda: robot.joint(any_joint).place(successor_pose=random_transform(rng)),
        lambda: robot.joint(joint).set(axis=rng.normal(size=3)) if hasattr(joint.joint_type, "axis") else None,
        lambda: robot.joint(joint).set(damping=float(rng.uniform()), rotor_inertia=float(rng.uniform())),
        lambda: robot.body(body).set_inertia(new.mass, new.com, new.inertia),
    )
    edits[int(rng.integers(len(edits)))]()


@pytest.mark.parametrize("floating", [False, True])
def test_numbers_after_random_edits(seed, floating):
    rng = np.random.default_rng([seed, 60, floating])
    world = World(1e-3)
    mechanism = random_tree(rng, 9, TYPES, floating)
    for body in mechanism.bodies[1:]:
        body.collision.append(Geometry(Box((0.1, 0.2, 0.1)), random_transform(rng)))
        body.add_frame(f"{body.name}/tip", random_transform(rng))
    robot = world.add_articulated_system(mechanism)
    for _ in range(12):
        edit(rng, robot)
        check(robot)
        twin = World(1e-3).add_articulated_system(robot.mechanism)
        twin.set_state(robot.q, robot.v)
        for body, here in zip(robot.mechanism.bodies, twin.mechanism.bodies, strict=True):
            assert np.array_equal(robot.body_pose(body), twin.body_pose(here))
            for name in body.frames:
                assert np.array_equal(robot.body_pose(name), twin.body_pose(name))


def test_a_placement_that_cannot_be_leaves_every_number(seed):
    rng = np.random.default_rng([seed, 61])
    robot = World(1e-3).add_articulated_system(random_tree(rng, 5, (Revolute,), rotor_inertia=False))
    before = numbers_of(robot.model)
    far = Transform(translation=(1e300, 0.0, 0.0))
    with np.errstate(all="ignore"), pytest.raises(Error):
        robot.joint(robot.mechanism.tree_joints[2]).placement = far
    after = numbers_of(robot.model)
    assert np.array_equal(before["X_tree"], after["X_tree"])
    assert before["frames"] == after["frames"]
    check(robot)


def test_what_the_benchmark_edits():
    world = World(1e-3)
    edits = ours(world)
    (robot,) = (one for one in world.objects if hasattr(one, "model"))
    for x in (1.01, 1.02):
        for one in edits.values():
            one(x)
            check(robot)
    assert robot.joint("LF_KFE").damping == 1.02
