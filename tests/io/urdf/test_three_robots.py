"""A templated tracked robot, a base with two modules and a pinned parallel robot: they load, differ as their parameters
say, and move as they must.
"""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn.io import load_urdf

SOLID = '<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/>'

# ---- a vehicle on two tracks of three sprung wheels each: every size is a parameter -----------------

CHASSIS = """<robot name="@@name"><link name="chassis">
<inertial><mass value="@@mass"/><inertia ixx="{@@mass*(@@width**2 + 0.04)/12}" ixy="0" ixz="0"
 iyy="{@@mass*(@@length**2 + 0.04)/12}" iyz="0" izz="{@@mass*(@@length**2 + @@width**2)/12}"/></inertial>
<collision><geometry><box size="@@length @@width 0.2"/></geometry></collision></link>
"""
WHEEL = """<link name="{n}_arm"><inertial><mass value="0.5"/>
<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
<link name="{n}_wheel"><inertial><mass value="@@wheel_mass"/>
<inertia ixx="{{@@wheel_mass*(3*@@radius**2 + 0.01)/12}}" ixy="0" ixz="0" iyy="{{@@wheel_mass*@@radius**2/2}}" iyz="0"
 izz="{{@@wheel_mass*(3*@@radius**2 + 0.01)/12}}"/></inertial><collision><origin rpy="{{pi/2}} 0 0"/>
<geometry><cylinder radius="@@radius" length="0.1"/></geometry></collision></link>
<joint name="{n}_spring" type="prismatic"><parent link="chassis"/><child link="{n}_arm"/>
<origin xyz="{{{x}*@@length/2}} {{{y}*(@@width/2 + 0.1)}} -0.1"/><axis xyz="0 0 1"/>
<limit lower="-0.1" upper="0.1" effort="1000" velocity="10"/><dynamics stiffness="@@stiffness" damping="200"/></joint>
<joint name="{n}_drive" type="continuous"><parent link="{n}_arm"/><child link="{n}_wheel"/><axis xyz="0 1 0"/></joint>
"""
PLACES = [(f"{side}_{k}", x, y) for side, y in (("left", 1), ("right", -1)) for k, x in enumerate((1, 0, -1))]
TRACKED = CHASSIS + "".join(WHEEL.format(n=n, x=x, y=y) for n, x, y in PLACES) + "</robot>"
SMALL = {"name": "small", "mass": 20, "length": 0.8, "width": 0.4, "radius": 0.1, "wheel_mass": 1, "stiffness": 4000}
LARGE = SMALL | {"name": "large", "mass": "60", "length": 1.6, "width": 0.9, "radius": "0.25", "wheel_mass": 4}


@pytest.mark.parametrize("params", [SMALL, LARGE], ids=["small", "large"])
def test_a_tracked_robot(params):
    m = load_urdf(TRACKED, params=params)
    assert m.name == params["name"]
    assert m.diagnostics == []
    radius, speed = float(params["radius"]), 4.0
    assert m.find_body("left_0_wheel").collision[0].shape.radius == radius
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    robot = world.add_articulated_system(TRACKED, params=params)
    assert robot.total_mass == pytest.approx(float(params["mass"]) + 6 * (0.5 + float(params["wheel_mass"])))
    height = 0.1 + radius
    q = robot.q.copy()
    q[2] = height
    robot.set_state(q)
    for wheel, *_ in PLACES:
        robot.set_pd_gains(joints={f"{wheel}_drive": (0.0, 50.0)})
    world.step(500)
    sag = float(params["mass"]) * 9.81 / (6 * float(params["stiffness"]))  # of the springs, under the chassis
    assert robot.base_position[2] == pytest.approx(height - sag, abs=2e-3)
    v = np.zeros(robot.nv)
    v[[robot.joint(f"{wheel}_drive").v_index for wheel, *_ in PLACES]] = speed
    robot.set_pd_target(v=v)
    world.step(1000)
    start = robot.base_position[0]
    world.step(500)
    assert (robot.base_position[0] - start) / 1.0 == pytest.approx(speed * radius, rel=0.03)


# ---- a base, an arm and a camera ----------------------------------------------------------------------

BASE = f"""<robot name="base"><link name="world"/><link name="trunk">
<inertial><mass value="5"/>{SOLID.format(ixx=0.1, iyy=0.1, izz=0.1)}</inertial></link>
<joint name="rail" type="prismatic"><parent link="world"/><child link="trunk"/><axis xyz="1 0 0"/>
<limit lower="-5" upper="5" effort="10" velocity="10"/></joint></robot>"""
ARM = f"""<link name="arm"><inertial><origin xyz="0 0 {{-@@reach}}"/><mass value="@@load"/>
{SOLID.format(ixx=1e-6, iyy=1e-6, izz=1e-6)}</inertial></link>
<joint name="shoulder" type="continuous"><parent link="trunk"/><child link="arm"/><axis xyz="0 1 0"/></joint>"""
CAMERA = """<link name="eye" sensor="eye.xml" model="D9"/>
<joint name="mount" type="fixed"><parent link="trunk"/><child link="eye"/><origin xyz="0.2 0 0.1"/></joint>"""
EYE = """<sensor_set name="eye"><link><inertial><mass value="0.25"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial><sensor name="depth" type="depth">
<camera horizontal_fov="1.2"><image width="64" height="48"/><clip near="0.1" far="10"/></camera></sensor></link>
</sensor_set>"""


