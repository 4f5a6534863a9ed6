"""World files and material files, RaiSim's and this project's own."""

from rbdyn.io.worlds.load import load_world
from rbdyn.io.worlds.materials import load_materials, save_materials
from rbdyn.io.worlds.notes import WorldNotes, world_notes
from rbdyn.io.worlds.save import save_world, world_text

__all__ = ["WorldNotes", "load_materials", "load_world", "save_materials", "save_world", "world_notes", "world_text"]
