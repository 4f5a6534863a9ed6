"""What users read of contacts; who collides with whom."""

import numpy as np
import pytest
from world.scenes import G, World, exact, random_quat, stack, standing_quadruped

import rbdyn
from rbdyn import Fixed, Floating, Geometry, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform, models
from rbdyn.collision import HalfSpace, Sphere


def test_forces_have_the_right_signs_and_sums():
    world = World(1e-3, contact=exact())
    ground = world.add_ground()
    low, high = stack(world, 2)
    world.step(300)
    for c in world.contacts:
        other = c.object_b if c.object_a is high else c.object_a
        if high in (c.object_a, c.object_b):
            assert other is low
            assert (c.force_on(high) == -c.force_on(low)).all()
            assert c.force_on(high)[2] > 0
            with pytest.raises(ValueError, match="no part"):
                c.force_on(ground)
    on_low = sum(c.force_on(low) for c in low.contacts)
    on_high = sum(c.force_on(high) for c in high.contacts)
    on_ground = sum(c.force_on(ground) for c in ground.contacts)
    assert on_high == pytest.approx([0, 0, 2 * G], abs=1e-5)
    assert on_low == pytest.approx([0, 0, G], abs=1e-5)
    assert on_ground == pytest.approx([0, 0, -3 * G], abs=1e-5)


@pytest.mark.parametrize("ball_first", [False, True])
def test_the_normal_points_into_object_a(ball_first):
    world = World(1e-3)
    objects = [world.add_sphere(0.1, 1), world.add_ground()] if ball_first else [world.add_ground(),
                                                                                 world.add_sphere(0.1, 1)]
    ball = objects[0] if ball_first else objects[1]
    ball.set_pose((0.3, 0.4, 0.1 - 2e-6))
    world.step()
    contact = world.contacts[0]
    up = 1.0 if contact.object_a is ball else -1.0
    assert contact.normal == pytest.approx([0, 0, up], abs=1e-15)
    assert contact.depth == pytest.approx(2e-6, rel=1e-9)
    assert contact.position == pytest.approx([0.3, 0.4, 0.0], abs=2e-6)
    assert contact.force_on(ball) == pytest.approx([0, 0, G], abs=1e-9)
    assert contact.impulse @ contact.normal > 0
    assert {contact.body_a, contact.body_b} == {o.name for o in objects}


@pytest.mark.filterwarnings("ignore:a step takes")
def test_contacts_are_values():
    world = World(1e-3)
    world.add_ground()
    ball = world.add_sphere(0.1, 1)
    ball.set_pose((0, 0, 0.1 - 1e-6))
    world.step()
    kept = world.contacts
    copies = [(c.position.copy(), c.normal.copy(), c.depth, c.impulse.copy(), c.force_on(ball)) for c in kept]
    ball.set_pose((5, 5, 0.08))
    world.time_step = 0.5
    world.step(3)
    world.remove(ball)
    for c, (position, normal, depth, impulse, force) in zip(kept, copies, strict=True):
        assert (c.position == position).all()
        assert (c.normal == normal).all()
        assert c.depth == depth
        assert (c.impulse == impulse).all()
        assert (c.force_on(ball) == force).all()
    with pytest.raises(AttributeError):
        kept[0].depth = 3.0


