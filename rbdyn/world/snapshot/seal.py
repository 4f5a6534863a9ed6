"""Checksum and version of a pickled World.

A pickle is read value by value, and what goes into C memory as bytes is not looked at again: it must be what was
written.  Python's own objects that a World holds, such as solvers of other packages, answer for themselves.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from rbdyn.collision.shapes import Shape
from rbdyn.contact import ContactSolver
from rbdyn.errors import SnapshotError
from rbdyn.mechanism import Geometry, Joint, Mechanism
from rbdyn.spatial.transform import Transform

PICKLE_LAYOUT = 1  # changes with every change of what `structure` says beside the content of a snapshot
JOINT_NUMBERS = (
    *("position_limits", "velocity_limit", "effort_limit", "damping", "friction", "static_friction", "rotor_inertia"),
    *("static_threshold", "stiffness", "spring_reference", "cone_limit", "twist_axis", "twist_limits", "no_load_speed"),
    *("limit_restitution", "flipped"),
)


def checksum(parts: Any) -> bytes:
    """16 bytes for the parts of a World that `structure` gives; of what it does not know it notes the class."""
    digest = hashlib.blake2b(digest_size=16)
    _add(digest, parts)
    return digest.digest()


def check(parts: Any, layout: Any, wanted: Any, told: Any) -> None:
    """Check that these are the parts that were pickled.

    Raises
    ------
    SnapshotError
        If the pickle is of another layout, or damaged.
    """
    if layout != wanted:
        raise SnapshotError(
            f"the pickled World is of layout {layout}, and this version of rbdyn reads layout {wanted}: pickle it anew"
        )
    try:
        found = checksum(parts)
    except Exception as error:  # of values that are not what they say
        raise SnapshotError(f"the pickled World is damaged: {type(error).__name__}: {error}") from None
    if found != told:
        raise SnapshotError("the pickled World is damaged: its checksum does not fit")


def _add(digest: Any, value: Any) -> None:
    """One value, with its type and, where it holds others, how many."""
    kind = type(value).__qualname__
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value).encode("utf-8", "surrogatepass")
        digest.update(b"%s %d " % (kind.encode(), len(text)) + text)
    elif isinstance(value, bytes):
        digest.update(b"bytes %d " % len(value) + value)
    elif isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        _add(digest, (str(array.dtype), array.shape, array.tobytes()))
    elif isinstance(value, (set, frozenset)):
        _add(digest, sorted(checksum(item) for item in value))
    else:
        inside = _inside(value)
        digest.update(b"%s %d " % (kind.encode(), len(inside)))
        for item in inside:
            _add(digest, item)


def _inside(value: Any) -> tuple[Any, ...]:
    """What a container holds, or an object of this library says of itself."""
    if isinstance(value, (tuple, list)):
        return tuple(value)
    if isinstance(value, dict):
        return tuple(value.items())
    if isinstance(value, Shape):
        data = value.data()
        return (data.kind, data.radius, data.center, data.box, data.ellipsoid, data.sizes)
    if isinstance(value, Transform):
        return (value.matrix,)
    if isinstance(value, Geometry):
        return (value.shape, value.pose, value.name, value.material, value.group, value.mask, value.color, value.pairs)
    if isinstance(value, Joint):
        return (value.name, repr(value.joint_type), *(getattr(value, name) for name in JOINT_NUMBERS))
    if isinstance(value, Mechanism):
        bodies = [
            (body.name, body.inertia.mass, body.inertia.com, body.inertia.inertia, list(body.collision))
            for body in value.bodies
        ]
        filters = value.self_collision, value.ignored_collisions
        return (value.name, np.array(value.gravity), bodies, value.joints, filters)
    if isinstance(value, ContactSolver):
        return (value.parameters, value.get_state())
    return ()
