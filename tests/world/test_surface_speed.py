"""What a contact feels of a spinning body is the speed of its surface, not of its centre."""

import numpy as np
import pytest

from rbdyn import World
from rbdyn.contact import MaterialPair


def tangential_share(spin):
    """Friction over normal impulse in the first step of a ball that rests on the ground and spins about y."""
    world = World(1e-3)
    world.add_ground()
    world.materials.default = MaterialPair(friction=0.2, static_friction=0.9, static_threshold=0.05)
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose([0.0, 0.0, 0.1 - 1e-6])
    ball.set_velocity([0.0, 0.0, 0.0], [0.0, spin, 0.0])
    world.step()
    (contact,) = world.contacts
    impulse = np.asarray(contact.impulse)
    return np.hypot(*impulse[:2]) / abs(impulse[2])


def test_a_ball_that_only_spins_has_sliding_friction():
    assert tangential_share(20.0) == pytest.approx(0.2, rel=1e-6)  # the surface moves at 2 m/s


def test_a_ball_that_hardly_spins_sticks():
    """Stopping the surface takes m |w| r / (1 + m r^2 / I) = 2/7 m w r, less than static friction can give."""
    spin = 1e-1
    assert tangential_share(spin) == pytest.approx(2 / 7 * spin * 0.1 / (9.81 * 1e-3), rel=2e-2)
    assert tangential_share(spin) > 0.21  # more than sliding friction gives
