"""Forces at points of bodies: the points move with the bodies within the step, so that flight stays of second order."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rbdyn
from rbdyn.mechanism import Floating, Joint, Mechanism, Revolute, RigidBody
from rbdyn.spatial import SpatialInertia, Transform

FORCES = [("rod", (3.0, -2.0, 1.0), (0.3, 0.1, -0.2)), ("arm", (-1.0, 2.0, 2.0), (0.0, 0.4, 0.1))]


def floating():
    """Two links in free space, moving."""
    model = Mechanism(RigidBody("world"))
    rod = RigidBody("rod", inertia=SpatialInertia(2.0, (0.05, 0.0, 0.02), np.diag([0.05, 0.06, 0.07])))
    arm = RigidBody("arm", inertia=SpatialInertia(1.0, (0.0, 0.2, 0.0), np.diag([0.03, 0.01, 0.03])))
    model.attach(model.root_body, rod, Joint("free", Floating()))
    model.attach(rod, arm, Joint("hinge", Revolute(axis=(1, 0, 0))), joint_pose=Transform(translation=(0.2, 0.0, 0.1)))
    return model


def robot_after(steps):
    """State after 0.4 s under forces that keep their axes in the world and their points on the links."""
    world = rbdyn.World(0.4 / steps, gravity=(0, 0, 0))
    one = world.add_articulated_system(floating())
    one.set_state(one.model.neutral(), [0.1, 0.0, 0.0, 2.0, -1.0, 0.5, 1.0])
    for _ in range(steps):
        for force in FORCES:
            one.set_external_force(*force)
        world.step()
    return np.concatenate([one.q, one.v])


def box_after(steps):
    """The same of a single body, with a couple beside."""
    world = rbdyn.World(0.4 / steps, gravity=(0, 0, 0))
    box = world.add_box(0.3, 0.2, 0.1, 1.0)
    box.set_velocity((0.1, 0.0, 0.0), (2.0, -1.0, 0.5))
    for _ in range(steps):
        box.set_external_force(0, (0.3, -0.2, 0.1), (0.15, 0.1, -0.05))
        box.set_external_force(0, (0.0, 0.1, 0.0), (0.15, 0.0, 0.0))
        box.set_external_force(0, (0.0, -0.1, 0.0), (-0.15, 0.0, 0.0))
        world.step()
    return np.concatenate([box.position, box.orientation, box.linear_velocity, box.angular_velocity])


@pytest.mark.parametrize("after", [robot_after, box_after])
def test_half_the_step_divides_the_error_by_four(after):
    exact = after(3200)
    coarse, fine = (np.linalg.norm(after(steps) - exact) for steps in (100, 200))
    assert coarse > 1e-7
    assert coarse / fine == pytest.approx(4.0, abs=0.3)


def test_a_couple_turns_a_body_without_moving_it():
    world = rbdyn.World(0.01, gravity=(0, 0, 0))
    box = world.add_box(0.3, 0.3, 0.3, 2.0)
    box.set_external_force(0, (0.0, 1.0, 0.0), (0.1, 0.0, 0.0))
    box.set_external_force(0, (0.0, -1.0, 0.0), (-0.1, 0.0, 0.0))
    world.step()
    assert box.linear_velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)
    assert box.angular_velocity == pytest.approx([0.0, 0.0, 0.01 * 0.2 / (2.0 * 0.09 / 6.0)], rel=1e-9)
    box.set_external_force(0, (0.0, 1.0, 0.0), (0.1, 0.0, 0.0))
    box.clear_external_forces()
    before = np.array(box.angular_velocity)
    world.step()
    assert np.array_equal(box.angular_velocity, before)


def turned(rng):
    """Two boxes and a floating robot, each with random axes, and the frames that users may name: axes by frame."""
    world = rbdyn.World(0.01, gravity=(0, 0, 0))
    one, other = world.add_box(0.3, 0.2, 0.1, 2.0, name="one"), world.add_box(0.1, 0.1, 0.1, 1.0)
    robot = world.add_articulated_system(floating(), "robot")
    axes = Rotation.random(3, rng)
    for box, R in zip((one, other), axes[:2], strict=True):
        box.set_pose((3.0, 0.0, 0.0), np.roll(R.as_quat(), 1))
    q = np.concatenate([[0.0, 0.0, 0.0], np.roll(axes[2].as_quat(), 1), [0.0]])
    robot.set_state(q)
    frames = [("world", Rotation.identity()), (one, axes[0]), (other, axes[1]), (robot.body("rod"), axes[2])]
    return world, one, robot, frames


def test_forces_and_torques_in_the_axes_of_any_frame(seed):
    """Of a body and of a robot: what a force does in a step is what the same vector in world axes does, by SciPy."""
    rng = np.random.default_rng(seed)
    force, torque, point = rng.normal(size=(3, 3))
    world, one, robot, frames = turned(rng)
    for obj, link, own in ((one, 0, "one"), (robot, "arm", "rod")):
        for frame, R in [*frames, (own, frames[1 if obj is one else 3][1])]:
            ends = []
            for f, n, given in ((force, torque, {"expressed_in": frame}), (R.apply(force), R.apply(torque), {})):
                start = world.snapshot()
                obj.set_external_force(link, f, point, **given)
                obj.set_external_torque(link, n, **given)
                world.step()
                ends.append(np.concatenate([one.linear_velocity, one.angular_velocity, robot.v]))
                world.restore(start)
            assert ends[0] == pytest.approx(ends[1], abs=1e-13)
            assert np.abs(ends[0]).max() > 1e-3


def test_frames_that_are_none():
    world, one, robot, _ = turned(np.random.default_rng(0))
    apart = rbdyn.World()
    elsewhere = apart.add_sphere(0.1, 1.0)
    for obj, link in ((one, 0), (robot, "arm")):
        for wrong in ("elbow", 3, None, elsewhere):
            for act in (obj.set_external_force, obj.set_external_torque):
                with pytest.raises(rbdyn.Error, match="elbow|expressed_in must be"):
                    act(link, (1.0, 2.0, 3.0), expressed_in=wrong)
    world.step()
    assert not one.linear_velocity.any() and not robot.v.any()
