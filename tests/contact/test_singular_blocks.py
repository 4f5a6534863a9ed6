"""Contacts that cannot move freely: targets out of reach, bodies wedged between one another, energy out of nothing."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver, ContactSolver, PGSSolver, Problem
from rbdyn.errors import ContactError

SOLVERS = [
    BisectionSolver,
    lambda: BisectionSolver(friction_law="raisim"),
    lambda: BisectionSolver(local_solver="bisection"),
    lambda: BisectionSolver(newton=False),
    PGSSolver,
]
NEWTON = [SOLVERS[0], SOLVERS[2]]  # sweeps alone do not tell that laws contradict one another


def wedge(null, v_free, friction=0.8):
    """One contact whose impulses along `null` move nothing."""
    n = np.array(null) / np.linalg.norm(null)
    return Problem(np.eye(3) - np.outer(n, n), [v_free], friction, key=[1])


@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize("null", [(0.3, 0.0, 1.0), (-0.2, 0.5, 1.0), (0.0, 0.0, 1.0), (0.9, 0.3, 1.0)])
@pytest.mark.parametrize("target", [1e-3, 1.0])
def test_a_target_out_of_reach_is_dropped(make, null, target):
    """G = 1 - n n^T with n inside the cone or near it: the impulse stays of the size of the velocity, warm or cold."""
    solver = make()
    for _ in range(12):
        problem = wedge(null, (0.0, 0.0, -target))
        solver.step(problem)
        assert np.linalg.norm(problem.impulse) < 4 * target
        lam, v_free = problem.impulse.ravel(), problem.v_free.ravel()
        assert lam @ (v_free + problem.delassus @ lam / 2) <= 1e-12


def test_a_wedged_contact_still_stops_what_can_be_stopped():
    """The velocity that the mechanism can have goes to zero exactly; only the unreachable part of v_free stays."""
    n = np.array([0.3, -0.1, 1.0]) / np.linalg.norm([0.3, -0.1, 1.0])
    possible = np.cross(n, [0.2, 1.0, 0.3])
    possible *= -np.sign(possible[2])
    assert possible[2] < -0.1 and np.abs(possible[:2]).max() > 0.1
    problem = wedge(n, possible - [0.0, 0.0, 0.02])                     # a position correction of 0.02 m/s
    BisectionSolver(threshold=1e-13).solve(problem)
    assert problem.converged and problem.impulse[0, 2] > 0.1
    v = possible + problem.delassus @ problem.impulse[0]
    np.testing.assert_allclose(v, 0.0, atol=1e-12)


@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize("slack", [0.9, 1e6])
def test_a_wedged_contact_with_a_gap_is_no_contact_yet(make, slack):
    """A blow on a body whose limbs are about to touch one another, and do not in this step: the gap stays what it is.

    The limbs' own contact is of rank 2, v_n = w . v_t, and comes in at 0.4 m/s where 0.9 m/s would close its gap.
    """
    w = np.array([0.3, 0.5])
    J_t = np.array([[0.5, 0.2, -0.4], [0.3, 0.6, -0.8]])
    J = np.vstack([np.eye(3), J_t, w @ J_t])
    u = np.array([-0.7, -0.6, -4.8])
    v_free = J @ u
    assert (J @ (u * [1.0, 1.0, 0.0]))[5] == pytest.approx(-0.426)
    target = np.array([0.0, 0.0, 0.0, 0.0, 0.0, -slack])
    problem = Problem(J @ J.T, (v_free - target).reshape(2, 3), [0.0, 0.8], target=target.reshape(2, 3))
    make().solve(problem)
    assert problem.converged
    np.testing.assert_allclose(problem.impulse, [[0.0, 0.0, 4.8], [0.0, 0.0, 0.0]], atol=1e-7)


@pytest.mark.parametrize("make", SOLVERS)
def test_a_wedged_contact_closes_its_gap_and_no_further(make):
    """The same limbs without a blow, but faster: friction may hold them only where the gap is closed."""
    w = np.array([0.3, 0.5])
    J_t = np.array([[0.5, 0.2, -0.4], [0.3, 0.6, -0.8]])
    J = np.vstack([J_t, w @ J_t])
    u = np.array([-3.0, -3.0, 0.0])
    target = np.array([0.0, 0.0, -0.9])
    assert J[2] @ u < -1.5
    problem = Problem(J @ J.T, [J @ u - target], 0.1, target=[target])
    make().solve(problem)
    lam = problem.impulse[0]
    v = J @ (u + J.T @ lam)
    assert lam[2] > 1.0
    assert v[2] == pytest.approx(-0.9, abs=1e-6)
    assert np.linalg.norm(lam[:2]) == pytest.approx(0.1 * lam[2], rel=1e-6)
    assert lam[:2] @ v[:2] < 0.0


def test_a_target_within_reach_is_kept_on_a_planar_mechanism():
    """Rank 2 with the null direction in the tangent plane: the normal target is met as on any other contact."""
    problem = wedge((0.6, 0.8, 0.0), (0.0, 0.0, -0.5))
    BisectionSolver(threshold=1e-13).solve(problem)
    np.testing.assert_allclose(problem.impulse[0], [0.0, 0.0, 0.5], atol=1e-11)
    assert problem.converged


def test_a_null_direction_far_outside_the_cone_lets_the_contact_slide_apart():
    """Little friction cannot wedge: the target is met by sliding, as the law says."""
    problem = wedge((1.0, 0.0, 1.0), (0.0, 0.0, -0.5), friction=0.2)
    BisectionSolver(threshold=1e-13, max_iterations=2000).solve(problem)
    lam = problem.impulse[0]
    v = problem.v_free[0] + problem.delassus @ lam
    assert lam[2] > 0.5 and v[2] == pytest.approx(0.0, abs=1e-9)
    assert np.hypot(*lam[:2]) == pytest.approx(0.2 * lam[2], rel=1e-9) and abs(v[0]) > 0.1
    assert v[:2] @ lam[:2] < 0


def test_rank_one_is_wedged_too():
    """One joint between the bodies: J^T has one column; its velocity is stopped, the rest of v_free is out of reach."""
    a = np.array([0.8, 0.1, 0.5])
    problem = Problem(np.outer(a, a), [-0.7 * a - [0.0, 0.0, 0.3]], 0.9, key=[1])
    solver = BisectionSolver()
    for _ in range(12):
        solver.step(problem)
        assert np.linalg.norm(problem.impulse) < 5.0
    assert a @ problem.impulse[0] == pytest.approx(0.7, rel=1e-6)      # a (a . lam) = 0.7 a


@pytest.mark.parametrize("make", NEWTON)
def test_contacts_that_contradict_one_another_stay_bounded(make):
    """Four contacts on one pair with two freedoms, pushed apart in opposite directions: no solution, no growth."""
    rng = np.random.default_rng(0)
    solver = make()
    for _ in range(20):
        J = rng.normal(size=(12, 2))
        J[6:] = -J[:6] + 0.1 * rng.normal(size=(6, 2))
        G = J @ J.T
        v_free = np.tile([0.0, 0.0, -1.0], (4, 1))
        solver.reset()
        for _ in range(10):
            problem = Problem(G, v_free, 0.8, key=[1, 2, 3, 4])
            solver.step(problem)
            lam = problem.impulse
            assert np.isfinite(lam).all() and np.abs(lam).max() < 2000
            assert (np.hypot(*lam.T[:2]) <= 0.8 * lam[:, 2] * (1 + 1e-12)).all()


def squeezed(target):
    """A ball of 2 kg between two walls, each of which pushes it away at `target` [m/s]: nothing moves like that."""
    x, y, z = np.eye(3)
    frame = [[y, z, x], [y, -z, -x]]
    v_free = [[0.0, 0.0, -target], [0.0, 0.0, -target]]
    return Problem.from_bodies(
        [0.5], [5.0 * np.eye(3)], frame=frame, v_free=v_free, target=np.negative(v_free), friction=0.0, single_a=[0, 0],
        arm_a=[[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]],
    )


@pytest.mark.parametrize("make", NEWTON)
def test_what_contradicts_is_solved_with_compliance(make):
    """3 % of the mean diagonal, 0.5 / kg + 0.0333 / kg of spin, and a tenth of the targets: lam = 0.1 T / (0.03 G)."""
    problem = squeezed(1.0)
    make().solve(problem)
    mean = 0.5 + 2 * 5.0 * 0.1**2 / 3
    np.testing.assert_allclose(problem.impulse[:, 2], 0.1 / (0.03 * mean), rtol=5e-3)
    assert not problem.converged
    # nothing is left of it after a step without targets
    solver = make()
    solver.step(squeezed(1.0))
    calm = squeezed(0.0)
    solver.step(calm)
    np.testing.assert_array_equal(calm.impulse, 0.0)


@pytest.mark.parametrize("sweeps", [25, 30, 80])
def test_what_contradicts_is_solved_however_few_sweeps_are_left(sweeps):
    """A ball that falls on a floor while two walls squeeze it: the floor holds it, within the compliance of 3 %."""
    x, y, z = np.eye(3)
    fall = [[0.0, 0.0, -1.0], [0.0, 0.0, -1.0], [0.0, 0.0, -0.3]]
    problem = Problem.from_bodies(
        [0.5], [5.0 * np.eye(3)], frame=[[y, z, x], [y, -z, -x], [x, y, z]], v_free=fall, friction=0.0,
        target=[[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], single_a=[0, 0, 0],
        arm_a=[[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, -0.1]],
    )  # fmt: skip
    BisectionSolver(max_iterations=sweeps).solve(problem)
    assert problem.impulse[2, 2] == pytest.approx(0.3 / 0.5, rel=0.05)
    assert (problem.impulse[:2, 2] > 1.0).all() and not problem.converged


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_loops_that_contradict_are_compliant_in_both_directions(sign):
    """Two bilateral rows ask one coordinate for opposite velocities T: a tenth of each, over 3 % of G = 4 / kg."""
    G = [[4.0, -4.0], [-4.0, 4.0]]
    problem = Problem.from_blocks([{"law": "bilateral"}] * 2, G, [-sign, -sign], target=[sign, sign])
    BisectionSolver(threshold=1e-10).solve(problem)
    np.testing.assert_allclose(problem.impulse, sign * 0.1 / 0.12, rtol=1e-3)


def test_a_target_near_a_singularity_takes_a_bounded_energy():
    """G_nn - w . G_tn = s: with s far below the trace the target T is lowered to keep T^2 / (2 s) in bounds."""
    for power in range(1, 14):
        s = 10.0**-power
        n = np.array([0.3, 0.0, 1.0]) / np.linalg.norm([0.3, 0.0, 1.0])
        G = np.eye(3) - (1.0 - s) * np.outer(n, n)
        problem = Problem(G, [[0.0, 0.0, -0.5]], 0.8, target=[[0.0, 0.0, 0.5]])
        BisectionSolver(max_iterations=5000).solve(problem)
        lam = problem.impulse.ravel()
        energy = lam @ G @ lam / 2
        assert 0.0 <= energy <= 0.5 * 0.5**2 * 30 / np.trace(G) * (1 + 1e-6)
        assert s < 1e-2 or energy > 1e-3


def test_the_matrix_of_a_wedged_contact_is_its_own():
    """delassus and velocity() know nothing of what a solver makes of a singular block."""
    problem = wedge((0.3, 0.0, 1.0), (0.1, 0.2, -0.4))
    n = np.array([0.3, 0.0, 1.0]) / np.linalg.norm([0.3, 0.0, 1.0])
    np.testing.assert_allclose(problem.delassus, np.eye(3) - np.outer(n, n), atol=1e-12)
    problem.impulse[:] = [[0.1, 0.0, 0.5]]
    expected = [0.1, 0.2, -0.4] + (np.eye(3) - np.outer(n, n)) @ [0.1, 0.0, 0.5]
    np.testing.assert_allclose(problem.velocity()[0], expected, atol=1e-12)


# ---- the last check of a solve ------------------------------------------------------------------------------------


def energy_change(problem):
    lam = problem.impulse.ravel()
    return lam @ (problem.v_free.ravel() + problem.delassus @ lam / 2)


@pytest.mark.parametrize("make", [lambda: BisectionSolver(max_iterations=1), lambda: PGSSolver(max_iterations=1)])
def test_an_early_stop_makes_no_energy(make):
    """Far too large a warm start and one sweep: what is returned takes energy away, and is not said to be solved."""
    made = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(15, 9))
        G = A @ A.T / 9
        v_free = rng.normal(size=(5, 3))
        warm = np.abs(rng.normal(size=(5, 3))) * [0.1, 0.1, 5.0]
        loose = Problem(G, v_free, 0.5)
        loose.impulse[:] = warm
        made += energy_change(loose) > 0
        solver = make()
        solver.solve(loose)
        assert energy_change(loose) <= 1e-9
        assert (np.hypot(*loose.impulse.T[:2]) <= 0.5 * loose.impulse[:, 2] * (1 + 1e-12)).all()
    assert made > 100


@pytest.mark.parametrize("make", [lambda: BisectionSolver(max_iterations=1), lambda: PGSSolver(max_iterations=1)])
def test_an_early_stop_with_rows_makes_no_energy(make):
    """The same of blocks of three rows each beside a contact."""
    made = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(12, 7))
        blocks = [{"law": "cone", "friction": 0.5}] + [{"law": "unilateral", "rows": 3}] * 3
        size = np.array([0.1, 0.1, 9.0, 0.1, 9.0, 9.0, 0.1, 0.1, 9.0])
        warm = np.concatenate([[0.0, 0.0, 0.1], np.abs(rng.normal(size=9)) * size])
        problem = Problem.from_blocks(blocks, A @ A.T / 7, rng.normal(size=12))
        problem.impulse[:] = warm
        made += energy_change(problem) > 0
        make().solve(problem)
        assert energy_change(problem) <= 1e-9
        assert (problem.impulse[3:] >= 0.0).all()
    assert made > 100


@pytest.mark.parametrize("mass", [-30, 0, 30])
@pytest.mark.parametrize("speed", [-30, 30])
def test_a_solve_scales_with_its_units(speed, mass):
    """Velocities times 2^k, mobilities times 2^m: the same decisions, sweep by sweep, impulses to the last bit."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(60, 40))
        G, v_free = A @ A.T / 40, rng.normal(size=(20, 3)) - [0.0, 0.0, 1.0]
        found = []
        for k, m in ((0, 0), (speed, mass)):
            problem = Problem(G * 2.0**m, v_free * 2.0**k, 0.6)
            BisectionSolver(threshold=1e-8 * 2.0**k).solve(problem)
            found.append((problem.impulse * 2.0 ** (m - k), problem.iterations))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        assert found[0][1] == found[1][1]


