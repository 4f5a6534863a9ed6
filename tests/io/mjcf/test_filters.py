"""contype and conaffinity: the same pairs collide here as in MuJoCo, which is asked for its contacts."""

import numpy as np
import pytest

import rbdyn
from rbdyn import io
from rbdyn.collision import Sphere
from rbdyn.io.mjcf.filters import both_accept, contypes_and_conaffinities, groups_and_masks, one_accepts

mujoco = pytest.importorskip("mujoco")


def balls(filters):
    """Balls in one place, each on a slide of its own, beside one of the default."""
    geoms = ["", *(f'contype="{a}" conaffinity="{b}"' for a, b in filters)]
    bodies = (f'<body name="b{k}" pos="0 0 {0.01 * k}"><joint name="j{k}" type="slide" axis="0 0 1"/>'
              f'<geom size="1" {words}/></body>' for k, words in enumerate(geoms))  # fmt: skip
    return f"<mujoco><worldbody>{''.join(bodies)}</worldbody></mujoco>"


def pairs_in_mujoco(text):
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies = [model.body(model.geom_bodyid[k]).name for k in range(model.ngeom)]
    return {frozenset(bodies[k] for k in contact.geom) for contact in data.contact}


def pairs_here(mechanism):
    world = rbdyn.World()
    world.add_articulated_system(mechanism)
    world.integrate1()
    return {frozenset((contact.body_a, contact.body_b)) for contact in world.contacts}


@pytest.mark.parametrize(("most", "more"), [(2, []), (4, []), (8, []), (2**31, []), (16, []), (4, [(-1, 2)])])
def test_the_same_pairs_collide_as_in_mujoco(most, more):
    filters = np.random.default_rng(most).integers(0, most, (7, 2)).tolist() + more  # MuJoCo's are signed
    text = balls(filters)
    wanted = pairs_in_mujoco(text)
    mechanism = io.load_mjcf(text, strict=True)
    assert pairs_here(mechanism) == wanted
    again = io.mjcf_text(mechanism)
    assert pairs_in_mujoco(again) == wanted
    assert pairs_here(io.load_mjcf(again)) == wanted


def test_an_ant_stands_on_the_floor_of_its_file():
    """Geoms of a robot that do not accept one another, and a floor that accepts all, as Gymnasium's robots have it."""
    robot = io.load_mjcf("""<mujoco><default><geom contype="1" conaffinity="0"/></default><worldbody>
      <geom name="floor" type="plane" size="9 9 1" conaffinity="1"/>
      <body name="a" pos="0 0 0.5"><freejoint/><geom name="a" size="0.2" mass="1"/>
        <body name="b" pos="0 0.5 0"><geom name="b" size="0.2" mass="1"/>
        <body name="c" pos="0 -0.2 0"><joint name="j" axis="1 0 0"/><geom name="c" size="0.2" mass="1"/></body></body>
      </body></worldbody></mujoco>""")
    world = rbdyn.World(0.002, gravity=robot.gravity)
    ant = world.add_articulated_system(robot)
    world.run(1.0)
    assert ant.body("a").position[2] == pytest.approx(0.2, abs=1e-3)
    touched = {frozenset((contact.body_a, contact.body_b)) for contact in world.contacts}
    assert touched
    assert all("world" in pair for pair in touched)  # and not one another: a and c overlap


HIPS = """<mujoco><worldbody><geom type="plane" size="9 9 1"/>
  <body name="torso" pos="0 0 0.1"><freejoint/><geom size="0.2"/>
  <body name="thigh"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z"/><geom size="0.2"/>
    <body name="shin"><joint name="knee" axis="1 0 0"/><geom size="0.2"/>
      <body name="plate" pos="0 0 0.01"><geom size="0.2"/></body>
      <body name="toe"><joint name="t" axis="1 0 0"/><joint name="u" axis="0 1 0"/><geom size="0.2"/></body>
    </body></body></body>
  <body name="cart" pos="0 0 0.1"><joint name="sx" type="slide" axis="1 0 0"/><joint name="sz" type="slide"/>
    <geom size="0.2"/></body></worldbody></mujoco>"""


