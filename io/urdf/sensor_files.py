"""The sensor-set files of one robot; each is found and parsed once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rbdyn.arguments import choice, named_options
from rbdyn.errors import PathError
from rbdyn.io.attached_files import FOLDERS, find_sensor_file
from rbdyn.io.description import GeometrySpec, MeshFile
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mesh_shapes import MISSING
from rbdyn.io.paths import FileFinder, MissingFileError
from rbdyn.io.rules import Color
from rbdyn.io.safe_xml import MAX_BYTES, parse_xml
from rbdyn.io.sensor_sets import SensorSet
from rbdyn.io.templates import Template
from rbdyn.io.urdf.node import Node
from rbdyn.io.urdf.sensors import SensorFile, read_sensor_set
from rbdyn.io.urdf.source import PathOrText, source_of


class SensorFiles:
    """Reads the sensor set that a link names.

    Parameters
    ----------
    finder : FileFinder
        Finds the files.
    diagnostics : Diagnostics
        Takes what was assumed or left out.
    on_missing : {"warn", "error", "skip"}
        What to do when a file is nowhere.
    template : Template or None
        Fills them, if the robot is a template.
    """

    def __init__(
        self, finder: FileFinder, diagnostics: Diagnostics, on_missing: str, template: Template | None
    ) -> None:
        self._finder, self._diagnostics, self._template = finder, diagnostics, template
        self._on_missing = choice(on_missing, "on_missing_sensor", MISSING)
        self._trees: dict[Path, Any] = {}

    def __call__(self, link: Node, file: str, palette: Mapping[str, Color | None]) -> SensorFile | None:
        """The set of a link; None if its file is nowhere."""
        try:
            path = find_sensor_file(self._finder, file)
            if path not in self._trees:
                data = self._finder.read(path, MAX_BYTES)
                self._trees[path] = parse_xml(data, str(path), self._diagnostics)
                if self._template is not None:
                    self._template.fill_tree(self._trees[path], str(path))
        except MissingFileError as error:
            if self._on_missing == "error":
                raise PathError(f"{link.where}: {link.label}: sensor: {error}") from None
            if self._on_missing == "warn":
                self._diagnostics.warn(link.where, f"{link.label}: sensor: {error}; it has no sensors")
            return None
        except PathError as error:
            raise PathError(f"{link.where}: {link.label}: sensor: {error}") from None
        name = (link.get("name") or "").strip()
        root = Node(self._trees[path], str(path), self._diagnostics)
        found = read_sensor_set(root, name, palette, self._diagnostics)
        for shapes in (found.collision, found.visual):
            shapes[:] = [self._beside(spec, path) for spec in shapes]
        return found

    def _beside(self, spec: GeometrySpec, file: Path) -> GeometrySpec:
        """The same; a mesh that lies beside the sensor file, and not beside the robot's, is named by its whole path."""
        mesh = spec.shape
        if not isinstance(mesh, MeshFile) or "://" in mesh.filename or Path(mesh.filename).is_absolute():
            return spec
        own = file.parent / mesh.filename
        if not _is_there(own) or any(_is_there(folder / mesh.filename) for folder in self._finder.own):
            return spec
        if file.parent.name in FOLDERS and file.parent not in self._finder.roots:
            self._finder.roots.append(file.parent)
        return replace(spec, shape=MeshFile(str(own), mesh.scale))


def _is_there(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):  # a name with a zero byte, or a very long one
        return False


@named_options
def load_sensor_set(path_or_text: PathOrText, name: str = "", strict: bool = False) -> SensorSet:
    """Read a sensor-set file of RaiSim on its own; `load_urdf` reads those that a robot's links name.

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        A file, or the text itself: it is text if its first character, blanks aside, is "<".
    name : str
        Of the link that is to bear it.
    strict : bool
        Raise UrdfError where `load_urdf` would note something.

    Returns
    -------
    sensor_set : SensorSet
        With poses in the link's frame.

    Raises
    ------
    UrdfError
        If the text is malformed or incomplete; the message starts with file:line.
    PathError
        If the file does not exist or may not be read.

    Examples
    --------
    >>> text = '<sensor_set name="imu"><link><sensor name="imu" type="imu" update_rate="200"/></link></sensor_set>'
    >>> load_sensor_set(text).sensors[0].update_rate
    200.0
    """
    source = source_of(path_or_text, None)
    diagnostics = Diagnostics(strict)
    found = read_sensor_set(
        Node(parse_xml(source.data, source.name, diagnostics), source.name, diagnostics), name, {}, diagnostics
    )
    return SensorSet(name, found.kind, "" if source.path is None else source.name, sensors=found.sensors)
