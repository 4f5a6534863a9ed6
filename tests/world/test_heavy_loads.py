"""Heavy things on light ones that cross: sweeps hand such a load on too slowly to be told from a contradiction."""

import numpy as np
import pytest

from rbdyn.world import World

THICK = 0.03


def cabin(dt, mass, layers=4):
    """Layers of three sticks of 0.5 kg, each across the one below; a block is let go 1 mm above them, off centre."""
    world = World(dt)
    world.set_default_material(0.6)
    world.add_ground()
    half = np.sqrt(0.5)
    for k in range(layers):
        for i in (-0.2, 0.0, 0.2):
            stick = world.add_box(0.8, THICK, THICK, 0.5)
            z = (k + 0.5) * THICK
            stick.set_pose((i, 0.0, z) if k % 2 else (0.0, i, z), (half, 0.0, 0.0, half) if k % 2 else (1.0, 0, 0, 0))
    block = world.add_box(0.4, 0.4, 0.4, mass)
    block.set_pose((0.02, 0.03, layers * THICK + 0.2 + 1e-3))
    return world, block


@pytest.mark.parametrize(("mass", "dt"), [(50.0, 1e-3), (80.0, 1e-3), (80.0, 2e-3), (350.0, 2e-3), (700.0, 5e-3)])
def test_a_heavy_block_on_crossed_sticks_rests(mass, dt):
    """It sank by 8 to 120 mm, in steps that were all rescued, and 700 kg made 276 J."""
    world, block = cabin(dt, mass)
    world.step(round(0.3 / dt))
    assert block.position[2] == pytest.approx(4 * THICK + 0.2, abs=2e-5)
    assert np.abs(block.linear_velocity).max() < 1e-4
    weight = sum(c.force_on(block)[2] for c in block.contacts)
    assert weight == pytest.approx(9.81 * mass, rel=1e-3)
    assert world.contact.statistics.rescued == 0
