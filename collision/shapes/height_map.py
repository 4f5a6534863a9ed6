"""Height maps: terrain over a grid."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import number, plain_array, shown, whole
from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.flat_cells import set_levels
from rbdyn.collision.shapes.fractal import fractal_heights
from rbdyn.collision.shapes.png import check_file, png_values
from rbdyn.collision.shapes.shape import MOST, Shape, ShapeData, positive
from rbdyn.errors import CollisionError, PathError

POWER = 4
BLOCK = 2**POWER  # cells along a side of a block: as in height_map.pxd


@dataclass(frozen=True, eq=False)
class HeightMap(Shape):
    """Terrain: heights over a grid about the origin, and solid below them.

    Each cell is two triangles, cut from its least x and y to its largest.  What sinks below the surface is pushed up,
    unless it is below all heights.  It is for what does not move: half-spaces and other height maps do not meet it.

    Parameters
    ----------
    heights : (ny, nx) array_like of float
        z of the points [m]; rows are along x, and follow one another along y; at least 2 by 2.
    size : (2,) sequence of float
        Extent along x and y, from the first point to the last [m].
    """

    kind: ClassVar[str] = "height_map"
    heights: np.ndarray
    size: tuple[float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "heights", checked_heights(self.heights))
        size = self.size
        if isinstance(size, (str, bytes)) or not isinstance(size, (tuple, list, np.ndarray)) or len(size) != 2:
            raise CollisionError(f"size must hold two lengths [m], along x and y, got {shown(size)}")
        object.__setattr__(self, "size", (positive(size[0], "size[0]"), positive(size[1], "size[1]")))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HeightMap) and self.size == other.size and np.array_equal(self.heights, other.heights)
        )

    def __hash__(self) -> int:
        return hash((HeightMap, self.size, self.heights.tobytes()))

    @staticmethod
    def from_text(path: str | os.PathLike[str]) -> HeightMap:
        """RaiSim's text files: nx, ny, and the extents along x and y [m], then nx ny heights [m], rows along x.

        Parameters
        ----------
        path : str or os.PathLike
            The file.

        Raises
        ------
        CollisionError
            If the file does not hold these numbers.
        PathError
            If it cannot be read.
        """
        check_file(path)
        try:
            words = Path(path).read_text(encoding="utf-8", errors="replace").split()
        except OSError as error:
            raise PathError(f"path: {os.fspath(path)!r} cannot be read: {error.strerror or error}") from None
        try:
            values = np.array(words, dtype=np.float64)
        except ValueError:
            raise CollisionError(f"{os.fspath(path)}: a height map holds numbers and nothing else") from None
        nx, ny = (int(v) if v == np.floor(v) and 2 <= v < 1e6 else 0 for v in values[:2]) if len(values) > 4 else (0, 0)
        if nx == 0 or ny == 0 or len(values) != 4 + nx * ny:
            raise CollisionError(
                f"{os.fspath(path)}: a height map begins with nx, ny (2 or more) and the extents along x and y, and "
                f"has nx ny heights then; this one has {len(values)} numbers"
            )
        return HeightMap(values[4:].reshape(ny, nx), (float(values[2]), float(values[3])))

    @staticmethod
    def from_png(
        path: str | os.PathLike[str], size: tuple[float, float], *, height_scale: float, height_offset: float = 0.0
    ) -> HeightMap:
        """Heights from a greyscale PNG of 8 or 16 bit, as RaiSim's: pixel value times height_scale + height_offset.

        Each pixel is a point.  The image's top row is at the largest y, its left column at the least x: seen from
        above, x to the right, the map looks like the image.

        Parameters
        ----------
        path : str or os.PathLike
            The file; pixel values are 0 to 255, or to 65535 of 16 bit.
        size : (2,) sequence of float
            Extent along x and y, from the first point to the last [m].
        height_scale : float
            Height of a pixel value of 1 [m]; a negative one turns hills into valleys.
        height_offset : float
            Height of a pixel value of 0 [m].

        Raises
        ------
        CollisionError
            If an argument is wrong, or the file is no such image, has a palette, colours, alpha or more than 10,000
            pixels along a side, or is damaged.
        PathError
            If it cannot be read.
        MissingExtraError
            If Pillow is not installed.
        """
        scale = number(height_scale, "height_scale", unit="[m]", error=CollisionError)
        offset = number(height_offset, "height_offset", unit="[m]", error=CollisionError)
        shape = HeightMap(np.zeros((2, 2)), size)
        return HeightMap(scale * png_values(path)[::-1] + offset, shape.size)

    @staticmethod
    def fractal(
        samples: tuple[int, int] = (100, 100),
        size: tuple[float, float] = (10.0, 10.0),
        *,
        z_scale: float = 2.0,
        frequency: float = 0.1,
        octaves: int = 5,
        lacunarity: float = 2.0,
        gain: float = 0.5,
        step_size: float = 0.0,
        height_offset: float = 0.0,
        seed: int = 0,
    ) -> HeightMap:
        """Hills upon hills: octaves of gradient noise, with RaiSim's parameters; the same for the same seed.

        Source: K. Perlin, Improving noise (SIGGRAPH 2002).

        Parameters
        ----------
        samples : (2,) sequence of int
            Points along x and y.
        size : (2,) sequence of float
            Extent along x and y [m].
        z_scale : float
            What the noise, -0.7 to 0.7 for one octave, is multiplied by [m].
        frequency : float
            Of the first octave: hills a metre [1/m].
        octaves : int
            How many there are, 1 to 32.
        lacunarity, gain : float
            By how much finer each is than the one before, and its share of height.
        step_size : float
            Heights are rounded down to multiples of it [m]; 0: they are not.
        height_offset : float
            What is added to all heights [m].
        seed : int
            Of the random numbers, 0 or more.

        Raises
        ------
        CollisionError
            If an argument is wrong.
        """
        shape = HeightMap(np.zeros((2, 2)), size)
        heights = fractal_heights(
            samples, shape.size, z_scale, frequency, octaves, lacunarity, gain, step_size, height_offset, seed
        )
        return HeightMap(heights, shape.size)

    def data(self) -> ShapeData:
        """What compiled code is told: HeightMapData."""
        return self._data

    @cached_property
    def _data(self) -> ShapeData:
        ny, nx = self.heights.shape
        lx, ly = self.size
        bottom, top = self._blocks
        low, high = float(bottom.min()), float(top.max())
        sizes: dict[str, object] = {"height": self.heights, "top": top, "level": self._levels}
        sizes |= {"nx": nx, "ny": ny, "blocks_x": top.shape[1]}
        sizes |= {"dx": lx / (nx - 1), "dy": ly / (ny - 1)}
        sizes |= {"x_0": -0.5 * lx, "y_0": -0.5 * ly, "low": low, "high": high}
        box = (0.5 * lx, 0.5 * ly, max(abs(low), abs(high)))
        return ShapeData("height_map", sizes, float(np.linalg.norm(box)), box=box)

    @cached_property
    def _blocks(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest height of each block."""
        return over_blocks(self.heights, np.minimum), over_blocks(self.heights, np.maximum)

    @cached_property
    def _levels(self) -> np.ndarray:
        """Level k of each cell: its largest flat block has 2^k by 2^k cells."""
        ny, nx = self.heights.shape
        levels = np.empty((ny - 1, nx - 1), dtype=np.uint8)
        set_levels(self.heights, levels, (0, (ny - 2) // BLOCK + 1, 0, (nx - 2) // BLOCK + 1), POWER)
        return levels

    # ---- what lies at a place

    def _cell(self, x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, ...]:
        """Cells at places (those beyond the border count as on it), and where in them, from 0 to 1."""
        u, v = (plain_array(w, name, np.float64, error=CollisionError) for w, name in ((x, "x"), (y, "y")))
        try:
            u, v = np.broadcast_arrays(u, v)
        except ValueError:
            got = f"{shown(x)}, {shown(y)}"
            raise CollisionError(f"x and y must be numbers or arrays of one shape [m], got {got}") from None
        if not (np.isfinite(u).all() and np.isfinite(v).all()):
            raise CollisionError("x and y must be finite [m]")
        ny, nx = self.heights.shape
        u = np.clip((u / self.size[0] + 0.5) * (nx - 1), 0.0, nx - 1)
        v = np.clip((v / self.size[1] + 0.5) * (ny - 1), 0.0, ny - 1)
        j, i = np.minimum(u.astype(np.intp), nx - 2), np.minimum(v.astype(np.intp), ny - 2)
        return i, j, u - j, v - i

    def _slopes(self, i: np.ndarray, j: np.ndarray, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How the height grows over a cell along x and y [m], on the triangle of (u, v)."""
        h = self.heights
        lower = u >= v  # the triangle along the cell's first row
        along_x = np.where(lower, h[i, j + 1] - h[i, j], h[i + 1, j + 1] - h[i + 1, j])
        along_y = np.where(lower, h[i + 1, j + 1] - h[i, j + 1], h[i + 1, j] - h[i, j])
        return along_x, along_y

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Heights of the surface at places `x`, `y` of any shape [m], in its own frame; beyond the border, of that."""
        i, j, u, v = self._cell(x, y)
        along_x, along_y = self._slopes(i, j, u, v)
        return np.asarray(self.heights[i, j] + u * along_x + v * along_y)

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Upward unit normals of the surface at places `x`, `y` of any shape [m], (..., 3), in its own frame."""
        i, j, u, v = self._cell(x, y)
        along_x, along_y = self._slopes(i, j, u, v)
        ny, nx = self.heights.shape
        n = np.stack([-along_x * (nx - 1) / self.size[0], -along_y * (ny - 1) / self.size[1], np.ones_like(u)], axis=-1)
        return np.asarray(n / np.linalg.norm(n, axis=-1, keepdims=True))

    def slope(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """How steep the surface is at places `x`, `y` of any shape: the angle between its normal and z [rad]."""
        return np.asarray(np.arccos(np.clip(self.normal(x, y)[..., 2], 0.0, 1.0)))

    def bounding_box(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest coordinates of its surface, (3,) each [m]."""
        half = 0.5 * np.array(self.size)
        bottom, top = self._blocks
        return np.append(-half, bottom.min()), np.append(half, top.max())

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return drawn.grid(self.heights, self.size)

    def _contains(self, points: np.ndarray) -> np.ndarray:
        x, y, z = points.T
        beyond = (np.abs(x) > 0.5 * self.size[0]) | (np.abs(y) > 0.5 * self.size[1])
        return np.asarray((z <= self.height(x, y)) & ~beyond)

    def patched(self, heights: ArrayLike, row: int = 0, column: int = 0) -> HeightMap:
        """A copy with other heights in a part of it: terrain that gives way, or a map that grows as it is seen.

        ``body.set_geometry(0, shape=body.geometries[0].shape.patched(...))`` puts it into a World between two steps.

        Parameters
        ----------
        heights : (n, m) array_like of float
            z of the points of the part [m].
        row, column : int
            Where its first point is.

        Returns
        -------
        map : HeightMap
            Of the same size.

        Raises
        ------
        CollisionError
            If the part does not lie within the map, or a height is not finite.
        """
        part = checked_heights(heights, least=1)
        ny, nx = self.heights.shape
        i, j = (whole(k, name, least=0, error=CollisionError) for k, name in ((row, "row"), (column, "column")))
        if i + part.shape[0] > ny or j + part.shape[1] > nx:
            raise CollisionError(
                f"heights must lie within the map of {ny} rows and {nx} columns, got shape {part.shape} at {i}, {j}"
            )
        new = self.heights.copy()
        new[i : i + part.shape[0], j : j + part.shape[1]] = part
        new.flags.writeable = False
        other: HeightMap = object.__new__(HeightMap)
        # of what it knows, that alone is made anew which the part changes: large maps are patched between steps
        blocks = self._patched_blocks(new, blocks_about(i, j, part.shape, new.shape, 0))
        levels = self._levels.copy()
        set_levels(new, levels, blocks_about(i, j, part.shape, new.shape, 1), POWER)
        other.__dict__.update({"heights": new, "size": self.size, "_blocks": blocks, "_levels": levels})
        return other

    def _patched_blocks(self, new: np.ndarray, blocks: tuple[int, int, int, int]) -> tuple[np.ndarray, ...]:
        """Find the least and the largest height of each block, where those of the given blocks have changed."""
        first_y, end_y, first_x, end_x = blocks
        around = new[first_y * BLOCK : end_y * BLOCK + 1, first_x * BLOCK : end_x * BLOCK + 1]
        both = tuple(one.copy() for one in self._blocks)
        for one, which in zip(both, (np.minimum, np.maximum), strict=True):
            one[first_y:end_y, first_x:end_x] = over_blocks(around, which)
        return both


def blocks_about(i: int, j: int, shape: tuple[int, ...], size: tuple[int, ...], more: int) -> tuple[int, int, int, int]:
    """Find the blocks whose cells are within `more` cells of those that meet a part of the points.

    Parameters
    ----------
    i, j : int
        Row and column of the first point.
    shape, size : (2,) tuple of int
        Points along the sides of the part and of the map.
    more : int
        How many cells farther, 0 or more.

    Returns
    -------
    blocks : (4,) tuple of int
        First row of blocks and end, first column and end.
    """
    (first_y, end_y), (first_x, end_x) = (
        (max(0, k - 1 - more) // BLOCK, min((k + n - 1 + more) // BLOCK + 1, (points - 2) // BLOCK + 1))
        for k, n, points in zip((i, j), shape, size, strict=True)
    )
    return first_y, end_y, first_x, end_x


def over_blocks(heights: np.ndarray, which: np.ufunc) -> np.ndarray:
    """The largest height, or the least, of each BLOCK by BLOCK cells, the borders of which two blocks share."""
    found = heights
    for axis in (0, 1):
        first = np.arange(0, heights.shape[axis] - 1, BLOCK)
        beyond = np.take(found, first[1:], axis)
        found = which.reduceat(found, first, axis)
        within = found[:-1] if axis == 0 else found[:, :-1]
        which(within, beyond, out=within)
    return np.ascontiguousarray(found)


def checked_heights(heights: object, least: int = 2) -> np.ndarray:
    """An (ny, nx) array of finite numbers, read-only, `least` of them or more along each side; or CollisionError."""
    array = np.array(plain_array(heights, "heights", np.float64, error=CollisionError), order="C")
    if least == 1:
        array = np.atleast_2d(array)
    if array.ndim != 2 or min(array.shape) < least or max(array.shape) > 10**6 or array.size > 2**30:
        raise CollisionError(
            f"heights must be an (ny, nx) array [m], {least} by {least} or more, got shape {array.shape}"
        )
    if not (np.abs(array) < MOST).all():
        raise CollisionError(f"heights must be finite, below {MOST:g} [m]")
    array.flags.writeable = False
    return array
