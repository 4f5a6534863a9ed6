"""Any argument whatever: the answer, or an Error of rbdyn, short and in words; TypeErrors for strange operands."""

import itertools

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    CartesianFrame,
    FrameVector,
    Geometry,
    Joint,
    Mechanism,
    Mimic,
    Planar,
    Revolute,
    RigidBody,
    SpatialAcceleration,
    SpatialInertia,
    Spherical,
    Transform,
    Twist,
    Wrench,
)
from rbdyn.collision.shapes import Sphere
from rbdyn.mechanism.joints import TYPES
from rbdyn.testing import random_mechanisms as made


class Failing:
    """Whatever is asked of it raises."""

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __float__ = __array__ = __repr__


class Callable:
    def __call__(self, *args):
        return args


BAD = [
    None, object(), "x", 10_000 * "y", b"x", True, -1, np.nan, np.inf, 10**400, 10**5000, 1j, [], [1, [2]], [1, 2, 3],
    np.ones(6), np.full(3, 1e308), np.eye(4), np.zeros(9999), list(range(9999)), np.array([None, "x", 3], object),
    Failing(), {"x": 1}, Callable(), Revolute, Revolute(), np.array(3.0), np.str_("z"), {1, 2, 3}, (x for x in ()),
    np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.zeros(3, [("a", "f8")]), CartesianFrame("f"), Transform(),
    RigidBody("foreign"), Joint("s", Revolute()), SpatialInertia(1.0), Mechanism(RigidBody("w")),
]  # fmt: skip


def robot():
    m = Mechanism(RigidBody("world"))
    m.attach("world", RigidBody("a", SpatialInertia(1.0)), Joint("one", Revolute()))
    m.attach("a", RigidBody("b", SpatialInertia(1.0)), Joint("two", Spherical()))
    m.attach("world", "b", Joint("loop", Planar()))
    return m


F, POSE = CartesianFrame("F"), Transform(translation=(1, 2, 3))
INERTIA = SpatialInertia(1.0, (1, 2, 3), np.eye(3))
VECTOR = FrameVector(F, (1, 2, 3))
TWIST, WRENCH = Twist(F, F, F, (1, 2, 3), (4, 5, 6)), Wrench(F, (1, 2, 3), (4, 5, 6))
ACCELERATION = SpatialAcceleration(F, F, F, (1, 2, 3), (4, 5, 6))

VALUES = {
    "Transform(rotation)": lambda x: Transform(rotation=x),
    "Transform(quat)": lambda x: Transform(quat=x),
    "Transform(rpy)": lambda x: Transform(rpy=x),
    "Transform(translation)": lambda x: Transform(translation=x),
    "Transform.from_matrix": Transform.from_matrix,
    "Transform @": lambda x: POSE @ x,
    "Transform ==": lambda x: POSE.__eq__(x),
    "SpatialInertia(mass)": SpatialInertia,
    "SpatialInertia(com)": lambda x: SpatialInertia(1.0, x),
    "SpatialInertia(inertia)": lambda x: SpatialInertia(1.0, inertia=x),
    "SpatialInertia.transformed": INERTIA.transformed,
    "SpatialInertia +": lambda x: INERTIA + x,
    "SpatialInertia ==": lambda x: INERTIA.__eq__(x),
    "CartesianFrame": CartesianFrame,
    "FrameVector(frame)": lambda x: FrameVector(x, (1, 2, 3)),
    "FrameVector(xyz)": lambda x: FrameVector(F, x),
    "FrameVector +": lambda x: VECTOR + x,
    "FrameVector -": lambda x: VECTOR - x,
    "FrameVector.dot": VECTOR.dot,
    "FrameVector.cross": VECTOR.cross,
    "Twist(body)": lambda x: Twist(x, F, F, (1, 2, 3), (1, 2, 3)),
    "Twist(base)": lambda x: Twist(F, x, F, (1, 2, 3), (1, 2, 3)),
    "Twist(frame)": lambda x: Twist(F, F, x, (1, 2, 3), (1, 2, 3)),
    "Twist(angular)": lambda x: Twist(F, F, F, x, (1, 2, 3)),
    "Twist(linear)": lambda x: Twist(F, F, F, (1, 2, 3), x),
    "Twist +": lambda x: TWIST + x,
    "Twist.transformed": lambda x: TWIST.transformed(x, F),
    "Twist.transformed(frame)": lambda x: TWIST.transformed(POSE, x),
    "SpatialAcceleration +": lambda x: ACCELERATION + x,
    "Wrench(frame)": lambda x: Wrench(x, (1, 2, 3), (1, 2, 3)),
    "Wrench +": lambda x: WRENCH + x,
    "Wrench.dot": WRENCH.dot,
    "Wrench.transformed": lambda x: WRENCH.transformed(x, F),
    "Wrench.transformed(frame)": lambda x: WRENCH.transformed(POSE, x),
}
JOINTS = {
    f"{cls.__name__}{name}": call
    for cls in TYPES
    for kind in [cls()]
    for name, call in {
        ".pose": kind.pose,
        ".motion_subspace": kind.motion_subspace,
        ".velocity(q)": lambda x, kind=kind: kind.velocity(x, np.ones(6)),
        ".velocity(twist)": lambda x, kind=kind: kind.velocity(kind.neutral(), x),
        ".configuration": kind.configuration,
        ".random": kind.random,
        ".flipped_configuration": kind.flipped_configuration,
        ".convention": kind.convention,
    }.items()
} | {
    "Revolute(axis)": Revolute,
    "Planar(x_axis)": Planar,
    "Planar(y_axis)": lambda x: Planar(y_axis=x),
    "Joint(name)": lambda x: Joint(x, Revolute()),
    "Joint(joint_type)": lambda x: Joint("j", x),
    "Mimic(joint)": Mimic,
    "Mimic(multiplier)": lambda x: Mimic("j", x),
    "Mimic(offset)": lambda x: Mimic("j", 1.0, x),
    "Joint.copy": Joint("j", Revolute()).copy,
}
for key in ("position_limits", "velocity_limit", "effort_limit", "rotor_inertia", "damping", "friction", "stiffness",
            "spring_reference", "mimic"):  # fmt: skip
    JOINTS[f"Joint({key})"] = lambda x, key=key: Joint("j", Revolute(), **{key: x})
    JOINTS[f"Joint({key}) of a ball"] = lambda x, key=key: Joint("j", Spherical(), **{key: x})
