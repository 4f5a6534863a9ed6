"""Pictures: what a camera sees of a World, a robot or a mechanism."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import choice, shown, whole
from rbdyn.errors import Error
from rbdyn.model import State
from rbdyn.rendering.renderer import Renderer
from rbdyn.rendering.style import Style
from rbdyn.rendering.things import thing_of
from rbdyn.scenery.camera import Camera
from rbdyn.scenery.item import Carrier, Item
from rbdyn.scenery.labels import write_labels
from rbdyn.scenery.marks import MARKS, Mark, Marks
from rbdyn.scenery.scenery import Scenery
from rbdyn.world import World
from rbdyn.world.objects.object import WorldObject

Array = NDArray[np.float64]

NONE = Marks()
WHAT = ("rgb", "depth", "segmentation", "bodies")


class View:
    """What a camera saw: each kind of picture is drawn when it is first asked for, all of the same moment.

    Made by `look`.

    Parameters
    ----------
    camera : Camera
        Whose it is.
    artist : Artist
        Who draws.
    poses : (n, 4, 4) ndarray
        Of the shapes [m].
    optical_pose : (4, 4) ndarray
        Of the camera's optical axes in the world [m].
    style, hide, threads
        As for `look`.
    marks : Marks
        What is drawn beside the shapes, in colours alone.

    Attributes
    ----------
    camera : Camera
        Whose it is.
    optical_pose : (4, 4) ndarray
        Where its optical axes were in the world [m].
    items : tuple of Item
        The shapes that numbers of `segmentation` mean.
    carriers : tuple of Carrier
        The bodies that numbers of `bodies` mean.
    """

    def __init__(
        self, camera: Camera, artist: Artist, poses: Array, optical_pose: Array, style: Style, hide: Any, threads: int,
        marks: Marks = NONE,
    ) -> None:  # fmt: skip
        self.camera, self.optical_pose = camera, optical_pose
        self._artist, self._style, self._threads = artist, style, threads
        self._poses = poses
        self.items: tuple[Item, ...] = artist.scenery.items
        self.carriers: tuple[Carrier, ...] = artist.scenery.carriers
        self._hidden = artist.hidden(hide)
        self._renderer, self._drawn_too = artist.renderer, marks
        self._ball = artist.scenery.ball(poses)

    def _draw(self, samples: int, marks: tuple[Mark, ...] = (), **arrays: Any) -> None:
        """Draw into arrays, with so many samples along each side of a pixel, the shapes and these marks."""
        c = self.camera
        fx, fy, cx, cy = (samples * x for x in c.intrinsics)  # type: ignore[union-attr]
        lens = (fx, fy, cx, cy, samples * c.width, samples * c.height, c.near, c.far)
        light = self._style.light_on(*self._ball)
        renderer, poses, hidden = self._renderer, self._poses, self._hidden
        if marks:
            renderer = Renderer([*self._artist.things, *(thing_of(mark.shape, mark.color) for mark in marks)])
            poses = np.concatenate([poses, np.array([mark.pose for mark in marks])])
            hidden = None if hidden is None else np.append(hidden, np.zeros(len(marks), dtype=np.uint8))
        renderer.render(
            poses, self.optical_pose, lens, light, hidden, threads=self._threads, samples=samples, **arrays
        )

    @cached_property
    def rgb(self) -> NDArray[np.uint8]:
        """Red, green and blue, (height, width, 3)."""
        c, n = self.camera, self._style.antialias
        rgb = np.empty((c.height, c.width, 3), dtype=np.uint8)
        if self._drawn_too.shapes:
            self._draw(n, self._drawn_too.shapes, rgb=rgb)
        elif n > 1:
            self._draw(n, rgb=rgb)
        else:
            depth = np.empty((c.height, c.width))
            self._draw(1, rgb=rgb, depth=depth)
            self.__dict__.setdefault("depth", depth)
        if self._drawn_too.labels:
            write_labels(rgb, self._drawn_too.labels, c, self.optical_pose)
        return rgb

    @cached_property
    def depth(self) -> Array:
        """Along the line of sight, (height, width) [m]; infinite where nothing is seen."""
        depth = np.empty((self.camera.height, self.camera.width))
        self._draw(1, depth=depth)
        return depth

    @cached_property
    def segmentation(self) -> NDArray[np.intc]:
        """Which of `items` is seen, (height, width) of int; -1: nothing."""
        index = np.empty((self.camera.height, self.camera.width), dtype=np.intc)
        self._draw(1, index=index)
        return index

    @cached_property
    def bodies(self) -> NDArray[np.intp]:
        """Which of `carriers` is seen, (height, width) of int; -1: nothing."""
        carrier = np.append(np.array([item.carrier for item in self.items], dtype=np.intp), -1)
        return np.asarray(carrier[self.segmentation])

    @cached_property
    def points(self) -> Array:
        """What is seen, (height, width, 3), world [m]; not a number where nothing is."""
        X, z = self.optical_pose, self.depth
        rays = self.camera.rays() * np.where(np.isfinite(z), z, np.nan)[..., None]
        return np.asarray(rays @ X[:3, :3].T + X[:3, 3])

    def save_png(self, path: Any) -> None:
        """Write `rgb` to a PNG file.

        Parameters
        ----------
        path : str or os.PathLike
            The file.
        """
        from rbdyn.rendering.png import write_png

        write_png(path, self.rgb)

    def _repr_png_(self) -> bytes:
        """For notebooks."""
        from rbdyn.rendering.png import png_bytes

        return png_bytes(self.rgb)

    def __repr__(self) -> str:
        return f"View({self.camera.width} x {self.camera.height} pixels, {len(self.items)} shapes)"


class Artist:
    """Keeps what drawing one source again and again needs: its scenery, and a renderer of that."""

    def __init__(self, scenery: Scenery) -> None:
        self.scenery, self._revision = scenery, -1
        self.update()

    def update(self) -> None:
        """Take in what came, went or was edited."""
        self.scenery.update()
        if self._revision != self.scenery.revision:
            self.things = [thing_of(item.shape, item.color) for item in self.scenery.items]
            self.renderer = Renderer(self.things)
            self._revision = self.scenery.revision

    def hidden(self, hide: Any) -> NDArray[np.uint8] | None:
        """Flags of what is not to be seen, or None."""
        given = [hide] if isinstance(hide, (str, WorldObject)) or hasattr(hide, "robot") else list(hide)
        if not given:
            return None
        flags = np.zeros(len(self.scenery.items), dtype=np.uint8)
        for one in given:
            if hasattr(one, "robot"):  # a handle of a body
                one = (one.robot.name, one.name)
            name = one.name if isinstance(one, WorldObject) else one
            found = [
                name in (item.object, item.link, item.name, (item.object, item.link)) for item in self.scenery.items
            ]
            if not any(found) and not isinstance(one, (tuple, WorldObject)):
                raise Error(f"hide must name objects, links or shapes, got {shown(one)}")
            flags |= np.array(found, dtype=np.uint8)
        return flags


_artists: weakref.WeakKeyDictionary[World, dict[str, Artist]] = weakref.WeakKeyDictionary()


def artist_of(source: Any, geometry: str) -> Artist:
    """Of a World or a Scenery, the one that drew it last; of anything else, a new one."""
    if isinstance(source, Scenery):
        if source._artist is None:
            source._artist = Artist(source)
        source._artist.update()
        return source._artist
    if not isinstance(source, World):
        return Artist(Scenery(source, geometry))
    known = _artists.setdefault(source, {})
    if geometry not in known:
        known[geometry] = Artist(Scenery(source, geometry).let_go())
    known[geometry].update()
    return known[geometry]


def look(
    source: Any,
    camera: Camera | None = None,
    *,
    geometry: str = "visual",
    style: Style | None = None,
    hide: Any = (),
    threads: int = 1,
    state: State | None = None,
    show: str | Iterable[str] = MARKS,
) -> View:
    """What a camera sees now: colours, depths, shapes and bodies of one moment.

    Parameters
    ----------
    source : World, ArticulatedSystem, SingleBody, Mechanism, Model, State or Scenery
        What is looked at.
    camera : Camera, optional
        By default one that has everything in its picture.
    geometry : {"visual", "collision", "both"}
        As for `Scenery`; of a Scenery its own.
    style : Style, optional
        Light and colours; by default with shadows, each pixel the mean of two by two.
    hide : str, object, BodyRef, (object name, link name), or iterable of these
        Objects, links or shapes (by the names in `Scenery.items`) that are not seen.
    threads : int
        How many share the work, 1 to 256; they change no pixel.
    state : State, optional
        Where a Mechanism or Model stands.
    show : str or iterable of str
        What `rgb` shows beside the shapes: "sketch", what the user drew; "wires"; "loops", of joints that close loops
        their axes on either body, and what is open between these.  All of it by default, () for none.

    Returns
    -------
    view : View

    Raises
    ------
    Error
        If an argument is wrong.
    RemovedError
        If what the camera is mounted on has left its World.
    """
    if not (camera is None or isinstance(camera, Camera)):
        raise Error(f"camera must be a Camera, got {shown(camera)}")
    if not (style is None or isinstance(style, Style)):
        raise Error(f"style must be a Style, got {shown(style)}")
    workers = whole(threads, "threads", least=1, most=256)
    kinds = (show,) if isinstance(show, str) else tuple(show)
    for kind in kinds:
        choice(kind, "show", MARKS)
    artist = artist_of(source, geometry)
    carriers = artist.scenery.carrier_poses(state)
    poses = np.ascontiguousarray(artist.scenery.poses(carriers=carriers))
    if state is None:
        state = artist.scenery.state
    used = camera if camera is not None else Camera.looking_at(artist.scenery)
    marks = artist.scenery.marks(kinds, carriers)
    return View(used, artist, poses, used.optical_pose(state), style or Style(), hide, workers, marks)


def render(source: Any, camera: Camera | None = None, what: str = "rgb", **options: Any) -> Any:
    """A picture as an array.

    Parameters
    ----------
    source : World, ArticulatedSystem, SingleBody, Mechanism, Model, State or Scenery
        What is looked at.
    camera : Camera, optional
        By default one that has everything in its picture.
    what : {"rgb", "depth", "segmentation", "bodies"}
        Which: colours (height, width, 3) of uint8; depths (height, width) of float64 [m], infinite where nothing is
        seen; numbers (height, width) of `Scenery.items`, or of `Scenery.carriers`, -1 where nothing is seen.
    **options
        `geometry`, `style`, `hide`, `threads`, `state` and `show`, as for `look`.

    Returns
    -------
    picture : ndarray
    """
    chosen = choice(what, "what", WHAT)
    return getattr(look(source, camera, **options), chosen)