def test_bodies_on_several_joints_are_neighbours():
    """All stand in one another; MuJoCo keeps bodies from their parents, however many joints are between them, but for
    the world."""
    wanted = pairs_in_mujoco(HIPS)
    assert frozenset(("torso", "thigh")) not in wanted
    assert {frozenset(pair) for pair in (("torso", "shin"), ("torso", "world"), ("cart", "world"))} <= wanted
    mechanism = io.load_mjcf(HIPS)
    merged = {frozenset(name.replace("plate", "shin") for name in pair) for pair in wanted}
    assert pairs_here(mechanism) == merged
    with pytest.warns(rbdyn.ExportWarning, match="without mass or inertia"):
        again = io.mjcf_text(mechanism)
    assert pairs_in_mujoco(again) == wanted
    assert pairs_here(io.load_mjcf(again)) == merged


@pytest.mark.filterwarnings("ignore:.*without mass or inertia:rbdyn.ExportWarning")
def test_who_meets_the_floor_of_its_file(seed):
    """Whatever is not fixed to the world, on none, one or several joints: floors that MuJoCo finds contacts with."""
    rng = np.random.default_rng(seed)
    joints = ['<joint type="slide" axis="0 0 1"/>', '<joint axis="1 0 0"/>', '<joint type="ball"/>', "<freejoint/>",
              '<joint axis="1 0 0"/><joint axis="0 1 0"/>', ""]  # fmt: skip
    bodies = []
    for k, joint in enumerate(rng.permutation(joints)):
        geom, child = '<geom size="0.1" contype="2"/>', ""
        if joint and rng.random() < 0.5:
            child = f'<body name="c{k}"><joint axis="0 0 1"/>{geom}</body>'
        bodies.append(f'<body name="b{k}" pos="{3 * k} 0 0.05">{joint}{geom}{child}</body>')
    floor = '<geom type="plane" size="99 9 1" conaffinity="2"/>'
    text = f"<mujoco><worldbody>{floor}{''.join(bodies)}</worldbody></mujoco>"
    wanted = pairs_in_mujoco(text)
    assert len(wanted) >= 5 and all("world" in pair for pair in wanted)
    mechanism = io.load_mjcf(text, strict=True)
    assert pairs_here(mechanism) == wanted
    again = io.mjcf_text(mechanism)
    assert pairs_in_mujoco(again) == wanted


def test_excludes_are_kept():
    """Those of neighbours, too, which matter with collide_with_parent=True."""
    text = """<mujoco><worldbody><geom type="plane" size="9 9 1"/><body name="b"><joint type="slide"/><geom size="0.1"/>
      <body name="c"><joint axis="1 0 0"/><geom size="0.1"/></body></body></worldbody>
      <contact><exclude body1="world" body2="b"/><exclude body1="b" body2="c"/></contact></mujoco>"""
    mechanism = io.load_mjcf(text, strict=True)
    assert mechanism.ignored_collisions == (("world", "b"), ("b", "c"))
    world = rbdyn.World()
    robot = world.add_articulated_system(mechanism, collide_with_parent=True)
    assert robot.ignored_collisions == mechanism.ignored_collisions
    world.integrate1()
    assert {frozenset((c.body_a, c.body_b)) for c in world.contacts} == {frozenset(("world", "c"))}
    world.integrate2()
    robot.allow_collision("b", "c")
    robot.set_state(robot.q * 0, robot.v * 0)
    world.integrate1()
    assert frozenset(("b", "c")) in {frozenset((c.body_a, c.body_b)) for c in world.contacts}


def test_groups_and_masks_that_are_exact_as_they_are_stay():
    layers = [(2, 2), (4, 4)]
    assert groups_and_masks(layers) == {(1, 1): (1, -1), (2, 2): (2, 2), (4, 4): (4, 4)}
    assert contypes_and_conaffinities([(2, -1)]) == {(1, -1): (1, 1), (2, -1): (2, 2**31 - 1)}


