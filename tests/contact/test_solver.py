"""The interface: overrides in C and in Python, warm start, snapshots, checks, and no allocation in a steady step."""

import copy
import gc
import importlib.util
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from reference.contact_system import System, random_matrix, rotations, stack

from rbdyn.contact import BisectionSolver, ContactSolver, ContactView, PGSSolver, Problem
from rbdyn.errors import ContactError
from rbdyn.testing.contact import check_contact_solver
from rbdyn.world import World

EXAMPLE = Path(__file__).parents[2] / "examples" / "contact_alone.py"


def example():
    spec = importlib.util.spec_from_file_location("contact_alone", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problem(seed=0, n=4, **options):
    G, v = random_matrix(np.random.default_rng(seed), n)
    v[:, 2] = -np.abs(v[:, 2])
    return Problem(G, v, 0.5, **{"key": np.arange(1, n + 1)} | options)


def keys(*numbers):
    """Records of a solver's state."""
    names = ("source", "id_a", "id_b", "feature")
    return np.array([(0, 0, k, 0) for k in numbers], [(name, np.uint32) for name in names])


class Damped(BisectionSolver):
    """Bisection, then 1 % of every impulse removed."""

    def solve(self, problem):
        super().solve(problem)
        problem.impulse[:] *= 0.99


class Writes(ContactSolver):
    """Writes what it is told to."""

    def __init__(self, values):
        super().__init__()
        self.values = values

    def solve(self, problem):
        problem.impulse[:] = self.values


# ---- overrides ----------------------------------------------------------------------------------------------------


def test_only_python_solvers_go_through_the_python_door():
    class Named(BisectionSolver):
        """Adds nothing to solve."""

    assert Damped().overridden and Writes(0).overridden and type("Sub", (Damped,), {})().overridden
    assert not BisectionSolver().overridden and not PGSSolver().overridden and not Named().overridden
    assert "__pyx_vtable__" in BisectionSolver.__dict__               # the mark that the decision rests on


def test_python_solver_that_calls_super():
    plain, damped = problem(), problem()
    BisectionSolver().step(plain)
    solver = Damped()
    solver.step(damped)
    np.testing.assert_array_equal(damped.impulse, plain.impulse * 0.99)
    assert np.abs(plain.impulse).max() > 0.1
    assert solver.iterations == plain.iterations > 1 and solver.converged


def test_ten_line_python_solver_passes_the_law_tests():
    check_contact_solver(example().PlainGaussSeidel(), seeds=2)


def test_example_agrees_with_itself(capsys):
    example().main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and len({line[18:] for line in lines}) == 1


def test_exceptions_cross_unchanged_and_leave_the_warm_start():
    class Breaks(BisectionSolver):
        broken = False

        def solve(self, problem):
            super().solve(problem)
            if self.broken:
                raise ZeroDivisionError("mine")

    solver = Breaks()
    solver.step(problem())
    before = solver.get_state()
    solver.broken = True
    with pytest.raises(ZeroDivisionError, match="^mine$"):
        solver.step(problem(seed=1))
    after = solver.get_state()
    assert after["parity"] == before["parity"]
    np.testing.assert_array_equal(after["impulse"], before["impulse"])


def test_solver_without_solve():
    for call in ("solve", "step"):
        with pytest.raises(ContactError, match="ContactSolver defines neither"):
            getattr(ContactSolver(), call)(problem())


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_bad_impulses_of_a_python_solver_are_named(value):
    impulse = np.tile([0.0, 0.0, 1.0], (4, 1))
    impulse[2, 2] = value
    with pytest.raises(ContactError, match=r"^Writes\.solve\(\) wrote impulse .* at contact 2 of 4"):
        Writes(impulse).step(problem())


def test_rounding_below_zero_is_not_pulling():
    impulse = np.tile([0.0, 0.0, 1.0], (4, 1))
    impulse[1, 2] = -1e-15
    Writes(impulse).step(keyed([1, 2, 3, 4]))


def test_compiled_door_of_a_python_solver():
    """Another solver may call a Python solver's solve() as it calls any other."""

    class Twice(ContactSolver):
        def solve(self, problem):
            Damped().solve(problem)
            BisectionSolver().solve(problem)

    p, q = problem(), problem()
    Twice().step(p)
    BisectionSolver().step(q)
    np.testing.assert_allclose(p.impulse, q.impulse, atol=1e-7)


# ---- views ----------------------------------------------------------------------------------------------------------


class Keeps(BisectionSolver):
    """Keeps its view and arrays beyond the call."""

    def solve(self, problem):
        super().solve(problem)
        self.view, self.impulse, self.v_free = problem, problem.impulse, problem.v_free


ATTRIBUTES = ["n", "dt", "v_free", "friction", "frame", "impulse", "delassus", "key"]
ATTRIBUTES += ["iterations", "error", "converged"]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_dead_views_say_so(name):
    solver = Keeps()
    solver.step(problem())
    for view in (solver.view, ContactView.__new__(ContactView), Problem.__new__(Problem), ContactView()):
        with pytest.raises(ContactError, match="holds no problem"):
            getattr(view, name)
        with pytest.raises(ContactError, match="holds no problem"):
            view.velocity()
        for solve in (BisectionSolver().solve, BisectionSolver().step, PGSSolver().solve):
            with pytest.raises(ContactError, match="holds no problem"):
                solve(view)


def test_arrays_of_a_view_outlive_it():
    solver, p = Keeps(), problem()
    solver.step(p)
    expected = p.impulse.copy()
    del p
    gc.collect()
    np.testing.assert_array_equal(solver.impulse, expected)
    solver.impulse[:] = 7.0                                            # a copy: harms nobody
    assert np.isfinite(solver.v_free).all()


def test_view_shows_the_problem():
    seen = {}

    class Looks(BisectionSolver):
        def solve(self, problem):
            for name in ATTRIBUTES:
                seen[name] = getattr(problem, name)
            super().solve(problem)
            seen["velocity"] = problem.velocity()
            seen["len"] = len(problem)

    p = problem(dt=0.25)
    Looks().step(p)
    assert (seen["n"], seen["dt"], seen["len"]) == (4, 0.25, 4)
    for name in ("v_free", "friction", "frame", "delassus", "key"):
        np.testing.assert_array_equal(seen[name], getattr(p, name))
        assert not seen[name].flags.writeable
    np.testing.assert_array_equal(seen["impulse"], p.impulse)          # super() updated the array held
    np.testing.assert_array_equal(seen["velocity"], p.velocity())
    assert seen["v_free"].shape == (4, 3) and seen["delassus"].shape == (12, 12)
    assert seen["key"].dtype.names == ("source", "id_a", "id_b", "feature")
    assert p.converged and p.iterations > 1 and p.error < 1e-8


# ---- warm start -------------------------------------------------------------------------------------------------


def test_second_step_starts_from_the_first():
    solver, p = BisectionSolver(), stack(5)
    solver.step(p)
    cold, first = solver.iterations, p.impulse.copy()
    solver.step(p)
    assert solver.iterations <= 2 < cold
    np.testing.assert_allclose(p.impulse, first, atol=1e-6)
    solver.reset()
    solver.step(p)
    assert solver.iterations == cold
    cold_each_time = BisectionSolver(warm_start=False, alternate=False)
    for _ in range(2):
        cold_each_time.step(p)
        assert cold_each_time.iterations == cold


class Shows(ContactSolver):
    """Records the warm start it is given and writes fixed impulses."""

    def __init__(self, values):
        super().__init__()
        self.values, self.given = values, None

    def solve(self, problem):
        self.given = problem.impulse.copy()
        problem.impulse[:] = self.values


def keyed(keys, frame=None, friction=1.0):
    n = len(keys)
    return Problem(np.eye(3 * n), np.tile([0.0, 0.0, -20.0], (n, 1)), friction, key=keys, frame=frame)


def test_impulses_are_found_by_key_and_forgotten_after_one_step_away():
    solver = Shows([[0, 0, 1.0], [0, 0, 2.0], [0, 0, 3.0]])
    solver.step(keyed([2, 5, 9]))
    assert not solver.given.any()
    solver.values = [[0, 0, 4.0], [0, 0, 5.0], [0, 0, 6.0], [0, 0, 7.0]]
    solver.step(keyed([1, 5, 7, 9]))
    np.testing.assert_array_equal(solver.given[:, 2], [0, 2, 0, 3])
    solver.values = [[0, 0, 1.0]] * 3
    solver.step(keyed([2, 5, 9]))                                       # 2 was away for a step
    np.testing.assert_array_equal(solver.given[:, 2], [0, 5, 7])


def test_zero_and_unordered_keys_have_no_memory():
    solver = Shows([[0, 0, 1.0], [0, 0, 2.0], [0, 0, 3.0], [0, 0, 4.0]])
    for _ in range(2):
        solver.step(keyed([0, 4, 3, 4]))
    np.testing.assert_array_equal(solver.given[:, 2], [0, 2, 0, 0])
    assert solver.get_state()["key"]["id_b"].tolist() == [4]


def test_warm_start_turns_with_the_contact_and_stays_in_the_cone():
    """Kept in world axes; clipped to the new cone; dropped where it would pull."""
    frames = rotations(np.random.default_rng(1), 2)
    solver = Shows([[0.3, -0.4, 2.0]])
    solver.step(keyed([7], frames[:1]))
    world = frames[0].T @ [0.3, -0.4, 2.0]
    angle = np.array([[np.cos(1.0), np.sin(1.0), 0], [-np.sin(1.0), np.cos(1.0), 0], [0, 0, 1]])
    state = solver.get_state()
    solver.step(keyed([7], (angle @ frames[0])[None]))
    np.testing.assert_allclose(solver.given[0], angle @ [0.3, -0.4, 2.0], atol=1e-15)
    np.testing.assert_allclose((angle @ frames[0]).T @ solver.given[0], world, atol=1e-15)
    solver.set_state(state)
    solver.values = [[0.0, 0.0, 2.0]]
    solver.step(keyed([7], frames[:1], friction=0.1))
    np.testing.assert_allclose(solver.given[0], [0.12, -0.16, 2.0], atol=1e-15)
    solver.set_state(state)
    solver.step(keyed([7], (np.diag([1.0, -1.0, -1.0]) @ frames[0])[None]))
    assert not solver.given.any()


# ---- direction, snapshots, memory ---------------------------------------------------------------------------------


def test_direction_flips_after_every_step_and_can_be_pinned():
    solver = BisectionSolver()
    seen = []
    for _ in range(3):
        seen.append(solver.parity)
        solver.step(problem())
    assert seen == [0, 1, 0]
    solver.parity = 1
    solver.solve(problem())                                             # not a step
    assert solver.parity == 1
    pinned = BisectionSolver(alternate=False)
    pinned.step(problem())
    assert pinned.parity == 0
    for bad in (2, -1, True, "backward", None):
        with pytest.raises(ContactError, match="^parity must be 0 .* or 1"):
            solver.parity = bad


def run(solver, seed, steps):
    """Steps with drifting velocities; all impulses."""
    rng = np.random.default_rng(seed)
    system = System(np.random.default_rng(0), 3, 6)
    out = []
    for _ in range(steps):
        system.u = system.u + 0.1 * rng.normal(size=len(system.u))
        p = system.problem()
        solver.step(p)
        out.append(p.impulse.copy())
    return np.array(out)


@pytest.mark.parametrize("make", [BisectionSolver, PGSSolver, Damped], ids=lambda c: c.__name__)
def test_state_restores_the_future_bit_by_bit(make):
    solver = make()
    run(solver, 1, 3)
    state = solver.get_state()
    future = run(solver, 2, 4)
    assert np.abs(future).max() > 0.1
    other = make()
    other.set_state(state)
    np.testing.assert_array_equal(run(other, 2, 4), future)
    solver.set_state(state)
    clones = [copy.copy(solver), copy.deepcopy(solver), pickle.loads(pickle.dumps(solver))]
    for clone in clones:
        assert type(clone) is make and clone.parameters == solver.parameters
        np.testing.assert_array_equal(run(clone, 2, 4), future)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"version": 99}, "version"),
        ({"parity": 2}, "parity"),
        ({"key": keys(2, 1)}, "ascend"),
        ({"key": keys(0, 1)}, "no 0"),
        ({"block_key": keys(1)}, "of one length"),
        ({"row_impulse": np.ones(2)}, "as many finite"),
        ({"block_rows": [-1]}, "of one length"),
        ({"impulse": np.full((2, 3), np.nan)}, "finite"),
        ({"impulse": np.zeros((3, 3))}, "one length"),
        ({"impulse": None}, "impulse"),
    ],
)
def test_bad_states_change_nothing(change, message):
    solver = Shows([[0, 0, 1.0], [0, 0, 2.0]])
    solver.step(keyed([3, 4]))
    before = solver.get_state()
    with pytest.raises(ContactError, match=message):
        solver.set_state(before | change)
    for bad in (None, [], b"state"):
        with pytest.raises(ContactError, match="^state must be a dict"):
            solver.set_state(bad)
    after = solver.get_state()
    np.testing.assert_array_equal(after["impulse"], before["impulse"])
    assert after["key"]["id_b"].tolist() == [3, 4] and after["parity"] == before["parity"] == 1


