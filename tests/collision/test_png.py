"""Height maps from PNG files: heights as the pixels say, the image's top at the largest y; what is none is refused."""

import struct
import sys
import warnings
import zlib

import numpy as np
import pytest

from rbdyn import World
from rbdyn.collision import HeightMap
from rbdyn.errors import CollisionError, MissingExtraError, PathError

Image = pytest.importorskip("PIL.Image")
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(columns, rows, bits, colour=0, interlaced=0):
    return SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, bits, colour, 0, 0, interlaced))


def grey_png(values, bits):
    """A file of the simplest kind, by the specification alone: no filters, one IDAT."""
    rows = np.asarray(values).astype(">u2" if bits == 16 else "u1")
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    return header(rows.shape[1], rows.shape[0], bits) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def pixels(bits, rows=3, columns=5):
    """Values that differ everywhere, and reach both ends."""
    i, j = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    values = (i * 7919 + j * 104729) % 2**bits
    values[0, 0], values[-1, 0] = 2**bits - 1, 0
    return values


@pytest.mark.parametrize("bits", [8, 16])
def test_heights_are_the_pixels(bits, tmp_path):
    values = pixels(bits)
    file = tmp_path / "map.png"
    file.write_bytes(grey_png(values, bits))
    terrain = HeightMap.from_png(file, (8.0, 3.0), height_scale=0.125, height_offset=-2.0)
    assert terrain.heights.shape == (3, 5)
    assert np.array_equal(terrain.heights[::-1], values * 0.125 - 2.0)
    assert terrain == HeightMap.from_png(str(file), [8.0, 3.0], height_scale=0.125, height_offset=-2.0)
    # the image's corners: left is the least x, the top the largest y
    assert terrain.height(-4.0, 1.5) == (2**bits - 1) * 0.125 - 2.0
    assert terrain.height(-4.0, -1.5) == -2.0
    assert terrain.height(4.0, 1.5) == values[0, 4] * 0.125 - 2.0
    assert terrain.height(4.0, -1.5) == values[2, 4] * 0.125 - 2.0
    assert terrain.height(2.0, 0.0) == values[1, 3] * 0.125 - 2.0


@pytest.mark.parametrize(("bits", "kind"), [(8, np.uint8), (16, np.uint16)])
@pytest.mark.parametrize("columns", [64, 37])
def test_files_with_filters_are_read_too(bits, kind, columns, tmp_path):
    i, j = np.meshgrid(np.arange(50), np.arange(columns), indexing="ij")
    values = np.round((2**bits - 1) * (0.5 + 0.5 * np.sin(0.1 * i) * np.cos(0.2 * j))).astype(kind)
    Image.fromarray(values).save(tmp_path / "map.png", optimize=True)
    terrain = HeightMap.from_png(tmp_path / "map.png", (1.0, 1.0), height_scale=1.0)
    assert np.array_equal(terrain.heights, values[::-1])


def test_interlaced_files_are_read_too(tmp_path):
    values = pixels(8, 2, 2)  # of Adam7's passes it has the first, the sixth and the seventh
    passes = [values[:1, :1], values[:1, 1:], values[1:, :]]
    lines = b"".join(b"\0" + row.astype("u1").tobytes() for part in passes for row in part)
    data = header(2, 2, 8, interlaced=1) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    (tmp_path / "map.png").write_bytes(data)
    terrain = HeightMap.from_png(tmp_path / "map.png", (1.0, 1.0), height_scale=1.0)
    assert np.array_equal(terrain.heights[::-1], values)


def test_a_negative_scale_turns_hills_into_valleys(tmp_path):
    (tmp_path / "map.png").write_bytes(grey_png(pixels(8), 8))
    up, down = (HeightMap.from_png(tmp_path / "map.png", (1.0, 1.0), height_scale=s) for s in (0.5, -0.5))
    assert np.array_equal(up.heights, -down.heights)


def test_a_ball_rests_on_the_white_side(tmp_path):
    """The upper half of the image is 1 m high: so is the ground where y > 0."""
    values = np.zeros((20, 20))
    values[:10] = 200
    (tmp_path / "map.png").write_bytes(grey_png(values, 8))
    world = World(time_step=0.005)
    world.add_height_map(HeightMap.from_png(tmp_path / "map.png", (10.0, 10.0), height_scale=0.005))
    balls = [world.add_sphere(0.2, 1.0) for _ in range(2)]
    for ball, y in zip(balls, (3.0, -3.0), strict=True):
        ball.set_pose(position=(0.1, y, 1.3))
    world.step(400)
    assert [ball.position[2] for ball in balls] == pytest.approx([1.2, 0.2], abs=1e-3)


