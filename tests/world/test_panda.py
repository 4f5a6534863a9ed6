"""A Panda with all that its urdf says: limp for a minute, and with a box between its fingers."""

import numpy as np
import pytest
from world.scenes import World

from benchmarks.mechanisms.panda import Grasp, limp, panda
from benchmarks.robots import PANDA


@pytest.fixture(autouse=True)
def the_file():
    try:
        PANDA.path  # noqa: B018
    except FileNotFoundError as error:
        pytest.skip(str(error))


def test_a_limp_panda_falls_for_a_minute():
    """Limits of places and speeds, friction, mimic fingers: nothing is passed, energy only falls."""
    moments = list(limp(60.0))
    assert len(moments) == 60_000
    assert max(m.passed for m in moments) <= 1e-6
    assert max(m.speed for m in moments) <= 1 + 1e-6
    assert max(m.fingers for m in moments) < 1e-7
    assert sum(m.slowed for m in moments) > 10
    energy = np.array([m.energy for m in moments])
    assert np.maximum(np.diff(energy), 0.0).sum() < 1e-6 * energy[0]
    assert energy[-1] < 0.3 * energy[0]
    assert energy[-1] == pytest.approx(energy[-1000], rel=1e-9)           # it has come to rest


def test_a_panda_grasps_a_box_lifts_it_and_shakes_it():
    """20 N on one finger, the other follows; 2 Hz with 8 m/s^2 for 20 s.

    The box moves along tangents, the fingers along arcs: were contacts not bent by half of the difference, it would
    creep by 0.1 mm/s.
    """
    grasp = Grasp()
    grasp.close()
    squeeze = grasp.held().squeeze
    assert squeeze[1] == -squeeze[0] and abs(abs(squeeze[1]) - 10.0) < 0.5
    grasp.lift()
    start = grasp.held()
    assert start.height > 0.28
    for second in range(20):
        grasp.shake(1.0)
        now = grasp.held()
        assert np.abs(now.place - start.place).max() < 5e-6 + 1e-6 * second
        assert np.abs(now.turn - start.turn).max() < 2e-4 + 2e-4 * second      # it comes to bear on some of its corners
        assert now.fingers < 1e-7


def test_a_box_stays_where_a_fast_hand_holds_it():
    """Five joints shake a box at 2 Hz, with 10 m/s^2 and more, about several axes: it crept by 0.8 mm/s."""
    world = World(1e-3)
    world.set_default_material(friction=1.0)
    arm = world.add_articulated_system(panda(0.0, 0.0), self_collision=False)
    q = np.array([0, 0.3, 0, -2.0, 0, 2.3, 0.78, 0.04, 0.04])
    arm.set_state(q)
    arm.set_pd_gains([6000] * 7 + [3000] * 2, [300] * 7 + [100] * 2)
    arm.set_pd_target(q)
    world.step(200)
    box, hand = world.add_box(0.04, 0.04, 0.04, 0.3), arm.body_pose("panda_hand")
    box.set_pose(hand[:3, 3] + 0.105 * hand[:3, 2], hand[:3, :3])
    weld = world.add_weld((arm, "panda_hand"), box)
    q[7:] = 0.0
    arm.set_pd_target(q)
    world.step(500)
    world.remove(weld)
    world.step(200)

    def held():
        hand = arm.body_pose("panda_hand")
        return np.hstack([hand[:3, :3].T @ (box.position - hand[:3, 3]), (hand[:3, :3].T @ box.rotation).ravel()])

    start, fastest = held(), 0.0
    for k in range(1000):
        swing = 0.2 * np.sin(4 * np.pi * k * world.time_step) * np.array([1, 0.5, 0, 0.5, 0, 1, 0, 0, 0])
        arm.set_pd_target(q + swing)
        world.step()
        fastest = max(fastest, np.linalg.norm(box.linear_velocity))
        assert np.abs(held() - start).max() < 3e-5
    assert fastest > 0.8
