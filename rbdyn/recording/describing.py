"""The inventory of a World as it is now, and where a Tape finds the numbers of its frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rbdyn.model import Model
from rbdyn.recording.inventory import Inventory, RecordedJoint, RecordedObject
from rbdyn.recording.sensing import described_sensor
from rbdyn.recording.tape import Tape, shape_owners, unit_blocks
from rbdyn.scenery import Carrier, Scenery
from rbdyn.scenery.gather import internal_body
from rbdyn.spatial.rotations import Array
from rbdyn.world import ArticulatedSystem, World


def inventory_of(
    world: World, contacts: bool, scenery: Scenery | None = None, sensors: Iterable[Any] = ()
) -> Inventory:
    """Who is in a World, and what is to be seen; `scenery` is of both visual and collision shapes."""
    seen = Scenery(world, geometry="both") if scenery is None else scenery
    return Inventory(
        objects=tuple(map(described, world.objects)),
        carriers=seen.carriers,
        items=seen.items,
        frames=seen.frames,
        shapes=shape_owners(world),
        time_step=world.time_step,
        gravity=tuple(world.gravity.tolist()),
        contacts=contacts,
        ties=seen.ties,
        sensors=tuple(made for one in sensors if (made := described_sensor(one, seen.frames)) is not None),
    )


def described(obj: Any) -> RecordedObject:
    """An object of a World."""
    if not isinstance(obj, ArticulatedSystem):
        return RecordedObject(obj.name, False, float(obj.mass))
    return described_model(obj.name, obj.model)


def described_model(name: str, model: Model) -> RecordedObject:
    """A robot."""
    joints = tuple(joints_of(model))
    return RecordedObject(name, True, float(model.total_mass), model.nq, model.nv, joints, tuple(unit_blocks(model)))


def joints_of(model: Model) -> Iterator[RecordedJoint]:
    """Joints of the tree that move."""
    for name in model.joint_names:
        joint = model.mechanism.find_joint(name)
        if joint.num_velocities:
            q, v = model.joint_q_index(name), model.joint_v_index(name)
            one = joint.position_limits if joint.num_velocities == 1 or not joint.joint_type.has_limits else None
            lower, upper = one or (-math.inf, math.inf)
            x, y, z = joint.joint_type.main_axis or (0.0, 0.0, 0.0)
            counts = q, joint.num_positions, v, joint.num_velocities
            axis = float(x), float(y), float(z)
            yield RecordedJoint(name, joint.joint_type.kind, *counts, float(lower), float(upper), axis)


def lead(tape: Tape, world: World, inventory: Inventory) -> None:
    """Tell a tape where the numbers of an inventory are."""
    found = {obj.name: obj for obj in world.objects}
    tape.describe([place_of(found[c.object], c) for c in inventory.carriers], list(world.objects))


def place_of(obj: Any, carrier: Carrier) -> tuple[Any, int, Array]:
    """The object of a carrier, the internal body that it is on, and where on that."""
    if not isinstance(obj, ArticulatedSystem):
        return obj, 0, np.eye(4)
    inner = internal_body(obj.model, carrier.body)
    return obj, inner, obj.model.internal_pose(carrier.body) if inner or not obj.model.floating_base else np.eye(4)
