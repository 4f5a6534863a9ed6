"""Steps in parts: what a World with substeps does is what a World with shorter steps does, but for its clock."""

import numpy as np
import pytest

import rbdyn
from rbdyn.contact import BisectionSolver, ContactSolver
from rbdyn.errors import DivergenceError, Error


def heap(seed=0, **settings):
    """Five boxes and a hanging arm that fall into one another."""
    random = np.random.default_rng(seed)
    world = rbdyn.World(**settings)
    world.add_ground()
    boxes = [world.add_box(0.2, 0.2, 0.2, mass=1.0) for _ in range(5)]
    for k, box in enumerate(boxes):
        quaternion = random.normal(size=4)
        box.set_pose(position=(0.05 * k, 0.0, 0.3 + 0.25 * k), orientation=quaternion / np.linalg.norm(quaternion))
    arm = world.add_articulated_system(rbdyn.models.double_pendulum())
    arm.set_state(q=[0.4, -0.9])
    return world, boxes, arm


def state(boxes, arm):
    free = [np.concatenate([b.position, b.orientation, b.linear_velocity, b.angular_velocity]) for b in boxes]
    return [*free, arm.q, arm.v]


def test_parts_are_short_steps(seed):
    parts, short = heap(seed, time_step=0.004, substeps=4), heap(seed, time_step=0.001)
    parts[0].step(150)
    short[0].step(600)
    for a, b in zip(state(*parts[1:]), state(*short[1:]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert parts[0].steps == 150 and parts[0].time == 0.6
    assert parts[0].time_step == 0.004


def test_halves_of_a_step_in_parts():
    whole, halves = heap(time_step=0.004, substeps=3), heap(time_step=0.004, substeps=3)
    whole[0].step(100)
    for _ in range(100):
        halves[0].integrate1()
        halves[0].integrate2()
    for a, b in zip(state(*whole[1:]), state(*halves[1:]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_acts_from_outside_acts_through_all_parts():
    world = rbdyn.World(time_step=0.01, gravity=(0, 0, 0), substeps=5)
    ball = world.add_sphere(radius=0.1, mass=2.0)
    arm = world.add_articulated_system(rbdyn.models.double_pendulum())
    free = world.add_box(1, 1, 1, mass=1.0)
    ball.set_pose(position=(9.0, 0.0, 0.0))
    free.set_pose(position=(-9.0, 0.0, 0.0))
    ball.set_external_force(0, (3.0, 0.0, 0.0))
    arm.set_generalized_force([1e-3, 0.0])
    free.set_external_torque(0, (0.0, 0.0, 1.0))
    world.step()
    np.testing.assert_allclose(ball.linear_velocity, (0.015, 0.0, 0.0), rtol=1e-14)
    assert abs(arm.v[0]) > 1e-8
    np.testing.assert_allclose(free.angular_velocity, (0.0, 0.0, 0.06), rtol=1e-14)
    world.step()
    np.testing.assert_allclose(ball.linear_velocity, (0.015, 0.0, 0.0), rtol=1e-14)


def test_observers_see_whole_steps():
    world = heap(time_step=0.004, substeps=4)[0]
    seen = []
    world.add_observer(lambda w: seen.append((w.steps, w.time)))
    world.step(3)
    assert seen == [(1, 0.004), (2, 0.008), (3, 0.012)]


def test_a_force_that_contacts_show_is_that_of_the_weight():
    world = rbdyn.World(time_step=0.004, substeps=4)
    world.add_ground()
    box = world.add_box(0.2, 0.2, 0.2, mass=3.0)
    box.set_pose(position=(0, 0, 0.1))
    world.step(100)
    total = sum(c.force_on(box)[2] for c in world.contacts)
    assert total == pytest.approx(3.0 * 9.81, rel=1e-6)


class Fails(ContactSolver):
    """Works `good` times, then raises."""

    def __init__(self, good):
        self.left = good
        self.inner = BisectionSolver()

    def solve(self, problem):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("enough")
        problem.impulse[:] = 0.0


@pytest.mark.parametrize("good", [4, 5, 6, 7])
def test_a_step_that_fails_in_a_later_part_was_not_begun(good):
    world, boxes, arm = heap(time_step=0.004, substeps=4, contact=Fails(good))
    boxes[0].set_pose(position=(0, 0, 0.05))              # in contact from the start
    world.step(1)
    before = state(boxes, arm)
    with pytest.raises(RuntimeError, match="enough"):
        world.step(1)
    for a, b in zip(state(boxes, arm), before, strict=True):
        np.testing.assert_array_equal(a, b)
    assert world.steps == 1 and world.time == 0.004


def test_divergence_in_a_later_part_leaves_the_last_whole_step():
    world = rbdyn.World(time_step=0.01, substeps=8)
    ball = world.add_sphere(radius=0.1, mass=1.0)
    world.step(2)
    before = ball.position.copy()
    ball.set_velocity((1.7e308, 0.0, 0.0))
    ball.set_external_force(0, (1.7e308, 0.0, 0.0))
    with pytest.raises(DivergenceError, match="step 3 "):
        for _ in range(20):
            ball.set_external_force(0, (1.7e308, 0.0, 0.0))
            world.step(1)
    assert world.steps == 2
    np.testing.assert_array_equal(ball.position, before)


@pytest.mark.parametrize(("parts", "mass"), [(1, 1e-4), (4, 1e-4), (4, 1.4e-3)])
def test_a_step_that_failed_leaves_no_trace(parts, mass):
    """In its first part or in its second one: a World that goes on has the bits of one that never tried."""
    worlds = []
    for tries in (True, False):
        world, boxes, arm = heap(time_step=1e-3 * parts, substeps=parts)
        boxes.append(world.add_cylinder(0.1, 0.06, 1.0))            # it rolls: where its contacts were is remembered
        boxes[-1].set_pose((-0.5, 0, 0.2), (np.cos(0.4), np.sin(0.4), 0, 0))
        boxes[-1].set_velocity((0.3, 0, 0), (0, 3.0, 5.0))
        world.add_sphere(0.1, mass, name="far").set_pose((300.0, 0, 9.0))
        world.step(240 // parts)
        if tries:
            world.find("far").set_external_force(0, (1.7e308, 0, 0))
            with pytest.raises(DivergenceError, match="far"):
                world.step()
        world.step(160 // parts)
        worlds.append(state(boxes, arm))
    for tried, not_tried in zip(*worlds, strict=True):
        np.testing.assert_array_equal(tried, not_tried)


def test_a_position_solver_that_fails_leaves_no_trace_in_the_other_one():
    """The contacts of that step were solved already: the next one begins with what there was before it."""

    class Failing(BisectionSolver):
        fails = False

        def solve(self, problem):
            if self.fails:
                raise RuntimeError("not now")
            super().solve(problem)

    worlds = []
    for tries in (True, False):
        world = rbdyn.World(2e-3, position_solver=Failing())
        world.add_ground()
        boxes = [world.add_box(0.1, 0.1, 0.1, 1.0) for _ in range(3)]
        for k, box in enumerate(boxes):
            box.set_pose((0.01 * k, 0.0, 0.049 + 0.0995 * k))
            box.set_velocity((0.3, 0.0, -0.5), (0.0, 0.0, 1.0))
        world.step(5)
        if tries:
            before = world.contact.get_state()["impulse"], world.contact.parity
            world.position_solver.fails = True
            with pytest.raises(RuntimeError, match="not now"):
                world.step()
            world.position_solver.fails = False
            np.testing.assert_array_equal(world.contact.get_state()["impulse"], before[0])
            assert world.contact.parity == before[1] and len(before[0]) > 4
        world.step(20)
        worlds.append(np.array([np.append(box.position, box.linear_velocity) for box in boxes]))
    np.testing.assert_array_equal(*worlds)


def test_the_number_of_parts_can_be_changed_between_steps():
    world, boxes, arm = heap(time_step=0.004)
    world.step(10)
    world.substeps = 2
    assert world.substeps == 2 and world.time_step == 0.004
    world.step(10)
    world.time_step = 0.002
    assert world.substeps == 2
    world.step(10)
    assert world.time == pytest.approx(0.1, rel=1e-15)


@pytest.mark.parametrize("parts", [0, -1, 1.5, True, "two", None, 1001])
def test_refused_numbers_of_parts(parts):
    with pytest.raises(Error, match="substeps"):
        rbdyn.World(substeps=parts)
    world = rbdyn.World()
    with pytest.raises(Error, match="substeps"):
        world.substeps = parts
    assert world.substeps == 1