@pytest.mark.parametrize("make", [BisectionSolver, PGSSolver])
def test_steady_steps_allocate_nothing(make):
    """Workspace is allocated in the first steps only, and 10 steps leave as much memory behind as 500."""
    solver, small, large = make(), problem(n=3), problem(n=9)
    solver.step(large)
    solver.step(small)
    workspace = solver.allocations
    assert workspace > 0
    left = {}
    tracemalloc.start()
    try:
        for count in (10, 500):
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(count):
                solver.step(small)
                solver.step(large)
            left[count] = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert solver.allocations == workspace
    assert left[500] <= left[10] + 512


def test_workspace_grows_by_doubling():
    solver = BisectionSolver()
    counts = []
    for n in range(1, 60):
        solver.step(Problem(np.eye(3 * n), np.full((n, 3), -1.0), 0.5, key=np.arange(1, n + 1)))
        counts.append(solver.allocations)
    assert 0 < counts[-1] - counts[0] <= 30                            # eight arrays; not one each time


def test_a_step_begins_with_what_a_python_solver_made_of_the_impulses():
    """Changed, they are what the next step begins with; left alone, what the built-in solver keeps of them."""
    kept = []
    for factor in (None, 1.0, 0.5):

        class Scaled(BisectionSolver):
            def solve(self, p, factor=factor):
                super().solve(p)
                p.impulse[:] *= factor

        solver = (BisectionSolver if factor is None else Scaled)()
        world = World(2e-3, contact=solver)
        world.add_ground()
        box = world.add_box(0.2, 0.2, 0.2, 1.0)
        box.set_pose((0.0, 0.0, 0.0999))
        box.set_velocity((0.0, 0.0, -0.5))
        world.step()
        kept.append(solver.get_state()["impulse"])
        acted = np.array([c.impulse for c in world.contacts])
        assert kept[-1].sum() == pytest.approx(acted.sum(), rel=1e-12) or factor != 0.5
    np.testing.assert_array_equal(kept[0], kept[1])
    # the box bears its weight; what stopped it is over, but not for who changed it
    assert abs(kept[0].sum()) == pytest.approx(9.81 * 2e-3, rel=1e-6) and abs(kept[2].sum()) > 0.2


