"""What is listed: the objects of a World, the bodies of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rbdyn.model import Model
from rbdyn.scenery.gather import catch_up_with, revision_of
from rbdyn.scenery.item import Carrier
from rbdyn.scenery.listing import Listing
from rbdyn.spatial.transform import Transform
from rbdyn.world import ArticulatedSystem, SingleBody, World

if TYPE_CHECKING:
    from rbdyn.world.objects.object import WorldObject


def of_world(listing: Listing, world: World, only: WorldObject | None) -> None:
    """The objects of a World, or one of them."""
    catch_up_with(world)
    for obj in world.objects if only is None else (only,):
        if isinstance(obj, ArticulatedSystem):
            of_mechanism(listing, obj.model, obj)
        elif isinstance(obj, SingleBody):
            carrier = Carrier(obj.name, obj.name, obj.body_type == "static")
            k = listing.add_carrier(carrier, obj, 0, np.eye(4))
            listing.add_link(obj.name, obj.name, (), obj.geometries, False, k, Transform())


def of_mechanism(listing: Listing, model: Model, robot: ArticulatedSystem | None = None) -> None:
    """The bodies of a mechanism; of a robot in a World, if one is given."""
    mechanism = model.mechanism
    name = mechanism.name if robot is None else robot.name
    first, floats = len(listing.carriers), model.floating_base
    for k, body in enumerate(model.body_names):
        carrier = Carrier(name, body, k == 0 and not floats)
        listing.add_carrier(carrier, robot, k + floats, model.internal_pose(body))
    root = mechanism.root_body
    if floats and (root.visual or root.collision):
        listing.add_carrier(Carrier(name, root.name, True), robot, 0, np.eye(4))
    for link in mechanism.bodies:
        if not (link.visual or link.collision):
            continue
        of_root = floats and link is root
        k = len(listing.carriers) - 1 if of_root else first + model.body_of(link)
        pose = Transform.from_matrix(model.placement(link))
        listing.add_link(name, link.name, link.visual, link.collision, True, k, pose)


def signature(world: World, only: WorldObject | None) -> list[Any]:
    """What a list was made of: if it is the same, so is the list."""
    catch_up_with(world)
    parts: list[Any] = [revision_of(world)]
    for obj in world.objects if only is None else (only,):
        if isinstance(obj, ArticulatedSystem):
            parts += [obj.model, obj.mechanism.revision]
        elif isinstance(obj, SingleBody):
            parts += [obj.geometries, obj.body_type]
    return parts
