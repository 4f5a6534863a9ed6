"""Recordings as films and pictures, drawn by the software camera."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import check_options, number, shown, whole
from rbdyn.errors import Error, missing_extra
from rbdyn.recording.stored_scenery import StoredScenery
from rbdyn.scenery import Camera, Style, look
from rbdyn.scenery.marks import MARKS
from rbdyn.scenery.scenery import Scenery

Picture = NDArray[np.uint8]  # (height, width, 3)

WIDTH, HEIGHT, RATE = 640, 480, 30.0


def save_mp4(recording: Any, path: str | os.PathLike[str], **options: Any) -> None:
    """A film, encoded by ffmpeg as H.264.

    Parameters
    ----------
    recording : Recording
    path : str or os.PathLike
        The file.
    **options
        Of `pictures`; `rate` and `speed` say how long it lasts.
    """
    try:
        import imageio_ffmpeg
    except ImportError:
        raise missing_extra("an mp4 film", "imageio-ffmpeg", "video") from None
    rate, drawn = begun(recording, options)
    first = next(drawn)
    height, width = first.shape[:2]
    if width % 2 or height % 2:
        raise Error(f"width and height of an mp4 film must be even, got {width} x {height}")
    Path(path).touch()  # OSError here, where it says why
    writer = imageio_ffmpeg.write_frames(
        os.fspath(path),
        (width, height),
        fps=rate,
        codec="libx264",
        quality=8,
        macro_block_size=2,
        ffmpeg_log_level="error",
    )
    writer.send(None)
    try:
        writer.send(first.tobytes())
        for picture in drawn:
            writer.send(picture.tobytes())
    finally:
        writer.close()


def save_gif(recording: Any, path: str | os.PathLike[str], **options: Any) -> None:
    """A film for pages and chats; 15 pictures a second unless said otherwise.

    Parameters
    ----------
    recording, path, **options
        As for `save_mp4`.
    """
    try:
        from PIL import Image
    except ImportError:
        raise missing_extra("a gif", "pillow", "video") from None
    rate, drawn = begun(recording, {"rate": 15.0, "width": 480, "height": 360} | options)
    first, *others = (Image.fromarray(p).quantize(colors=128, dither=Image.Dither.NONE) for p in drawn)
    first.save(path, save_all=True, append_images=others, duration=1000.0 / rate, loop=0)


def save_png(recording: Any, path: str | os.PathLike[str], frame: int = -1, **options: Any) -> None:
    """A picture of one frame, the last one unless said otherwise.

    Parameters
    ----------
    recording, path
        As for `save_mp4`.
    frame : int
        Which.
    **options
        Of `pictures`.
    """
    from rbdyn.rendering.png import write_png

    _, drawn = begun(recording[frame:][:1] if frame != -1 else recording[-1:], options)
    write_png(path, next(drawn))


def begun(recording: Any, options: dict[str, Any]) -> tuple[float, Iterator[Picture]]:
    """Pictures a second, and the pictures; wrong options are an error now."""
    rate = number(options.pop("rate", RATE), "rate", above=0.0, high=1000.0, unit="[1/s]")
    speed = number(options.pop("speed", 1.0), "speed", above=0.0)
    known = ("camera", "width", "height", "follow", "style", "geometry", "direction", "hide", "threads", "show")
    check_options(options, ("rate", "speed", *known), "a film")
    sampled = recording if len(recording) == 1 else recording.resample(rate=rate / speed)
    return rate, pictures(sampled, **options)


def pictures(
    recording: Any,
    camera: Camera | None = None,
    width: int = WIDTH,
    height: int = HEIGHT,
    follow: str | None = None,
    style: Style | None = None,
    geometry: str = "visual",
    direction: Any = (-1.0, 1.2, -0.65),
    hide: Any = (),
    threads: int = 1,
    show: Any = MARKS,
) -> Iterator[Picture]:
    """What a camera sees of each frame.

    Parameters
    ----------
    recording : Recording
    camera : Camera, optional
        By default one that has everything in its picture at the first frame and at the last.
    width, height : int
        Pixels of that one.
    follow : str, optional
        Name of a body or object that the camera moves with, without turning.
    style, geometry, hide, threads, show
        As for `rbdyn.scenery.look`.
    direction : (3,) array_like
        Which way the camera looks, if none is given, world axes.

    Yields
    ------
    picture : (height, width, 3) ndarray of uint8
    """
    if not (camera is None or isinstance(camera, Camera)):
        raise Error(f"camera must be a Camera, got {shown(camera)}")
    size = {"width": whole(width, "width", least=1, most=8192), "height": whole(height, "height", least=1, most=8192)}
    way = None if follow is None else recording.positions(follow)
    base = camera or overview(recording, geometry, direction, follow, size)
    return _drawn(recording, base, way, geometry, {"style": style, "hide": hide, "threads": threads, "show": show})


def _drawn(recording: Any, base: Camera, way: Any, geometry: str, options: dict[str, Any]) -> Iterator[Picture]:
    frame = 0
    for segment in recording.segments:
        scenery = recording.scenery(frame, geometry)
        for _ in range(len(segment)):
            scenery.place(recording.carrier_poses(frame), recording.strokes(frame))
            camera = base if way is None else moved(base, way[frame] - way[0])
            yield look(scenery, camera, **options).rgb
            frame += 1


def overview(recording: Any, geometry: str, direction: Any, follow: str | None, size: dict[str, int]) -> Camera:
    """A camera that has all of the first frame in its picture, and of the last, unless it follows something."""
    first = recording.scenery(0, geometry)
    if follow is not None or len(recording) == 1:
        return Camera.looking_at(first, direction, **size)
    return Camera.looking_at(Extent([first, recording.scenery(-1, geometry)]), direction, **size)


def moved(camera: Camera, by: Any) -> Camera:
    """The camera somewhere else, looking the same way."""
    from dataclasses import replace

    from rbdyn.spatial.transform import Transform

    assert camera.pose is not None
    there = Transform(translation=np.nan_to_num(by)) @ camera.pose
    return replace(camera, pose=there, position=None, target=None)


class Extent(Scenery):
    """All that several sceneries hold, of which only the extent is asked for: `Camera.looking_at` needs no more."""

    def __init__(self, parts: list[StoredScenery]) -> None:
        self._parts = parts

    def corners(self, poses: Any = None) -> Any:
        """Of all of them."""
        return np.concatenate([part.corners() for part in self._parts])