@pytest.mark.parametrize(("reach", "load"), [(0.5, 1.0), (1.0, 2.0)])
def test_a_base_and_two_modules(tmp_path, reach, load):
    """A pendulum on a cart: the period of small swings is that of the reduced mass."""
    for name, text in (
        ("base.urdf", BASE),
        ("modules/arm.xml", ARM),
        ("modules/camera.xml", CAMERA),
        ("sensors/eye.xml", EYE),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    options = {"modules": ["arm.xml", "camera"], "params": {"reach": reach, "load": load}}
    m = load_urdf(tmp_path / "base.urdf", **options)
    assert [j.name for j in m.tree_joints] == ["rail", "shoulder", "mount"]
    assert m.diagnostics == []
    assert m.find_body("eye").sensor_sets[0].sensors[0].width == 64
    world = rbdyn.World(time_step=0.0005)
    robot = world.add_articulated_system(tmp_path / "base.urdf", **options)
    cart = 5 + 0.25
    assert robot.total_mass == pytest.approx(cart + load)
    robot.set_state(q=[0.0, 0.02])
    crossings, before = [], robot.q[1]
    for _ in range(12_000):
        world.step()
        if before > 0 >= robot.q[1]:
            crossings.append(world.time - 0.0005 * robot.q[1] / (robot.q[1] - before))
        before = robot.q[1]
    period = 2 * math.pi * math.sqrt(reach / 9.81 * cart / (cart + load))
    assert np.diff(crossings).mean() == pytest.approx(period, rel=1e-3)
    assert [j.name for j in load_urdf(BASE).tree_joints] == ["rail"]


# ---- a five-bar linkage: two motors at the ground, two rods that meet in a pin -------------------------

ROD = """<link name="{n}"><inertial><origin xyz="{{{l}/2}} 0 0"/><mass value="0.5"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="{{0.5*({l})**2/12}}" iyz="0" izz="{{0.5*({l})**2/12}}"/></inertial></link>
<joint name="{n}_joint" type="continuous"><parent link="{p}"/><child link="{n}"/><origin xyz="{x} 0 0"/>
<axis xyz="0 -1 0"/></joint>
"""
FIVE_BAR = (
    '<robot name="five_bar"><link name="world"/>'
    + ROD.format(n="left", p="world", x="{-@@base/2}", l="@@crank")
    + ROD.format(n="right", p="world", x="{@@base/2}", l="@@crank")
    + ROD.format(n="left_rod", p="left", x="@@crank", l="@@rod")
    + ROD.format(n="right_rod", p="right", x="@@crank", l="@@rod")
    + '<constraints nominal_config="@@q"><pin body1="left_rod" body2="right_rod" anchor="@@rod 0 0"/></constraints>'
    + "</robot>"
)


def tip(left, right, base, crank, rod):
    """Where the rods meet above the cranks: two circles."""
    a = np.array([-base / 2 + crank * math.cos(left), crank * math.sin(left)])
    b = np.array([base / 2 + crank * math.cos(right), crank * math.sin(right)])
    half = (b - a) / 2
    up = math.sqrt(rod**2 - half @ half) / math.hypot(*half)
    return a + half + up * np.array([-half[1], half[0]])


def nominal(base, crank, rod):
    """Both cranks upright: joint angles of the four rods, depth first."""
    out = math.acos(base / 2 / rod)
    return [math.pi / 2, out - math.pi / 2, math.pi / 2, math.pi / 2 - out]


@pytest.mark.parametrize(("base", "crank", "rod"), [(0.2, 0.3, 0.4), (0.5, 0.25, 0.6)])
def test_a_parallel_robot(base, crank, rod):
    q = nominal(base, crank, rod)
    params = {"base": base, "crank": crank, "rod": rod, "q": " ".join(map(repr, q))}
    m = load_urdf(FIVE_BAR, params=params)
    order = [j.name for j in m.tree_joints if j.num_velocities]
    assert order == ["left_joint", "right_joint", "left_rod_joint", "right_rod_joint"]
    assert len(m.non_tree_joints) == 1
    world = rbdyn.World(time_step=0.001)
    robot = world.add_articulated_system(FIVE_BAR, params=params)
    robot.set_pd_gains(joints={"left_joint": (300.0, 15.0), "right_joint": (300.0, 15.0)})
    target = {"left_joint": math.pi / 2 + 0.4, "right_joint": math.pi / 2 + 0.1}
    robot.set_pd_target(joints=target)
    for _ in range(20):
        world.step(100)
        ends = [robot.body(f"{side}_rod").point_position((rod, 0, 0)) for side in ("left", "right")]
        assert np.linalg.norm(ends[0] - ends[1]) < 1e-5
        assert ends[0][[0, 2]] == pytest.approx(tip(robot.q[0], robot.q[1], base, crank, rod), abs=1e-5)
    assert abs(robot.v).max() < 1e-3
    assert robot.q[0] == pytest.approx(target["left_joint"], abs=0.05)
    assert abs(robot.q[0] - math.pi / 2) > 0.3