@pytest.mark.parametrize("speed", [-30, 0, 30])
def test_rows_that_contradict_leave_other_rows_alone(speed):
    """Two stops push one coordinate apart, (0.03 G) lam = 0.1 T; the row of another coordinate meets its law."""
    T = 2.0**speed
    G = np.array([[4.0, -4.0, 0.0], [-4.0, 4.0, 0.0], [0.0, 0.0, 2.0]])
    problem = Problem.from_blocks(
        [{"law": "unilateral"}] * 3, G, [-T, -T, -3.0 * T], target=[T, T, T]
    )
    BisectionSolver(threshold=1e-9 * T).solve(problem)
    np.testing.assert_allclose(problem.impulse, [0.1 * T / 0.12, 0.1 * T / 0.12, 1.5 * T], rtol=1e-3)
    assert problem.impulse[2] == pytest.approx(1.5 * T, rel=1e-12) and not problem.converged


def test_a_tall_stack_with_small_corrections_is_no_contradiction():
    """Forty balls of 1 kg: ball k rises at (k + 1) T, and the contact below it carries all that is above."""
    n, T, fall = 40, 1e-6, 0.05
    x, y, z = np.eye(3)
    problem = Problem.from_bodies(
        np.ones(n), np.tile(250.0 * np.eye(3), (n, 1, 1)), frame=[[x, y, z]] * n, friction=0.0,
        v_free=[[0.0, 0.0, -fall - T]] + [[0.0, 0.0, -T]] * (n - 1), target=[[0.0, 0.0, T]] * n, single_a=range(n),
        single_b=[-1, *range(n - 1)], arm_a=[[0.0, 0.0, -0.1]] * n, arm_b=[[0.0, 0.0, 0.1]] * n,
    )  # fmt: skip
    BisectionSolver(max_iterations=5000).solve(problem)
    expected = [sum(fall + (j + 1) * T for j in range(k, n)) for k in range(n)]
    np.testing.assert_allclose(problem.impulse[:, 2], expected, rtol=1e-5)
    assert problem.converged


