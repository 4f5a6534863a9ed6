"""Islands solved several at a time: the same bits for any number of threads."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from reference.contact_system import System

from rbdyn.contact import BisectionSolver
from rbdyn.errors import ContactError
from rbdyn.world import World


def piles(threads, count=4):
    """A few heaps far from one another, and a stack."""
    position_solver = BisectionSolver(max_iterations=30, threads=threads)
    world = World(5e-3, contact=BisectionSolver(threads=threads), position_solver=position_solver)
    world.add_ground()
    for j in range(count):
        random = np.random.default_rng(j)
        for k in range(6 + 3 * j):
            quaternion = random.normal(size=4)
            box = world.add_box(*random.uniform(0.1, 0.3, 3), mass=2.0)
            box.set_pose((10.0 * j + random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 0.2 + 0.1 * k),
                         quaternion / np.linalg.norm(quaternion))
    for k in range(5):
        world.add_box(0.2, 0.2, 0.2, mass=1.0).set_pose((-10.0, 0.0, 0.1 + 0.2 * k))
    return world


def state(world):
    bodies = [body for body in world.objects if body.body_type == "dynamic"]
    return np.array([[*b.position, *b.orientation, *b.linear_velocity, *b.angular_velocity] for b in bodies])


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bits(threads):
    one, many = piles(1), piles(threads)
    for _ in range(30):
        one.step(4)
        many.step(4)
        np.testing.assert_array_equal(state(many), state(one))
        assert many.contact.iterations == one.contact.iterations > 0
        assert many.contact.error == one.contact.error
        np.testing.assert_array_equal(many.contact.error_history, one.contact.error_history)
    assert many.contact.statistics == one.contact.statistics
    assert many.contact.parameters["threads"] == threads


def test_the_number_of_threads_can_be_changed_between_steps():
    one, many = piles(1), piles(1)
    for threads in (2, 1, 4):
        many.contact.configure(threads=threads)
        one.step(10)
        many.step(10)
        np.testing.assert_array_equal(state(many), state(one))


def test_a_problem_by_hand_is_solved_with_threads_too(seed):
    one, many = (System(np.random.default_rng(seed), 8, 5).problem() for _ in range(2))
    BisectionSolver().solve(one)
    BisectionSolver(threads=4).solve(many)
    np.testing.assert_array_equal(many.impulse, one.impulse)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_goes_on_alone():
    one, many = piles(1), piles(3)
    many.step(20)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        many.step(20)
        os.write(writer, state(many).tobytes())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        seen = np.frombuffer(pipe.read())
    assert os.waitpid(child, 0)[1] == 0
    one.step(40)
    np.testing.assert_array_equal(seen.reshape(-1, 13), state(one))
    many.step(20)
    np.testing.assert_array_equal(state(many), state(one))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts the threads of the process in /proc")
def test_threads_end_with_their_solver():
    tasks = Path("/proc/self/task")
    before = len(list(tasks.iterdir()))
    solvers = [BisectionSolver(threads=5) for _ in range(3)]
    assert len(list(tasks.iterdir())) == before + 12
    solvers[0].configure(threads=2)
    assert len(list(tasks.iterdir())) == before + 9
    del solvers
    assert len(list(tasks.iterdir())) == before


@pytest.mark.parametrize("threads", [0, -1, 65, 1.5, True, "two"])
def test_refused_numbers_of_threads(threads):
    with pytest.raises(ContactError, match="threads must be a whole number from 1 to 64"):
        BisectionSolver(threads=threads)
    solver = BisectionSolver(threads=2)
    with pytest.raises(ContactError, match="threads"):
        solver.configure(threads=threads, max_iterations=7)
    assert solver.parameters["threads"] == 2 and solver.parameters["max_iterations"] == 150