def test_more_kinds_than_bits():
    assert one_accepts((1, 0), (2, 1))
    assert not both_accept((1, 0), (2, 1))
    many = [(k, 0) for k in range(2, 40)]
    assert groups_and_masks(many) is None
    text = balls([(k, 0) for k in range(1, 34)])
    assert any("34 different contypes" in line for line in io.load_mjcf(text).diagnostics)
    with pytest.raises(rbdyn.MjcfError, match="different contypes and conaffinities"):
        io.load_mjcf(text, strict=True)
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)))
    body.collision = [rbdyn.Geometry(Sphere(0.1), group=1, mask=2 * k) for k in range(1, 34)]
    mechanism.attach("world", body, rbdyn.Joint("j", rbdyn.Revolute((0, 0, 1))))
    with pytest.warns(rbdyn.ExportWarning, match="more than 30 kinds"):
        written = io.mjcf_text(mechanism)
    assert "contype" not in written.split("<worldbody>")[1]


# ---- <exclude>, <pair> and <flag contact> --------------------------------------------------------


STACK = """<mujoco><option/><worldbody><geom name="floor" type="plane" size="9 9 1"/>
  <body name="torso" pos="0 0 0.1"><freejoint/><geom name="torso" size="0.2"/>
    <body name="arm"><joint name="x" axis="1 0 0"/><geom name="arm" size="0.2"/>
      <body name="hand"><joint name="y" axis="0 1 0"/><geom name="hand" size="0.2" {c}/>
        <body name="plate" pos="0 0 0.01"><geom name="plate" size="0.2" {c}/></body>
      </body></body>
    <body name="leg"><joint name="z"/><geom name="leg" size="0.2"/><geom name="shoe" size="0.2" pos="0 0 0.01"/></body>
  </body></worldbody><contact>{contact}</contact></mujoco>"""
OFF = 'contype="0" conaffinity="0"'