def test_a_robot_s_contacts_name_its_bodies():
    world = World(2.5e-3)
    ground = world.add_ground(name="floor")
    robot = standing_quadruped(world)
    world.step(10)
    assert len(robot.contacts) == len(ground.contacts) == 4
    for c in robot.contacts:
        body, geometry = (c.body_a, c.geometry_a) if c.object_a is robot else (c.body_b, c.geometry_b)
        assert geometry.split("/")[0] in {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"}
        assert body in robot.body_names
        foot = robot.body_pose(geometry.split("/")[0])[:3, 3]
        assert np.abs(c.position - foot).max() < 0.031
        assert "floor" in (c.body_a, c.body_b)


def falls_through(world, *bodies):
    heights = [b.position[2] for b in bodies]
    world.step(100)
    fall = 0.5 * G * (100 * world.time_step) ** 2
    return [h - b.position[2] > 0.9 * fall for h, b in zip(heights, bodies, strict=True)]


def test_groups_and_masks_are_both_asked():
    world = World(1e-3)
    world.add_ground(group=1, mask=0b011)
    cases = [(1, -1, False), (2, -1, False), (4, -1, True), (1, 2, True), (3, 1, False), (6, 0, True)]
    balls = []
    for k, (group, mask, _) in enumerate(cases):
        balls.append(world.add_sphere(0.1, 1, group=group, mask=mask))
        balls[-1].set_pose((k, 0, 0.1))
    assert falls_through(world, *balls) == [through for _, _, through in cases]


def test_bit_63_of_a_group_counts():
    world = World(1e-3)
    world.add_ground(group=1 << 63, mask=1 << 62)
    ball, ghost = world.add_sphere(0.1, 1, group=1 << 62, mask=1 << 63), world.add_sphere(0.1, 1, group=1 << 62, mask=1)
    ball.set_pose((0, 0, 0.1))
    ghost.set_pose((3, 0, 0.1))
    assert falls_through(world, ball, ghost) == [False, True]


def test_two_objects_that_are_not_dynamic_never_collide():
    world = World(1e-3)
    world.add_ground()
    still, belt = world.add_box(1, 1, 1, 1), world.add_box(1, 1, 1, 1)
    still.body_type, belt.body_type = "static", "kinematic"
    belt.set_velocity((0.1, 0, 0))
    world.step(10)
    assert world.contacts == []
    assert (still.position == 0).all()
    assert belt.position[0] == pytest.approx(0.1 * 0.01)
    belt.body_type = "dynamic"
    world.step()
    assert len(world.contacts) > 0
    with pytest.raises(ValueError, match="static"):
        still.set_velocity((1, 0, 0))


def test_the_ground_has_no_mass_to_be_dynamic_with():
    world = World(1e-3)
    ground = world.add_ground()
    with pytest.raises(ValueError, match="mass"):
        ground.body_type = "dynamic"
    assert ground.body_type == "static"
    world.step()


def test_a_body_that_becomes_static_carries_and_stops():
    world = World(1e-3)
    box, ball = world.add_box(1, 1, 0.2, 5), world.add_sphere(0.1, 1)
    box.set_velocity((1, 1, 1), (1, 1, 1))
    box.body_type = "static"
    ball.set_pose((0, 0, 0.2 - 5e-6))
    world.step(200)
    assert (box.position == 0).all()
    assert (box.linear_velocity == 0).all()
    assert np.abs(ball.linear_velocity).max() < 1e-9


def test_a_turning_kinematic_plate_drags_a_box():
    world = World(1e-3)
    world.set_default_material(1.0)
    plate = world.add_box(2.0, 2.0, 0.1, 1.0)
    plate.body_type = "kinematic"
    plate.set_velocity(angular=(0, 0, 2.0))
    box = world.add_box(0.2, 0.2, 0.1, 1.0)
    box.set_pose((0, 0, 0.1 - 5e-6))
    world.step(500)
    assert box.angular_velocity == pytest.approx([0, 0, 2.0], abs=1e-6)
    assert plate.angular_velocity == pytest.approx([0, 0, 2.0], abs=0)
    half = plate.orientation
    assert 2 * np.arctan2(half[3], half[0]) == pytest.approx(1.0, rel=1e-9)


def test_self_collision_can_be_switched_off_and_neighbours_never_collide():
    for on in (True, False):
        world = World(1e-3, gravity=(0, 0, 0))
        robot = standing_quadruped(world, self_collision=on)
        q = robot.q.copy()
        for leg, sign in (("LF", -1.0), ("RF", 1.0)):
            q[robot.model.joint_q_index(f"{leg}_HAA")] = sign * 0.6
        robot.set_state(q)
        world.step()
        assert bool(world.contacts) is on


def test_a_fixed_arm_blocks_a_ball():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(models.six_axis_arm())
    robot.set_pd_gains(1e4, 1e2)
    robot.set_pd_target(robot.q)
    tool = robot.body_pose("tool")[:3, 3]
    ball = world.add_sphere(0.1, 0.2)
    ball.set_pose(tool + [0, 1.0, 0])
    ball.set_velocity((0, -3, 0))
    world.step(600)
    assert ball.linear_velocity[1] > -3 + 1e-3


def test_two_robots_of_the_same_file_have_their_own_names_and_states():
    world = World(1e-3)
    a = world.add_articulated_system(models.double_pendulum())
    b = world.add_articulated_system(models.double_pendulum())
    assert a.name != b.name
    a.set_state([0.5, 0.0])
    b.set_base_pose((5, 0, 0), random_quat(np.random.default_rng(0)))
    world.step(10)
    assert a.q[0] != b.q[0]


def test_a_new_robot_does_not_inherit_the_filters_of_a_removed_one():
    world = World(1e-3, gravity=(0, 0, 0))
    world.remove(standing_quadruped(world, self_collision=False))
    robot = standing_quadruped(world, self_collision=True)
    q = robot.q.copy()
    for leg, sign in (("LF", -1.0), ("RF", 1.0)):
        q[robot.model.joint_q_index(f"{leg}_HAA")] = sign * 0.6
    robot.set_state(q)
    world.step()
    assert world.contacts


def test_what_floats_is_no_neighbour_of_the_root_and_shapes_of_the_root_bear_its_name():
    """A floor that is part of a floating robot's own mechanism bears the robot: three balls, one on a hinge."""
    mechanism = Mechanism(RigidBody("floor"))
    mechanism.root_body.collision = [Geometry(HalfSpace())]
    ball = SpatialInertia(1.0, inertia=np.eye(3) * 0.02)
    for name, parent, joint, y in (("a", "floor", Floating(), 0.0), ("b", "a", Fixed(), 0.5),
                                   ("c", "b", Revolute((1, 0, 0)), 0.5)):  # fmt: skip
        body = RigidBody(name, ball)
        body.collision = [Geometry(Sphere(0.2))]
        mechanism.attach(parent, body, Joint(f"{name}_joint", joint), Transform(translation=(0, y, 0)))
    world = rbdyn.World(0.002)
    robot = world.add_articulated_system(mechanism)
    robot.set_state([0, 0, 0.2, 1, 0, 0, 0, 0])
    world.step(100)
    assert sorted(contact.bodies for contact in world.contacts) == [("floor", "a"), ("floor", "a"), ("floor", "c")]
    assert {contact.link_b for contact in world.contacts} == {"a", "b", "c"}
    assert sum(robot.contact_force(name)[2] for name in "abc") == pytest.approx(3 * 9.81, abs=1e-6)
    assert robot.contact_force("floor")[2] == pytest.approx(-3 * 9.81, abs=1e-6)


ADDED = [
    ("sphere", (0.1,), (0.0, 0.0, 0.1)),
    ("box", (0.2, 0.3, 0.4), (0.0, 0.0, 0.2)),
    ("cylinder", (0.1, 0.4), (0.0, 0.0, 0.2)),
    ("capsule", (0.1, 0.4), (0.0, 0.0, 0.3)),
    ("cone", (0.1, 0.4), (0.0, 0.0, 0.3)),
    ("ellipsoid", (0.1, 0.2, 0.3), (0.0, 0.0, 0.3)),
]


@pytest.mark.parametrize(("kind", "sizes", "top"), ADDED)
def test_bodies_that_forces_do_not_move_need_no_mass(kind, sizes, top):
    world = World(1e-3)
    add = getattr(world, f"add_{kind}")
    still, belt = add(*sizes, body_type="static"), add(*sizes, body_type="kinematic", name="belt")
    belt.set_pose((3, 0, 0))
    belt.set_velocity((0.5, 0, 0))
    ball = world.add_sphere(0.05, 1.0)
    ball.set_pose(np.add(top, (0, 0, 0.05)))
    world.step(10)
    assert still.mass == belt.mass == 0.0
    assert still.position.tolist() == [0, 0, 0]
    assert belt.position == pytest.approx([3.005, 0, 0])
    assert sum(contact.force_on(ball) for contact in ball.contacts) == pytest.approx([0, 0, G], abs=1e-6)
    with pytest.raises(rbdyn.Error, match="mass must be given for a dynamic body"):
        add(*sizes)
    with pytest.raises(rbdyn.Error, match="has no mass, so it cannot be dynamic"):
        still.body_type = "dynamic"
    with pytest.raises(rbdyn.UnknownNameError, match="dynamic, kinematic, static"):
        add(*sizes, 1.0, body_type="fixed")
    assert len(world.objects) == 3


def test_links_around_a_hip_of_several_joints_are_neighbours():
    """Bodies without mass and shapes between them do not make them strangers; a mass does."""
    ball = SpatialInertia(1.0, inertia=np.eye(3) * 0.02)
    small = SpatialInertia(0.1, inertia=np.eye(3) * 1e-4)
    for between, expected in ((SpatialInertia.zero(), []), (small, [("a", "b")])):
        mechanism = Mechanism(RigidBody("world"))
        for name, parent, joint, inertia in (("a", "world", Floating(), ball), ("h", "a", Revolute((1, 0, 0)), between),
                                             ("i", "h", Fixed(), SpatialInertia.zero()),
                                             ("b", "i", Revolute((0, 1, 0)), ball)):  # fmt: skip
            body = RigidBody(name, inertia)
            if inertia is ball:
                body.collision = [Geometry(Sphere(0.2))]
            mechanism.attach(parent, body, Joint(f"{name}_joint", joint))
        world = rbdyn.World(0.002)
        robot = world.add_articulated_system(mechanism)
        world.integrate1()
        assert sorted({contact.bodies for contact in world.contacts}) == expected
        world.integrate2()
        robot.collide_with_parent = True
        world.integrate1()
        assert sorted({contact.bodies for contact in world.contacts}) == [("a", "b")]
