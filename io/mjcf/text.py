"""MJCF text made safe for MuJoCo's compiler: one document, no files, nothing that grows, nothing that is not read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.errors import Error, FileError, MeshError, MissingExtraError, MjcfError, PathError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.meshes.hull import convex_hull
from rbdyn.io.meshes.load import MAX_BYTES as MAX_MESH
from rbdyn.io.meshes.load import check_format, mesh_of
from rbdyn.io.meshes.merge import Notes
from rbdyn.io.meshes.write import obj_text
from rbdyn.io.numbers import shown
from rbdyn.io.paths import FileFinder
from rbdyn.io.safe_xml import MAX_BYTES, parse_xml
from rbdyn.io.urdf.source import Source

FILE = "{rbdyn}file"
MAX_INCLUDES = 200
MAX_DEPTH = 200  # of elements: MuJoCo's reader stops at some hundreds
MAX_COPIES = 10_000  # that <replicate> makes
MOST = {"body": 10_000, "joint": 10_000, "freejoint": 10_000, "geom": 20_000, "site": 20_000, "frame": 20_000,
        "connect": 10_000, "weld": 10_000, "exclude": 100_000, "pair": 100_000, "key": 10_000,
        "mesh": 20_000}  # fmt: skip
MAX_HEIGHTS = 20_000_000  # of a height field
SILENT = ("visual", "statistic", "size", "texture", "layer")  # what is only seen, or says how much memory there is
DROPPED = ("sensor", "tendon", "custom", "extension", "deformable", "plugin", "skin", "light", "camera")
PAIR = ("condim", "friction", "solref", "solreffriction", "solimp", "margin", "gap")  # of <pair>, not read
REFUSED = ("composite", "flexcomp", "flex", "attach", "model", "frame_plugin")
HELD = {  # what is read of what stands in an element
    "equality": ("connect", "weld", "joint"),
    "actuator": ("motor", "position", "velocity", "general", "damper", "intvelocity", "cylinder"),
}
ROOTS = ("mujoco", "mujocoinclude")
_bad_number = re.compile(r"(?:^|[\s,])[+-]?(?:nan|inf(?:inity)?)(?:[\s,]|\Z)", re.IGNORECASE)
NAMES = ("name", "class", "childclass", "file", "mesh", "material", "body1", "body2", "joint1", "joint2", "site1",
         "site2", "geom1", "geom2", "model", "hfield", "joint", "jointinparent")  # fmt: skip


@dataclass
class Key:
    """A <key> of a <keyframe>."""

    place: str  # "file:line"
    name: str
    qpos: str | None


@dataclass
class Unread:
    """A mesh of a format that is not read, or not here: MuJoCo gets a tetrahedron in its place."""

    error: Error  # what to raise if its shape is needed
    asset: str = ""


@dataclass
class SafeText:
    """What MuJoCo's compiler is given."""

    text: str
    assets: dict[str, bytes] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)  # "file:line" of each line of `text` that an element begins on
    keys: list[Key] = field(default_factory=list)  # of <keyframe>, which MuJoCo does not get
    unread: dict[str, Unread] = field(default_factory=dict)  # by name of the mesh

    def place(self, line: int) -> str:
        """Where a line of the text came from."""
        known = [p for p in self.places[: line + 1] if p]
        return known[-1] if known else "<text>:1"


