"""Static bodies, which steps look at once: they keep every bit, and what is done to them by hand is seen.

The oracle is a kinematic body that stands still, which every step looks at.
"""

import numpy as np
import pytest

import rbdyn

TURNED = np.array([0.9, -0.1, 0.3, 0.2]) / np.linalg.norm([0.9, -0.1, 0.3, 0.2])
FLAT = (1.0, 0.0, 0.0, 0.0)


def stones(kind, n=6):
    """Balls above a row of boxes that nothing moves, of this type, some of them turned."""
    world = rbdyn.World(2e-3)
    world.add_ground()
    boxes = [world.add_box(0.5, 0.4, 0.2, 1.0, name=f"stone{k}") for k in range(n)]
    for k, box in enumerate(boxes):
        box.body_type = kind
        box.set_pose((0.5 * k, 0.0, 0.3), TURNED if k % 3 == 1 else FLAT)
    balls = [world.add_sphere(0.1, 1.0, name=f"ball{k}") for k in range(n)]
    for k, ball in enumerate(balls):
        ball.set_pose((0.5 * k + 0.05, 0.02, 0.6))
    return world, boxes, balls


def where(balls):
    """Poses and velocities of the balls, in one array."""
    return np.concatenate([[*b.position, *b.orientation, *b.linear_velocity, *b.angular_velocity] for b in balls])


def lower_one(world, boxes, balls):
    boxes[2].set_pose((1.0, 0.0, 0.1))
    boxes[0].set_pose(orientation=TURNED)


def let_one_go_and_hold_it(world, boxes, balls):
    kind = boxes[3].body_type
    boxes[3].body_type = "dynamic"
    world.step(20)
    if kind == "kinematic":
        boxes[3].set_velocity(np.zeros(3), np.zeros(3))
    boxes[3].body_type = kind
    boxes[3].set_pose(orientation=FLAT)  # steps normalise a kinematic body's, which may move its last bit


def take_one_away(world, boxes, balls):
    world.remove(boxes[1])


def put_one_more(world, boxes, balls):
    box = world.add_box(0.2, 0.2, 0.2, 1.0)
    box.body_type = boxes[0].body_type
    box.set_pose((0.05, 0.0, 0.7))


def make_one_larger(world, boxes, balls):
    boxes[4].set_inertia(mass=2.0)


@pytest.mark.parametrize("edit", [lower_one, let_one_go_and_hold_it, take_one_away, put_one_more, make_one_larger])
def test_they_act_as_kinematic_ones_that_stand_still(edit):
    scenes = [stones(kind) for kind in ("static", "kinematic")]
    for world, boxes, balls in scenes:
        world.step(150)
        edit(world, boxes, balls)
        world.step(150)
    ours, oracle = (where(balls) for _, _, balls in scenes)
    np.testing.assert_array_equal(ours, oracle)
    assert np.ptp(ours.reshape(-1, 13)[:, 2]) > 0.1      # some have fallen off, others lie


def test_not_a_bit_of_them_moves():
    world, boxes, _ = stones("static")
    before = [(box.position.copy(), box.orientation.copy(), box.rotation.copy()) for box in boxes]
    world.step(500)
    for box, (p, q, R) in zip(boxes, before, strict=True):
        np.testing.assert_array_equal(box.position, p)
        np.testing.assert_array_equal(box.orientation, q)
        np.testing.assert_array_equal(box.rotation, R)


def test_what_is_moved_is_met_where_it_is_in_the_next_step():
    world, boxes, balls = stones("static")
    world.step(400)
    assert balls[3].position[2] == pytest.approx(0.5, abs=1e-6)
    boxes[3].set_pose((1.5, 0.0, 0.29))
    world.step()
    assert balls[3].linear_velocity[2] == pytest.approx(-9.81 * 2e-3, rel=1e-9)


def test_back_in_a_snapshot_they_stand_where_they_stood():
    world, boxes, balls = stones("static")
    world.step(100)
    kept = world.snapshot()
    world.step(100)
    ahead, mark = where(balls), world.state_hash()
    boxes[2].set_pose((1.0, 0.0, -3.0), TURNED)
    boxes[1].body_type = "dynamic"
    world.step(50)
    world.restore(kept)
    world.step(100)
    np.testing.assert_array_equal(where(balls), ahead)
    assert world.state_hash() == mark


def test_a_force_on_one_lives_one_step():
    world = rbdyn.World(2e-3, gravity=(0, 0, 0))
    box = world.add_box(0.5, 0.4, 0.2, 1.0)
    box.body_type = "static"
    world.step(3)
    box.set_external_force(0, (5.0, 0.0, 0.0), (0.0, 0.1, 0.0))
    box.set_external_torque(0, (0.0, 1.0, 0.0))
    world.step()
    box.body_type = "dynamic"
    world.step()
    np.testing.assert_array_equal(box.linear_velocity, np.zeros(3))
    np.testing.assert_array_equal(box.angular_velocity, np.zeros(3))


def test_the_problem_says_that_nothing_moves_them():
    world, boxes, balls = stones("static")
    world.step(200)
    known = [0.0] * 7 + [1.0] * 6                        # the ground, the stones, the balls
    np.testing.assert_array_equal(world.problem.inverse_mass, known)
    boxes[0].body_type = "dynamic"
    world.remove(boxes[2])
    world.step()
    np.testing.assert_array_equal(world.problem.inverse_mass, [0.0, 1.0] + [0.0] * 4 + [1.0] * 6)
    boxes[0].body_type = "static"
    world.step(2)
    np.testing.assert_array_equal(world.problem.inverse_mass, [0.0] * 6 + [1.0] * 6)
    np.testing.assert_array_equal(world.problem.inverse_inertia[:6], np.zeros((6, 3, 3)))
