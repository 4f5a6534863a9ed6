"""Many contacts: laws, agreement of solvers, invariances, physics with known answers."""

import numpy as np
import pytest
from reference.contact_system import System, cube_on_plane, random_matrix, residual, rotations, stack

from rbdyn.contact import BisectionSolver, PGSSolver, Problem
from rbdyn.testing.contact import check_contact_solver

LAWS = ("coulomb", "raisim")


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("method", ["newton", "bisection"])
def test_laws_hold_at_the_solution(law, method):
    """Random full-rank problems of 2 to 12 contacts, solved to 1e-12: residual 1e-9, every mode present."""
    rng = np.random.default_rng(3)
    solver = BisectionSolver(friction_law=law, local_solver=method, threshold=1e-12, max_iterations=2000)
    modes = np.zeros(3, int)
    for _ in range(40):
        G, v = random_matrix(rng, rng.integers(2, 13))
        problem = Problem(G, v, rng.uniform(0.1, 1.0, len(v)))
        solver.solve(problem)
        assert problem.converged and problem.error < 1e-12
        worst, seen = residual(G, v, problem.friction, problem.impulse, law)
        assert worst < 1e-9
        modes += seen
        np.testing.assert_allclose(problem.velocity().ravel(), v.ravel() + G @ problem.impulse.ravel(), atol=1e-12)
    assert modes.min() > 20


def test_agrees_with_projected_gauss_seidel():
    """Where the solution is unique, the exact local solve and a scalar projection reach the same impulses."""
    rng = np.random.default_rng(4)
    sizes = []
    for _ in range(20):
        G, v = random_matrix(rng, rng.integers(2, 9))
        a, b = (Problem(G, v, 0.5) for _ in range(2))
        BisectionSolver(threshold=1e-13, max_iterations=5000).solve(a)
        PGSSolver(threshold=1e-13, max_iterations=20000).solve(b)
        np.testing.assert_allclose(a.impulse, b.impulse, rtol=1e-8, atol=1e-9 * np.abs(a.impulse).max())
        sizes.append(np.abs(a.impulse).max())
    assert np.median(sizes) > 0.1


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("bodies, contacts, coordinates", [(3, 4, 0), (3, 9, 0), (6, 20, 0), (2, 6, 5), (1, 8, 12)])
def test_no_energy_is_created(law, bodies, contacts, coordinates):
    """The kinetic energy after is at most that before, with single bodies, articulated systems, and both at once."""
    rng = np.random.default_rng(5)
    lost = []
    for _ in range(8):
        system = System(rng, bodies, contacts, coordinates)
        J, W = system.matrices()
        problem = system.problem()
        BisectionSolver(friction_law=law, max_iterations=1000, threshold=1e-11).solve(problem)
        if not problem.converged:
            continue
        u = system.u + W @ J.T @ problem.impulse.ravel()
        M = np.linalg.inv(W)
        before, after = system.u @ M @ system.u, u @ M @ u
        assert after <= before * (1 + 1e-12)
        lost.append(1 - after / before)
    assert len(lost) >= 6 and np.median(lost) > 0.02


