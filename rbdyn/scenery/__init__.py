"""What there is to see: the shapes of a World, a robot or a mechanism, with their colours and where they are now."""

from rbdyn.rendering.surface import Surface, triangles
from rbdyn.scenery.colors import default_color
from rbdyn.scenery.item import Carrier, Item
from rbdyn.scenery.scenery import Scenery

__all__ = ["Carrier", "Item", "Scenery", "Surface", "default_color", "triangles"]
