"""Worlds in pickles and copies: they go on with the same bits, and their handles are their own."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from world.snapshot import worlds
from world.snapshot.test_snapshot import WORLDS, readings, run

import rbdyn
from rbdyn import models
from rbdyn.collision import FCLBackend
from rbdyn.contact import PGSSolver
from rbdyn.world import World

COPIES = {"pickle": lambda world: pickle.loads(pickle.dumps(world)), "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("before", [0, 150])
def test_goes_on_as_the_first_one(name, before, way):
    """A copy has the same hash, reads the same, and takes the same steps; neither moves the other."""
    make, control = WORLDS[name]
    world = make()
    run(world, control, before)
    now, said = world.state_hash(), readings(world)
    twin = COPIES[way](world)
    assert twin.state_hash() == now and readings(twin) == said
    assert [obj.name for obj in twin.objects] == [obj.name for obj in world.objects]
    first = run(world, control, 200)
    assert twin.state_hash() == now
    assert run(twin, control, 200) == first
    assert twin.state_hash() == world.state_hash() != now


def test_in_a_fresh_process(tmp_path):
    """Another process reads the World, goes on, and comes to the same hash."""
    world = worlds.tied()
    world.step(100)
    path = tmp_path / "world.pickle"
    path.write_bytes(pickle.dumps(world))
    world.step(300)
    code = (
        "import pickle, sys, pathlib\n"
        "world = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "world.step(300)\n"
        "print(world.state_hash())"
    )
    root = Path(rbdyn.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{root}:{root / 'tests'}"},
        timeout=120,
    )
    assert done.stdout.strip() == world.state_hash(), done.stderr


def test_after_much_coming_and_going():
    """Numbers of shapes, handles and constraints that are not as a new World would give them stay what they are."""
    world = worlds.tumbling()
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    robot.set_base_pose(position=(0.0, 0.0, 3.0))
    for k in (2, 5, 3):
        world.remove(world.objects[k])
        world.add_capsule(0.1, 0.2, 1.0).set_pose((k, 0.0, 1.0))
    world.remove("dog")
    second = world.add_articulated_system(models.six_axis_arm(), name="arm", self_collision=False)
    second.set_base_pose(position=(2.0, 2.0, 0.0))
    world.step(50)
    twin = COPIES["pickle"](world)
    for one in (world, twin):
        one.remove(one.objects[1])
        one.add_box(0.1, 0.2, 0.3, 1.0).set_pose((0.0, 0.0, 4.0))
        again = one.add_articulated_system(models.quadruped())
        again.set_base_pose(position=(0.0, 1.0, 1.0))
        one.step(100)
    assert twin.state_hash() == world.state_hash()
    assert [obj.name for obj in twin.objects] == [obj.name for obj in world.objects]


def test_handles_of_a_copy_are_its_own():
    """What is pickled with a World, or copied with it, points into the copy."""
    world = worlds.tied()
    held = {"world": world, "arm": world.find("arm"), "b": world.find("b"), "rope": world.constraints[0]}
    for twin in (copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        assert twin["world"] is not world
        assert twin["arm"] is twin["world"].find("arm") and twin["arm"].world is twin["world"]
        assert twin["b"] is twin["world"].find("b") is not held["b"]
        assert twin["rope"] is twin["world"].constraints[0] is not held["rope"]
        assert twin["arm"].mechanism is not held["arm"].mechanism
        twin["b"].set_pose((9.0, 9.0, 9.0))
        assert held["b"].position[0] != 9.0
    with pytest.raises(rbdyn.RemovedError, match="World of 'arm' is gone"):
        copy.deepcopy(held["arm"]).world  # noqa: B018  a copy without its World
    assert copy.copy(held["arm"]) is held["arm"]
    world.remove("arm")
    with pytest.raises(rbdyn.RemovedError):
        pickle.dumps(held["arm"])


class Controller:
    """Holds a handle, as controllers do."""

    def __init__(self, robot):
        self.robot, self.calls = robot, 0

    def __call__(self, world):
        assert self.robot.world is world
        self.calls += 1
        self.robot.set_generalized_force(np.full(self.robot.nv, 0.1 * self.calls))


def test_scheduled_functions_are_copied():
    """A controller of the copy drives the copy's robot, from the call on that is due."""
    world = worlds.walking()
    controller = Controller(world.find("dog"))
    handle = world.schedule(controller, rate=70.0, name="controller")
    world.step(33)
    for copied in COPIES.values():
        twin, own = copied((world, handle))
        assert own is twin.schedules[0] and own.function.robot is twin.find("dog")
        assert own.function.calls == controller.calls
    world.step(100)
    twin.step(100)
    assert twin.state_hash() == world.state_hash()
    own.cancel()
    assert not own.active and handle.active


