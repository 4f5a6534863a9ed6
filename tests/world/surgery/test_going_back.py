"""Snapshots undo surgery: robots are what they were, to the last bit, and go on as they did."""

import pickle

import numpy as np
import pytest
from world.surgery.robots import floating, link

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Revolute, RigidBody, SnapshotError, Spherical, Transform


def two_robots():
    """Two robots on the ground, driven, tied to one another; what is scheduled draws random numbers."""
    world = rbdyn.World(1e-3)
    world.add_ground()
    a = world.add_articulated_system(floating("a", 4, 10, kinds=(Revolute((0, 1, 0)), Spherical())))
    b = world.add_articulated_system(floating("b", 3, 5, kinds=(Revolute((0.6, 0, 0.8)),)))
    a.set_base_pose((0.0, 0.0, 0.25))
    b.set_base_pose((0.7, 0.0, 0.25))
    a.set_pd_gains(4.0, 0.2)
    a.set_pd_target(a.q)
    b.set_pd_gains(3.0, 0.1)
    b.set_joint_damping(0.05)
    world.add_spring((a, "a1"), (b, "b2"), 30.0, 2.0)
    world.add_coupling({(b, "b2_j"): 1.0, (a, "a3_j"): 0.5}, name="held")
    world.schedule(push, rate=250.0, name="push")
    world.step(400)
    return world


def push(world):
    """A random force on a body of the first robot."""
    for robot in [one for one in world.objects if isinstance(one, rbdyn.ArticulatedSystem)][:1]:
        robot.set_external_force(robot.body_names[0], world.random.normal(size=3))


def a_joint(robot):
    """A hinge between two bodies, the second of which carries nothing."""
    return next(j for j in reversed(robot.mechanism.tree_joints) if j.num_velocities == 1)


def merge(world, a, b):
    world.merge(a, "a1", b, "b1", Joint("dock", Fixed()))


def merge_with_prefix(world, a, b):
    world.merge(a, "a1", b, "b1", Joint("dock", Revolute((1, 0, 0))), prefix="x")


def cut(world, a, b):
    part = a.remove_joint(a.mechanism.joint_to_parent("a1"), split=True, name="part")
    part.set_external_force(part.body_names[0], (1.0, 2.0, 3.0))


def cut_and_throw_away(world, a, b):
    world.remove(a.remove_joint(a.mechanism.joint_to_parent("a1"), split=True))


def attach(world, a, b):
    tool = Mechanism(link("tool", np.random.default_rng(1)))
    tool.attach("tool", link("tip", np.random.default_rng(2)), Joint("tip_j", Revolute((0, 1, 0))))
    a.attach(tool, "a2", Joint("grip", Fixed()), Transform(translation=(0, 0, 0.3)))


def remove_subtree(world, a, b):
    a.remove_subtree(a.mechanism.joint_to_parent("a1"))


def replace(world, a, b):
    old = a_joint(b)
    b.replace_joint(old, Joint(old.name, Spherical()), tolerance=10.0)


def weld(world, a, b):
    b.weld(a_joint(b))


def weld_and_let_go(world, a, b):
    joint = a_joint(b)
    b.weld(joint)
    world.step(3)
    b.unweld(joint.name)


def merge_fixed(world, a, b):
    b.weld(a_joint(b))
    b.remove_fixed_joints()


def close_a_loop(world, a, b):
    a.mechanism.attach("a3", "a1", Joint("closer", Spherical()), a_pose(a, "a3", "a1"))
    world.step(2)


def a_pose(robot, start, end):
    """Pose of one body in another."""
    return Transform.from_matrix(np.linalg.inv(robot.body_pose(start)) @ robot.body_pose(end))


def edited_but_not_taken_in(world, a, b):
    a.mechanism.remove_subtree(a.mechanism.joint_to_parent("a1"))


def much(world, a, b):
    merge(world, a, b)
    world.step(5)
    part = a.remove_joint(a.mechanism.joint_to_parent("a1"), split=True)
    part.body(part.body_names[0]).mass = 3.0
    world.step(5)
    world.merge(a, "a0", part, part.body_names[-1], Joint("again", Fixed()), tolerance=10.0)
    world.remove(a)


KINDS = (merge, merge_with_prefix, cut, cut_and_throw_away, attach, remove_subtree, replace, weld, weld_and_let_go,
         merge_fixed, close_a_loop, edited_but_not_taken_in, much)  # fmt: skip


