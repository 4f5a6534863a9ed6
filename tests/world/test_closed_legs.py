"""A quadruped with four closed legs walks in place, with loops eliminated and as rows of the contact problem."""

import numpy as np

import rbdyn
from benchmarks.mechanisms.walking import both_ways, walker


def test_both_ways_stand_alike():
    pair = [walker(how, 1e-3) for how in ("eliminate", "inloop")]
    for one in pair:
        one.world.step(1000)
        assert np.abs(one.robot.loop_error).max() < 1e-10
        assert np.abs(one.robot.v).max() < 1e-3 and len(one.world.contacts) == 4
    assert np.abs(pair[0].robot.q - pair[1].robot.q).max() < 1e-6


def test_both_ways_walk_alike():
    """Feet slip, land and stick, for 20 s."""
    moments = list(both_ways(20.0))
    assert max(m.apart for m in moments) < 1e-6
    assert max(m.open for m in moments) < 1e-10
    assert {2, 3, 4} <= {m.contacts for m in moments}
    assert all(0.23 < m.height < 0.25 for m in moments)


def test_with_hips_the_forces_on_four_feet_are_determined():
    """Twelve rows on the feet of a mechanism that moves in 6 + 4 * 3 ways, and all of them are independent."""
    robot = walker("eliminate", 1e-3).robot
    K = rbdyn.loop_jacobian(robot.state)
    free = np.linalg.svd(K)[2][np.linalg.matrix_rank(K, tol=1e-9):].T
    feet = [rbdyn.point_jacobian(robot.state, f"{leg}_shank_a", (0, 0, -0.2)) for leg in ("LF", "RF", "LH", "RH")]
    assert free.shape[1] == 18
    assert np.linalg.matrix_rank(np.vstack(feet) @ free, tol=1e-9) == 12
    flat = walker("eliminate", 1e-3, hips=False).robot
    K = rbdyn.loop_jacobian(flat.state)
    free = np.linalg.svd(K)[2][np.linalg.matrix_rank(K, tol=1e-9):].T
    feet = [rbdyn.point_jacobian(flat.state, f"{leg}_shank_a", (0, 0, -0.2)) for leg in ("LF", "RF", "LH", "RH")]
    assert free.shape[1] == 14
    assert np.linalg.matrix_rank(np.vstack(feet) @ free, tol=1e-9) < 12
