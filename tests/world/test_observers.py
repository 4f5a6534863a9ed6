"""Observers see every step after it is done, and change none."""

import numpy as np
import pytest
from world.scenes import G, World, standing_quadruped

from rbdyn import models
from rbdyn.errors import BusyError, Error
from rbdyn.testing.count_steps import CountSteps


def falling_ball(dt=1e-3):
    world = World(dt)
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0, 0, 1.0))
    return world, ball


def test_a_function_sees_every_step_after_its_end():
    world, ball = falling_ball()
    seen = []

    @world.add_observer
    def look(observed):
        assert observed is world
        seen.append((world.steps, world.time, ball.position[2], len(world.contacts), len(ball.contacts)))

    world.step(3)
    world.integrate1()
    assert len(seen) == 3
    world.integrate2()
    assert [k for k, *_ in seen] == [1, 2, 3, 4]
    assert [t for _, t, *_ in seen] == [1e-3, 2e-3, 3e-3, 4e-3]
    np.testing.assert_allclose([z for _, _, z, *_ in seen], [1 - 0.5 * G * (k * 1e-3) ** 2 for k in range(1, 5)],
                               rtol=1e-14)
    ball.set_pose((0, 0, 0.1))
    world.step()
    assert seen[-1][3:] == (1, 1)
    world.remove_observer(look)
    world.step()
    assert len(seen) == 5


def test_a_compiled_observer_runs_without_python():
    world, ball = falling_ball()
    counter = world.add_observer(CountSteps())
    world.step(50)
    assert counter.count == 50
    assert counter.time == world.time == 0.05
    assert counter.height == world.objects[0].position[2] == 0.0      # the ground is the first single body
    world.remove(world.objects[0])
    world.step()
    assert counter.height == ball.position[2]
    world.remove_observer(counter)
    world.step()
    assert counter.count == 51


def test_observers_are_called_in_their_order_and_change_no_bit():
    def run(observed):
        world = World(2e-3)
        world.add_ground()
        robot = standing_quadruped(world)
        order = []
        if observed:
            world.add_observer(lambda w: order.append("a"), accelerations=True)
            counter = world.add_observer(CountSteps())
            world.add_observer(lambda w: order.append(counter.count))
        world.step(40)
        return robot.q, order

    q, order = run(True)
    assert (q == run(False)[0]).all()
    assert order == [x for k in range(1, 41) for x in ("a", k)]


def test_an_observer_may_not_change_its_world():
    world, ball = falling_ball()
    robot = world.add_articulated_system(models.double_pendulum())
    caught = []

    def re_enter(_):
        for call in (world.step, lambda: ball.set_pose((0, 0, 0)), lambda: world.add_sphere(1, 1), world.integrate1,
                     lambda: world.remove(ball), lambda: robot.set_state(robot.q), lambda: world.add_observer(print),
                     lambda: world.remove_observer(re_enter), lambda: ball.set_external_force(0, (0, 0, 1))):
            with pytest.raises(BusyError, match="observers look at the World"):
                call()
            caught.append(call)

    world.add_observer(re_enter)
    world.step()
    assert len(caught) == 9


def test_what_an_observer_raises_ends_step_and_the_world_goes_on():
    world, _ = falling_ball()

    def fail(_):
        raise KeyError("enough")

    world.add_observer(fail)
    with pytest.raises(KeyError, match="enough"):
        world.step(5)
    assert world.steps == 1
    world.remove_observer(fail)
    world.step()
    assert world.steps == 2


def test_accelerations_are_known_to_observers_and_after_a_step():
    """(v+ - v) / dt, impulses included; free fall and a standing foot give both."""
    world = World(1e-3)
    world.add_ground()
    robot = standing_quadruped(world)
    robot.set_base_pose((0, 0, 2.0))
    assert (robot.acceleration == 0).all()
    v = robot.v
    world.step()
    np.testing.assert_allclose(robot.acceleration, (robot.v - v) / 1e-3, atol=1e-10)
    rows = []
    world.add_observer(lambda w: rows.append((robot.v, robot.acceleration)), accelerations=True)
    v = robot.v
    world.step(5)
    for after, vd in rows:
        np.testing.assert_allclose(vd, (after - v) / 1e-3, rtol=0, atol=1e-12 * np.abs(vd).max())
        v = after
    assert rows[0][1][2] == pytest.approx(-G, abs=0.5)


@pytest.mark.parametrize("wrong", [None, 3, "look"])
def test_what_cannot_observe(wrong):
    world, _ = falling_ball()
    with pytest.raises(Error, match="observe"):
        world.add_observer(wrong)
    with pytest.raises(Error, match="observe"):
        world.remove_observer(wrong)
    counter = world.add_observer(CountSteps())
    with pytest.raises(Error, match="already"):
        world.add_observer(counter)
    world.step()
    assert counter.count == 1
