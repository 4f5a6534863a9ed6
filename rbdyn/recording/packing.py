"""An inventory as bytes: JSON and compressed arrays, numbers and names alone."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import Shape
from rbdyn.errors import RecordingError
from rbdyn.recording.inventory import Inventory, RecordedJoint, RecordedObject
from rbdyn.recording.sensing import RecordedSensor
from rbdyn.recording.shapes import shape_from, shape_values
from rbdyn.scenery import Carrier, Item
from rbdyn.scenery.frames import FramePlace
from rbdyn.scenery.ties import Tie
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

HEAD = struct.Struct("<QQ")  # bytes of the JSON, and of the arrays before compression
MOST_BYTES = 2**31  # of arrays
UNREADABLE = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError, struct.error, zlib.error,
              RecursionError)  # fmt: skip  # what bytes that were not written here may lead to
DTYPES = ("<f8", "<f4", "<i4", "<i8", "|u1", "|b1")


class Arrays:
    """Arrays one behind the other, each told of by dtype, shape and place."""

    def __init__(self, data: bytes = b"") -> None:
        self._parts: list[bytes] = []
        self._size, self._data = 0, data

    def put(self, array: NDArray[Any]) -> list[Any]:
        """Append one; what `take` needs."""
        little = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")  # one number stays one
        told = [little.dtype.str, list(little.shape), self._size]
        self._parts.append(little.tobytes())
        self._size += len(self._parts[-1])
        return told

    def take(self, told: list[Any]) -> NDArray[Any]:
        """The array of which `put` told."""
        dtype, shape, at = told
        if dtype not in DTYPES or not all(isinstance(n, int) and n >= 0 for n in [*shape, at]):
            raise ValueError("an array of a type that recordings do not have")
        count = 1
        for n in shape:
            count *= n
        return np.frombuffer(self._data, dtype, count, at).reshape(shape).astype(np.dtype(dtype).newbyteorder("="))

    def joined(self) -> bytes:
        """All of them."""
        return b"".join(self._parts)


def pose_numbers(matrix: Array) -> list[float]:
    """The upper three rows of a homogeneous pose: all bits of it."""
    return [float(x) for x in matrix[:3].reshape(-1)]


def pose_from(numbers: list[float]) -> Array:
    """The pose (4, 4) of which `pose_numbers` told."""
    return np.vstack([np.array(numbers, dtype=np.float64).reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])


def packed(inventory: Inventory) -> bytes:
    """An inventory as bytes."""
    arrays = Arrays()
    known: dict[Any, int] = {}
    shapes: list[Any] = []
    items = [[i.name, i.object, i.link, i.kind, shape_number(i.shape, known, shapes, arrays),
              pose_numbers(i.pose.matrix), list(i.color), i.carrier] for i in inventory.items]  # fmt: skip
    said = {
        "objects": [[*obj._replace(joints=())[:5], obj.joints, obj.blocks] for obj in inventory.objects],
        "carriers": inventory.carriers,
        "items": items,
        "shapes": shapes,
        "frames": [[*key, frame.carrier, pose_numbers(frame.pose)] for key, frame in inventory.frames.items()],
        "contact shapes": [[number, *owner] for number, owner in inventory.shapes.items()],
        "time_step": inventory.time_step,
        "gravity": inventory.gravity,
        "contacts": inventory.contacts,
        "ties": [[tie.name, tie.kind, [[e.carrier, pose_numbers(e.pose)] for e in tie.ends], tie.axis]
                 for tie in inventory.ties],
        "sensors": [[one.name, one.type, one.place.carrier, pose_numbers(one.place.pose), one.sizes]
                    for one in inventory.sensors],
    }
    text, data = json.dumps(said, separators=(",", ":")).encode(), arrays.joined()
    return HEAD.pack(len(text), len(data)) + text + zlib.compress(data, 1)


def shape_number(shape: Shape, known: dict[Any, int], shapes: list[Any], arrays: Arrays) -> int:
    """Which of `shapes` an equal one is, appended if it is new."""
    try:
        key: Any = shape if shape in known else (id(shape) if id(shape) in known else None)
    except TypeError:  # it has no hash, as it holds a function
        key = id(shape) if id(shape) in known else None
    if key is not None:
        return known[key]
    kind, sizes, held = shape_values(shape)
    shapes.append([kind, sizes, {name: arrays.put(array) for name, array in held.items()}])
    try:
        known[shape] = len(shapes) - 1
    except TypeError:
        known[id(shape)] = len(shapes) - 1
    return len(shapes) - 1


def packed_measurement(name: str, time: float, values: dict[str, NDArray[Any]]) -> bytes:
    """What a sensor measured at one time, as bytes."""
    arrays = Arrays()
    told = {key: arrays.put(plain(np.asarray(value))) for key, value in values.items()}
    text = json.dumps({"name": name, "time": time, "values": told}, separators=(",", ":")).encode()
    return HEAD.pack(len(text), 0) + text + arrays.joined()


def plain(array: NDArray[Any]) -> NDArray[Any]:
    """Of a type that recordings have."""
    return array if array.dtype.newbyteorder("<").str in DTYPES else array.astype(np.float64)


def unpacked_measurement(data: bytes) -> tuple[str, float, dict[str, NDArray[Any]]]:
    """Name, time and values of which `packed_measurement` told; a ValueError or the like if these bytes are none."""
    n_text, _ = HEAD.unpack_from(data)
    said = json.loads(data[HEAD.size : HEAD.size + n_text])
    arrays = Arrays(data[HEAD.size + n_text :])
    return str(said["name"]), float(said["time"]), {str(k): arrays.take(v) for k, v in said["values"].items()}


def unpacked(data: bytes) -> Inventory:
    """The inventory of which `packed` told; RecordingError if these bytes are none."""
    try:
        n_text, n_data = HEAD.unpack_from(data)
        if n_data > MOST_BYTES or n_text > len(data):
            raise ValueError("its arrays are too large")
        said = json.loads(data[HEAD.size : HEAD.size + n_text])
        unpacker = zlib.decompressobj()
        held = unpacker.decompress(data[HEAD.size + n_text :], n_data + 1)
        if len(held) != n_data or not unpacker.eof:
            raise ValueError("its arrays are not as long as is said")
        arrays = Arrays(held)
        return _inventory(said, arrays)
    except UNREADABLE as error:
        raise RecordingError(f"what is said of who was recorded cannot be read: {error}") from None


def _inventory(said: dict[str, Any], arrays: Arrays) -> Inventory:
    shapes = [
        shape_from(kind, {k: tuple(v) if isinstance(v, list) else v for k, v in sizes.items()},
                   {name: arrays.take(told) for name, told in held.items()})
        for kind, sizes, held in said["shapes"]
    ]  # fmt: skip
    carriers = tuple(Carrier(str(obj), str(body), bool(static)) for obj, body, static in said["carriers"])
    objects = tuple(_object(*entry) for entry in said["objects"])
    items = tuple(
        Item(str(name), str(obj), str(link), str(kind), shapes[whole_below(shape, len(shapes))],
             Transform.from_matrix(pose_from(pose)), color_from(color), whole_below(carrier, len(carriers)))
        for name, obj, link, kind, shape, pose, color, carrier in said["items"]
    )  # fmt: skip
    frames = {
        (str(obj), str(name)): FramePlace(whole_below(carrier, len(carriers), -1), pose_from(pose))
        for obj, name, carrier, pose in said["frames"]
    }
    owners = {int(number): (str(a), str(b), str(c), str(d)) for number, a, b, c, d in said["contact shapes"]}
    x, y, z = (float(g) for g in said["gravity"])
    return Inventory(
        objects, carriers, items, frames, owners, float(said["time_step"]), (x, y, z), bool(said["contacts"]),
        tuple(_tie(tie, len(carriers)) for tie in said.get("ties", ())),
        tuple(_sensor(one, len(carriers)) for one in said.get("sensors", ())),
    )  # fmt: skip


def _sensor(said: list[Any], carriers: int) -> RecordedSensor:
    name, kind, carrier, pose, sizes = said
    place = FramePlace(whole_below(carrier, carriers, -1), pose_from(pose))
    return RecordedSensor(str(name), str(kind), place, {str(k): float(v) for k, v in sizes.items()})


def _tie(said: list[Any], carriers: int) -> Tie:
    name, kind, ends, axis = said
    x, y, z = (float(one) for one in axis)
    places = tuple(FramePlace(whole_below(k, carriers, -1), pose_from(pose)) for k, pose in ends)
    if kind not in ("wires", "loops") or len(places) < 2:
        raise ValueError("a tie of a kind that recordings do not have")
    return Tie(str(name), kind, places, (x, y, z))


def _object(name: Any, robot: Any, mass: Any, nq: Any, nv: Any, joints: list[Any], blocks: list[Any]) -> RecordedObject:
    made = tuple(_joint(joint, nq, nv) for joint in joints)
    parts = tuple((whole_below(start, nq), whole_below(size, 5)) for start, size in blocks)
    counts = whole_below(nq, 10**6), whole_below(nv, 10**6)
    return RecordedObject(str(name), bool(robot), float(mass), *counts, made, parts)


def _joint(said: list[Any], nq: int, nv: int) -> RecordedJoint:
    name, kind, q, n, v, m, lower, upper, axis = said
    x, y, z = (float(one) for one in axis)
    counts = whole_below(q, nq), whole_below(n, nq - q + 1), whole_below(v, nv), whole_below(m, nv - v + 1)
    return RecordedJoint(str(name), str(kind), *counts, float(lower), float(upper), (x, y, z))


def color_from(color: Any) -> tuple[float, float, float, float]:
    r, g, b, a = (float(x) for x in color)
    return r, g, b, a


def whole_below(value: Any, end: int, least: int = 0) -> int:
    """An int from `least` up to `end`; ValueError otherwise."""
    if not isinstance(value, int) or not least <= value < end:
        raise ValueError(f"{value!r} is no number from {least} to {end - 1}")
    return value
