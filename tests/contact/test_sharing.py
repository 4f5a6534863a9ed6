"""Contacts that hold share their load by least norm, whatever the order in which they are visited."""

import numpy as np
import pytest

from rbdyn.world import World

DT, G = 2e-3, 9.81
PLATE = (
    '<link name="{n}"><inertial><mass value=".2"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/>'
    '</inertial><collision><geometry><box size=".02 .04 .1"/></geometry></collision></link>'
)
FINGER = (
    '<joint name="j{n}" type="prismatic"><parent link="world"/><child link="{n}"/><origin xyz="{x} 0 .5"/>'
    '<axis xyz="{a} 0 0"/><limit lower="-1" upper="1" effort="1e4" velocity="10"/></joint>'
)


def loads(world, body):
    """Forces of the contacts on a body, and where they are."""
    contacts = [c for c in world.contacts if body in (c.object_a, c.object_b)]
    return np.array([c.force_on(body) for c in contacts]), np.array([c.position for c in contacts])


@pytest.mark.parametrize("yaw", [0.0, 0.3])
def test_four_corners_bear_a_box_alike(yaw):
    """From cold the first corner bore most of it."""
    world = World(DT)
    world.add_ground()
    box = world.add_box(0.3, 0.2, 0.1, 4.0)
    box.set_pose((0.0, 0.0, 0.05), (np.cos(0.5 * yaw), 0.0, 0.0, np.sin(0.5 * yaw)))
    world.step()
    forces, _ = loads(world, box)
    np.testing.assert_allclose(forces[:, 2], G, rtol=1e-6)
    np.testing.assert_allclose(forces[:, :2], 0.0, atol=1e-6)


def test_an_eccentric_load_falls_off_linearly():
    """A force F and a moment M: each corner bears F / 4 +- M / (2 length)."""
    world = World(DT)
    world.add_ground()
    box = world.add_box(0.4, 0.2, 0.1, 1.0)
    box.set_pose((0.0, 0.0, 0.05))
    for _ in range(3):
        box.set_external_force(0, (0.0, 0.0, -50.0))
        box.set_external_torque(0, (0.0, 5.0, 0.0))
        world.step()
    forces, places = loads(world, box)
    np.testing.assert_allclose(forces[:, 2], G / 4 + 12.5 + 6.25 * np.sign(places[:, 0]), rtol=1e-5, atol=1e-4)


def pinched(pull, dt, duration=0.3, settled=2):
    """How a box of 5 kg that two plates pinch with 300 N each has turned, and moved, after it was pulled up."""
    urdf = '<robot name="g"><link name="world"/>' + PLATE.format(n="l") + PLATE.format(n="r")
    urdf += FINGER.format(n="l", x=-0.04, a=1) + FINGER.format(n="r", x=0.04, a=-1) + "</robot>"
    world = World(dt, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(friction=0.8)
    hand = world.add_articulated_system(urdf, floating=False, self_collision=False)
    box = world.add_box(0.06, 0.06, 0.06, 5.0)
    box.set_pose((0.0, 0.0, 0.48))
    hand.set_generalized_force([300.0, 300.0])
    world.step(settled)
    for _ in range(round(duration / dt)):
        box.set_external_force(0, (0.0, 0.0, pull))
        world.step()
    rotation = box.rotation
    return np.arctan2(rotation[2, 1], rotation[2, 2]), box.position[2] - 0.48


@pytest.mark.parametrize("pull", [150.0, 300.0, 460.0])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("settled", [0, 2])
def test_a_pinched_box_holds_up_to_its_friction(pull, dt, settled):
    """Capacity 2 mu F = 480 N; from 150 N on it turned, since one corner of eight bore 277 of 300 N.

    Also if it is pulled in the very first step.
    """
    turn, rise = pinched(pull, dt, settled=settled)
    assert abs(turn) < 1e-6
    assert abs(rise) < 1e-6


def test_a_pinched_box_slips_beyond_its_friction():
    _, rise = pinched(520.0, 1e-3, duration=0.05)
    assert 0.003 < rise < 0.03
