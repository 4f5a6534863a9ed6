"""A World that is written and read again is the same World, and goes on as it did."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.dressed import dressed, random_shape

import rbdyn
from rbdyn import ExportWarning, io, models
from rbdyn.collision import Box, Compound, Cone, ConvexHull, Ellipsoid, HeightMap, Mesh, Sphere, SupportShape
from rbdyn.contact import MaterialPair, MaterialTable
from rbdyn.mechanism import Fixed, Geometry, Joint, Planar, Prismatic, Revolute, Spherical
from rbdyn.mechanism.joints import TYPES
from rbdyn.testing.random_mechanisms import random_transform, random_tree

pytestmark = pytest.mark.filterwarnings("ignore:joints of .* that follow others start:rbdyn.errors.MimicWarning")

quick = settings(max_examples=12, deadline=None, derandomize=True)
PYRAMID = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def unit(rng):
    quat = rng.normal(size=4)
    return quat / np.linalg.norm(quat)


def random_world(seed):
    """Bodies of all kinds, materials, two robots under control, and constraints of all kinds, in motion."""
    rng = np.random.default_rng([seed, 9])
    number = lambda: float(rng.uniform(0.1, 1))  # noqa: E731
    world = rbdyn.World(time_step=1e-3 * number(), gravity=rng.normal(size=3), substeps=int(rng.integers(1, 3)))
    world.integrator = str(rng.choice(["trapezoid", "semi_implicit", "euler"]))
    world.set_erp(number(), 0.1 * number())
    world.contact_slop, world.sleep_time, world.sleep_speed = 1e-5 * number(), number(), 1e-3 * number()
    world.sleeping = bool(rng.integers(2))
    world.contact.configure(threshold=1e-9 * number(), max_iterations=int(rng.integers(50, 100)))
    world.set_default_material(number(), number(), number())
    world.set_material_pair("steel", "räder <&>", number(), number(), number(), 1.0 + number(), number(), number(),
                            number())  # fmt: skip
    world.set_material_pair("ice", "ice", 0.0)
    world.add_ground(number(), "ice", name="floor")
    heights = rng.normal(size=(4, 3))
    world.add_height_map(heights, (2.0, 3.0), (10.0, 0.0, -5.0), name="hills")
    bodies = [
        world.add_sphere(number(), number(), "steel"),
        world.add_box(number(), number(), number(), number(), group=5, mask=3),
        world.add_cylinder(number(), number(), number()),
        world.add_capsule(number(), number(), number(), mask=2**63 - 1),
        world.add_ellipsoid(number(), number(), number(), number()),
        world.add_cone(number(), number(), number()),
        world.add_mesh(PYRAMID, number(), name='a "mesh" <&>'),
        world.add_mesh(ConvexHull(PYRAMID.vertices), number()),
        world.add_compound(Compound([Box((1, 1, 0.1)), (Sphere(0.2), random_transform(rng).matrix)]), number()),
        world.add_single_body([Geometry(random_shape(rng), random_transform(rng), "x", color=(0.1, 0.2, 0.3, 1))],
                              number(), np.diag([1.0, 1.1, 1.2]) + 0.01),  # fmt: skip
        world.add_single_body([Geometry(Sphere(0.1))], 1.0, np.zeros((3, 3)), "kinematic", "pusher"),
    ]
    bodies[0].mass, bodies[2].inertia = number(), np.diag([0.5, 0.6, 0.7])
    for body in bodies:
        body.set_pose(rng.uniform(-20, 20, 3), unit(rng))
        body.set_velocity(rng.normal(size=3), rng.normal(size=3))
    types = tuple(t for t in TYPES if t not in (Planar,))
    robots = [world.add_articulated_system(random_tree(rng, 6, types, bool(k)), f"robot{k}") for k in range(2)]
    robots.append(world.add_articulated_system(dressed(seed, (Revolute, Prismatic, Spherical, Fixed)), "third"))
    for robot in robots:
        robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
        robot.set_pd_gains(rng.uniform(0, 9, robot.nv), rng.uniform(0, 2, robot.nv), "explicit")
        robot.set_pd_target(robot.model.random(rng), rng.normal(size=robot.nv))
        robot.set_generalized_force(rng.normal(size=robot.nv))
        robot.set_effort_limits(-rng.uniform(1, 9, robot.nv), rng.uniform(1, 9, robot.nv))
        robot.set_joint_damping(rng.uniform(0, 1, robot.nv))
    robots[1].self_collision, robots[1].collide_with_parent = False, True
    robots[0].control_mode = "force"
    a, b, c = bodies[:3]
    end = (robots[0], robots[0].mechanism.bodies[-1].name)
    p, q, r = rng.uniform(-1, 1, (3, 3))
    world.add_stiff_wire(a, b, 50.0, point_a=p, point_b=q, restitution=number(), name="rope").speed = number()
    world.add_compliant_wire(end, None, 60.0, stiffness=number(), damping=number(), point_a=p, point_b=q,
                             via=[(c, r)], ratios=(2.0, 1.0), stretch_type="both")  # fmt: skip
    world.add_spring(a, end, number(), number(), number(), point_b=r)
    hinge = world.add_joint(b, end, Joint("hinge", Revolute(unit(rng)[1:]), position_limits=(-2.0, 2.5), damping=0.3),
                            random_transform(rng), random_transform(rng))  # fmt: skip
    hinge.set_drive(p=number(), d=number(), target=number(), velocity=number(), force=number(), effort_limits=(-3, 4))
    world.add_weld(c, bodies[3], random_transform(rng)).set_softness((1e-4, 2e-4), (0.1, 0.2))
    slide = next(j for j in robots[2].mechanism.tree_joints if j.num_positions == 1 and j.num_velocities)
    world.add_coupling({(robots[2], slide.name): 1.5}, 0.25).set_softness(1e-3, 0.5)
    world.ignore_collision(a, b)
    world.ignore_collision(end, c)
    return world


def pairs(first, second):
    assert [obj.name for obj in first.objects] == [obj.name for obj in second.objects]
    return zip(first.objects, second.objects, strict=True)


def check_same(one, two):
    """Everything that a user can ask, to the last bit."""
    for name in ("gravity", "time_step", "integrator", "substeps", "erp", "contact_slop", "contact_margin", "sleeping",
                 "sleep_time", "sleep_speed"):  # fmt: skip
        np.testing.assert_array_equal(getattr(two, name), getattr(one, name), name)
    assert two.contact.parameters == one.contact.parameters
    assert two.position_solver.parameters == one.position_solver.parameters
    assert (two.materials.default, two.materials.pairs()) == (one.materials.default, one.materials.pairs())
    for a, b in pairs(one, two):
        assert type(a) is type(b)
        if isinstance(a, rbdyn.SingleBody):
            assert (a.body_type, a.mass, a.geometries) == (b.body_type, b.mass, b.geometries)
            names = ("position", "orientation", "linear_velocity", "angular_velocity", "inertia")
        else:
            same_mechanism(a.mechanism, b.mechanism)
            assert (a.self_collision, a.collide_with_parent, a.contacts_per_self_pair) == (
                b.self_collision, b.collide_with_parent, b.contacts_per_self_pair)  # fmt: skip
            assert (a.control_mode, a.pd_limits) == (b.control_mode, b.pd_limits)
            assert a.loop_constraints == b.loop_constraints
            names = ("q", "v", "pd_gains", "pd_target", "generalized_force", "effort_limits", "joint_limits",
                     "joint_damping", "joint_friction", "joint_springs", "velocity_limits", "no_load_speeds",
                     "limit_softness", "limit_restitution")  # fmt: skip
        for name in names:
            for x, y in zip(*(v if isinstance(v, tuple) else (v,) for v in (getattr(a, name), getattr(b, name))),
                            strict=True):  # fmt: skip
                np.testing.assert_array_equal(y, x, f"{name} of {a.name}")
    for a, b in zip(one.constraints, two.constraints, strict=True):
        assert (type(a), a.name) == (type(b), b.name)
        if isinstance(a, rbdyn.world.Wire):
            for name in ("wire_type", "length", "stiffness", "damping", "stretch_type", "restitution", "speed",
                         "ratios", "mounts"):  # fmt: skip
                np.testing.assert_array_equal(getattr(b, name), getattr(a, name), name)
        elif isinstance(a, rbdyn.world.BodyJoint):
            assert b.poses == a.poses
            assert (b.softness, b.softness_damping) == (a.softness, a.softness_damping)
            if a.joint is not None:
                assert (b.joint.joint_type, b.joint.position_limits) == (a.joint.joint_type, a.joint.position_limits)
                assert b.drive == a.drive
        else:
            assert (b.offset, b.softness) == (a.offset, a.softness)
            assert [(r.name, j, x) for (r, j), x in b.coefficients.items()] == [
                (r.name, j, x) for (r, j), x in a.coefficients.items()
            ]


def same_mechanism(a, b):
    for x, y in zip(a.joints, b.joints, strict=True):
        ex, ey = a.edge(x), b.edge(y)
        assert (x.name, x.joint_type, ex.joint_pose, ex.successor_pose) == (
            y.name, y.joint_type, ey.joint_pose, ey.successor_pose)  # fmt: skip
        assert (ex.predecessor.name, ex.successor.name) == (ey.predecessor.name, ey.successor.name)
        for name in ("position_limits", "velocity_limit", "effort_limit", "rotor_inertia", "damping", "friction",
                     "static_friction", "static_threshold", "limit_restitution", "limit_softness", "no_load_speed",
                     "cone_limit", "twist_limits", "stiffness", "mimic", "annotations"):  # fmt: skip
            assert getattr(x, name) == getattr(y, name), name
        np.testing.assert_array_equal(x.twist_axis, y.twist_axis)
        np.testing.assert_allclose(x.spring_reference, y.spring_reference, rtol=0, atol=2e-16)
    for x, y in zip(a.bodies, b.bodies, strict=True):
        assert (x.name, x.collision, x.visual) == (y.name, y.collision, y.visual)
        np.testing.assert_array_equal(x.inertia.matrix, y.inertia.matrix)
        assert {n: pose for n, (_, pose) in x.frames.items()} == {n: pose for n, (_, pose) in y.frames.items()}


@given(seed=st.integers(0, 2**32))
@quick
def test_everything_comes_back(seed):
    """Also after some steps, in the middle of contacts."""
    world = random_world(seed)
    world.step(3)
    text = io.world_text(world)
    again = io.load_world(text, strict=True)
    check_same(world, again)
    assert io.world_text(again).replace(f'time="{again.time:g}"', "") != ""
    assert io.load_world(io.world_text(again)).objects[0].name == world.objects[0].name


@given(seed=st.integers(0, 2**32))
@quick
def test_with_the_solver_state_it_goes_on_to_the_last_bit(seed):
    world = random_world(seed)
    world.step(5)
    world.random.normal(size=3)
    again = io.load_world(io.world_text(world, solver_state=True))
    assert again.state_hash() == world.state_hash()
    assert (again.time, again.steps) == (world.time, world.steps)
    world.step(20)
    again.step(20)
    assert again.state_hash() == world.state_hash()


def test_a_walking_robot_goes_on(tmp_path):
    """In contact with the ground, from a file."""
    world = rbdyn.World()
    world.add_ground()
    robot = world.add_articulated_system(models.path("quadruped"))
    q = robot.q.copy()
    q[2] = 0.55
    robot.set_state(q)
    robot.set_pd_gains(200.0, 4.0)
    robot.set_pd_target(q)
    world.step(300)
    assert len(world.contacts) >= 3
    io.save_world(world, tmp_path / "w.xml", solver_state=True)
    again = io.load_world(tmp_path / "w.xml")
    for one in (world, again):
        one.step(200)
    assert again.state_hash() == world.state_hash()


def test_meshes_and_robots_of_files(tmp_path):
    """Meshes lie beside the file, and a robot's stay where they are."""
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    world = rbdyn.World()
    world.add_mesh(tmp_path / "a.obj", 1.0)
    world.add_mesh(PYRAMID, 1.0)
    io.save_world(world, tmp_path / "w.xml")
    text = (tmp_path / "w.xml").read_text()
    assert 'file="a.obj"' in text
    assert text.count(".obj") == 2
    check_same(world, io.load_world(tmp_path / "w.xml"))


