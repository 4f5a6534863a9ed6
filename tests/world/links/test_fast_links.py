"""What a rod holds to the ground turns by up to 0.2 rad in a step, and gains next to no energy."""

import numpy as np
import pytest

import rbdyn
from rbdyn.world import World

DT = 2e-3


def chain():
    """Three links in space, without gravity."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("root"), gravity=(0, 0, 0))
    last = mechanism.root_body
    for k in range(3):
        link = rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(1.0, (0.2, 0, 0), np.diag([0.01, 0.02, 0.02])))
        hinge = rbdyn.Joint(f"joint{k}", rbdyn.Revolute(((0, 0, 1), (0, 1, 0))[k % 2]))
        mechanism.attach(last, link, hinge, rbdyn.Transform(translation=(0.4 if k else 0, 0, 0)))
        last = link
    return mechanism


@pytest.mark.parametrize("start", [3, 4, 6])
def test_a_fast_chain_on_a_rod_gains_next_to_no_energy(start):
    rng = np.random.default_rng(start)
    world = World(DT, gravity=(0, 0, 0))
    robot = world.add_articulated_system(chain())
    robot.set_state(rng.normal(size=3), 60.0 * rng.normal(size=3))
    world.add_stiff_wire((robot, "link2"), None, point_a=(0.4, 0, 0), point_b=(0.3, 0.4, 1.0), stretch_type="both")
    world.step()
    lowest, gained, fastest = np.inf, 0.0, 0.0
    for _ in range(1000):
        world.step()
        energy = rbdyn.kinetic_energy(robot.state)
        lowest = min(lowest, energy)
        gained = max(gained, energy / lowest - 1.0)
        fastest = max(fastest, np.abs(robot.v).max())
    assert DT * fastest > 0.04
    assert gained < 0.02