def test_impulses_that_make_energy_are_scaled_to_the_least():
    """Along the line from zero the energy is a parabola: its vertex is returned, and the step counts as unsolved."""
    G = np.array([[2.0, 1.9], [1.9, 2.0]])
    big = np.zeros((6, 6))
    big[2::3, 2::3] = G
    big += np.diag([1.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    v_free = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 30.0]])
    problem = Problem(big, v_free, 0.0)
    problem.impulse[:] = [[0.0, 0.0, 0.0], [0.0, 0.0, 1000.0]]
    solver = BisectionSolver(max_iterations=1, alpha_init=0.5, alpha_min=0.5)
    reference = Problem(big, v_free, 0.0)
    reference.impulse[:] = problem.impulse
    solver.solve(problem)
    # one sweep with alpha = 1/2 by hand: contact 0 opens (v > 0 there), contact 1 halves
    assert energy_change(problem) <= 0.0 and not problem.converged
    assert problem.impulse[1, 2] == 0.0                                 # every multiple of it makes energy


@pytest.mark.parametrize("make", SOLVERS)
def test_overflow_gives_no_impulse_and_no_success(make):
    """Velocities near the end of the double range: the impulses are finite, and nobody calls it converged."""
    for size in (1e290, 1e305):
        problem = Problem(1e-25 * np.eye(6), [[0.0, 0.0, -size], [size, 0.0, -size]], 0.5)
        solver = make()
        solver.solve(problem)
        assert np.isfinite(problem.impulse).all()
        assert not problem.converged