BODIES = {
    "RigidBody(name)": RigidBody,
    "RigidBody(inertia)": lambda x: RigidBody("b", x),
    "RigidBody(collision)": lambda x: RigidBody("b", collision=x),
    "RigidBody(visual)": lambda x: RigidBody("b", visual=[x]),
    "RigidBody.add_frame(name)": lambda x: RigidBody("b").add_frame(x, POSE),
    "RigidBody.add_frame(pose)": lambda x: RigidBody("b").add_frame("f", x),
    "RigidBody.copy": RigidBody("b").copy,
    "Geometry": Geometry,
} | {
    f"Geometry({key})": lambda x, key=key: Geometry(Sphere(1.0), **{key: x})
    for key in ("pose", "name", "material", "group", "mask", "color")
}
MECHANISMS = {
    "Mechanism(root_body)": lambda m, x: Mechanism(x),
    "Mechanism(gravity)": lambda m, x: Mechanism(RigidBody("w"), x),
    "gravity": lambda m, x: setattr(m, "gravity", x),
    "path": lambda m, x: m.path("a", x),
    "attach(predecessor)": lambda m, x: m.attach(x, RigidBody("n"), Joint("n", Revolute())),
    "attach(successor)": lambda m, x: m.attach("a", x, Joint("n", Revolute())),
    "attach(joint)": lambda m, x: m.attach("a", RigidBody("n"), x),
    "attach(joint_pose)": lambda m, x: m.attach("a", RigidBody("n"), Joint("n", Revolute()), x),
    "attach(successor_pose)": lambda m, x: m.attach("a", RigidBody("n"), Joint("n", Revolute()), None, x),
    "attach_mechanism(parent_body)": lambda m, x: m.attach_mechanism(x, robot(), prefix="p"),
    "attach_mechanism(child)": lambda m, x: m.attach_mechanism("a", x, prefix="p"),
    "attach_mechanism(child_root_pose)": lambda m, x: m.attach_mechanism("a", robot(), x, "p"),
    "attach_mechanism(prefix)": lambda m, x: m.attach_mechanism("a", robot(), None, x),
    "submechanism(gravity)": lambda m, x: m.submechanism("a", x),
    "remove_joint(split)": lambda m, x: m.remove_joint("one", x),
    "remove_joint(next_edge)": lambda m, x: m.remove_joint("one", next_edge=x),
    "replace_joint(new_joint)": lambda m, x: m.replace_joint("one", x),
    "fixed_transform": lambda m, x: m.fixed_transform("a", x),
    "carry": lambda m, x: m.remove_joint("loop").carry(x),
} | {
    name: lambda m, x, name=name: getattr(m, name)(x)
    for name in ("find_body", "find_joint", "find_frame", "edge", "predecessor", "successor", "in_joints", "out_joints",
                 "joints_to_children", "joint_to_parent", "parent", "frame_to_body", "frame_definition",
                 "default_frame", "frame_before", "frame_after", "submechanism", "maximal_coordinates",
                 "remove_subtree", "remove_joint", "rebuild_spanning_tree")
}  # fmt: skip
RANDOM = {
    "rand_chain_mechanism(types)": made.rand_chain_mechanism,
    "rand_chain_mechanism(type)": lambda x: made.rand_chain_mechanism([x]),
    "rand_chain_mechanism(seed)": lambda x: made.rand_chain_mechanism([Revolute], x),
    "rand_tree_mechanism(parent_selector)": lambda x: made.rand_tree_mechanism([Revolute], x),
    "rand_floating_tree_mechanism(seed)": lambda x: made.rand_floating_tree_mechanism([Revolute], x),
    "random_tree(rng)": lambda x: made.random_tree(x, 2),
    "random_tree(n)": lambda x: made.random_tree(np.random.default_rng(0), x),
    "random_tree(joint_types)": lambda x: made.random_tree(np.random.default_rng(0), 2, x),
    "random_tree(floating_base)": lambda x: made.random_tree(np.random.default_rng(0), 2, floating_base=x),
    "random_transform": made.random_transform,
    "random_inertia": made.random_inertia,
    "random_rotation": made.random_rotation,
    "random_joint_type": lambda x: made.random_joint_type(np.random.default_rng(0), x),
    "add_random_loops(mechanism)": lambda x: made.add_random_loops(np.random.default_rng(0), x, 1),
    "add_random_loops(n)": lambda x: made.add_random_loops(np.random.default_rng(0), robot(), x),
    "add_random_loops(q)": lambda x: made.add_random_loops(np.random.default_rng(0), robot(), 1, q=x),
    "joint_motion(joint_type)": lambda x: made.joint_motion(x, [0.1]),
    "joint_motion(q)": lambda x: made.joint_motion(Revolute(), x),
}