class TextMaker:
    """Makes one.

    Parameters
    ----------
    source : Source
        The document.
    finders : function of str to FileFinder
        Finds the files that a file of that name mentions.
    diagnostics : Diagnostics
        Takes what is left out.
    """

    def __init__(self, source: Source, finders: Any, diagnostics: Diagnostics) -> None:
        self._source, self._finders, self._diagnostics = source, finders, diagnostics
        self._includes = 0
        self._assets: dict[str, bytes] = {}
        self._keys: list[Key] = []
        self._unread: dict[str, Unread] = {}

    def make(self) -> SafeText:
        """The text, its files, and the way back to lines."""
        from lxml import etree

        root = parse_xml(self._source.data, self._source.name, self._diagnostics, MjcfError, "robot")
        if root.tag not in ROOTS:
            tag = str(root.tag)[:100]
            raise self._error(root, f"the root element is <{tag}>, needed <mujoco>: is this an MJCF file?")
        self._include(root, (self._source.name,))
        folders = self._folders(root)
        self._clean(root)
        self._take_files(root, folders)
        places = [self._where(element) for element in root.iter()]
        for element in root.iter():
            element.attrib.pop(FILE, None)
        etree.cleanup_namespaces(root)
        etree.indent(root)
        text = etree.tostring(root, encoding="unicode")
        lines: list[str] = [""] * (text.count("\n") + 3)
        for element, place in zip(etree.fromstring(text, _parser()).iter(), places, strict=True):
            lines[min(element.sourceline or 1, len(lines) - 1)] = place
        return SafeText(text, self._assets, lines, self._keys, self._unread)

    def _where(self, element: Any) -> str:
        holder = element
        while holder is not None and holder.get(FILE) is None:
            holder = holder.getparent()
        return f"{self._source.name if holder is None else holder.get(FILE)}:{element.sourceline}"

    def _error(self, element: Any, text: str) -> MjcfError:
        return MjcfError(f"{self._where(element)}: {text}")

    # ---- one document ------------------------------------------------------------------------

    def _include(self, root: Any, files: tuple[str, ...]) -> None:
        """Put what <include file> names in its place."""
        for node in list(root.iter("include")):
            self._includes += 1
            if self._includes > MAX_INCLUDES:
                raise self._error(node, f"more than {MAX_INCLUDES} files are included")
            name = node.get("file")
            if not name:
                raise self._error(node, "<include>: attribute 'file' is missing")
            finder = self._finders(self._where(node).rpartition(":")[0])
            path, data = self._read(node, finder, name, MAX_BYTES)
            if str(path) in files or any(Path(f).resolve() == path for f in files if f != "<text>"):
                raise self._error(node, f"<include>: {shown(name)} includes itself: {' -> '.join([*files, str(path)])}")
            inner = parse_xml(data, str(path), self._diagnostics, MjcfError, "robot")
            if inner.tag not in ROOTS:
                raise MjcfError(f"{path}:{inner.sourceline}: the root element is <{inner.tag}>, needed <mujocoinclude>")
            inner.set(FILE, str(path))
            self._include(inner, (*files, str(path)))
            for child in list(inner):
                if child.get(FILE) is None:
                    child.set(FILE, str(path))
                node.addprevious(child)
            node.getparent().remove(node)

    def _read(self, node: Any, finder: FileFinder, name: str, cap: int) -> tuple[Path, bytes]:
        try:
            path = finder.find(name)
            return path, finder.read(path, cap)
        except FileError as error:
            raise PathError(f"{self._where(node)}: <{node.tag}>: {error}") from None

    # ---- nothing that grows or is not read ---------------------------------------------------

    def _clean(self, root: Any) -> None:
        self._check_counts(root)
        self._take_keys(root)
        for element in list(root.iter()):
            tag, parent = element.tag, element.getparent()
            if parent is None:
                continue
            if tag in REFUSED:
                raise self._error(element, f"<{tag}> is not read, and without it this is another robot")
            held = parent.tag in HELD and not _is_read(element, parent.tag)
            if tag in DROPPED or held:
                what = f"<{tag}>" + (f" in <{parent.tag}>" if held else "")
                if held and tag in HELD[parent.tag]:
                    what += " of something else than a joint"
                passive = held and parent.tag == "actuator" and any(element.get(x) for x in ("armature", "damping"))
                besides = ", with its armature and damping" if passive else ""
                text = f"{what} is not read; left out{besides}"
                self._diagnostics.warn(self._where(element), text, f"tag {what}{besides}")
            if tag in DROPPED or tag in SILENT or held:
                parent.remove(element)
                continue
            if tag == "pair" and (unread := [name for name in PAIR if name in element.attrib]):
                text = f"of <pair> not read, but for its geoms: {', '.join(unread)}; left out"
                self._diagnostics.warn(self._where(element), text, "pair")
            if tag == "material":
                element.attrib.pop("texture", None)
            for name, text in element.attrib.items():
                if name not in NAMES and _bad_number.search(text):
                    raise self._error(element, f"<{tag}>: {name}={shown(text)} must be finite numbers")
        depth, widest = 0, root
        for element in root.iter():
            level = sum(1 for _ in element.iterancestors()) if len(element) == 0 else 0
            depth, widest = (level, element) if level > depth else (depth, widest)
        if depth > MAX_DEPTH:
            chain = f"a chain of {MAX_DEPTH - 2} bodies with joints and geoms"
            raise self._error(widest, f"elements are nested {depth} deep, at most {MAX_DEPTH} are read: {chain}")

    def _check_counts(self, root: Any) -> None:
        """MjcfError if there is more of something than robots have: MuJoCo's time and memory grow with its square."""
        counts, copies = dict.fromkeys(MOST, 0), 0
        pending = [(root, 1)]
        while pending:
            element, times = pending.pop()
            tag = element.tag
            if tag == "replicate":
                times *= self._count(element)
                copies += times
                if copies > MAX_COPIES:
                    raise self._error(element, f"<replicate> makes more than {MAX_COPIES} copies")
            elif tag in counts:
                counts[tag] += times
                if counts[tag] > MOST[tag]:
                    raise self._error(element, f"more than {MOST[tag]} <{tag}>, copies counted")
            elif tag == "hfield":
                self._check_heights(element)
            pending.extend((child, times) for child in element)

    def _check_heights(self, node: Any) -> None:
        sides = [node.get(name, "0").strip() for name in ("nrow", "ncol")]
        if all(re.fullmatch("[0-9]{1,10}", side) for side in sides) and int(sides[0]) * int(sides[1]) > MAX_HEIGHTS:
            text = f"<hfield>: {sides[0]} times {sides[1]} heights, at most {MAX_HEIGHTS} are read"
            raise self._error(node, text)

    def _take_keys(self, root: Any) -> None:
        """Keep what the <key>s say, and take them out: they also speak of what is left out."""
        for frame in list(root.iter("keyframe")):
            for node in frame.iter("key"):
                name = node.get("name") or f"key{len(self._keys)}"
                self._keys.append(Key(self._where(node), name, node.get("qpos")))
            frame.getparent().remove(frame)

    def _count(self, node: Any) -> int:
        """How often a <replicate> makes what is inside."""
        text = node.get("count", "1")
        if re.fullmatch(r"\s*[0-9]{1,6}\s*", text) is None:
            raise self._error(node, f"<replicate>: count={shown(text)} must be a whole number below 1000000")
        return int(text)

    # ---- no files ----------------------------------------------------------------------------

    def _folders(self, root: Any) -> dict[str, str]:
        """Folders of meshes and height fields, as the <compiler> elements say."""
        folders = {"mesh": "", "hfield": ""}
        for node in root.iter("compiler"):
            general = node.attrib.pop("assetdir", None)
            if general is not None:
                folders = dict.fromkeys(folders, general)
            mesh = node.attrib.pop("meshdir", None)
            if mesh is not None:
                folders["mesh"] = mesh
            texture = node.attrib.pop("texturedir", None)
            if texture is not None:
                folders["hfield"] = texture
            node.attrib.pop("strippath", None)
        return folders

    def _take_files(self, root: Any, folders: dict[str, str]) -> None:
        """Read the mesh and height files, and let the text name what was read."""
        for tag, folder in folders.items():
            for node in root.iter(tag):
                name = node.get("file")
                if name is None:
                    self._make_faces(node)
                    continue
                full = f"{folder}/{name}" if folder and not Path(name).is_absolute() else name
                finder = self._finders(self._source.name)
                path, data = self._read(node, finder, full, MAX_MESH)
                if node.get("name") is None:
                    node.set("name", Path(name).stem)
                suffix = path.suffix.lower()
                if tag == "mesh":
                    suffix, data = self._checked_mesh(node, path, data)
                made = f"{tag}{len(self._assets)}{suffix}"
                if tag == "mesh" and node.get("name") in self._unread:
                    self._unread[node.get("name")].asset = made
                node.set("file", made)
                node.attrib.pop("content_type", None)
                self._assets[made] = data

    def _make_faces(self, node: Any) -> None:
        """Give a mesh of points alone the faces of their hull; MuJoCo would print what it finds wrong with them."""
        text = node.get("vertex")
        if text is None or any(node.get(name) for name in ("face", "normal", "texcoord", "builtin")):
            return
        try:
            points = np.array(re.split(r"[\s,]+", text.strip()), dtype=float).reshape(-1, 3)
        except ValueError:
            return  # MuJoCo says what is wrong
        try:
            vertices, faces = convex_hull(points)
        except Error as error:
            raise self._error(node, f"<mesh>: {error}") from None
        node.set("vertex", " ".join(map(repr, vertices.ravel().tolist())))
        node.set("face", " ".join(map(str, faces.ravel().tolist())))

    def _checked_mesh(self, node: Any, path: Path, data: bytes) -> tuple[str, bytes]:
        """A mesh that this library reads, in a form that MuJoCo reads; a tetrahedron for one of another format."""
        notes: Notes = []
        where = f"{self._where(node)}: <mesh>"
        try:
            check_format(path.name)
        except MeshError as error:
            return self._tetrahedron(node, MeshError(f"{where}: {error}"))
        try:
            mesh = mesh_of(data, str(path), notes)
        except MissingExtraError as error:
            return self._tetrahedron(node, MissingExtraError(f"{where}: {error}"))
        except FileError as error:
            raise type(error)(f"{where}: {error}") from None
        for line, text in notes:
            self._diagnostics.warn(f"{path}:{line}", text)
        suffix = path.suffix.lower()
        binary = suffix == ".stl" and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little")
        if suffix == ".obj" or binary:
            return suffix, data
        return ".obj", obj_text(mesh.vertices, mesh.faces).encode()


    def _tetrahedron(self, node: Any, error: Error) -> tuple[str, bytes]:
        place, text = self._where(node), str(error)
        self._diagnostics.warn(place, f"{text.removeprefix(f'{place}: ')}; left out where it is only drawn or skipped")
        self._unread[node.get("name")] = Unread(error)
        return ".obj", TETRAHEDRON


def tetrahedron(x: float, y: float, z: float) -> bytes:
    """An OBJ file of one with these edges."""
    return f"v 0 0 0\nv {x} 0 0\nv 0 {y} 0\nv 0 0 {z}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".encode()


TETRAHEDRON = tetrahedron(1.0, 1.0, 1.0)


def _is_read(element: Any, holder: str) -> bool:
    """Whether an equality or an actuator is of a kind that is read; actuators must drive joints."""
    if element.tag not in HELD[holder]:
        return False
    return holder != "actuator" or "joint" in element.attrib or "jointinparent" in element.attrib


def _parser() -> Any:
    from lxml import etree

    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
