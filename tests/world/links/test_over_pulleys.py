"""Rods and ropes over a fixed point that one of their ends reaches: the rest holds, and no energy is made."""

import numpy as np
import pytest

from rbdyn.world import World


def thrown(dt, light, aside, kind):
    """A heavy ball pulls a light one to the pulley, where nothing is left to pull along, in a second without gravity.

    Returns how far the heavy ball ever is beyond the length, the largest stretch, and the energies by step.
    """
    world = World(dt, gravity=(0, 0, 0))
    small, heavy = world.add_sphere(0.01, light), world.add_sphere(0.1, 10.0)
    small.set_pose((-0.3, aside, 0.0))
    heavy.set_pose((0.7, 0.0, 0.0))
    wire = world.add_stiff_wire(small, heavy, via=[(None, (0, 0, 0))], stretch_type=kind)
    small.set_velocity((2.0, 0.0, 0.0))
    heavy.set_velocity((2.0, 0.0, 0.0))
    beyond = stretch = 0.0
    energies = [small.kinetic_energy + heavy.kinetic_energy]
    for _ in range(round(1.0 / dt)):
        world.step()
        beyond = max(beyond, np.linalg.norm(heavy.position) - wire.length)
        stretch = max(stretch, wire.stretch)
        energies.append(small.kinetic_energy + heavy.kinetic_energy)
    return beyond, stretch, np.array(energies), wire


@pytest.mark.parametrize("kind", ["both", "stretch_resistant"])
@pytest.mark.parametrize("aside", [0.0, 1e-4, 1e-2])
@pytest.mark.parametrize("light", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3])
def test_an_end_that_reaches_a_pulley_stops_the_other(dt, light, aside, kind):
    """The part that it runs through in a step has no direction: pulled along it, the wire opened by half a metre."""
    beyond, stretch, energies, wire = thrown(dt, light, aside, kind)
    assert beyond < 6.0 * dt                                # [m] what 2 to 6 m/s do in a step
    assert stretch < 16.0 * dt
    assert wire.stretch < 2e-3
    assert energies.max() < 1.02 * energies[0]