def answer(call, *args):
    """Nothing but an Error of rbdyn, or a TypeError, comes out; and it can be read."""
    try:
        call(*args)
    except rbdyn.Error as error:
        assert 10 < len(str(error)) < 2000
    except Exception as error:
        operands = isinstance(error, TypeError) and "unsupported operand" in str(error)
        assert operands, f"a {type(args[-1]).__name__} gave {type(error).__name__}: {error}"


@pytest.mark.parametrize("name", [*VALUES, *JOINTS, *BODIES, *RANDOM])
def test_values(name):
    call = (VALUES | JOINTS | BODIES | RANDOM)[name]
    for bad in BAD:
        if not (name.endswith("(n)") and isinstance(bad, int)):  # a number of bodies may be as large as one can wait
            answer(call, bad)


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_stay_as_they_were(name):
    for bad in BAD:
        m = robot()
        before = repr(m), m.revision
        answer(MECHANISMS[name], m, bad)
        assert repr(m) == before[0] or m.revision > before[1]


@pytest.mark.parametrize("cls", [rbdyn.Revolute, rbdyn.SinCosRevolute, rbdyn.Planar, rbdyn.Floating])
def test_sizes_cannot_be_changed_by_a_subclass(cls):
    """Such a joint wrote beyond arrays whose sizes came from elsewhere."""

    class Bigger(cls):
        num_velocities = 40

    class BiggerJoint(Joint):
        num_velocities = 40

    with pytest.raises(rbdyn.MechanismError, match="joint_type of joint 'j' must be one of"):
        Joint("j", Bigger())
    m = robot()
    with pytest.raises(rbdyn.MechanismError, match="joint must be a Joint itself"):
        m.attach("a", RigidBody("c"), BiggerJoint("j", cls()))
    with pytest.raises(rbdyn.MechanismError, match="new_joint must be a Joint itself"):
        m.replace_joint("one", BiggerJoint("j", cls()))
    with pytest.raises(rbdyn.Error):
        made.rand_chain_mechanism([Bigger])


def test_sizes_cannot_be_changed_behind_the_back_of_a_joint_type():
    """Python lets anybody write to a frozen value; 60 velocities of a joint with three ran beyond all arrays."""
    m = robot()
    joint = Joint("j", rbdyn.Spherical())
    m.attach(m.root_body, RigidBody("c"), joint)
    object.__setattr__(joint.joint_type, "num_velocities", 60)
    with pytest.raises(rbdyn.MechanismError, match="joint 'j': its Spherical was given num_velocities from outside"):
        rbdyn.Model(m)
    object.__delattr__(joint.joint_type, "num_velocities")
    assert rbdyn.Model(m).nv == 3 + rbdyn.Model(robot()).nv


def test_values_cannot_be_changed():
    for value, name in itertools.chain(
        ((TWIST, n) for n in ("angular", "linear", "body", "base", "frame")),
        ((WRENCH, n) for n in ("angular", "linear", "frame")),
        ((VECTOR, n) for n in ("xyz", "frame")),
        ((F, n) for n in ("name", "id")),
        ((POSE, n) for n in ("rotation", "translation")),
        ((INERTIA, n) for n in ("mass", "com", "inertia")),
    ):
        with pytest.raises(AttributeError, match="cannot be changed; make a new one"):
            setattr(value, name, np.nan)
        with pytest.raises(AttributeError, match="cannot be changed"):
            delattr(value, name)
        if isinstance(getattr(value, name), np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                getattr(value, name)[0] = np.nan