def geoms_in_mujoco(text):
    """Pairs of geoms in contact, by name."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {frozenset(model.geom(k).name for k in contact.geom) for contact in data.contact}


def geoms_here(mechanism):
    world = rbdyn.World()
    world.add_articulated_system(mechanism)
    world.integrate1()
    return {frozenset((contact.geometry_a, contact.geometry_b)) for contact in world.contacts}


FILTERS = {
    "exclude": '<exclude body1="torso" body2="leg"/><exclude body1="arm" body2="leg"/>',
    "exclude of a floor": '<exclude body1="world" body2="leg"/>',
    "exclude of one body of a rigid group": '<exclude body1="leg" body2="plate"/>',
    "exclude of a rigid group": '<exclude body1="leg" body2="plate"/><exclude body1="hand" body2="leg"/>',
    "pair of neighbours": '<pair geom1="torso" geom2="leg"/>',
    "pair of excluded bodies": '<pair geom1="arm" geom2="shoe"/><exclude body1="arm" body2="leg"/>',
    "pairs of one geom": '<pair geom1="plate" geom2="leg"/><pair geom1="plate" geom2="floor"/>',
}


@pytest.mark.parametrize("off", ["", OFF])
@pytest.mark.parametrize("contact", FILTERS.values(), ids=FILTERS.keys())
def test_geoms_that_collide_are_those_of_mujoco(contact, off):
    text = STACK.format(contact=contact, c=off)
    wanted = geoms_in_mujoco(text)
    assert len(wanted) >= 3
    mechanism = io.load_mjcf(text, strict=True)
    assert geoms_here(mechanism) == wanted
    again = io.mjcf_text(mechanism, strict=True)
    assert geoms_in_mujoco(again) == wanted
    assert geoms_here(io.load_mjcf(again)) == wanted
    world = rbdyn.World()
    world.add_articulated_system(mechanism)
    kept = io.load_world(io.world_text(world, strict=True)).objects[0].mechanism
    assert geoms_here(kept) == wanted
    assert kept.ignored_collisions == mechanism.ignored_collisions
    mechanism.remove_fixed_tree_joints()
    if "rigid group" not in contact and "plate" not in contact:
        assert geoms_here(mechanism) == wanted


def test_filters_of_a_random_file_act_as_in_mujoco(seed):
    """Balls in one place on a tree of joints, some of them fixed: any geoms in <pair>, any bodies in <exclude>."""
    rng = np.random.default_rng([seed, 45])
    children = {k: [] for k in range(9)}
    for k in range(1, 9):
        children[int(rng.integers(k))].append(k)

    def body(k):
        joint = ["", '<joint axis="1 0 0"/>', '<joint type="ball"/>'][int(rng.integers(3))] if k else ""
        kind = "".join(f' {name}="{rng.integers(2)}"' for name in ("contype", "conaffinity"))
        geoms = "".join(f'<geom name="{k}_{i}" size="0.2"{kind}/>' for i in range(2))
        inside = "".join(map(body, children[k]))
        return f'<body name="b{k}" pos="0 0 {0.001 * k}">{joint}{geoms}{inside}</body>' if k else geoms + inside

    tree = "".join(map(body, range(1)))
    moving = [f"{k}_{i}" for k in range(9) for i in range(2)]
    bodies = ["world", *(f"b{k}" for k in range(1, 9))]
    chosen = [rng.choice(moving, 2, replace=False) for _ in range(6)]
    contact = "".join(f'<pair geom1="{a}" geom2="{b}"/>' for a, b in chosen if a[0] != b[0])
    chosen = [rng.choice(bodies, 2, replace=False) for _ in range(8)]
    contact += "".join(f'<exclude body1="{a}" body2="{b}"/>' for a, b in {tuple(sorted(pair)) for pair in chosen})
    text = f"<mujoco><worldbody>{tree}</worldbody><contact>{contact}</contact></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)

    def by_decision(geoms):
        """What is fixed to the world is the world in MuJoCo; here it is a link with neighbours (docs/decisions).

        A <pair> on one rigid group has contacts in MuJoCo, whose forces do nothing.
        """
        ends = {int(model.body(bodies[int(name.split("_")[0])]).weldid[0]) for name in geoms}
        return 0 in ends or len(ends) == 1

    found = geoms_in_mujoco(text)
    assert len(found) > 2
    wanted = {pair for pair in found if not by_decision(pair)}
    mechanism = io.load_mjcf(text)
    assert {pair for pair in geoms_here(mechanism) if not by_decision(pair)} == wanted


def test_contact_off():
    """<flag contact="disable">: no contacts, shapes that rays see; contacts come back with a mask."""
    text = STACK.format(contact=FILTERS["pairs of one geom"], c="")
    text = text.replace("<option/>", '<option><flag contact="disable"/></option>')
    assert geoms_in_mujoco(text) == set()
    mechanism = io.load_mjcf(text, strict=True)
    assert geoms_here(mechanism) == set()
    assert len(mechanism.find_body("leg").collision) == 2
    again = io.mjcf_text(mechanism, strict=True)
    assert 'contact="disable"' in again
    assert geoms_in_mujoco(again) == set()
    assert io.load_mjcf(again).find_body("leg").collision == mechanism.find_body("leg").collision
    world = rbdyn.World()
    robot = world.add_articulated_system(mechanism)
    assert world.ray_test((0, 0, 3), (0, 0, -1)).object is robot
    robot.set_collision_filter(mask=-1)
    world.integrate1()
    assert world.contacts


@pytest.mark.parametrize("what", ['<exclude body1="torso" body2="nobody"/>', '<pair geom1="leg" geom2="nobody"/>'])
def test_filters_of_nobody(what):
    with pytest.raises(rbdyn.MjcfError, match=r"<text>:8: .*nobody"):
        io.load_mjcf(STACK.format(contact=what, c=""))


def test_numbers_of_a_pair_are_said():
    """Friction belongs to pairs of materials here."""
    text = STACK.format(contact='<pair geom1="leg" geom2="arm" friction="2 2 0 0 0" condim="6"/>', c="")
    found = [line for line in io.load_mjcf(text).diagnostics if "<pair>" in line]
    assert len(found) == 1
    assert found[0].startswith("<text>:8: ")
    assert "condim, friction" in found[0]


def test_a_robot_that_does_not_collide_with_itself():
    mechanism = io.load_mjcf(STACK.format(contact="", c=""))
    mechanism.self_collision = False
    assert geoms_here(mechanism) == set()                  # the floor of the file is one of its bodies
    again = io.mjcf_text(mechanism, strict=True)
    assert geoms_in_mujoco(again) == set()
