"""What was set in a World comes back from its file, one by one, and what a file says is never dropped in silence."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import rbdyn
from rbdyn import io, models
from rbdyn.collision import Cone, Mesh
from rbdyn.errors import WorldFileError
from rbdyn.io.worlds.notes import world_notes
from rbdyn.mechanism import Joint, Mechanism, Prismatic, Revolute, RigidBody, Spherical
from rbdyn.spatial import SpatialInertia, Transform
from rbdyn.spatial.rotations import random_quat


def objects(inside):
    return f"<raisim><objects>{inside}</objects></raisim>"


def again(world, **options):
    return io.load_world(io.world_text(world, **options))


def pendulum(joint=None):
    inertia = SpatialInertia(1.0, com=(0.3, 0.0, 0.0), inertia=0.02 * np.eye(3))
    m = Mechanism(RigidBody("root"))
    m.attach(m.root_body, RigidBody("bob", inertia), joint or Joint("hinge", Revolute((0.0, 1.0, 0.0))))
    return m


# ---- control ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [0.0, 0.3])
def test_a_target_at_the_neutral_configuration_is_a_target(target):
    world = rbdyn.World(0.002)
    robot = world.add_articulated_system(pendulum(), name="r")
    robot.set_pd_gains(p=5.0, d=0.5)
    robot.set_state([0.4])
    robot.set_pd_target([target])
    world.step(50)
    twin = again(world)
    assert twin.objects[0].pd_target[0].tolist() == [target] and abs(robot.q[0] - target) > 0.05
    world.step(500)
    twin.step(500)
    np.testing.assert_allclose(twin.objects[0].q, robot.q, atol=1e-12)


def arm():
    world = rbdyn.World(0.002)
    return world, world.add_articulated_system(models.six_axis_arm(), name="r")


def test_a_target_without_gains_and_none():
    """It is one as soon as it is set, or PD control begins; before, it is wherever the robot stands."""
    world, robot = arm()
    robot.set_pd_target(np.zeros(6))
    robot.set_state(np.full(6, 0.5))
    assert again(world).objects[0].pd_target[0].tolist() == [0.0] * 6
    world, robot = arm()
    robot.set_state(np.full(6, 0.5))
    twin = again(world).objects[0]
    for one in (robot, twin):
        one.set_state(np.full(6, -0.5))
        one.set_pd_gains(500.0, 50.0)
        assert one.pd_target[0].tolist() == [-0.5] * 6
    world, robot = arm()
    robot.control_mode = "pd_plus_feedforward"
    robot.set_state(np.full(6, 0.5))
    twin = again(world).objects[0]
    assert twin.pd_target[0].tolist() == robot.pd_target[0].tolist() and twin.control_mode == robot.control_mode


def test_a_fixed_base_comes_back_to_the_bit(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        world, robot = arm()
        robot.set_base_pose(rng.normal(size=3), random_quat(rng))
        other = again(world)
        name = robot.mechanism.root_body.name
        assert np.array_equal(other.objects[0].body_pose(name), robot.body_pose(name))
        assert io.world_text(other) == io.world_text(world)


def test_a_base_that_is_to_be_at_its_neutral_place():
    world = rbdyn.World()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_state(models.QUADRUPED_STANCE.q)
    dog.set_pd_gains(50.0, 1.0)
    dog.set_pd_target(dog.model.neutral())
    assert again(world).objects[0].pd_target[0].tolist() == dog.model.neutral().tolist()


def four_bar(**options):
    """Bars of 0.5, 0.5 and 0.7 m in the plane of x and z, closed by a hinge."""
    mechanism = Mechanism(RigidBody("ground"))
    hinge = lambda name: Joint(name, Revolute((0.0, 1.0, 0.0)))  # noqa: E731
    at = lambda x, z: Transform(translation=(x, 0.0, z))  # noqa: E731
    parent, inertia = mechanism.root_body, SpatialInertia(1.0, inertia=0.1 * np.eye(3))
    for k, place in enumerate([(0.0, 1.0), (0.0, 0.5), (0.7, 0.0)]):
        bar = RigidBody(f"bar{k}", inertia)
        mechanism.attach(parent, bar, hinge(f"joint{k}"), joint_pose=at(*place))
        parent = bar
    mechanism.attach(
        mechanism.root_body, parent, hinge("closing"), joint_pose=at(0.7, 1.0), successor_pose=at(0.0, 0.5)
    )
    world = rbdyn.World(0.001, gravity=(3.0, 0.0, -9.81))
    return world, world.add_articulated_system(mechanism, name="bar", **options)


def test_motors_of_loop_joints():
    world, robot = four_bar()
    name = robot.model.loop_names[0]
    robot.set_loop_drive(name, p=4.0, d=0.2, target=0.3, velocity=0.1, force=-0.2, effort_limits=(-3.0, 2.0))
    twin = again(world)
    assert twin.objects[0].loop_drive(name) == robot.loop_drive(name)
    world.step(300)
    twin.step(300)
    np.testing.assert_allclose(twin.objects[0].q, robot.q, atol=1e-9)


def test_loops_that_give_way_come_back_open():
    world, robot = four_bar(loop_constraints="inloop")
    name = robot.model.loop_names[0]
    robot.set_loop_softness(name, (0.01, 0.02), (0.1, 0.2))
    world.step(400)
    assert np.abs(robot.loop_error).max() > 1e-3, "or nothing is tried"
    twin = again(world)
    other = twin.objects[0]
    assert np.array_equal(other.q, robot.q) and np.array_equal(other.loop_error, robot.loop_error)
    world.step(100)
    twin.step(100)
    np.testing.assert_allclose(other.q, robot.q, atol=1e-9)
    assert again(world, solver_state=True).state_hash() == world.state_hash()


def test_limits_of_balls():
    joint = Joint("ball", Spherical(), position_limits=(0.0, 1.0))
    for given in ({"angle": 0.1}, {"cone": 0.2, "axis": (1.0, 0.0, 0.0)}, {"twist": (-0.1, 0.4)}, {"angle": math.inf}):
        world = rbdyn.World()
        robot = world.add_articulated_system(pendulum(joint.copy()), name="r")
        robot.set_ball_limits("ball", **given)
        assert again(world).objects[0]._ball_limits() == robot._ball_limits()


def test_how_followers_give_way():
    m = pendulum()
    inertia = SpatialInertia(1.0, inertia=0.02 * np.eye(3))
    follower = Joint("follower", Prismatic((1.0, 0.0, 0.0)), mimic=rbdyn.Mimic("hinge", 0.5))
    m.attach(m.find_body("bob"), RigidBody("slide", inertia), follower)
    world = rbdyn.World()
    robot = world.add_articulated_system(m, name="r")
    robot.set_mimic_softness(joints={"follower": (0.01, 0.1)})
    twin = again(world).objects[0]
    assert [a.tolist() for a in twin.mimic_softness] == [a.tolist() for a in robot.mimic_softness]


def test_a_weld_is_said_to_stay():
    world = rbdyn.World()
    robot = world.add_articulated_system(pendulum(), name="r")
    robot.weld("hinge")
    with pytest.warns(rbdyn.ExportWarning, match="joints that are welded: fixed for good"):
        io.world_text(world)


# ---- where bodies are ----------------------------------------------------------------------------

LIFTED = '<children><box pos="0 0 1"><dim x="1" y="1" z="1"/></box></children>'
COMS = ["", '<com x="0" y="0" z="0"/>', '<com z="1e-9"/>', '<com z="1"/>', '<inertia xx=".3" yy=".3" zz=".3"/>']


@pytest.mark.parametrize("com", COMS)
@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_pos_is_the_place_of_the_shape_whatever_the_centre_of_mass(com, kind):
    text = objects(f'<compound mass="2" body_type="{kind}">{LIFTED}{com}<state pos="0 0 5" quat="0 1 0 0"/></compound>')
    body = io.load_world(text, strict=True).objects[0]
    box = Transform(quat=body.orientation, translation=body.position) @ body.geometries[0].pose
    np.testing.assert_allclose(box.translation, (0.0, 0.0, 4.0), atol=1e-12)
    if kind == "dynamic" and "inertia" not in com:
        np.testing.assert_allclose(body.inertia, np.eye(3) / 3.0, atol=1e-12)  # 2 kg (1 + 1) / 12, about its own centre


def test_a_cone_stands_where_it_is_said_to():
    body = io.load_world(objects('<cone mass="1"><dim radius="1" height="4"/><state pos="1 2 3"/></cone>')).objects[0]
    tip = body.position + body.geometries[0].pose @ (0.0, 0.0, Cone(1.0, 4.0).triangles()[0][:, 2].max())
    base = body.position + body.geometries[0].pose @ (0.0, 0.0, Cone(1.0, 4.0).triangles()[0][:, 2].min())
    np.testing.assert_allclose([tip[2] - 3.0, base[2] - 3.0], [2.0, -2.0], atol=1e-12)  # its origin is half-way up
    np.testing.assert_allclose(body.position, (1.0, 2.0, 2.0), atol=1e-12)  # its centre of mass a quarter of the way


def test_a_mesh_beside_its_origin(tmp_path):
    corners = [(2, 0, 0), (3, 0, 0), (2, 1, 0), (2, 0, 1)]
    faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "m.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + faces)
    (tmp_path / "w.xml").write_text(objects('<mesh mass="1" file="m.obj"><state pos="0 0 7"/></mesh>'))
    body = io.load_world(tmp_path / "w.xml").objects[0]
    np.testing.assert_allclose(body.position, (2.25, 0.25, 7.25), atol=1e-12)  # the mean of four corners


def test_a_negative_zero_comes_back_for_the_solver():
    cube = Mesh(*rbdyn.collision.Box((1.0, 1.0, 1.0)).triangles())
    world = rbdyn.World()
    world.add_mesh(cube.convex_hull(), 1.0)
    assert again(world, solver_state=True).state_hash() == world.state_hash()


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a{1}", "{1+1}", "[THIS_DIR]", "a@@b", "}", "{"])
def test_names_may_hold_what_templates_do(name):
    world = rbdyn.World()
    world.add_sphere(0.1, 1.0, name, name=name)
    world.add_articulated_system(pendulum(Joint(name, Revolute((0.0, 1.0, 0.0)))), name="robot" + name)
    twin = again(world)
    assert [one.name for one in twin.objects] == [name, "robot" + name]
    assert twin.objects[0].geometries[0].material == name
    assert twin.objects[1].model.joint_names[-1] == name
    assert again(world, solver_state=True).state_hash() == world.state_hash()


def test_a_file_that_was_changed_is_not_what_its_solver_state_says():
    world = rbdyn.World()
    world.add_sphere(0.1, 1.0)
    text = io.world_text(world, solver_state=True)
    assert io.load_world(text.replace("<objects>", "\n<objects>")).state_hash() == world.state_hash()
    changed = text.replace('mass="1.0"', 'mass="5.0"')
    assert changed != text
    with pytest.raises(WorldFileError, match="the file was changed after it was saved"):
        io.load_world(changed)
    with pytest.raises(WorldFileError, match="<solver_state>: attribute 'of' is missing"):
        io.load_world(re.sub(' of="[0-9a-f]+"', "", text))
    one = text[text.index("<solver_state") : text.index("</raisim>")]
    with pytest.raises(WorldFileError, match="a second <solver_state>"):
        io.load_world(text.replace(one, one + one))


# ---- what is not read is said, or refused ------------------------------------------------------------


@pytest.mark.parametrize(
    "text, match",
    [
        ('<ground body_type="dynamic"/>', "body_type='dynamic': a ground is static"),
        ('<sphere mass="1"><dim radius="1"/><inertia ixx="1"/></sphere>', "<inertia>: attribute 'xx' is missing"),
        ('<sphere mass="1"><dim radius="1"/><com pos="0 0 1" x="2"/></sphere>', "pos and x: give pos, or x, y and z"),
        ('<array idx="i" end="3" increment="1e-320"><sphere mass="1"><dim radius="1"/></sphere></array>', "copies"),
        ('<array idx="i" start="-1e308" end="1e308"><sphere mass="1"><dim radius="1"/></sphere></array>', "copies"),
        ('<include value=""/>', "the name of the file is empty"),
    ],
)
def test_refused(text, match):
    with pytest.raises(WorldFileError, match=match):
        io.load_world(objects(text))


BALLS = '<sphere name="a" mass="1"><dim radius="1"/></sphere><sphere name="b" mass="1"><dim radius="1"/></sphere>'


@pytest.mark.parametrize(
    "ends, match",
    [
        ('<object1 name="a" frame="zz"/><object2 name="b"/>', "frame: 'a' is a single body"),
        ('<object1 name="a" local_index="7"/><object2 name="b"/>', "has body 0 alone"),
        ('<object1 name="a"/><object2 name="b"/><point name="a"/>', "or <point>s, not both"),
        ('<object1 name="a"/><object1 name="b"/>', "its ends are <object1>, <object1>"),
    ],
)
def test_ends_of_wires_that_say_two_things(ends, match):
    text = f'<raisim><objects>{BALLS}</objects><wire length="9">{ends}</wire></raisim>'
    with pytest.raises(WorldFileError, match=match):
        io.load_world(text)


@pytest.mark.parametrize(
    "text, match",
    [
        (f"<compound mass='1'>{LIFTED[:-11]}<foo/></children></compound>", "unknown tag <foo> in <children>"),
        ("<compound mass='1'><children><box mass='3'><dim x='1' y='1' z='1'/></box></children></compound>",
         "unknown attribute 'mass' of <box>"),
        ("<compound mass='1'><children><box><dim x='1' y='1' z='1'/><state pos='0 0 1'/></box></children></compound>",
         "unknown tag <state> in <box>"),
        ("<sphere mass='1'>hello<dim radius='1'/></sphere>", "text 'hello' inside <sphere>"),
    ],
)  # fmt: skip
def test_said(text, match):
    assert any(match in line for line in world_notes(io.load_world(objects(text))).diagnostics)
    with pytest.raises(WorldFileError, match=match):
        io.load_world(objects(text), strict=True)


def test_two_defaults_of_materials():
    with pytest.raises(WorldFileError, match="a second default of materials; the first is at <text>:1"):
        io.load_world('<raisim><material><default friction="0.1"/></material><material><default/></material></raisim>')


def test_strict_material_files_raise_their_own_error():
    with pytest.raises(WorldFileError, match="unknown attribute"):
        io.load_materials('<material><default fiction="0.1"/></material>', strict=True)


# ---- exist, arrays, includes, parameters ---------------------------------------------------------------


def test_exist_acts_on_every_element():
    ball = '<sphere mass="1"><dim radius="1"/></sphere>'
    assert len(io.load_world(objects(f'<array exist="0" idx="i" end="3">{ball}</array>')).objects) == 0
    assert len(io.load_world(objects(f'<sphere exist="0" mass="@@m"/>{ball}')).objects) == 1
    pair = '<pair_prop exist="{0}" name1="a" name2="b" friction="0.1"/><default exist="false" friction="0.3"/>'
    table = io.load_materials(f"<material>{pair}</material>", {})
    assert table.pairs() == {} and table.default.friction == 0.8


def test_an_array_that_leads_away_is_empty():
    ball = '<sphere mass="1"><dim radius="1"/></sphere>'
    for ends, count in (('start="3" end="1"', 0), ('start="3" end="1" increment="-1"', 2), ('start="1" end="1"', 0)):
        assert len(io.load_world(objects(f'<array idx="i" {ends}>{ball}</array>')).objects) == count


def test_an_array_of_included_files(tmp_path):
    (tmp_path / "ball.xml").write_text(
        '<raisim><gravity value="0 0 -1"/><objects><sphere name="b@@i" mass="1"><dim radius="1"/></sphere></objects>'
        "</raisim>"
    )
    (tmp_path / "none.xml").write_text("<raisim><gravity value='0 0 -1'/><objects/></raisim>")
    (tmp_path / "w.xml").write_text(
        objects('<array idx="i" end="2"><include value="ball.xml"/></array><include value="none.xml"/>')
    )
    world = io.load_world(tmp_path / "w.xml")
    assert [one.name for one in world.objects] == ["b0", "b1"]
    assert world.gravity[2] == -9.81
    assert any("gravity of 'ball.xml' are left out" in line for line in world_notes(world).diagnostics)


def test_parameters_may_use_those_before_them():
    text = """<raisim><params><param name="a" value="2"/><param name="b" value="{@@a * 3}"/></params>
    <objects><sphere mass="@@b"><dim radius="1"/></sphere></objects></raisim>"""
    assert io.load_world(text).objects[0].mass == 6.0
    assert io.load_world(text, {"a": 5}).objects[0].mass == 15.0


def test_a_template_in_a_world_knows_the_parameters_where_it_stands(tmp_path):
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="world"/><link name="bob"><inertial><mass value="{@@m + @@i}"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>'
    )
    (tmp_path / "w.xml").write_text(
        '<raisim><params><param name="m" value="10"/></params><objects><array idx="i" end="2">'
        '<articulated_system urdf_path="r.urdf"/></array></objects></raisim>'
    )
    world = io.load_world(tmp_path / "w.xml", strict=True)
    assert [robot.model.total_mass for robot in world.objects] == [10.0, 11.0]
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="world"/></robot>')
    with pytest.raises(WorldFileError, match="parameters that nothing uses: zz, m"):
        io.load_world(tmp_path / "w.xml", {"zz": 3}, strict=True)
