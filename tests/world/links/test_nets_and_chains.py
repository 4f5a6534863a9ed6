"""Many wires at once: nets, long chains, light beads under a heavy load; what contradicts; warm starts by key."""

import numpy as np
import pytest

from rbdyn import Transform
from rbdyn.world import World

G = 9.81


def energy(bodies):
    return sum(b.kinetic_energy + b.potential_energy for b in bodies)


def bead(world, mass, place):
    body = world.add_sphere(0.02, mass, group=2, mask=1)
    body.set_pose(place)
    return body


def net(world):
    """20 beads in a level square net that hangs on one side."""
    beads = {cell: bead(world, 0.1, (0.2 * cell[0], 0.2 * cell[1], 0)) for cell in np.ndindex(5, 4)}
    for (i, j), one in beads.items():
        for other in ((i + 1, j), (i, j + 1)):
            if other in beads:
                world.add_stiff_wire(one, beads[other])
        if i == 0:
            world.add_stiff_wire(one, None, point_b=(-0.2, 0.2 * j, 0))
    return list(beads.values())


def chain(world, masses, step):
    """Beads on wires of 5 cm, one after the other from the origin."""
    beads = []
    for k, mass in enumerate(masses):
        beads.append(bead(world, mass, (k + 1) * np.asarray(step)))
        world.add_stiff_wire(beads[-2] if k else None, beads[-1])
    return beads


def run(world, beads, seconds, stretch, gain):
    """Energy never rises above that of the start by more than `gain` [J], no wire is longer by more than `stretch`."""
    start = energy(beads)
    for k in range(round(seconds / world.time_step)):
        world.step()
        if k % 4 == 0:
            assert energy(beads) < start + gain
            assert max(wire.error for wire in world.constraints) < stretch


def test_a_net_swings_for_20_seconds():
    world = World(0.002)
    run(world, net(world), 20.0, 1e-3, 0.05)


def test_a_chain_of_50_beads_whips_and_stays_whole():
    """Bead by bead 5 cm, at 10 m/s and a step of 2 ms: inelastic snaps take energy, nothing makes any."""
    world = World(0.002)
    beads = chain(world, [0.1] * 50, (0.05, 0, 0))
    run(world, beads, 5.0, 0.02, 1e-3)
    world.step(2500)
    assert max(wire.error for wire in world.constraints) < 0.02


@pytest.mark.parametrize("dt", [0.005, 0.002])
@pytest.mark.parametrize("swings", [False, True])
def test_light_beads_carry_a_thousand_times_their_mass(dt, swings):
    """The beads would swing across the taut chain by 1.8 rad a step at 2 ms, 4.4 at 5 ms: more than steps can tell."""
    world = World(dt)
    beads = chain(world, [0.01] * 19 + [10.0], (0.05, 0, 0) if swings else (0, 0, -0.05))
    if not swings:
        beads[-1].set_velocity((1.0, 0, 0))
    run(world, beads, 4.0, 2e-3, 0.1)
    if not swings:
        assert np.linalg.norm(beads[-1].position) == pytest.approx(1.0, abs=2e-3)


def test_tension_in_a_hanging_chain_is_the_weight_below():
    world = World(0.002)
    chain(world, [0.1] * 50, (0, 0, -0.05))
    world.step(200)
    for k, wire in enumerate(world.constraints):
        assert wire.tension == pytest.approx((50 - k) * 0.1 * G, rel=1e-5)


def test_welds_that_contradict_one_another_hold_still():
    """Where it is welded to two places a body stays between them, and does not move."""
    world = World(0.002)
    box = world.add_box(0.2, 0.2, 0.2, 1.0)
    welds = [world.add_weld(None, box, Transform(translation=(x, 0, 0))) for x in (0.0, 0.1)]
    world.step(2000)
    assert -1e-3 < box.position[0] < 0.101
    assert np.abs(np.r_[box.linear_velocity, box.angular_velocity]).max() < 1e-6
    assert sum(weld.wrench for weld in welds) == pytest.approx([0, 0, 0, 0, 0, G], abs=1e-3)


def test_what_rests_is_solved_in_a_sweep_and_starts_from_its_key():
    """The numbers of constraints are keys: others that come and go do not disturb what is known of one."""
    world = World(0.002)
    chain(world, [0.1] * 10, (0, 0, -0.05))
    passing = bead(world, 1.0, (5, 0, 0))
    world.add_stiff_wire(passing, None, point_b=(5, 0, 1))
    world.step(100)
    world.remove(passing)
    world.step()
    assert world.contact.statistics.iterations <= 2
    keys = world.contact.get_state()["block_key"]
    assert (keys["source"] == 12).all() and len(keys) == 10
    assert world.constraints[0].tension == pytest.approx(G, rel=1e-6)
