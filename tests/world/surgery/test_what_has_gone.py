"""Surgery after other surgery: welded joints that have gone, shapes with new numbers; and handles of other robots."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Geometry, Joint, Revolute, Transform, models
from rbdyn.collision import Sphere
from rbdyn.errors import Error, RemovedError

BESIDE = Transform(translation=(2.0, 0.0, 0.0))


def pack():
    """Two quadrupeds side by side."""
    world = rbdyn.World(1e-3)
    world.add_ground()
    a, b = (world.add_articulated_system(models.path("quadruped"), name=name) for name in "ab")
    a.set_base_pose((0.0, 0.0, 0.6))
    b.set_base_pose((2.0, 0.0, 0.6))
    return world, a, b


def dock(world, a, b):
    return world.merge(a, "base", b, "base", Joint("dock", Fixed()), BESIDE, prefix="p_")


@pytest.mark.parametrize(("loss", "stays"), [
    (lambda b: b.remove_fixed_joints(), False),
    (lambda b: b.remove_subtree("LH_HAA"), True),
    (lambda b: b.replace_joint("LH_HAA", Joint("other", Revolute((1, 0, 0)))), True),
], ids=["merged", "subtree", "replaced"])  # fmt: skip
def test_a_robot_whose_welded_joint_has_gone_is_merged(loss, stays):
    world, a, b = pack()
    b.weld("LH_HAA")
    b.weld("RF_KFE")
    loss(b)
    world.step(5)
    nv = b.nv
    merged = dock(world, a, b)
    assert merged.nv == 18 + nv - 6
    assert ("p_RF_KFE" in [joint.name for joint in merged.mechanism.joints]) is stays
    if stays:
        merged.unweld("p_RF_KFE")                          # what is still there can be let go
        assert merged.nv == 18 + nv - 5
    world.step(5)
    assert np.isfinite(merged.q).all()


def test_handles_follow_shapes_whose_numbers_change():
    world, a, b = pack()
    b.body("RH_FOOT").add_geometry(Geometry(Sphere(0.02)))
    b.body("RH_FOOT").add_geometry(Geometry(Sphere(0.03)))
    first, second, third = (b.geometry(f"RH_FOOT/{k}") for k in range(3))
    first.remove()
    assert (second.name, third.name) == ("RH_FOOT/0", "RH_FOOT/1")
    assert (second.shape.radius, third.shape.radius) == (0.02, 0.03)
    assert b.geometry("RH_FOOT/0") is second
    assert b.geometry("RH_FOOT/1") is third
    with pytest.raises(RemovedError, match="RH_FOOT"):
        _ = first.shape
    merged = dock(world, a, b)
    assert second.shape.radius == 0.02
    assert second.robot is merged
    world.step(3)


SURGERY = {
    "weld": lambda a, b: a.weld(b.joint("LF_KFE")),
    "replace_joint": lambda a, b: a.replace_joint(b.joint("LF_KFE"), Joint("other", Fixed())),
    "remove_subtree": lambda a, b: a.remove_subtree(b.joint("LH_HAA")),
    "remove_joint": lambda a, b: a.remove_joint(b.joint("LH_HAA"), split=True),
    "attach": lambda a, b: a.attach(rbdyn.RigidBody("tool", rbdyn.SpatialInertia(1.0, inertia=np.eye(3))),
                                    b.body("base"), Joint("hold", Fixed())),
    "merge": lambda a, b: a.world.merge(a, b.body("base"), b, "base", Joint("dock", Fixed()), BESIDE, prefix="p_"),
}  # fmt: skip


@pytest.mark.parametrize("act", SURGERY.values(), ids=list(SURGERY))
def test_a_handle_of_another_robot_is_refused(act):
    world, a, b = pack()
    nv, was = a.nv, world.state_hash()
    with pytest.raises(Error, match="is a handle of another robot, not of 'a'"):
        act(a, b)
    assert a.nv == nv
    assert b.nv == nv
    assert world.state_hash() == was


SURGERY_BY_THINGS = {
    "weld": lambda a, joint, body: a.weld(joint),
    "replace_joint": lambda a, joint, body: a.replace_joint(joint, Joint("other", Fixed())),
    "remove_subtree": lambda a, joint, body: a.remove_subtree(joint),
    "remove_joint": lambda a, joint, body: a.remove_joint(joint, split=True),
    "attach": lambda a, joint, body: a.attach(rbdyn.RigidBody("tool", rbdyn.SpatialInertia(1.0, inertia=np.eye(3))),
                                              body, Joint("hold", Fixed())),
}  # fmt: skip


@pytest.mark.parametrize("act", SURGERY_BY_THINGS.values(), ids=list(SURGERY_BY_THINGS))
def test_things_of_another_mechanism_are_refused(act):
    """Bodies and joints of what a robot was made from have the names of its own, and are others; its own are taken."""
    world, a, _ = pack()
    original = models.quadruped()
    was = world.state_hash()
    with pytest.raises(Error, match="none of robot 'a', whose mechanism is a copy with a (joint|body) of that name"):
        act(a, original.find_joint("LF_KFE"), original.find_body("base"))
    assert world.state_hash() == was
    act(a, a.mechanism.find_joint("LF_KFE"), a.mechanism.find_body("base"))
    world.step(3)
