"""World file -> World."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rbdyn.arguments import flag, named_options
from rbdyn.errors import WorldFileError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.paths import FileFinder
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.templates import Template
from rbdyn.io.templates.template import Params
from rbdyn.io.urdf.source import PathOrText, source_of
from rbdyn.io.worlds import constraints
from rbdyn.io.worlds.expand import ROOT, Expander
from rbdyn.io.worlds.item import Item
from rbdyn.io.worlds.materials import read_materials
from rbdyn.io.worlds.notes import world_notes
from rbdyn.io.worlds.read_objects import ObjectReader
from rbdyn.io.worlds.settings import STEPS, make_world
from rbdyn.io.worlds.solver_state import restore_solver_state
from rbdyn.world import World

TAGS = ("material", "gravity", *STEPS, "erp", "objects", "camera", "settings", "contact_solver", "position_solver",
        "solver_state", *constraints.TAGS)  # fmt: skip


@named_options
def load_world(
    path_or_text: PathOrText,
    params: Params | None = None,
    *,
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    base_dir: str | os.PathLike[str] | None = None,
    allow_outside: bool = False,
    collision_mesh: str = "hull",
    strict: bool = False,
) -> World:
    """Read a World: RaiSim's world file, or one of `save_world`.

    Loading runs no code and opens no network, and reads only files under the folder of the file that names them, its
    package, and `resource_dirs`.

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        A file, or the text itself: it is text if its first character, blanks and a byte order mark aside, is "<".
    params : mapping or pairs, optional
        Fill "@@name" and "{expression}" in it; they precede the file's own <params>.
    resource_dirs : path or iterable of paths
        Folders in which robots, meshes, heights and included files are looked for besides.
    base_dir : path-like, optional
        The folder of a World that came as text.
    allow_outside : bool
        Whether what it names may lie anywhere.
    collision_mesh : {"hull", "decompose", "triangles", "skip"}
        For meshes of robot files, as of `load_urdf`.
    strict : bool
        Raise WorldFileError for what is not known in it, and for parameters that it does not use.

    Returns
    -------
    world : World
        `world_notes(world)` has what the file says for other programs, and what was assumed or ignored.

    Raises
    ------
    WorldFileError
        With file:line, if it cannot be accepted.
    UrdfError, MeshError, PathError
        If a file that it names cannot be read.

    Examples
    --------
    >>> world = load_world('''<raisim>
    ...   <objects>
    ...     <ground name="floor"/>
    ...     <array idx="i" start="0" end="3">
    ...       <sphere name="ball_@@i" mass="1"><dim radius="0.1"/><state pos="{@@i * 0.5} 0 1"/></sphere>
    ...     </array>
    ...   </objects>
    ... </raisim>''')
    >>> [obj.name for obj in world.objects]
    ['floor', 'ball_0', 'ball_1', 'ball_2']
    """
    source = source_of(path_or_text, None)
    diagnostics = Diagnostics(flag(strict, "strict"), WorldFileError)
    element = parse_xml(source.data, source.name, diagnostics, WorldFileError, "world")
    if element.tag != ROOT:
        raise WorldFileError(f"{source.name}:{element.sourceline}: the root element is <{str(element.tag)[:100]}>, "
                             f"needed <{ROOT}>: is this a world file?")  # fmt: skip
    folders = [] if isinstance(resource_dirs, (str, os.PathLike)) and not resource_dirs else resource_dirs
    finders: dict[str, FileFinder] = {}

    def finder(file: str) -> FileFinder:
        if file not in finders:
            text = file == source.name and source.path is None
            finders[file] = FileFinder(None if text else Path(file), folders, base_dir if text else None, allow_outside)
        return finders[file]

    finder(source.name)  # whose errors are those of arguments
    template = Template(params)
    expander = Expander(source.name, finder, diagnostics)
    expander.expand(element, template)
    options = {"collision_mesh": collision_mesh, "allow_outside": allow_outside, "resource_dirs": _listed(folders)}
    options["scopes"] = expander.robots
    try:
        world = _built(Item(element, source.name), finder, diagnostics, options)
    except RecursionError:
        raise WorldFileError(f"{source.name}:1: elements are nested too deep") from None
    unused = [*template.unused, *expander.unused]  # by robots neither
    if unused:
        diagnostics.warn(f"{source.name}:1", f"parameters that nothing uses: {', '.join(unused[:20])}")
        world_notes(world).diagnostics = diagnostics.lines()
    return world


def _listed(folders: Any) -> list[Any]:
    return [folders] if isinstance(folders, (str, os.PathLike)) else list(folders)


def _built(root: Item, finder: Any, diagnostics: Diagnostics, options: dict[str, Any]) -> World:
    """The World, part by part."""
    world = make_world(root, diagnostics)
    notes = world_notes(world)
    notes.file = root.file
    said = None  # where the default of materials is said
    for item in root.children("material"):
        table, default = read_materials(item, diagnostics), item.child("default")
        if default is not None and said is not None:
            raise default.error(f"a second default of materials; the first is at {said}")
        said = default.where if default is not None else said
        usual = table.default if default is not None else world.materials.default
        world.materials.replace(usual, world.materials.pairs() | table.pairs())
    reader = ObjectReader(world, finder, diagnostics, options)
    for objects in root.children("objects"):
        reader.read(objects)
    for item in root.children(*constraints.TAGS):
        constraints.read_constraint(item, world, diagnostics)
    for item in root.children("camera"):
        notes.cameras.append({str(k): str(v) for k, v in item.element().attrib.items() if not str(k).startswith("{")})
    state = root.child("solver_state")
    if state is not None:
        restore_solver_state(state, root, world)
    root.get("version")
    root.check(diagnostics, *TAGS)
    root.check_texts(diagnostics)
    notes.appearances = reader.appearances
    notes.diagnostics = diagnostics.lines()
    return world
