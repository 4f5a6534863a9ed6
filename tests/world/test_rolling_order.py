"""What rolls or pivots on a moving point of itself keeps its energy to second order in the time step."""

import numpy as np
import pytest
from world.scenes import G, World, energy

import rbdyn


def rotation(body):
    return rbdyn.Transform(quat=body.orientation).rotation


def rolling_coin(dt, leaning):
    """Radius 0.1 m, leaning from the vertical; rolls at 15 rad/s about its axis, without slip, while it turns."""
    world = World(dt)
    world.set_default_material(friction=0.8)
    world.add_ground()
    coin = world.add_cylinder(0.1, 0.01, 1.0)
    tilt = 0.5 * np.pi - leaning
    coin.set_pose((0, 0, 0.1 * np.sin(tilt) + 0.005 * np.cos(tilt)), (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0))
    R = rotation(coin)
    w = R @ [0.0, 0.0, 15.0] + [0.0, 0.0, 2.0]
    lowest = R @ [0.0, -0.1, -0.005]
    coin.set_velocity(-np.cross(w, lowest), w)
    return world, coin


def test_a_rolling_coin_keeps_its_energy():
    """Friction does no work where nothing slips: 2.78 J for two seconds, with what is lost of second order."""
    lost = []
    for dt in (1e-3, 2e-3, 4e-3):
        world, coin = rolling_coin(dt, np.deg2rad(30))
        start = energy(coin)
        world.step(round(1.0 / dt))
        lost.append(start - energy(coin) + 0.5 * dt * G * coin.linear_velocity[2])
    assert abs(lost[0]) < 2e-4 and abs(lost[1]) < 1e-3 and abs(lost[2]) < 4e-3


@pytest.mark.parametrize(("dt", "tilt"), [(1e-3, 2e-4), (2e-3, 5e-4), (5e-3, 2e-3)])
def test_a_top_precesses_at_its_tilt(dt, tilt):
    """A ball of 2 mm is its tip, 0.1 m below the centre: steady precession at the rate W of the heavy top.

    I3 w3 W - I1' cos(theta) W^2 = m g h about the tip; the ball rolls on the ground, which changes W by 0.02 of it.
    """
    h, I1, I3, theta, spin = 0.1, 0.002, 0.004, 0.3, 150.0
    about_tip = I1 + h * h
    turns = 2 * about_tip * np.cos(theta)
    W = (I3 * spin - np.sqrt((I3 * spin) ** 2 - 2 * turns * G * h)) / turns
    world = World(dt)
    world.set_default_material(friction=1.0)
    world.add_ground()
    tip = rbdyn.Geometry(rbdyn.collision.Sphere(0.002), pose=rbdyn.Transform(translation=(0, 0, -h)))
    top = world.add_single_body([tip], 1.0, np.diag([I1, I1, I3]))
    axis = np.array([np.sin(theta), 0.0, np.cos(theta)])
    top.set_pose((np.sin(theta) * h, 0, np.cos(theta) * h + 0.002), (np.cos(theta / 2), 0, np.sin(theta / 2), 0))
    w = np.array([0.0, 0.0, W]) + axis * (spin - W * np.cos(theta))
    top.set_velocity(np.cross(w, top.position), w)
    start = energy(top)
    world.step(round(0.5 / dt))
    assert abs(energy(top) / start - 1.0) < 1e-4
    axis = rotation(top)[:, 2]
    assert axis[2] == pytest.approx(np.cos(theta), abs=tilt)
    assert np.arctan2(axis[1], axis[0]) / 0.5 == pytest.approx(W, rel=0.1)


def test_a_coin_that_is_set_back_rolls_on_as_at_first():
    """Where its contact was before is forgotten with the pose."""
    world, coin = rolling_coin(2e-3, np.deg2rad(30))
    start = coin.position.copy(), coin.orientation.copy()
    velocity = coin.linear_velocity + [0.1, 0.0, 0.0], coin.angular_velocity.copy()      # it slips
    ends = []
    for _ in range(2):
        coin.set_pose(*start)
        coin.set_velocity(*velocity)
        world.step(7)
        ends.append([*coin.position, *coin.angular_velocity])
    assert ends[0] == ends[1]