# ---- what is refused


def refused(tmp_path, data, match):
    file = tmp_path / "bad.png"
    file.write_bytes(data)
    with pytest.raises(CollisionError, match=r"bad\.png: " + match):
        HeightMap.from_png(file, (1.0, 1.0), height_scale=1.0)


@pytest.mark.parametrize(
    ("mode", "match"),
    [
        ("RGB", "a height map must be a greyscale PNG, this one has RGB colours$"),
        ("RGBA", "a height map must be a greyscale PNG, this one has RGB colours with alpha$"),
        ("LA", "a height map must be a greyscale PNG, this one has grey with alpha$"),
        ("P", "a height map must be a greyscale PNG, this one has a palette$"),
        ("1", "a height map must be a PNG of 8 or 16 bit, this one has 1$"),
    ],
)
def test_other_kinds_are_refused_by_name(mode, match, tmp_path):
    Image.new(mode, (4, 4)).save(tmp_path / "bad.png")
    refused(tmp_path, (tmp_path / "bad.png").read_bytes(), match)


def test_what_is_no_png_is_refused(tmp_path):
    Image.new("L", (4, 4)).save(tmp_path / "x.bmp")
    good = grey_png(pixels(8), 8)
    for data in (b"", b"2 2 1 1 0 0 0 0", (tmp_path / "x.bmp").read_bytes(), good[:25], good.replace(b"IHDR", b"IHDX")):
        refused(tmp_path, data, "this is no PNG file")


def test_damaged_files_are_refused(tmp_path):
    good = grey_png(pixels(16, 40, 40), 16)
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 1
    wrong_header = good[:32] + bytes([good[32] ^ 1]) + good[33:]
    short = header(40, 40, 16) + chunk(b"IDAT", zlib.compress(b"\0" * 81 * 40)[:-8]) + chunk(b"IEND", b"")
    no_pixels = header(40, 40, 16) + chunk(b"IEND", b"")
    for data in (good[:30], good[:60], good[: len(good) // 2], bytes(flipped), wrong_header, short, no_pixels):
        refused(tmp_path, data, "malformed PNG file: ")


def test_too_large_and_too_small_ones_are_refused_before_they_are_read(tmp_path):
    for columns, rows in ((10_001, 2), (2, 10_001), (2**31 - 1, 2**31 - 1), (1, 5), (5, 1), (0, 0)):
        data = header(columns, rows, 8) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
        refused(tmp_path, data, f"a height map must have 2 by 2 to 10000 by 10000 pixels, .* {columns} by {rows}$")


def test_a_large_one_is_read_without_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    (tmp_path / "map.png").write_bytes(grey_png(pixels(8), 8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        terrain = HeightMap.from_png(tmp_path / "map.png", (1.0, 1.0), height_scale=1.0)
    assert terrain.heights.shape == (3, 5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("path", 3),
        ("path", None),
        ("size", 3.0),
        ("size", (1.0, 2.0, 3.0)),
        ("height_scale", "1"),
        ("height_scale", float("inf")),
        ("height_offset", None),
        ("height_offset", float("nan")),
    ],
)
def test_arguments_are_checked(name, value, tmp_path):
    (tmp_path / "map.png").write_bytes(grey_png(pixels(8), 8))
    given = {"path": tmp_path / "map.png", "size": (1.0, 1.0), "height_scale": 1.0} | {name: value}
    with pytest.raises(CollisionError, match=f"^{name} must .*, got "):
        HeightMap.from_png(**given)


def test_sizes_name_the_side(tmp_path):
    (tmp_path / "map.png").write_bytes(grey_png(pixels(8), 8))
    with pytest.raises(CollisionError, match=r"^size\[1\] must be"):
        HeightMap.from_png(tmp_path / "map.png", (1.0, 0.0), height_scale=1.0)


def test_heights_are_checked(tmp_path):
    (tmp_path / "map.png").write_bytes(grey_png(pixels(8), 8))
    with pytest.raises(CollisionError, match="heights must be finite"):
        HeightMap.from_png(tmp_path / "map.png", (1.0, 1.0), height_scale=1e39)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(PathError, match="cannot be read"):
        HeightMap.from_png(tmp_path / "none.png", (1.0, 1.0), height_scale=1.0)
    with pytest.raises(CollisionError, match="is not a regular file"):
        HeightMap.from_png(tmp_path, (1.0, 1.0), height_scale=1.0)


def test_without_pillow_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "map.png").write_bytes(grey_png(pixels(8), 8))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtraError, match=r"map\.png needs Pillow.*rbdyn\[png\]"):
        HeightMap.from_png(tmp_path / "map.png", (1.0, 1.0), height_scale=1.0)
