"""Collision filters: pairs of bodies that never collide.  They follow bodies that are copied, joined, cut or merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from rbdyn.errors import MechanismError
from rbdyn.mechanism._revision import put
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Graph, Pairs
from rbdyn.mechanism.surgery.maps import Maps


def pair_of(mechanism: Graph, body_a: RigidBody | str, body_b: RigidBody | str) -> frozenset[RigidBody]:
    """Two bodies of a mechanism; MechanismError if they are one."""
    a, b = mechanism._body(body_a, "body_a"), mechanism._body(body_b, "body_b")
    if a is b:
        raise MechanismError(f"two bodies must be given, got {a.name!r} twice: a body never collides with itself")
    return frozenset((a, b))


def put_pairs(mechanism: Graph, pairs: Iterable[frozenset[RigidBody]]) -> None:
    """Set the pairs that never collide; an edit of a parameter."""
    new = frozenset(pairs)
    if new != mechanism._ignored:
        put(mechanism.__dict__, "_ignored", new, mechanism._revision)


def ignore_pairs(mechanism: Graph, pairs: Iterable[frozenset[RigidBody]]) -> None:
    """`Mechanism.ignore_collision` of many pairs of its bodies, as one edit."""
    put_pairs(mechanism, mechanism._ignored.union(pairs))


def all_pairs(bodies: Iterable[RigidBody]) -> Pairs:
    """Each two of these bodies that have shapes."""
    return frozenset(frozenset(pair) for pair in combinations([body for body in bodies if body.collision], 2))


def carried(pairs: Pairs, image: Mapping[RigidBody, RigidBody]) -> Pairs:
    """Replace bodies of pairs by their images; pairs of bodies that have none, or became one, are left out."""
    if not pairs:
        return pairs
    found = {frozenset(image[body] for body in pair) for pair in pairs if all(body in image for body in pair)}
    return frozenset(pair for pair in found if len(pair) == 2)


def kept(pairs: Pairs, bodies: Iterable[RigidBody]) -> Pairs:
    """The pairs of which both bodies are among these."""
    return carried(pairs, {body: body for body in bodies}) if pairs else pairs


def hand_on(mechanism: Graph, copy: Graph, maps: Maps) -> None:
    """Give a mechanism made of copies the filters of what they are copies of."""
    copy.self_collision = mechanism.self_collision
    copy._ignored = carried(mechanism._ignored, maps.bodies)


def unite(mechanism: Graph, child: Graph, image: Mapping[RigidBody, RigidBody]) -> tuple[bool, Pairs]:
    """`self_collision` and pairs of a mechanism that takes in `child`, whose bodies become those of `image`.

    Where one of them collides with itself and the other does not, the other's pairs are listed.
    """
    own, new = mechanism._ignored, child._ignored
    if mechanism.self_collision != child.self_collision:
        if child.self_collision:
            own |= all_pairs(mechanism._bodies)
        else:
            new |= all_pairs(child._bodies)
    bare = {child._root} if not child._root.collision else set()  # the body that takes its place has other shapes
    new = kept(new, [body for body in child._bodies if body not in bare])
    return mechanism.self_collision or child.self_collision, own | carried(new, image)


def ignored_pairs(mechanism: Graph) -> Pairs:
    """The pairs of bodies of `Mechanism.ignored_collisions`; the same object until one of them is edited."""
    return mechanism._ignored


def silent_pairs(mechanism: Graph) -> Pairs:
    """Pairs of bodies that a mechanism keeps from colliding: those that it lists, or all if it does not collide."""
    return mechanism._ignored if mechanism.self_collision else all_pairs(mechanism._bodies) | mechanism._ignored