def test_a_state_is_saved_of_a_world_whose_meshes_lie_elsewhere(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    (tmp_path / "there").mkdir()
    world = rbdyn.World()
    world.add_mesh(tmp_path / "a.obj", 1.0)
    world.step(10)
    io.save_world(world, tmp_path / "there" / "w.xml", solver_state=True)
    with pytest.raises(rbdyn.PathError, match="allow_outside=True"):
        io.load_world(tmp_path / "there" / "w.xml")
    for options in ({"allow_outside": True}, {"resource_dirs": [tmp_path]}):
        assert io.load_world(tmp_path / "there" / "w.xml", **options).state_hash() == world.state_hash()


def test_removed_objects_and_solver_states(tmp_path):
    """Where an object was removed the state cannot be put back: that is an error, and the plain file is none."""
    world = rbdyn.World()
    balls = [world.add_sphere(0.1, 1.0) for _ in range(3)]
    world.remove(balls[0])
    check_same(world, io.load_world(io.world_text(world)))
    with pytest.raises(rbdyn.Error, match="solver_state=True"):
        io.world_text(world, solver_state=True)
    with pytest.raises(rbdyn.Error, match="solver_state=True"):
        io.save_world(world, tmp_path / "w.xml", solver_state=True)
    assert list(tmp_path.iterdir()) == []


def custom():
    world = rbdyn.World()
    ball = world.add_sphere(0.1, 1.0)
    world.add_custom_wire(ball, None, 1.0, law=lambda length, rate: 0.0, point_b=(0, 0, 2), name="law")
    return world


def scheduled():
    world = rbdyn.World()
    world.schedule(lambda w: None, rate=10.0)
    return world


@pytest.mark.parametrize(
    ("world", "text"),
    [
        (custom(), "the law of a custom wire: left out: law"),
        (scheduled(), "schedules, which call functions: left out"),
        (rbdyn.World(contact="pgs"), "a contact_solver other than the bisection solver: it has that: PGSSolver"),
    ],
)
def test_what_a_file_cannot_say_is_said(world, text):
    with pytest.warns(ExportWarning, match=text):
        again = io.load_world(io.world_text(world))
    assert len(again.objects) == len(world.objects)
    with pytest.raises(rbdyn.Error, match=text):
        io.world_text(world, strict=True)


def test_shapes_made_of_functions():
    world = rbdyn.World()
    shape = SupportShape(lambda d: 0.1 * np.asarray(d) / np.linalg.norm(d))
    world.add_single_body([Geometry(shape)], 1.0, np.eye(3), name="own")
    with pytest.raises(rbdyn.Error, match="made of functions; no file can hold 'own_0'"):
        io.world_text(world)


@given(seed=st.integers(0, 2**32))
@quick
def test_materials_come_back(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    names = ["default", "steel", "räder", 'a "b" <&>']
    table = MaterialTable(MaterialPair(*rng.uniform(0, 1, 3), 1.0 + rng.random(), *rng.uniform(0, 1, 3)))
    for a in names:
        for b in names:
            if rng.random() < 0.5:
                table.set(a, b, MaterialPair(*rng.uniform(0, 1, 3), 1.0 + rng.random(), *rng.uniform(0, 1, 3)))
    file = tmp_path_factory.mktemp("materials") / "m.xml"
    io.save_materials(table, file)
    again = io.load_materials(file, strict=True)
    assert (again.default, again.pairs()) == (table.default, table.pairs())


def test_notes_are_kept():
    world = rbdyn.World()
    world.add_sphere(0.1, 1.0, name="ball")
    notes = io.world_notes(world)
    notes.cameras.append({"follow": "ball", "x": "2"})
    notes.appearances["ball"] = "red"
    again = io.world_notes(io.load_world(io.world_text(world)))
    assert (again.cameras, again.appearances) == ([{"follow": "ball", "x": "2"}], {"ball": "red"})


def test_nothing_is_written_after_an_error(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call, error in (
            (lambda: io.save_world(3, tmp_path / "w.xml"), rbdyn.Error),
            (lambda: io.save_world(rbdyn.World(), tmp_path / "no" / "w.xml"), rbdyn.PathError),
            (lambda: io.save_world(rbdyn.World(), tmp_path / "w.xml", solver_state=1), rbdyn.Error),
            (lambda: io.save_materials(3, tmp_path / "w.xml"), rbdyn.Error),
        ):
            with pytest.raises(error):
                call()
    assert list(tmp_path.iterdir()) == []


def test_bodies_of_ellipsoids_and_cones():
    world = rbdyn.World()
    world.add_ellipsoid(1.0, 2.0, 3.0, 1.5)
    world.add_cone(1.0, 2.0, 1.5)
    world.add_height_map(HeightMap(np.arange(6.0).reshape(2, 3), (1.0, 2.0)))
    again = io.load_world(io.world_text(world))
    assert [g.shape for o in again.objects for g in o.geometries] == [
        g.shape for o in world.objects for g in o.geometries
    ]
    assert isinstance(again.objects[0].geometries[0].shape, Ellipsoid)
    assert isinstance(again.objects[1].geometries[0].shape, Cone)
    assert again.objects[1].geometries[0].pose == world.objects[1].geometries[0].pose


def test_a_robot_called_world_is_no_end_of_the_world():
    """Its name is that of files for what does not move; so it is of any mechanism on a root body of that name."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    slide = rbdyn.RigidBody("slide", rbdyn.SpatialInertia(1.0, inertia=0.01 * np.eye(3)))
    m.attach(m.root_body, slide, Joint("rail", Prismatic((0, 0, 1))))
    world = rbdyn.World(2e-3)
    robot = world.add_articulated_system(m)
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0.0, 0.0, 1.0))
    world.add_stiff_wire(ball, (robot, "slide"))
    world.add_spring(ball, None, 20.0, point_b=(1.0, 0.0, 2.0))
    copy = io.load_world(io.world_text(world))
    (first, rope_end), (second, fixed) = (one.ends for one in copy.constraints)
    assert first.name == second.name == ball.name
    assert rope_end == (copy.find("world"), "slide")
    assert fixed is None
    world.step(100)
    copy.step(100)
    np.testing.assert_array_equal(robot.q, copy.find("world").q)
    np.testing.assert_array_equal(ball.position, copy.find(ball.name).position)