def test_a_solve_begins_with_nothing_said():
    """Whatever the last solve wrote: no iterations, no error, and converged only where there is nothing to solve."""

    class Silent(ContactSolver):
        def solve(self, p):
            self.found = p.iterations, p.error, p.converged
            p.iterations, p.error, p.converged = 7, 3.0, True

    solver, p = Silent(), problem(n=2)
    for _ in range(2):
        solver.step(p)
        assert solver.found == (0, 0.0, False)
        assert (p.iterations, p.error) == (7, 3.0)


# ---- arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, options, message",
    [
        (BisectionSolver, {"friction_law": "amontons"}, "^friction_law must be one of 'coulomb', 'raisim', got 'am"),
        (BisectionSolver, {"local_solver": 3}, "^local_solver must be one of 'newton', 'bisection', got 3"),
        (BisectionSolver, {"max_iterations": 0}, "^max_iterations must be a whole number from 1"),
        (BisectionSolver, {"max_iterations": 2.5}, "^max_iterations must be"),
        (BisectionSolver, {"max_iterations": True}, "^max_iterations must be"),
        (BisectionSolver, {"threshold": -1e-9}, "^threshold must be a finite number >= 0"),
        (BisectionSolver, {"threshold": np.nan}, "^threshold must be"),
        (BisectionSolver, {"alpha_init": 0.0}, "^alpha_init must be greater than 0"),
        (BisectionSolver, {"alpha_min": 1.1}, "^alpha_min must be a finite number from 0 to 1"),
        (BisectionSolver, {"alpha_decay": "fast"}, "^alpha_decay must be"),
        (BisectionSolver, {"newton": 1}, "^newton must be True or False"),
        (BisectionSolver, {"max_iterations": -3}, "^max_iterations must be"),
        (BisectionSolver, {"warm_start": "yes"}, "^warm_start must be True or False"),
        (PGSSolver, {"max_iterations": -1}, "^max_iterations must be"),
        (PGSSolver, {"threshold": np.inf}, "^threshold must be"),
        (ContactSolver, {"alternate": None.__class__}, "^alternate must be True or False"),
    ],
)
def test_names_the_bad_option(make, options, message):
    with pytest.raises(ContactError, match=message):
        make(**options)
    solver = make()
    before = solver.parameters
    with pytest.raises(ContactError, match=message):
        solver.configure(**{"alternate": False} | options)
    assert solver.parameters == before