class Writes(ContactSolver):
    def __init__(self, impulse):
        super().__init__()
        self.impulse = impulse

    def solve(self, problem):
        problem.impulse[:] = self.impulse


def test_a_python_solver_that_leaves_the_cone_is_told_so():
    problem = Problem(np.eye(6), [[0.0, 0.0, -1.0]] * 2, [0.5, 0.3])
    Writes([[0.5, 0.0, 1.0], [0.18, 0.24, 1.0]]).step(problem)          # on the rims
    message = r"^Writes\.solve\(\) wrote impulse \(0.18, 0.25, 1\) N s at contact 1 of 2: its friction .* 0.3 times"
    with pytest.raises(ContactError, match=message):
        Writes([[0.5, 0.0, 1.0], [0.18, 0.25, 1.0]]).step(problem)


def test_a_python_solver_that_makes_energy_is_told_so():
    """lam . (v_free + lam / 2) for lam = 3 and v_free = -1 is 1.5 J."""
    problem = Problem(np.eye(3), [[0.0, 0.0, -1.0]], 0.5)
    Writes([[0.0, 0.0, 2.0]]).step(problem)                             # a perfect bounce: nothing gained
    with pytest.raises(ContactError, match=r"^Writes\.solve\(\) wrote impulses that add 1.5 J to the kinetic energy"):
        Writes([[0.0, 0.0, 3.0]]).step(problem)


def test_rounding_makes_no_energy():
    """Where nothing is to be done, an impulse of 1e-14 N s by rounding is all there is: 5e-29 J."""
    problem = Problem(np.eye(3), [[0.0, 0.0, 0.0]], 0.5)
    Writes([[0.0, 0.0, 1e-14]]).step(problem)
    with pytest.raises(ContactError, match="add 5e-21 J"):
        Writes([[0.0, 0.0, 1e-10]]).step(problem)
