"""What there is to see: the shapes of a World, a robot or a mechanism, their colours, where they are, and pictures."""

from rbdyn.rendering.png import write_png
from rbdyn.rendering.style import Style
from rbdyn.rendering.surface import Surface, triangles
from rbdyn.scenery.camera import Camera
from rbdyn.scenery.colors import default_color
from rbdyn.scenery.item import Carrier, Item
from rbdyn.scenery.pictures import View, look, render
from rbdyn.scenery.scenery import Scenery
from rbdyn.scenery.sketch import Sketch, Stroke
from rbdyn.scenery.ties import Tie

__all__ = [
    "Camera",
    "Carrier",
    "Item",
    "Scenery",
    "Sketch",
    "Stroke",
    "Style",
    "Surface",
    "Tie",
    "View",
    "default_color",
    "look",
    "render",
    "triangles",
    "write_png",
]