def test_configure_changes_only_what_is_given():
    solver = BisectionSolver(threshold=1e-5, friction_law="raisim")
    solver.configure(max_iterations=7, local_solver="bisection")
    assert solver.parameters == BisectionSolver(
        threshold=1e-5, friction_law="raisim", max_iterations=7, local_solver="bisection").parameters
    assert solver.friction_law == "raisim" and "max_iterations=7" in repr(solver)


@pytest.mark.parametrize("make", [ContactSolver, BisectionSolver, PGSSolver, Damped])
def test_objects_made_without_init_work(make):
    solver = make.__new__(make)
    assert solver.parameters == make().parameters
    assert solver.get_state()["key"].shape == (0,) and solver.parity == 0 and "(" in repr(solver)
    solver.reset()
    if make is not ContactSolver:
        p = problem()
        solver.step(p)
        assert p.converged


def test_wrong_problems_are_type_errors():
    for bad in (None, 3, np.eye(3)):
        for make in (BisectionSolver, PGSSolver):
            with pytest.raises(TypeError):
                make().solve(bad)
            with pytest.raises(TypeError):
                make().step(bad)


@pytest.mark.parametrize("law", ["signorini", "cone", "dissipation", "energy", "momentum", "finite"])
def test_law_tests_catch_every_kind_of_wrong_solver(law):
    """A solver that breaks one law fails, and the message names a law; energy and momentum by their own checks."""
    changes = {
        "signorini": lambda lam: lam * [1, 1, 0.9],
        "cone": lambda lam: lam * [1.1, 1.1, 1],
        "dissipation": lambda lam: lam * [0.5, 0.5, 1],
        "energy": lambda lam: lam * 2.5,
        "momentum": lambda lam: lam + [1e-3, 0, 0],
        "finite": lambda lam: lam * np.nan,
    }

    class Wrong(BisectionSolver):
        def solve(self, problem):
            super().solve(problem)
            problem.impulse[:] = changes[law](problem.impulse)

    with pytest.raises(ContactError, match="^law '.*' fails on .*contacts.*: "):
        check_contact_solver(Wrong(), seeds=1)


