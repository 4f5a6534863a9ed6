"""What a World accepts and is probably a mistake is said once, at the first step with it, with what to call."""

import copy
import pathlib
import pickle
import re
import warnings

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    Geometry,
    Helical,
    Joint,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    SetupWarning,
    SpatialInertia,
    Spherical,
    Transform,
    Universal,
    models,
)
from rbdyn.collision import Box
from rbdyn.parallel import VectorWorld
from rbdyn.world.registry.setup_warnings import is_slip

MATERIALS = ("rubber", "steel", "aluminium", "default", "wet_asphalt")


def said(action):
    """Texts of the SetupWarnings of a call, each of which names the line of its caller."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        action()
    assert all(note.category is SetupWarning for note in notes), [str(note.message) for note in notes]
    assert all(pathlib.Path(note.filename).name == pathlib.Path(__file__).name for note in notes)
    return [str(note.message) for note in notes]


def body(name, size=0.1):
    return RigidBody(name, SpatialInertia.from_shape(Box((size,) * 3), mass=1.0), [Geometry(Box((size,) * 3))])


def chain(apart, n=3):
    """Boxes of 0.1 m one behind the other, each `apart` [m] from the one before, on hinges with limits."""
    m = Mechanism(RigidBody("world"))
    for k in range(n):
        joint = Joint(f"joint{k}", Revolute((1, 0, 0)), position_limits=(-1.0, 2.0))
        place = Transform(translation=(apart if k else 0.0, 0, 0))
        m.attach(f"link{k - 1}" if k else "world", body(f"link{k}"), joint, joint_pose=place)
    return m


# ---- materials -----------------------------------------------------------------------------------


def with_materials(*names, pairs=()):
    world = rbdyn.World()
    for k, name in enumerate(names):
        world.add_sphere(0.1, 1.0, material=name, name=f"ball {k}").set_pose(position=(k, 0, 0))
    for a, b in pairs:
        world.set_material_pair(a, b, 0.5)
    return world


def slip(name, rng):
    """The name with one letter missing, added, wrong, or exchanged with the next one."""
    kind = rng.integers(4)
    k = int(rng.integers(len(name) - 1))
    letter = "qxzj"[rng.integers(4)]
    return (name[:k] + name[k + 1 :], name[:k] + letter + name[k:], name[:k] + letter + name[k + 1 :],
            name[:k] + name[k + 1] + name[k] + name[k + 2 :])[kind]  # fmt: skip


def test_a_misspelt_material_is_said_once(seed):
    rng = np.random.default_rng(seed)
    known = MATERIALS[seed % len(MATERIALS)]
    wrong = known
    while wrong == known:
        wrong = slip(known, rng)
    world = with_materials(wrong, "velvet", pairs=[("rubber", "steel"), ("aluminium", "wet_asphalt")])
    (text,) = said(world.step)
    assert repr(wrong) in text and f"did you mean {known!r}" in text and "'ball 0'" in text and "0.8" in text
    assert "set_material_pair" in text
    assert said(lambda: world.step(3)) == []
    world.add_box(0.1, 0.1, 0.1, 1.0, material=wrong).set_pose(position=(0, 5, 0))
    world.set_material_pair("velvet", "steel", 0.4)
    assert said(world.step) == []


def test_a_misspelt_default_is_said_of_shapes_and_of_pairs():
    (text,) = said(with_materials("defualt").step)
    assert "'defualt'" in text and "'default'" in text
    (text,) = said(with_materials("steel", "default", pairs=[("defualt", "steel")]).step)
    assert "no shape has the material 'defualt'" in text and "'default'" in text


def test_pairs_may_be_set_after_shapes_and_after_steps():
    world = with_materials("rubbr")
    assert said(world.step) == []
    world.set_material_pair("rubber", "steel", 0.5)
    (text,) = said(world.step)
    assert "'rubber'" in text
    world = with_materials("rubbr", pairs=[("rubber", "steel")])
    world.set_material_pair("rubbr", "steel", 0.5)
    assert said(world.step) == []


@pytest.mark.parametrize("names", [
    ("ice", "felt", "velvet"), ("steel2", "steel3"), ("foot_l", "foot_r"), ("rubber_2", "rubber"), ("ground", "floor"),
])  # fmt: skip
def test_other_names_are_no_misspelt_ones(names):
    assert said(with_materials(*names, pairs=[("steel1", "foot"), ("rubber_1", "grass")]).step) == []


def test_cases_and_signs_are_slips():
    assert is_slip("Rubber", "rubber")
    assert is_slip("wet asphalt", "wet_asphalt") and is_slip("wetasphalt", "wet_asphalt")
    assert is_slip("alluminum", "aluminium") and not is_slip("tin", "zinc") and not is_slip("iron", "icon_1")


# ---- joints --------------------------------------------------------------------------------------


def test_a_target_in_degrees_is_said_once():
    world = rbdyn.World()
    robot = world.add_articulated_system(models.path("quadruped"))
    robot.set_state(models.QUADRUPED_STANCE.q)
    robot.joint("LF_HFE").target = 45
    assert said(world.step) == []                    # without gains it does nothing
    robot.set_pd_gains(p=100.0, d=1.0)
    (text,) = said(world.step)
    assert "'LF_HFE' to 45 rad" in text and "np.deg2rad(45) is 0.7854" in text and "set_pd_target" in text
    robot.joint("LF_KFE").target = 80
    assert said(lambda: world.step(2)) == []


def test_a_target_in_millimetres_is_said():
    m = Mechanism(RigidBody("world"))
    m.attach("world", body("finger"), Joint("slide", Prismatic((1, 0, 0)), position_limits=(0.0, 0.04)))
    world = rbdyn.World()
    robot = world.add_articulated_system(m)
    robot.set_pd_gains(p=100.0, d=1.0)
    for near in (0.02, 0.05, -0.02, 0.1):            # a gripper that presses is no mistake
        robot.joint("slide").target = near
        assert said(world.step) == []
    robot.set_pd_target(joints={"slide": 20})
    (text,) = said(world.step)
    assert "'slide' to 20 m" in text and "deg2rad" not in text


def test_a_joint_that_starts_beyond_its_limits_is_said_once(seed):
    rng = np.random.default_rng(seed)
    world = rbdyn.World()
    robot = world.add_articulated_system(chain(0.3))
    q = rng.uniform(-1.0, 2.0, robot.nq)
    robot.set_state(q)
    assert said(world.step) == []
    k, beyond = int(rng.integers(3)), float(rng.uniform(0.05, 1.0))
    q[k] = 2.0 + beyond if seed % 2 else -1.0 - beyond
    robot.set_state(q)
    (text,) = said(world.step)
    assert f"'joint{k}' at {q[k]:.4g} rad (limits -1 to 2)" in text
    assert "set_state" in text and "set_joint_limits" in text
    robot.set_state(q)
    assert said(world.step) == []


def test_limits_that_leave_a_joint_outside_are_said():
    world = rbdyn.World()
    robot = world.add_articulated_system(chain(0.3))
    robot.set_state(q=[0.5, 0.0, 0.0])
    assert said(world.step) == []
    robot.joint("joint0").limits = (-0.2, 0.2)
    (text,) = said(world.step)
    assert "'joint0' at 0.5" in text


def test_motion_beyond_limits_and_soft_limits_are_no_mistakes():
    world = rbdyn.World(time_step=0.005)
    robot = world.add_articulated_system(chain(0.3))
    robot.joint("joint1").set(limit_softness=(0.01, 1.0))
    robot.set_state(q=[0.0, 2.3, 0.0])
    assert said(world.step) == []
    robot.set_state(q=[0.0, 0.0, 0.0], v=[60.0, -80.0, 90.0])

    def driven():
        for _ in range(50):
            robot.set_generalized_force([5.0, 5.0, 5.0])
            robot.joint("joint0").damping = 0.1
            world.step()

    assert said(driven) == []


# ---- time steps ----------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [10, 2.0, 0.2])
def test_a_long_time_step_is_said_once(step):
    world = rbdyn.World(time_step=step)
    world.add_sphere(0.1, 1.0)
    (text,) = said(world.step)
    assert f"{step:g} s" in text and "world.time_step" in text
    assert float(re.search(r"falls by (\S+) m", text)[1]) == pytest.approx(9.81 / 2 * step**2, rel=5e-3)
    assert said(lambda: world.step(2)) == []
    world.time_step = 0.05
    assert said(world.step) == []


def test_substeps_make_a_long_step_short():
    world = rbdyn.World(time_step=1.0, substeps=100)
    world.add_sphere(0.1, 1.0)
    assert said(world.step) == []


# ---- overlaps ------------------------------------------------------------------------------------


def test_a_robot_that_overlaps_with_itself_is_said_once():
    world = rbdyn.World(gravity=(0, 0, 0))
    robot = world.add_articulated_system(chain(0.045, n=4))       # neighbours but one are 1 cm in each other
    (text,) = said(world.step)
    assert "'link0' and 'link2' by 10 mm" in text and "'link1' and 'link3' by 10 mm" in text
    assert "ignore_overlapping=True" in text and "robot.ignore_collision" in text
    robot.set_state(q=np.zeros(4))
    assert said(world.step) == []


def test_what_is_ignored_is_listed_and_collides_no_more():
    world = rbdyn.World(gravity=(0, 0, 0))
    plain = world.add_articulated_system(chain(0.045, n=4), name="plain")
    plain.set_base_pose((0, 5, 0))
    robot = world.add_articulated_system(chain(0.045, n=4), ignore_overlapping=True)
    assert robot.ignored_collisions == (("link0", "link2"), ("link1", "link3"))
    assert plain.ignored_collisions == ()
    (text,) = said(world.step)
    assert "'plain'" in text
    assert robot.contacts == [] and len(plain.contacts) > 0
    assert np.all(robot.v == 0.0)
    other = copy.deepcopy(world)
    assert other.find(robot.name).ignored_collisions == robot.ignored_collisions
    robot.allow_collision("link0", "link2")
    assert robot.ignored_collisions == (("link1", "link3"),)
    world.step()
    assert {contact.bodies for contact in robot.contacts} in ({("link0", "link2")}, {("link2", "link0")})


def test_what_touches_or_is_apart_is_no_overlap():
    for apart in (0.05, 0.0498, 0.06):
        world = rbdyn.World()
        robot = world.add_articulated_system(chain(apart, n=4), ignore_overlapping=True)
        assert robot.ignored_collisions == ()
        assert said(world.step) == []


def test_filters_count():
    for options in ({"self_collision": False}, {"group": 1, "mask": 2}):
        world = rbdyn.World()
        robot = world.add_articulated_system(chain(0.045), ignore_overlapping=True, **options)
        assert robot.ignored_collisions == () and said(world.step) == []


def test_ignore_overlapping_is_a_flag():
    world = rbdyn.World()
    with pytest.raises(rbdyn.Error, match="ignore_overlapping"):
        world.add_articulated_system(chain(0.3), ignore_overlapping="yes")
    assert world.objects == ()


# ---- all of them ---------------------------------------------------------------------------------


def everything():
    world = rbdyn.World(time_step=0.5)
    world.add_ground(material="defualt")
    robot = world.add_articulated_system(chain(0.045), name="chain")
    robot.set_state(q=[0.0, 0.0, 45.0])
    robot.set_pd_gains(p=1.0, d=1.0)
    robot.set_pd_target([45.0, 0.0, 0.0])
    return world


def test_copies_say_what_was_not_said_yet():
    world = everything()
    early, worlds = copy.deepcopy(world), VectorWorld(world, 4)
    assert len(said(lambda: worlds.step(1))) == 5    # of four
    assert len(said(world.step)) == 5 and len(said(early.step)) == 5
    late = pickle.loads(pickle.dumps(world))
    assert said(late.step) == []
    late.find("chain").set_pd_target([50.0, 0.0, 0.0])
    late.find("chain").set_state(q=[0.0, 0.0, 50.0])
    assert said(late.step) == []


def test_copies_may_be_placed_before_their_first_step():
    world = rbdyn.World()
    world.add_articulated_system(chain(0.3), name="chain").set_state(q=[0.0, 0.0, 45.0])
    worlds = VectorWorld(world, 3)
    worlds.find("chain").set_state(q=np.zeros((3, 3)))
    assert said(lambda: worlds.step(2)) == []
    assert len(said(world.step)) == 1


def test_half_steps_say_it_too():
    world = everything()
    assert len(said(world.integrate1)) == 5
    assert said(world.integrate2) == []


def test_snapshots_say_nothing_again():
    world = everything()
    start = world.snapshot()
    assert len(said(world.step)) == 5
    world.restore(start)
    assert said(world.step) == []


def test_the_filter_of_warnings_silences_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SetupWarning)
        everything().step()


def test_warnings_as_errors_leave_the_world_as_it_was():
    world = everything()
    start, texts = world.state_hash(), []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        while world.steps == 0:
            assert world.state_hash() == start
            try:
                world.step()
            except SetupWarning as error:
                texts.append(str(error))
    assert len(set(texts)) == 5


def test_bundled_robots_say_nothing():
    world = rbdyn.World()
    for k, name in enumerate(models.NAMES):
        robot = world.add_articulated_system(models.path(name), ignore_overlapping=False)
        robot.set_base_pose((3.0 * k, 0, 1))
    assert k > 1 and said(lambda: world.step(3)) == []


# ---- units and joints of several degrees of freedom ------------------------------------------------


def hung(kind, **values):
    """A body on one joint."""
    m = Mechanism(RigidBody("world"))
    m.attach("world", body("bob"), Joint("j", kind, **values))
    return m


@pytest.mark.parametrize(
    "kind, limits, q, texts",
    [
        (Universal(), [(-0.1, 0.1), (-1.0, 1.0)], [0.5, 0.2], ["'j'[0] at 0.5 rad (limits -0.1 to 0.1)"]),
        (Universal(), [(-0.1, 0.1), (-0.1, 0.1)], [0.5, 0.2], ["'j'[0] at 0.5 rad", "'j'[1] at 0.2 rad"]),
        (Helical(pitch=0.01), (-0.5, 0.5), [1.0], ["'j' at 1 rad (limits -0.5 to 0.5)"]),
        (Prismatic((0, 0, 1)), (-0.5, 0.5), [1.0], ["'j' at 1 m (limits -0.5 to 0.5)"]),
        (Planar(), [(-0.1, 0.1)] * 3, [0.5, 0.0, 0.7], ["'j'[0] at 0.5 m", "'j'[2] at 0.7 rad"]),
        (Spherical(), (0.0, 0.4), [np.cos(0.5), np.sin(0.5), 0, 0], ["'j' (angle) at 1 rad (limits 0 to 0.4)"]),
    ],
)
def test_positions_are_said_in_their_units(kind, limits, q, texts):
    world = rbdyn.World()
    robot = world.add_articulated_system(hung(kind, position_limits=limits))
    robot.set_state(q)
    (text,) = said(world.step)
    assert all(one in text for one in texts), text
    assert text.count("(limits") == len(texts)


def test_all_limits_of_balls_are_looked_at():
    """Cone and twist; within limits, with soft ones, and without any nothing is said."""
    tilted = [np.cos(0.3), np.sin(0.3), 0, 0]  # 0.6 rad about x: the axis z leans, and nothing twists
    turned = [np.cos(0.3), 0, 0, np.sin(0.3)]  # about z: it twists, and nothing leans
    for values, q, text in (
        ({"cone_limit": 0.5}, tilted, "'j' (cone) at 0.6 rad (limits 0 to 0.5)"),
        ({"cone_limit": 0.5}, turned, None),
        ({"twist_limits": (-0.2, 0.2)}, turned, "'j' (twist) at 0.6 rad (limits -0.2 to 0.2)"),
        ({"twist_limits": (-0.2, 0.2)}, tilted, None),
        ({"position_limits": (0.0, 0.7)}, turned, None),
        ({"position_limits": (0.0, 0.4), "limit_softness": (1e-3, 1.0)}, turned, None),
        ({}, turned, None),
    ):
        world = rbdyn.World()
        robot = world.add_articulated_system(hung(Spherical(), **values))
        robot.set_state(q)
        found = said(world.step)
        assert len(found) == (text is not None) and all(text in one for one in found), (values, found)


def test_targets_of_balls_are_looked_at():
    world = rbdyn.World()
    robot = world.add_articulated_system(hung(Spherical(), position_limits=(0.0, 0.4)))
    robot.set_pd_gains(10.0, 1.0)
    robot.joint("j").target = [np.cos(0.5), np.sin(0.5), 0, 0]
    assert said(world.step) == []  # 0.6 beyond: not more than twice the range
    robot.joint("j").target = [np.cos(0.7), np.sin(0.7), 0, 0]
    (text,) = said(world.step)
    assert "'j' (angle) to 1.4 rad (limits 0 to 0.4)" in text
