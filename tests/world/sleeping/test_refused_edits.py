"""A call that is refused changes nothing: who sleeps sleeps on, and goes on as if it had not been made."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Spherical, Transform, models
from rbdyn.errors import Error

KNEE = "LF_KFE"


@pytest.fixture(scope="module")
def scene():
    """A dog that stands asleep, a box and a ball that lie asleep, a dog in the air; and what is so far."""
    world = rbdyn.World(2e-3)
    world.add_ground()
    world.sleeping = True
    box = world.add_box(0.2, 0.2, 0.2, mass=1.0)
    box.set_pose((1, 0, 0.1))
    ball = world.add_sphere(0.1, mass=1.0)
    ball.set_pose((3, 0, 0.1))
    dog = world.add_articulated_system(models.path("quadruped"), name="dog")
    dog.set_state(models.QUADRUPED_STANCE.q)
    dog.set_pd_gains(250.0, 10.0)
    dog.set_pd_target(models.QUADRUPED_STANCE.q)
    cat = world.add_articulated_system(models.path("quadruped"), name="cat")
    cat.set_base_pose((0, 5, 0.6))
    world.run(2.0)
    assert [one.asleep for one in (box, ball, dog, cat)] == [True, True, True, False]
    return world, box, ball, dog, cat, world.snapshot()


def module():
    m = Mechanism(RigidBody("root"))
    m.attach(
        m.root_body, RigidBody("x", SpatialInertia(0.5, inertia=0.01 * np.eye(3))), Joint("xj", Revolute((0, 1, 0)))
    )
    return m


far = Transform(translation=(0, 0, 1))
CALLS = {
    "world: material": lambda w, box, ball, dog, cat: w.set_default_material(friction=-1),
    "world: pair": lambda w, box, ball, dog, cat: w.set_material_pair("a", "b", -1.0),
    "world: solver": lambda w, box, ball, dog, cat: w.set_contact_solver_param(alpha_init=-1),
    "world: gravity": lambda w, box, ball, dog, cat: setattr(w, "gravity", (0, 0, np.nan)),
    "world: erp": lambda w, box, ball, dog, cat: w.set_erp(-1),
    "world: ignore": lambda w, box, ball, dog, cat: w.ignore_collision(box, "nobody"),
    "world: body": lambda w, box, ball, dog, cat: w.add_box(0.1, 0.1, -1, mass=1.0),
    "world: name": lambda w, box, ball, dog, cat: w.add_box(0.1, 0.1, 0.1, mass=1.0, name="dog"),
    "world: robot": lambda w, box, ball, dog, cat: w.add_articulated_system("/nonexistent.urdf"),
    "world: robot's name": lambda w, box, ball, dog, cat: w.add_articulated_system(module(), name="dog"),
    "world: remove": lambda w, box, ball, dog, cat: w.remove("nobody"),
    "world: weld": lambda w, box, ball, dog, cat: w.add_weld(box, box),
    "world: wire": lambda w, box, ball, dog, cat: w.add_stiff_wire(box, None, length=-1),
    "world: coupling": lambda w, box, ball, dog, cat: w.add_coupling({(dog, KNEE): np.nan}),
    "world: restore": lambda w, box, ball, dog, cat: w.restore(rbdyn.World().snapshot()),
    "body: mass": lambda w, box, ball, dog, cat: setattr(ball, "mass", 0),
    "body: inertia": lambda w, box, ball, dog, cat: setattr(box, "inertia", np.diag([1, 1, 5.0])),
    "body: type": lambda w, box, ball, dog, cat: setattr(ball, "body_type", "stone"),
    "body: shape": lambda w, box, ball, dog, cat: ball.set_geometry(0, shape=3),
    "body: pose": lambda w, box, ball, dog, cat: box.set_pose((np.nan, 0, 0)),
    "robot: mass": lambda w, box, ball, dog, cat: setattr(dog.body("base"), "mass", -1),
    "robot: shape": lambda w, box, ball, dog, cat: dog.geometry("LF_FOOT/0").set(shape=3),
    "robot: placement": lambda w, box, ball, dog, cat: setattr(dog.joint(KNEE), "placement", 3),
    "robot: limits": lambda w, box, ball, dog, cat: setattr(dog.joint(KNEE), "limits", (2, -2)),
    "robot: limits of one": lambda w, box, ball, dog, cat: dog.set_joint_limits(joints={KNEE: (2, -2)}),
    "robot: filter": lambda w, box, ball, dog, cat: dog.set_collision_filter(group="dogs"),
    "robot: pairs": lambda w, box, ball, dog, cat: setattr(dog, "contacts_per_self_pair", -1),
    "surgery: replace": lambda w, box, ball, dog, cat: dog.replace_joint(KNEE, Joint("n", Fixed())),
    "surgery: attach": lambda w, box, ball, dog, cat: dog.attach(module(), "base", Joint("at", Spherical())),
    "surgery: names": lambda w, box, ball, dog, cat: w.merge(dog, "base", cat, "base", Joint("d", Fixed())),
    "surgery: gap": lambda w, box, ball, dog, cat: w.merge(
        dog, "base", cat, "base", Joint("d", Fixed()), None, far, prefix="p_"),
    "surgery: cut": lambda w, box, ball, dog, cat: dog.remove_joint(KNEE),
    "surgery: unweld": lambda w, box, ball, dog, cat: dog.unweld(KNEE),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_refused_call_lets_sleep(scene, name):
    world, *things, before = scene
    with pytest.raises(Error):
        CALLS[name](world, *things)
    assert world.state_hash() == before.hash
    assert [one.asleep for one in things] == [True, True, True, False]


def test_what_is_done_wakes_what_may_stand_on_it(scene):
    world, box, ball, dog, cat, before = scene
    for edit in (
        lambda: cat.body("base").set_inertia(mass=7.0),
        lambda: setattr(cat.joint(KNEE), "limits", (-1.0, 1.0)),
        lambda: world.set_default_material(friction=0.5),
        lambda: world.ignore_collision(box, ball),
        lambda: world.add_weld(box, ball),
        lambda: world.remove(cat),
        lambda: setattr(ball, "body_type", "static"),
        lambda: cat.weld(KNEE),
    ):
        edit()
        assert world.state_hash() != before.hash
        assert not any(one.asleep for one in (box, ball, dog) if one in world.objects)
        world.restore(before)
        assert world.state_hash() == before.hash
        assert [one.asleep for one in (box, ball, dog, cat)] == [True, True, True, False]