@pytest.mark.parametrize("law", ["unilateral", "bilateral", "box"])
def test_the_conformance_check_holds_rows_to_their_laws(law):
    """A solver that declares a law and leaves its rows alone is told which one it breaks."""

    class Lazy(BisectionSolver):
        laws = ("cone", law)

        def solve(self, problem):
            super().solve(problem)
            if problem.n_cones < problem.n:
                problem.impulse[:] = 0.0

    with pytest.raises(ContactError, match=f"^law '{law}' fails on .* {law} rows: off by "):
        check_contact_solver(Lazy(), seeds=1)


def test_law_tests_tell_the_two_laws_apart():
    check_contact_solver(BisectionSolver(friction_law="raisim"), seeds=2)
    with pytest.raises(ContactError, match="^law 'dissipation' fails"):
        check_contact_solver(BisectionSolver(friction_law="raisim"), friction_law="coulomb", seeds=2)
    with pytest.raises(ContactError, match="^friction_law must be"):
        check_contact_solver(BisectionSolver(), friction_law="amontons")
    with pytest.raises(ContactError, match="^solver must be a ContactSolver"):
        check_contact_solver(BisectionSolver)


def test_law_tests_leave_the_solver_as_it_was():
    solver = BisectionSolver()
    solver.step(problem())
    before = solver.get_state()
    check_contact_solver(solver, seeds=1)
    after = solver.get_state()
    assert after["parity"] == before["parity"] == 1
    np.testing.assert_array_equal(after["impulse"], before["impulse"])


def test_law_tests_look_at_discs():
    """A solver that forgets torsional and rolling friction."""

    class Forgets(BisectionSolver):
        laws = ("cone", "disc")

        def solve(self, problem):
            super().solve(problem)
            if problem.n_cones < problem.n:
                problem.impulse[3 * problem.n_cones :] = 0.0

    with pytest.raises(ContactError, match="^law 'disc' fails on discs beside 2 contacts: off by "):
        check_contact_solver(Forgets(), seeds=1)


def test_springs_may_add_energy_if_the_solver_says_so():
    """A contact that parts at 1 m/s already, and is pushed on."""

    class Springs(ContactSolver):
        adds_energy = True

        def solve(self, problem):
            problem.impulse[:] = [[0.0, 0.0, 1.0]]

    class Says(Springs):
        adds_energy = False

    class Unsure(Springs):
        adds_energy = 1

    parting = Problem(np.eye(3), [[0.0, 0.0, 1.0]], friction=0.5)
    Springs().step(parting)
    assert parting.impulse[0, 2] == 1.0
    with pytest.raises(ContactError, match="add 1.5 J .* say adds_energy = True"):
        Says().step(parting)
    with pytest.raises(ContactError, match="Unsure.adds_energy must be True or False, got 1"):
        Unsure()
