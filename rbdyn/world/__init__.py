"""World: articulated systems and single bodies, stepped with hard contact."""

from rbdyn.world.articulated_system import ArticulatedSystem
from rbdyn.world.contact import Contact
from rbdyn.world.object import WorldObject
from rbdyn.world.single_body import SingleBody
from rbdyn.world.world import World

__all__ = ["ArticulatedSystem", "Contact", "SingleBody", "World", "WorldObject"]