@pytest.mark.parametrize("bodies, contacts, coordinates", [(3, 5, 0), (1, 4, 7), (2, 6, 4)])
def test_matrix_free_operator_is_the_delassus_matrix(bodies, contacts, coordinates):
    """Bodies, rows and both at one contact: G, the velocities and the solution equal those of dense J M^-1 J^T."""
    rng = np.random.default_rng(6)
    system = System(rng, bodies, contacts, coordinates)
    problem = system.problem()
    G = system.delassus()
    np.testing.assert_allclose(problem.delassus, G, atol=1e-13 * np.abs(G).max())
    assert (np.abs(G) > 1e-3).mean() > 0.5
    problem.impulse[:] = rng.normal(size=(contacts, 3))
    expected = system.v_free().ravel() + G @ problem.impulse.ravel()
    np.testing.assert_allclose(problem.velocity().ravel(), expected, atol=1e-12 * np.abs(expected).max())
    dense = Problem(G, system.v_free(), system.friction)
    np.testing.assert_allclose(dense.delassus, G, atol=1e-13 * np.abs(G).max())
    solver = BisectionSolver(threshold=1e-13, max_iterations=3000)
    problem.impulse[:] = 0.0
    solver.solve(problem)
    solver.solve(dense)
    np.testing.assert_allclose(problem.velocity(), dense.velocity(), atol=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_tangent_axes_do_not_matter(law):
    """Turning t1 and t2 about the normal turns the impulses with them."""
    rng = np.random.default_rng(7)
    system = System(rng, 4, 5)
    solver = BisectionSolver(friction_law=law, threshold=1e-13, max_iterations=3000)
    first = system.problem()
    solver.solve(first)
    world = np.einsum("nij,ni->nj", system.frame, first.impulse)
    for i, angle in enumerate(rng.uniform(0.5, 3.0, 5)):
        turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        system.frame[i] = turn @ system.frame[i]
    second = system.problem()
    solver.solve(second)
    assert np.abs(first.impulse - second.impulse).max() > 0.01
    np.testing.assert_allclose(np.einsum("nij,ni->nj", system.frame, second.impulse), world, atol=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_order_direction_and_sides_do_not_matter(law):
    """Permuted contacts, a backward sweep, and A and B exchanged give the same impulses."""
    rng = np.random.default_rng(8)
    system = System(rng, 4, 5)
    system.b[system.b < 0] = (system.a[system.b < 0] + 1) % 4
    solver = BisectionSolver(friction_law=law, threshold=1e-13, max_iterations=3000)
    first, backward = system.problem(), system.problem()
    solver.solve(first)
    solver.parity = 1
    solver.solve(backward)
    np.testing.assert_allclose(backward.impulse, first.impulse, atol=1e-9)
    assert law == "coulomb" or (backward.impulse != first.impulse).any()  # Newton's method has no direction
    order = rng.permutation(5)
    for name in ("frame", "a", "b", "arm_a", "arm_b", "friction", "J"):
        setattr(system, name, getattr(system, name)[order])
    system.a, system.b, system.arm_a, system.arm_b = system.b, system.a, system.arm_b, system.arm_a
    half_turn = np.diag([1.0, -1.0, -1.0])                              # normal into the new A, still right-handed
    system.frame = half_turn @ system.frame
    swapped = system.problem()
    solver.solve(swapped)
    np.testing.assert_allclose(swapped.impulse, first.impulse[order] * [-1.0, 1.0, 1.0], atol=1e-9)


@pytest.mark.parametrize("half, slope", [((0.5, 0.5, 0.5), 50.0), ((1.0, 1.0, 0.1), 50.0)])
@pytest.mark.parametrize("friction", [0.3, 0.5, 0.8])
def test_box_slides_down_a_plane(half, slope, friction):
    """a = g (sin - mu cos) exactly; "raisim" loses the share of friction that its corners turn sideways."""
    slope, dt, g = np.radians(slope), 1e-3, 9.81
    a, b, h = half
    Ix, Iz = (b * b + h * h) / 3, (a * a + b * b) / 3
    sideways = friction * h * b / Ix / (1 + b * b / Ix + a * a / Iz)
    for law, share in (("coulomb", 1.0), ("raisim", np.sqrt(1 - sideways**2))):
        problem = cube_on_plane(half, slope, friction, dt=dt, gravity=g)
        BisectionSolver(friction_law=law, threshold=1e-15, max_iterations=2000).solve(problem)
        expected = g * (np.sin(slope) - share * friction * np.cos(slope))
        acceleration = problem.velocity()[:, 0].mean() / dt
        assert acceleration == pytest.approx(expected, rel=1e-9 if law == "coulomb" else 2e-3)
        assert expected > 1.0


@pytest.mark.parametrize("ratio, moves", [(1.001, False), (0.99, True)])
def test_box_sticks_exactly_at_the_friction_angle(ratio, moves):
    """mu = 1.001 tan(slope) holds, 0.99 tan(slope) slides at the analytic rate."""
    slope, dt = np.radians(25.0), 1e-3
    problem = cube_on_plane((0.5, 0.5, 0.5), slope, ratio * np.tan(slope), dt=dt)
    BisectionSolver(threshold=1e-14, max_iterations=5000).solve(problem)
    expected = 9.81 * dt * (np.sin(slope) - ratio * np.tan(slope) * np.cos(slope)) if moves else 0.0
    np.testing.assert_allclose(problem.velocity()[:, 0], expected, atol=1e-9, rtol=1e-6)
    assert (abs(expected) > 1e-5) == moves


def test_stack_carries_its_weight():
    """Three cubes: the ground pushes with all their weight, level by level, and nothing moves."""
    problem = stack(3)
    BisectionSolver(threshold=1e-11).solve(problem)
    assert problem.converged and problem.iterations < 80
    weight = 9.81 * 2e-3 * np.array([6.0, 5.0, 3.0])
    np.testing.assert_allclose(problem.impulse[:, 2].reshape(3, 4).sum(axis=1), weight, rtol=1e-8)
    assert np.abs(problem.velocity()).max() < 1e-9


def test_early_stop_still_returns_impulses_inside_the_cone():
    """Whatever sweep is the last one, the impulses are those after it: feasible, never the accelerated ones."""
    for sweeps in range(1, 25):
        problem = System(np.random.default_rng(9), 3, 9, friction=0.6).problem()
        BisectionSolver(max_iterations=sweeps, threshold=0.0).solve(problem)
        assert problem.iterations == sweeps and not problem.converged
        assert (problem.impulse[:, 2] >= 0).all()
        assert (np.hypot(*problem.impulse.T[:2]) <= 0.6 * problem.impulse[:, 2] * (1 + 1e-14)).all()


@pytest.mark.parametrize("alpha", [{"alpha_init": 0.5, "alpha_min": 0.5}, {"alpha_min": 0.4, "alpha_decay": 0.9}])
def test_under_relaxation_reaches_the_same_solution_later(alpha):
    G, v = random_matrix(np.random.default_rng(11), 6)
    plain, relaxed = Problem(G, v, 0.5), Problem(G, v, 0.5)
    BisectionSolver(threshold=1e-12, max_iterations=2000, newton=False).solve(plain)
    BisectionSolver(threshold=1e-12, max_iterations=2000, newton=False, **alpha).solve(relaxed)
    np.testing.assert_allclose(relaxed.impulse, plain.impulse, atol=1e-9)
    assert relaxed.iterations > plain.iterations


def test_immovable_and_empty_problems():
    """No contact, a body of infinite mass, and a contact between nothing and nothing."""
    empty = Problem(np.zeros((0, 0)), np.zeros((0, 3)), 0.5)
    BisectionSolver().solve(empty)
    assert empty.converged and empty.impulse.shape == (0, 3) and empty.delassus.shape == (0, 0)
    problem = Problem.from_bodies(
        [0.0, 0.5], [np.zeros((3, 3)), np.eye(3)], frame=rotations(np.random.default_rng(0), 3),
        v_free=[[0.3, 0, -1]] * 3, friction=0.5, single_a=[1, 0, -1], single_b=[0, -1, -1],
        arm_a=np.zeros((3, 3)), arm_b=np.zeros((3, 3)))
    for solver in (BisectionSolver(), PGSSolver()):
        solver.solve(problem)
        assert problem.impulse[0, 2] == pytest.approx(2.0, rel=1e-14) and not problem.impulse[1:].any()


def test_overflow_is_reported():
    """A velocity whose impulse no double holds: nothing is written, and the solve says that it failed."""
    problem = Problem(1e-29 * np.eye(3), [[0.0, 0.0, -1e290]], 0.5)
    BisectionSolver().solve(problem)
    assert not problem.impulse.any() and not problem.converged and problem.error == np.inf and problem.iterations == 1


@pytest.mark.parametrize(
    "solver",
    [
        *(BisectionSolver(friction_law=law, local_solver=m) for law in LAWS for m in ("newton", "bisection")),
        BisectionSolver(newton=False, max_iterations=1000),
        PGSSolver(),
    ],
    ids=repr,
)
def test_built_in_solvers_pass_the_law_tests(solver):
    check_contact_solver(solver, seeds=6)


def test_without_friction_normals_are_visited_alone():
    """Pairs of bodies, bodies on either side of the ground, warm and cold: the laws hold, as in the dense problem."""
    rng = np.random.default_rng(12)
    n, bodies = 14, 6
    a, b = rng.integers(0, bodies, n), rng.integers(0, bodies, n)
    a[:4], b[4:8] = -1, -1
    b[a == b] = -1
    frame = rotations(rng, n)
    arguments = {
        "inverse_mass": rng.uniform(0.5, 2.0, bodies),
        "inverse_inertia": np.array([np.diag(rng.uniform(2.0, 9.0, 3)) for _ in range(bodies)]),
        "frame": frame, "v_free": rng.normal(size=(n, 3)), "friction": 0.0,
        "single_a": a, "arm_a": rng.normal(size=(n, 3)), "single_b": b, "arm_b": rng.normal(size=(n, 3)),
    }
    problem = Problem.from_bodies(**arguments)
    dense = Problem(problem.delassus, problem.v_free, 0.0)
    solver = BisectionSolver(threshold=1e-12, max_iterations=5000, newton=False)
    for start in (0.0, 1.0):
        for p in (problem, dense):
            p.impulse = np.tile([0.0, 0.0, start], (n, 1))
            solver.solve(p)
            assert p.converged
        lam, v = problem.impulse, problem.velocity()
        assert (lam[:, :2] == 0.0).all() and lam[:, 2].min() == 0.0 and (lam[:, 2] > 0.1).sum() >= 4
        assert v[:, 2].min() > -1e-10 and np.abs(v[:, 2] * lam[:, 2]).max() < 1e-10
        np.testing.assert_allclose(v[:, 2], dense.velocity()[:, 2], atol=1e-9)