def test_functions_that_cannot_be_pickled():
    """A lambda is refused by pickle, and copied by deepcopy as functions are: itself."""
    world = worlds.walking()
    world.schedule(lambda w: None, rate=10.0)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(world)
    assert copy.deepcopy(world).schedules[0].function is world.schedules[0].function


class Halved(PGSSolver):
    """A solver in Python."""

    factor = 1.0

    def solve(self, problem):
        super().solve(problem)
        problem.impulse[:] *= self.factor


class Mine(World):
    """A World with attributes of its own."""


@pytest.mark.parametrize("collision", ["native", "fcl"])
def test_backends_and_classes(collision):
    """Other backends, with their settings and attributes, and classes of Worlds, are copied too."""
    backend = FCLBackend(margin=2e-4, mesh="triangles") if collision == "fcl" else None
    world = Mine(2e-3, collision=backend, contact=Halved(max_iterations=70), substeps=2)
    world.contact.factor, world.note = 0.999, ["x"]
    world.add_ground()
    for k in range(3):
        world.add_box(0.2, 0.2, 0.2, 1.0).set_pose((0.01 * k, 0.0, 0.12 + 0.21 * k))
    world.step(20)
    for copied in COPIES.values():
        twin = copied(world)
        assert type(twin) is Mine and twin.note == ["x"] and twin.note is not world.note
        assert twin.contact.parameters == world.contact.parameters and twin.contact.factor == 0.999
        assert twin.collision.mesh == world.collision.mesh and twin.contact_margin == world.contact_margin
        before = world.snapshot()
        world.step(30)
        twin.step(30)
        assert twin.state_hash() == world.state_hash()
        world.restore(before)


def test_reset_and_snapshots_of_a_copy():
    """A copy resets to where the first one would; snapshots go from one to the other."""
    world = worlds.walking()
    start = world.state_hash()
    world.step(20)
    twin = copy.deepcopy(world)
    twin.step(5)
    world.restore(twin.snapshot())
    assert world.state_hash() == twin.state_hash()
    twin.reset()
    assert twin.state_hash() == start


def test_random_numbers_repeat_themselves():
    """The World's own generator is in snapshots and copies."""
    world = worlds.flying()
    taken = world.snapshot()
    drawn = world.random.normal(size=3)
    world.random.integers(0, 5, 3, dtype=np.uint8)
    twin = copy.deepcopy(world)
    assert np.array_equal(world.random.normal(size=4), twin.random.normal(size=4))
    world.restore(taken)
    assert np.array_equal(world.random.normal(size=3), drawn)
    for generator in (np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM):
        world.random = np.random.Generator(generator(3))
        middle = world.snapshot()
        drawn = world.random.normal(size=7)
        world.random = 5
        world.restore(pickle.loads(pickle.dumps(middle)))
        assert np.array_equal(world.random.normal(size=7), drawn)
    for wrong in (-1, True, "x", None, 0.5):
        with pytest.raises(rbdyn.Error, match="random must be a numpy Generator, or a seed"):
            world.random = wrong
