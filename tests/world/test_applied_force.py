"""robot.applied_force: the implicit part of the PD law."""

import numpy as np
import pytest
from world.scenes import World
from world.test_implicit import SCHEMES, closed_form, slider

import rbdyn
from rbdyn import models


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize(("K", "D"), [(100.0, 0.0), (30.0, 2.0), (0.0, 3.0)])
def test_applied_force_is_mass_times_acceleration(integrator, K, D):
    m, dt = 1.7, 0.01
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(slider(m))
    robot.set_pd_gains(K, D)
    x = np.array([0.3, -1.2])
    A = closed_form(m, K, D, dt, *SCHEMES[integrator])
    robot.set_state(x[:1], x[1:])
    for _ in range(40):
        u = x[1]
        x = A @ x
        world.step()
        assert robot.applied_force[0] == pytest.approx(m * (x[1] - u) / dt, abs=1e-9)


def test_applied_force_is_what_moves_the_arm():
    """M (u+ - u) / dt = applied - passive damping - h, at the state of the start, on an arm of six axes."""
    rng = np.random.default_rng(0)
    world = World(2e-3)
    robot = world.add_articulated_system(models.six_axis_arm())
    robot.set_state(0.5 * rng.normal(size=6), rng.normal(size=6))
    robot.set_pd_gains(rng.uniform(10, 300, 6), rng.uniform(1, 10, 6))
    robot.set_generalized_force(rng.normal(size=6))
    damping = robot.model.array("damping")
    for _ in range(5):
        before = robot.state.copy()
        M, h = rbdyn.mass_matrix(before), rbdyn.bias_forces(before)
        world.step()
        passive = -damping * 0.5 * (before.v + robot.v)
        passive_spring = robot.model.array("stiffness")
        assert not passive_spring.any()
        assert M @ (robot.v - before.v) / world.time_step == pytest.approx(
            robot.applied_force + passive - h, abs=1e-9)
    assert np.abs(robot.applied_force).max() > 1.0


