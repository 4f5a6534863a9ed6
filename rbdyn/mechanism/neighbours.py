"""Which bodies a joint keeps together, so that they are not looked at for collisions.

The root body is the world, which only what is fixed to it never touches: a cart on a slide stands on the world's floor,
however few joints lead there.  What is fixed to the root, such as an arm's base, is a link with neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.filtering import all_pairs


def neighbours(mechanism: Mechanism) -> set[frozenset[RigidBody]]:
    """Pairs of carriers that never collide: see `near`."""
    carrier = carriers(mechanism)
    bodies = list(dict.fromkeys(carrier.values()))
    number = {body: k for k, body in enumerate(bodies)}
    joints = [None, *(mechanism.joint_to_parent(body) for body in bodies[1:])]
    parents = [0, *(number[carrier[mechanism.predecessor(joint)]] for joint in joints if joint is not None)]
    floats = [joint is not None and joint.joint_type.is_floating for joint in joints]
    filled = {number[carrier[body]] for body in mechanism.bodies if is_filled(body)}
    loops = [tuple(number[carrier[end(joint)]] for end in (mechanism.predecessor, mechanism.successor))
             for joint in mechanism.non_tree_joints]  # fmt: skip
    return {frozenset((bodies[a], bodies[b])) for a, b in near(parents, floats, filled, loops)}


def never_meet(mechanism: Mechanism) -> set[frozenset[RigidBody]]:
    """Pairs of bodies with shapes that never collide; those of one rigid group, which do not either, are left out."""
    carrier, root = carriers(mechanism), mechanism.root_body
    members: dict[RigidBody, list[RigidBody]] = {}
    for body in mechanism.bodies:
        if body.collision:
            members.setdefault(carrier[body], []).append(body)
    held = {frozenset((carrier[mechanism.predecessor(j)], carrier[mechanism.successor(j)]))
            for j in mechanism.non_tree_joints if is_rigid(j)}  # fmt: skip
    pairs = set()
    for group in neighbours(mechanism):
        a, b = group
        found = {frozenset((one, other)) for one in members.get(a, ()) for other in members.get(b, ())}
        pairs |= {pair for pair in found if root not in pair or group in held}
    return pairs


def adjacent_pairs(mechanism: Mechanism) -> set[frozenset[RigidBody]]:
    """Pairs of bodies with shapes that a joint joins, or that fixed joints hold to one another."""
    carrier = carriers(mechanism)
    rigid = {pair for pair in all_pairs(mechanism.bodies) if len({carrier[body] for body in pair}) == 1}
    return never_meet(mechanism) | rigid


def is_rigid(joint: Joint) -> bool:
    """Whether a joint in a loop fixes its bodies to one another."""
    return joint.num_velocities == 0


def carriers(mechanism: Mechanism) -> dict[RigidBody, RigidBody]:
    """The body at the moving end of each body's rigid group: itself, or what fixed joints hold it to."""
    carrier = {mechanism.root_body: mechanism.root_body}
    for joint in mechanism.tree_joints:
        own = mechanism.successor(joint)
        carrier[own] = own if joint.num_velocities else carrier[mechanism.predecessor(joint)]
    return carrier


def is_filled(body: RigidBody) -> bool:
    """Whether a body is more than a place between two joints, to which MuJoCo's files give some 1e-14 kg."""
    return bool(body.collision) or body.inertia.mass > 1e-12


def near(
    parents: Sequence[int], floats: Sequence[bool], filled: set[int], loops: Iterable[Sequence[int]]
) -> set[tuple[int, int]]:
    """Pairs (a, b), a < b, of bodies that a joint joins, in the tree or in a loop, by number; the root is 0.

    A floating joint joins nothing.  Bodies without mass and shapes stand between several joints of one place, such as
    a hip's: those on both sides of them are neighbours.  What hangs on the root by way of such is none of the root's.
    """
    pairs = {(min(pair), max(pair)) for pair in loops if len(set(pair)) == 2}
    for b in range(1, len(parents)):
        if floats[b]:
            continue
        a = parents[b]
        pairs.add((a, b))
        while a not in filled and a > 0:
            a = 0 if floats[a] else parents[a]
        if a > 0:
            pairs.add((a, b))
    return pairs