def readings(world):
    """What tells where everything is and what happened, without a snapshot."""
    found = [(c.object_a.name, c.depth, *c.position, *c.impulse) for c in world.contacts]
    for robot in (one for one in world.objects if isinstance(one, rbdyn.ArticulatedSystem)):
        found.append((robot.name, *robot.q, *robot.v, *robot.applied_force, *robot.acceleration, *robot.pd_target[0]))
        found.append((*np.ravel(robot.pd_gains), *robot.joint_damping, *np.ravel(rbdyn.mass_matrix(robot.state))))
        twin = rbdyn.State(rbdyn.Model(robot.mechanism))
        twin.set(robot.q, robot.v)
        assert np.array_equal(rbdyn.mass_matrix(twin), rbdyn.mass_matrix(robot.state))
    for one in world.constraints:
        found.append((one.name, *np.atleast_1d(one.impulse), *np.atleast_1d(one.error), *one.wrench))
    return [tuple(str(x) for x in one) for one in found]


def steps(world, n=30):
    """Steps, and what was read after each third of them."""
    found = []
    for _ in range(3):
        world.step(n // 3)
        found.append(readings(world))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_surgery_is_undone(kind):
    """As if it had never been: a World in which it never was is the oracle."""
    world, twin = two_robots(), two_robots()
    a, b = world.find("a_world"), world.find("b_world")
    parts = [(one, one.mechanism.bodies, one.mechanism.joints, one.state, one.model) for one in (a, b)]
    taken, was = world.snapshot(), world.state_hash()
    assert was == twin.state_hash() and len(world.contacts) > 2
    now, then = readings(twin), steps(twin)
    for _ in range(2):
        kind(world, a, b)
        if kind is not edited_but_not_taken_in:
            world.step(7)
            assert world.state_hash() != was
        world.restore(taken)
        assert world.state_hash() == was
        assert [(one, one.mechanism.bodies, one.mechanism.joints, one.state, one.model) for one in (a, b)] == parts
        assert readings(world) == now
        assert [one.name for one in world.objects] == [one.name for one in twin.objects]
        assert steps(world) == then
        assert world.state_hash() == twin.state_hash()
        world.restore(taken)


@pytest.mark.parametrize("kind", KINDS)
def test_to_and_fro(kind):
    """From a snapshot after surgery to one before it, and back again."""
    world = two_robots()
    a, b = world.find("a_world"), world.find("b_world")
    before = world.snapshot()
    first = steps(world)
    world.restore(before)
    kind(world, a, b)
    if kind is edited_but_not_taken_in:
        a.update()
    after = world.snapshot()
    second, end = steps(world), world.state_hash()
    assert second != first
    for _ in range(2):
        world.restore(before)
        assert world.state_hash() == before.hash
        assert steps(world) == first
        world.restore(after)
        assert world.state_hash() == after.hash
        assert steps(world) == second
        assert world.state_hash() == end


def test_handles():
    """Those of before are valid again; those of what came since say so, and are valid again after going there again."""
    world = two_robots()
    a, b = world.find("a_world"), world.find("b_world")
    early, taken = b.body("b1"), world.snapshot()
    late, hinge, shape = b.joint("b2_j"), b.joint("b1_j"), b.geometry("b2/0")
    frame, pose, shank = b.frame("after_b2_j"), b.body("b1").pose, a.body("a1")
    merge(world, a, b)
    assert early.robot is late.robot is a
    dock, new = a.joint("dock"), a.body("b0")
    world.restore(taken)
    assert new.robot is b and b.body("b0") is new        # asked for since, of what was there before
    merge(world, a, b)
    dock, new = a.joint("dock"), a.body("b0")
    there = world.snapshot()
    a.remove_subtree("dock")
    for handle in (early, late, hinge, shape, frame, dock, new):
        with pytest.raises(rbdyn.RemovedError):
            handle.robot  # noqa: B018
    world.restore(taken)
    assert early.robot is late.robot is hinge.robot is shape.robot is frame.robot is b
    assert b.body("b1") is early and b.joint("b2_j") is late and b.frame("after_b2_j") is frame
    assert a.body("a1") is shank
    assert np.array_equal(early.pose, pose) and shape.geometry is b.mechanism.find_body("b2").collision[0]
    assert new.robot is b
    with pytest.raises(rbdyn.RemovedError, match="is no more"):
        dock.robot  # noqa: B018
    with pytest.raises(rbdyn.UnknownNameError, match="dock"):
        a.joint("dock")
    world.restore(there)
    assert early.robot is late.robot is new.robot is dock.robot is a and a.joint("dock") is dock
    with pytest.raises(rbdyn.RemovedError):
        b.body("b1")
    world.restore(taken)
    b.weld("b1_j")
    assert hinge.robot is b and not hinge.joint_type.num_velocities
    world.restore(taken)
    assert hinge.joint_type.num_velocities == 1 and hinge.stands_for is b.mechanism.find_joint("b1_j")


def test_frames_and_poses_of_a_merge_go_with_it():
    """What fixed joints left behind when they went is gone, and may come again."""
    world = two_robots()
    b = world.find("b_world")
    b.mechanism.find_body("b2").add_frame("tip", Transform(translation=(0, 0, 0.1)))
    taken, names = world.snapshot(), [one.name for one in b.mechanism.frames]
    for _ in range(2):
        merge_fixed(world, None, b)
        b.mechanism.find_body("b1").add_frame("extra", Transform())
        world.step()
        world.restore(taken)
        assert [one.name for one in b.mechanism.frames] == names
        assert b.frame("tip").robot is b
    b.mechanism.find_body("b1").add_frame("extra", Transform())
    for kept in (world.snapshot(), taken):               # going back without surgery leaves frames where they are
        world.restore(taken)
        merge_fixed(world, None, b)
        world.restore(kept)
        assert b.frame("extra").robot is b and b.frame("tip").robot is b


def test_a_welded_joint_can_be_let_go_after_going_back():
    """What was welded when the snapshot was taken is so again."""
    world = two_robots()
    b = world.find("b_world")
    joint = a_joint(b)
    b.weld(joint)
    taken = world.snapshot()
    b.unweld(joint.name)
    world.step(3)
    world.restore(taken)
    b.unweld(joint.name)
    assert b.mechanism.find_joint(joint.name) is joint
    world.step()


def test_reset_undoes_surgery():
    world = two_robots()
    world.set_reset_state()
    was = world.state_hash()
    much(world, world.find("a_world"), world.find("b_world"))
    world.reset()
    assert world.state_hash() == was


def test_bytes_do_not_undo_it():
    """A snapshot that was written and read fits a World with the same robots alone."""
    world = two_robots()
    taken = world.snapshot()
    read = pickle.loads(pickle.dumps(taken))
    world.find("b_world").weld("b1_j")
    was = world.state_hash()
    with pytest.raises(SnapshotError, match="the bodies, joints, shapes or numbers of 'b_world' are others there"):
        world.restore(read)
    assert world.state_hash() == was
    world.restore(taken)
    world.restore(read)
    assert world.state_hash() == taken.hash


def test_what_was_taken_elsewhere_is_not_taken_back():
    """A body that a mechanism of the user's has by now is its own; then nothing changes."""
    world = two_robots()
    a = world.find("a_world")
    taken, body = world.snapshot(), a.mechanism.find_body("a3")
    a.remove_subtree(a.mechanism.joint_to_parent("a3"))
    other = Mechanism(RigidBody("elsewhere"))
    other.attach("elsewhere", body, Joint("own", Fixed()))
    was, bodies = world.state_hash(), a.mechanism.bodies
    match = "'a_world' cannot be what it was .* body 'a3', which it had, is part of mechanism 'elsewhere' now"
    for call in (world.restore, world.set_reset_state):
        with pytest.raises(SnapshotError, match=match):
            call(taken)
    assert world.state_hash() == was and a.mechanism.bodies == bodies and other.bodies[1] is body
    world.step()
    other.remove_subtree("own")
    world.restore(taken)
    assert world.state_hash() == taken.hash


def test_a_state_in_the_middle_of_simulate_is_not_put_back():
    """The State that a robot had before surgery is its State again, unless somebody computes with it just then."""
    world = two_robots()
    a, b = world.find("a_world"), world.find("b_world")
    taken, state = world.snapshot(), b.state
    merge_with_prefix(world, a, b)
    seen = []

    def controller(t, given):
        with pytest.raises(rbdyn.BusyError, match="simulate"):
            world.restore(taken)
        seen.append(t)
        return np.zeros(state.model.nv)

    rbdyn.simulate(state, 0.01, 0.005, controller)
    assert seen
    world.restore(taken)
    assert b.state is state and world.state_hash() == taken.hash


def test_wires_and_joints_hang_where_they_did():
    """A taut wire and a weld on bodies whose own frames were moved and merged: where they hang is put back."""
    world = rbdyn.World(1e-3)
    a = world.add_articulated_system(floating("a", 4, 10, kinds=(Revolute((0, 1, 0)),)))
    wire = world.add_spring((a, "a3"), None, 40.0, 1.0, point_a=(0.1, 0.05, 0.0))
    glue = world.add_weld((a, "a2"), None)
    world.step(30)
    taken = world.snapshot()
    world.step(30)

    def now():
        return [*a.q, *np.atleast_1d(wire.impulse), *wire.wrench, *glue.impulse, *glue.wrench]

    then = now()
    assert wire.active
    for change in (
        lambda: a.joint("a3_j").set(axis=(0.1, 1.0, 0.3)),
        lambda: setattr(a.joint("a2_j"), "placement", Transform(rpy=(0.3, 0.2, 0.1))),
        lambda: (a.weld("a3_j"), a.remove_fixed_joints()),
        lambda: a.remove_subtree("a3_j"),
    ):
        world.restore(taken)
        change()
        world.step(5)
        world.restore(taken)
        assert wire.ends == ((a, "a3"), None) and glue.ends == ((a, "a2"), None)
        world.step(30)
        assert now() == then
