"""Random bodies, joints and mechanisms for tests: physical inertias, oblique axes, any joint anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms import body_pose
from rbdyn.arguments import shown, whole
from rbdyn.errors import MechanismError
from rbdyn.mechanism import Floating, Joint, JointType, Mechanism, RigidBody
from rbdyn.mechanism.joints import TYPES
from rbdyn.model import Model, State
from rbdyn.spatial import SpatialInertia, Transform
from rbdyn.spatial.rotations import Array, random_rotation

AnyType = JointType | type[JointType]
Selector = Callable[[Mechanism], RigidBody]
ALL_TYPES = TYPES


def random_transform(rng: np.random.Generator) -> Transform:
    """A uniformly distributed rotation, and a translation in the cube (-1, 1)^3 [m], drawn from `rng`."""
    return Transform(rotation=random_rotation(rng), translation=rng.uniform(-1.0, 1.0, 3))


def random_inertia(rng: np.random.Generator) -> SpatialInertia:
    """The inertia of a random solid: 0.5 to 2 kg, some 0.3 m across, its centre of mass off the origin.

    Physical by construction: J = tr(S) 1 - S with the positive definite second moment of mass S (Wensing, Kim and
    Slotine 2018), so the principal moments obey the triangle inequality.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of all chance.
    """
    _check_rng(rng)
    mass = rng.uniform(0.5, 2.0)
    spread = random_rotation(rng) * rng.uniform(0.05, 0.3, 3)  # columns: the standard deviations [m] along three axes
    S = mass * spread @ spread.T
    return SpatialInertia(mass, rng.uniform(-0.5, 0.5, 3), np.trace(S) * np.eye(3) - S)


def random_joint_type(rng: np.random.Generator, joint_type: AnyType) -> JointType:
    """`joint_type` itself if it is an instance, otherwise one of that class with random axes."""
    if type(joint_type) in TYPES:
        return joint_type  # type: ignore[return-value]
    if not isinstance(joint_type, type) or joint_type not in TYPES:
        raise MechanismError(f"types must hold joint types, classes or instances, got {shown(joint_type)}")
    return joint_type.random_type(random_rotation(rng), rng)


def random_tree(
    rng: np.random.Generator,
    n: int,
    joint_types: Sequence[AnyType] = ALL_TYPES,
    floating_base: bool | type[JointType] = False,
    successor_poses: bool = True,
    rotor_inertia: bool = True,
) -> Mechanism:
    """A random tree of `n` bodies besides the root, under a gravity of random direction.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of all chance.
    n : int
        Number of bodies and joints.
    joint_types : sequence of JointType classes or instances
        Given to the joints in a random order, all of them before any comes again; a class gets random axes.
    floating_base : bool or type
        Whether the first joint is Floating, or of the type given, and all other bodies are in its subtree.
    successor_poses : bool
        Whether bodies sit askew in their joints' after-frames.
    rotor_inertia : bool
        Whether joints have rotors; fixed and floating joints never do.

    Returns
    -------
    mechanism : Mechanism
        Bodies "world", "body1", ...; joints "joint1", ...
    """
    kinds, count = _listed(joint_types, "joint_types"), whole(n, "n", error=MechanismError)
    if count and not kinds:
        raise MechanismError("joint_types must hold one joint type or more, got none")
    if not isinstance(floating_base, (bool, np.bool_, type)):
        raise MechanismError(f"floating_base must be True, False or a joint type, got {shown(floating_base)}")
    gravity = 9.81 * random_rotation(rng)[2]
    mechanism = Mechanism(RigidBody("world"), gravity=gravity)
    base: AnyType = floating_base if isinstance(floating_base, type) else Floating
    deck: list[int] = []
    for k in range(count):
        deck = deck or rng.permutation(len(kinds)).tolist()
        pick = base if floating_base and k == 0 else kinds[deck.pop()]
        lowest = 1 if floating_base and k > 0 else 0
        parent = mechanism.bodies[int(rng.integers(lowest, k + 1))]
        _attach_random(rng, mechanism, parent, pick, successor_poses, rotor_inertia)
    return mechanism


def rand_chain_mechanism(types: Iterable[AnyType], seed: int = 0) -> Mechanism:
    """A random chain: each joint of `types` is the parent of the next.

    Parameters
    ----------
    types : iterable of JointType classes or instances
        One joint each, from the root outwards; a class gets random axes.
    seed : int
        The same seed gives the same mechanism.

    Raises
    ------
    MechanismError
        If an entry of `types` is no joint type.
    """
    return rand_tree_mechanism(types, lambda mechanism: mechanism.bodies[-1], seed)


def rand_tree_mechanism(types: Iterable[AnyType], parent_selector: Selector | None = None, seed: int = 0) -> Mechanism:
    """A random tree with one joint for each of `types`, in that order.

    Parameters
    ----------
    types : iterable of JointType classes or instances
        A class gets random axes.
    parent_selector : callable, optional
        Takes the mechanism so far and returns the body for the next joint; by default any body, all equally likely.
    seed : int
        The same seed gives the same mechanism.

    Raises
    ------
    MechanismError
        If an entry of `types` is no joint type, or the selector returns a body from elsewhere.
    """
    rng = _generator(seed)
    if parent_selector is not None and not callable(parent_selector):
        raise MechanismError(f"parent_selector must be a function of a Mechanism, got {shown(parent_selector)}")
    mechanism = Mechanism(RigidBody("world"))
    for joint_type in _listed(types):
        bodies = mechanism.bodies
        parent = parent_selector(mechanism) if parent_selector else bodies[int(rng.integers(len(bodies)))]
        _attach_random(rng, mechanism, parent, joint_type)
    return mechanism


def rand_floating_tree_mechanism(types: Iterable[AnyType], seed: int = 0) -> Mechanism:
    """A random tree on a Floating base joint, with one joint more for each of `types`.

    Parameters
    ----------
    types : iterable of JointType classes or instances
        The joints besides the base; a class gets random axes.
    seed : int
        The same seed gives the same mechanism.

    Raises
    ------
    MechanismError
        If an entry of `types` is no joint type.
    """
    rng = _generator(seed, 1)

    def moving_body(mechanism: Mechanism) -> RigidBody:
        bodies = mechanism.bodies
        return bodies[int(rng.integers(1, len(bodies)))] if len(bodies) > 1 else mechanism.root_body

    return rand_tree_mechanism([Floating, *_listed(types)], moving_body, seed)


def add_random_loops(
    rng: np.random.Generator,
    mechanism: Mechanism,
    n: int,
    joint_types: Sequence[AnyType] = ALL_TYPES,
    q: ArrayLike | None = None,
    rotor_inertia: bool = True,
) -> list[Joint]:
    """Close `n` loops in a mechanism: joints between random bodies, the root included, that fit together at `q`.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of all chance.
    mechanism : Mechanism
        Gets the joints; must have two bodies.
    n : int
        Number of joints.
    joint_types : sequence of JointType classes or instances
        Each joint takes one of them; a class gets random axes.
    q : (nq,) array_like of float, optional
        Configuration of `Model(mechanism)` at which the loops are closed; the neutral one by default.
    rotor_inertia : bool
        Whether joints have rotors; fixed and floating joints never do.

    Returns
    -------
    joints : list of Joint
        "loop1", ..., numbered on from the loops that are there already.

    Raises
    ------
    MechanismError
        If there are fewer than two bodies, or an entry of `joint_types` is no joint type.
    StateError
        If `q` does not fit the mechanism.
    """
    _check_rng(rng)
    if not isinstance(mechanism, Mechanism):
        raise MechanismError(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    whole(n, "n", error=MechanismError)
    kinds = _listed(joint_types, "joint_types")
    if not kinds:
        raise MechanismError("joint_types must hold one joint type or more, got none")
    if len(mechanism.bodies) < 2:
        raise MechanismError(f"mechanism {mechanism.name!r} must have two bodies to join")
    model = Model(mechanism)
    state = State(model)
    state.set(model.neutral() if q is None else q)
    poses = {body: _as_transform(body_pose(state, body)) for body in mechanism.bodies}
    joints = []
    for _ in range(n):
        kind = random_joint_type(rng, kinds[int(rng.integers(len(kinds)))])
        a, b = (mechanism.bodies[int(k)] for k in rng.choice(len(mechanism.bodies), 2, replace=False))
        has_rotor = rotor_inertia and not (kind.is_fixed or kind.is_floating)
        name = f"loop{len(mechanism.non_tree_joints) + 1}"
        joint = Joint(name, kind, rotor_inertia=rng.uniform(0.05, 0.5) if has_rotor else 0.0)
        before = random_transform(rng)
        after = poses[a] @ before @ joint_motion(kind, kind.random(rng))
        mechanism.attach(a, b, joint, before, after.inverse() @ poses[b])
        joints.append(joint)
    return joints


def joint_motion(joint_type: JointType, q: ArrayLike) -> Transform:
    """Pose of a joint's after-frame in its before-frame at coordinates `q` of a joint of type `joint_type`."""
    mechanism = Mechanism(RigidBody("before"))
    mechanism.attach(mechanism.root_body, RigidBody("after"), Joint("joint", joint_type))
    state = State(Model(mechanism))
    state.set(q)
    return _as_transform(body_pose(state, "after"))


