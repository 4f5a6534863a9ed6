"""Snapshots: back at one, a World goes on as it did then, to the last bit."""

import pickle

import numpy as np
import pytest
from world.snapshot import worlds

import rbdyn
from rbdyn import models
from rbdyn.world import World

WORLDS = {
    "tumbling": (worlds.tumbling, lambda world: None),
    "walking": (worlds.walking, worlds.stride),
    "tied": (worlds.tied, lambda world: None),
    "tied in parts": (lambda: worlds.tied(3), lambda world: None),
    "flying": (worlds.flying, lambda world: None),
}


def run(world, control, steps):
    """Steps, and what was read after each tenth of them."""
    read = []
    for k in range(steps):
        control(world)
        world.step()
        if k % max(1, steps // 10) == 0:
            read.append(readings(world))
    return read


def readings(world):
    """Everything that tells what happened, without the snapshot's own list."""
    found = [(c.object_a.name, c.depth, *c.position, *c.impulse) for c in world.contacts]
    for obj in world.objects:
        if hasattr(obj, "q"):
            found.append((*obj.q, *obj.v, *obj.applied_force, *obj.limit_force, *obj.friction_force))
            found.append((*obj.acceleration, *np.ravel(obj.joint_wrenches)))
        else:
            found.append((*obj.position, *obj.orientation, *obj.linear_velocity, *obj.angular_velocity))
    for constraint in world.constraints:
        found.append((*np.atleast_1d(constraint.impulse), *np.atleast_1d(constraint.error), *constraint.wrench))
    return world.time, world.contact.iterations, found


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("before", [0, 1, 137, 400])
def test_goes_on_as_it_did(name, before):
    """Restored, a World takes the same steps again: what is read of them is the same, and so is the hash."""
    make, control = WORLDS[name]
    world = make()
    run(world, control, before)
    taken = world.snapshot()
    now = readings(world)
    first = run(world, control, 300)
    end = world.state_hash()
    world.restore(taken)
    assert readings(world) == now and world.problem is None
    assert world.state_hash() == taken.hash
    assert run(world, control, 300) == first
    assert world.state_hash() == end != taken.hash


@pytest.mark.parametrize("name", WORLDS)
def test_taking_one_changes_nothing(name):
    """A World of which snapshots are taken moves as one of which none is."""
    make, control = WORLDS[name]
    alone, watched = make(), make()
    for _ in range(200):
        control(alone)
        control(watched)
        alone.step()
        watched.step()
        watched.snapshot()
    assert readings(alone) == readings(watched)
    assert alone.state_hash() == watched.state_hash()


@pytest.mark.parametrize("name", WORLDS)
def test_fits_a_world_built_alike(name):
    """Bytes of a snapshot go into another World that was built in the same way, which then moves as the first one."""
    make, control = WORLDS[name]
    world, twin = make(), make()
    run(world, control, 150)
    run(twin, control, 31)
    taken = pickle.loads(pickle.dumps(world.snapshot()))
    twin.restore(taken)
    assert (taken.time, taken.steps, taken.hash) == (world.time, world.steps, world.state_hash())
    assert twin.state_hash() == taken.hash
    assert run(twin, control, 200) == run(world, control, 200)
    assert twin.state_hash() == world.state_hash()


def test_ten_thousand_steps():
    """The hash after 10,000 steps with contact is the same after going back, and of two runs."""
    world, twin = worlds.walking(), worlds.walking()
    for _ in range(100):
        worlds.stride(world)
        worlds.stride(twin)
        world.step(100)
        twin.step(100)
    end = world.state_hash()
    assert twin.state_hash() == end
    world.reset()
    for k in range(100):
        worlds.stride(world)
        world.step(100)
        if k == 50:
            world.restore(pickle.loads(pickle.dumps(world.snapshot())))
    assert world.state_hash() == end
    assert len(world.contacts) > 0


def test_members_come_back():
    """Removed objects and constraints are back under their old handles; those that came since are removed."""
    world = worlds.tied()
    world.step(50)
    taken, a, glue = world.snapshot(), world.find("a"), world.constraints[3]
    arm, ends = world.find("arm"), [c.name for c in world.constraints]
    first = run(world, lambda w: None, 100)
    world.restore(taken)
    world.remove("a")  # and its wires
    world.remove("arm")  # and the gear
    world.remove(glue)
    new = world.add_sphere(0.2, 1.0, name="new")
    robot = world.add_articulated_system(models.quadruped(), name="robot")
    hanging = world.add_stiff_wire(new, (robot, robot.body_names[3]), 2.0)
    world.step(20)
    world.restore(taken)
    assert [c.name for c in world.constraints] == ends
    assert world.find("a") is a and a.world is world and glue.name == "glue" and arm in world.objects
    for gone in (new, robot, hanging):
        with pytest.raises(rbdyn.RemovedError):
            gone.world  # noqa: B018
    assert world.state_hash() == taken.hash
    assert run(world, lambda w: None, 100) == first
    assert world.add_sphere(0.1, 1.0).name == "sphere_8"  # names count on from there


def test_goes_to_and_fro_between_members():
    """Between snapshots with other objects, in any order, each goes on as it did."""
    world = worlds.tumbling()
    world.step(60)
    snapshots, ends = [world.snapshot()], []
    world.remove(world.objects[3])
    world.step(20)
    snapshots.append(world.snapshot())
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    robot.set_base_pose(position=(0.0, 0.0, 2.0))
    world.remove(world.objects[5])
    world.step(20)
    snapshots.append(world.snapshot())
    for one in snapshots:
        world.restore(one)
        world.step(60)
        ends.append(world.state_hash())
    rng = np.random.default_rng(0)
    for k in rng.integers(0, 3, 12):
        world.restore(snapshots[k])
        assert world.state_hash() == snapshots[k].hash
        world.step(60)
        assert world.state_hash() == ends[k]


def test_edits_are_taken_back():
    """Materials, settings, types, control and what joints are set to are as they were."""
    world = worlds.walking()
    world.step(40)
    taken, robot, ball = world.snapshot(), world.find("dog"), world.objects[2]
    said = world.materials.pairs(), world.materials.default, robot.joint_limits, robot.joint_friction
    world.set_material_pair("default", "default", 0.1)
    world.set_default_material(0.05, rolling_friction=0.2)
    world.gravity, world.time_step, world.substeps, world.integrator = (1.0, 0.0, -3.0), 1e-3, 2, "euler"
    world.set_erp(0.4, 0.1)
    world.contact_slop, world.contact_margin = 1e-3, 2e-3
    ball.body_type = "static"
    robot.set_joint_limits(-0.5, 0.5)
    robot.set_joint_friction(3.0)
    robot.control_mode = "force"
    robot.set_external_force("base", (1.0, 2.0, 3.0))
    ball.set_pose((5.0, 5.0, 5.0))
    world.restore(taken)
    assert world.state_hash() == taken.hash
    assert (world.materials.pairs(), world.materials.default) == said[:2]
    assert (world.time_step, world.substeps, world.integrator, ball.body_type) == (2.5e-3, 1, "trapezoid", "dynamic")
    assert np.array_equal(robot.joint_limits, said[2]) and np.array_equal(robot.joint_friction, said[3])
    assert (world.contact_slop, world.contact_margin, robot.control_mode) == (1e-5, 1e-4, "pd_plus_feedforward")
    world.step(100)
    end = world.state_hash()
    world.restore(taken)
    world.step(100)
    assert world.state_hash() == end


def test_external_forces_are_in_it():
    """Forces that were given for the coming step act in it again."""
    world = worlds.walking()
    world.step(10)
    robot, ball = world.find("dog"), world.objects[2]
    plain = world.snapshot()
    robot.set_external_force("base", (50.0, 20.0, 0.0), (0.1, 0.2, 0.3))
    ball.set_external_torque(0, (0.0, 0.1, 0.0))
    pushed = world.snapshot()
    ends = []
    robot.set_external_force("base", (50.0, 20.0, 0.0), (0.1, 0.2, 0.3))  # comes on top, and is forgotten by going back
    world.restore(plain)
    robot.set_external_force("base", (50.0, 20.0, 0.0), (0.1, 0.2, 0.3))
    ball.set_external_torque(0, (0.0, 0.1, 0.0))
    assert world.state_hash() == pushed.hash
    for one in (plain, pushed, plain, pushed):
        world.restore(one)
        world.step(3)
        ends.append(world.state_hash())
    assert ends[0] == ends[2] != ends[1] == ends[3]


def test_hash_tells_states_apart():
    """A change in the last bit of anything changes it; the same state taken twice has the same."""
    world = worlds.walking()
    world.step(30)
    robot, seen = world.find("dog"), {world.state_hash()}
    assert world.state_hash() in seen
    changes = (
        lambda: robot.set_pd_target(v=np.eye(robot.nv)[7] * 1e-16),
        lambda: robot.set_generalized_force(np.eye(robot.nv)[8] * 1e-16),
        lambda: world.set_default_material(np.nextafter(0.8, 1.0)),
        lambda: setattr(world, "gravity", (0.0, 1e-300, -9.81)),
        lambda: world.objects[2].set_velocity((0.0, 0.0, 1e-300)),
        lambda: world.add_sphere(0.1, 1.0),
        lambda: world.find("dog").set_joint_damping(np.nextafter(0.1, 1.0)),
        lambda: world.step(),
    )
    for k, change in enumerate(changes):
        change()
        assert world.state_hash() not in seen, k
        seen.add(world.state_hash())


def test_reset():
    """`reset` leads to what was before the first step, or to what was said."""
    world = worlds.tumbling()
    ball = world.objects[1]
    world.reset()  # before any step: nothing to go back from
    ball.set_pose((0.0, 0.0, 5.0))
    start = world.state_hash()
    world.step(10)
    middle = world.snapshot()
    world.add_sphere(0.1, 1.0)
    world.reset()
    assert world.state_hash() == start and world.steps == 0 and len(world.objects) == 13
    world.restore(middle)
    world.set_reset_state()
    world.step(5)
    world.reset()
    assert world.state_hash() == middle.hash
    world.set_reset_state(middle)
    world.step(3)
    world.reset()
    assert world.state_hash() == middle.hash
    world.step(4)
    with pytest.raises(rbdyn.SnapshotError, match="snapshot must be a Snapshot of a World, got 3"):
        world.set_reset_state(3)


def test_a_reset_state_that_cannot_be_is_refused_at_once():
    """And `reset` goes where it went before."""
    world, like, other = worlds.tumbling(), worlds.tumbling(), worlds.walking()
    world.step(2)
    like.step(7)
    later = like.snapshot()
    start = world.snapshot()
    world.set_reset_state(start)
    world.step(3)
    now = world.state_hash()
    with pytest.raises(rbdyn.SnapshotError, match="its object 'sphere_2' is not in this World"):
        world.set_reset_state(other.snapshot())
    other.step(1)
    before = other.snapshot()
    read = pickle.loads(pickle.dumps(before))
    other.find("dog").remove_subtree("LF_KFE")
    other.set_reset_state(before)                        # which undoes surgery
    with pytest.raises(rbdyn.SnapshotError, match="of 'dog' are others there than here"):
        other.set_reset_state(read)
    other.reset()
    assert other.state_hash() == before.hash
    assert world.state_hash() == now
    world.reset()
    assert world.state_hash() == start.hash
    world.set_reset_state(later)                         # of a World built alike
    world.reset()
    assert world.state_hash() == later.hash
    world.integrate1()
    with pytest.raises(rbdyn.BusyError, match="integrate2"):
        world.set_reset_state(later)
    world.integrate2()


def test_observers_may_take_one():
    """A snapshot taken by an observer is of the step that was just done."""
    world, taken = worlds.walking(), []
    world.add_observer(lambda w: taken.append(w.snapshot()))
    world.step(5)
    assert [s.steps for s in taken] == [1, 2, 3, 4, 5]
    assert taken[-1].hash == world.state_hash()
    world.restore(taken[2])
    taken.clear()
    world.step(2)
    assert taken[-1].hash == world.state_hash()


def test_moments_at_which_it_cannot_be_taken():
    """Not between the half steps; going back not from an observer either.  Nothing changes then."""
    world = worlds.walking()
    world.step(3)
    taken = world.snapshot()
    world.integrate1()
    for call in (world.snapshot, world.state_hash, world.reset, lambda: world.restore(taken)):
        with pytest.raises(rbdyn.BusyError, match="integrate2"):
            call()
    world.integrate2()
    world.add_observer(lambda w: w.restore(taken))
    with pytest.raises(rbdyn.BusyError, match="by the call that led here"):
        world.step()
    assert world.steps == 5


def refused(world, data, match):
    """Going back is refused, and the World stays what it is."""
    before = world.state_hash()
    with pytest.raises(rbdyn.SnapshotError, match=match):
        world.restore(pickle.loads(data) if isinstance(data, bytes) else data)
    assert world.state_hash() == before
    world.step()


def test_other_worlds_are_refused_by_name():
    """What does not fit is named, and the World is unchanged."""
    world = worlds.tied()
    world.step(7)
    mine = world.snapshot()
    data = pickle.dumps(mine)
    fewer = worlds.tied()
    fewer.remove("rope")
    refused(fewer, data, "its constraint 'rope' is not in this World")
    refused(fewer, mine, "its constraint 'rope' is not in this World")
    more = worlds.tied()
    more.add_sphere(0.1, 1.0, name="box2")
    refused(more, data, "this World has the object 'box2', and it has not")
    other = World(1e-3)
    other.add_articulated_system(models.quadruped(), name="x")
    one = World(1e-3)
    one.add_articulated_system(models.six_axis_arm(), name="x")
    refused(other, pickle.dumps(one.snapshot()), "'x' are others there than here")
    one = World(1e-3)
    one.add_sphere(0.1, 1.0, name="x")
    refused(other, pickle.dumps(one.snapshot()), "'x' was a single body there, and is a articulated system here")
    size = World(1e-3)
    size.add_sphere(0.11, 1.0, name="x")
    refused(size, pickle.dumps(one.snapshot()), "'x' are others there")
    refused(world, 7, "snapshot must be a Snapshot of a World, got 7")


@pytest.mark.parametrize("draw", range(20))
def test_damaged_bytes_are_refused(draw):
    """Any byte that is changed, and any that is missing, is found."""
    rng = np.random.default_rng(draw)
    world = worlds.walking()
    world.step(5)
    data = bytes(world.snapshot())
    assert rbdyn.world.Snapshot.from_bytes(data).hash == world.state_hash()
    at = int(rng.integers(len(data))) if draw > 5 else 4 * draw
    bad = bytearray(data)
    bad[at] ^= 1 << int(rng.integers(8))
    for damaged in (bytes(bad), data[:at], data + b"x", b""):
        with pytest.raises(rbdyn.SnapshotError, match="damaged|no snapshot|layout"):
            rbdyn.world.Snapshot.from_bytes(damaged)
    with pytest.raises(rbdyn.SnapshotError, match="data must be bytes"):
        rbdyn.world.Snapshot.from_bytes("text")


def test_old_layouts_are_refused():
    """A snapshot of another layout is refused by its number."""
    world = worlds.flying()
    data = bytearray(bytes(world.snapshot()))
    data[16:20] = (4711).to_bytes(4, "little")
    with pytest.raises(rbdyn.SnapshotError, match="of layout 4711"):
        rbdyn.world.Snapshot.from_bytes(data)


def test_empty_ones_are_refused():
    """What no World made says so."""
    empty = rbdyn.world.Snapshot.__new__(rbdyn.world.Snapshot)
    with pytest.raises(rbdyn.SnapshotError, match="taken by a World"):
        rbdyn.world.Snapshot()
    for use in (lambda: empty.hash, lambda: bytes(empty), lambda: worlds.flying().restore(empty)):
        with pytest.raises(rbdyn.SnapshotError, match="empty"):
            use()
    assert repr(empty) == "Snapshot(empty)" and empty.steps == 0
    with pytest.raises(rbdyn.Error, match="made without __init__"):
        World.__new__(World).snapshot()
