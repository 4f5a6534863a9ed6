"""World -> world file."""

from __future__ import annotations

import os
from pathlib import Path

from rbdyn.arguments import flag, named_options, shown
from rbdyn.errors import Error, WorldFileError
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.mesh_files import MeshFiles
from rbdyn.io.export.xml_text import document, element, write_text
from rbdyn.io.worlds.constraints import write_constraints, write_ignored
from rbdyn.io.worlds.expand import MARKS
from rbdyn.io.worlds.load import load_world
from rbdyn.io.worlds.materials import fill_materials
from rbdyn.io.worlds.notes import world_notes
from rbdyn.io.worlds.settings import write_settings
from rbdyn.io.worlds.solver_state import write_solver_state
from rbdyn.io.worlds.write_objects import ObjectWriter
from rbdyn.world import World
from rbdyn.world.queries import held_still
from rbdyn.world.snapshot.copying import structure


@named_options
def save_world(
    world: World,
    path: str | os.PathLike[str],
    *,
    solver_state: bool = False,
    meshes: str = "reference",
    strict: bool = False,
) -> None:
    """Write a World as it is now; `load_world` gives it back.

    Positions, velocities, targets, gains, limits, constraints, materials and settings are written with all their
    digits.  In what single bodies and constraints have in common with RaiSim the file is one of RaiSim's; robots stand
    in it as <mechanism>, this project's own.

    Parameters
    ----------
    world : World
        Not in the middle of a step.
    path : path-like
        The file; one that is there is replaced, in one go.
    solver_state : bool
        Whether the file also holds a snapshot: with it the clock, contacts, what solvers begin with, external forces,
        sleep and the random generator are as they were, and the World goes on to the last bit as this one does.
    meshes : {"reference", "write"}
        A mesh that came from a file is named by that file, and `load_world` asks for ``resource_dirs=`` or
        ``allow_outside=True`` if that lies elsewhere; or written, as all others are, to an OBJ file in the folder
        STEM_meshes beside `path`.
    strict : bool
        Raise Error where there would be a warning.

    Raises
    ------
    Error
        If it holds a shape that is made of functions; or with `solver_state`, if a World read from the file would not
        be at the same state: objects were removed since others were added, or the backends are others.
    PathError
        If the file cannot be written.
    BusyError
        In the middle of a step, or while another thread edits the World.

    Warns
    -----
    ExportWarning
        For each kind of thing that a world file cannot say: functions (laws of custom wires, schedules, observers),
        backends of one's own, sensors of robots.
    """
    losses = Losses("a world file", flag(strict, "strict"))
    files = MeshFiles(path, meshes)
    text = _text(world, files, losses, flag(solver_state, "solver_state"))
    files.save()
    if solver_state:
        _check_state(world, text, base_dir=Path(path).resolve().parent)
    write_text(path, text)
    losses.say(2)


@named_options
def world_text(world: World, *, solver_state: bool = False, strict: bool = False) -> str:
    """The text that `save_world` writes; meshes that did not come from files stand in it with all their triangles.

    Parameters
    ----------
    world, solver_state, strict
        As of `save_world`.

    Returns
    -------
    text : str

    Examples
    --------
    >>> world = rbdyn.World()
    >>> ball = world.add_sphere(0.1, 1.0)
    >>> load_world(world_text(world)).objects[0].mass
    1.0
    """
    losses = Losses("a world file", flag(strict, "strict"))
    text = _text(world, MeshFiles(None), losses, flag(solver_state, "solver_state"))
    if solver_state:
        _check_state(world, text)
    losses.say(2)
    return text


def _text(world: World, files: MeshFiles, losses: Losses, solver_state: bool) -> str:
    if not isinstance(world, World):
        raise Error(f"world must be a World, got {shown(world)}")
    world.snapshot()  # takes in what was edited
    with held_still(world):
        return _text_now(world, files, losses, solver_state)


def _text_now(world: World, files: MeshFiles, losses: Losses, solver_state: bool) -> str:
    notes, snapshot = world_notes(world), world.snapshot()
    root = element(None, "raisim", version="1")
    write_settings(root, world, losses)
    fill_materials(element(root, "material"), world.materials)
    objects = element(root, "objects")
    writer = ObjectWriter(files, losses, notes.appearances)
    for obj in world.objects:
        writer.write(objects, obj)
    write_constraints(root, world, losses)
    write_ignored(root, structure(world)["ignored"])
    if world.schedules:
        losses.add("schedules, which call functions: left out", str(len(world.schedules)))
    for camera in notes.cameras:
        element(root, "camera", **camera)
    if solver_state:
        write_solver_state(root, snapshot)
    if any(mark in text for one in root.iter() for text in one.attrib.values() for mark in MARKS):
        root.set("literal", "1")  # names may hold them
    return document(root)


def _check_state(world: World, text: str, base_dir: Path | None = None) -> None:
    """Error if what is to be written does not lead back to this very state; its meshes are where the World's are."""
    try:
        same = load_world(text, base_dir=base_dir, allow_outside=True).state_hash() == world.state_hash()
    except WorldFileError as error:
        raise Error(f"solver_state=True: {error}") from None
    if not same:
        raise Error("solver_state=True: a World read from this file goes on with other bits; its schedules or backends "
                    "are not in the file")  # fmt: skip