def _generator(seed: int, *stream: int) -> np.random.Generator:
    number = whole(seed, "seed", error=MechanismError)
    return np.random.default_rng([number, *stream] if stream else number)


def _listed(types: Iterable[AnyType], name: str = "types") -> list[AnyType]:
    """`types` as a list; what they are is seen when each is used."""
    try:
        return list(types)
    except TypeError:
        raise MechanismError(f"{name} must be a sequence of joint types, got {shown(types)}") from None


def _check_rng(rng: object) -> None:
    if not isinstance(rng, np.random.Generator):
        raise MechanismError(f"rng must be a numpy.random.Generator, got {shown(rng)}")


def _as_transform(pose: Array) -> Transform:
    return Transform(rotation=pose[:3, :3], translation=pose[:3, 3])


def _attach_random(
    rng: np.random.Generator,
    mechanism: Mechanism,
    parent: RigidBody,
    joint_type: AnyType,
    successor_pose: bool = True,
    rotor: bool = True,
) -> None:
    number = len(mechanism.bodies)
    kind = random_joint_type(rng, joint_type)
    has_rotor = rotor and not (kind.is_fixed or kind.is_floating)
    joint = Joint(f"joint{number}", kind, rotor_inertia=rng.uniform(0.05, 0.5) if has_rotor else 0.0)
    body = RigidBody(f"body{number}", random_inertia(rng))
    mechanism.attach(
        parent, body, joint, random_transform(rng), random_transform(rng) if successor_pose else Transform()
    )
