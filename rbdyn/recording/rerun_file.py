"""Recordings for rerun's viewer."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rbdyn.collision.shapes import HalfSpace
from rbdyn.errors import missing_extra
from rbdyn.recording.inventory import POSE, Inventory
from rbdyn.scenery import Item, triangles


def save(recording: Any, path: str | os.PathLike[str]) -> None:
    """Write a recording as .rrd: shapes as meshes on their bodies, energies and joints as curves.

    Parameters
    ----------
    recording : Recording
    path : str or os.PathLike
        The file.
    """
    try:
        import rerun
    except ImportError:
        raise missing_extra("an .rrd file", "rerun-sdk", "rerun") from None
    stream = rerun.RecordingStream("rbdyn")
    stream.save(os.fspath(path))
    for segment in recording.segments:
        stream.set_time("time", duration=float(segment.time[0]))
        _log_shapes(rerun, stream, segment.inventory)
        _log_poses(rerun, stream, segment)
    for robot in recording.robots:
        names = recording.joint_names(robot)
        for name, values in zip(names, recording.joint_positions(None, robot).T, strict=True):
            _log_curve(rerun, stream, f"curves/{robot}/{name}", recording.time, values)
    _log_curve(rerun, stream, "curves/kinetic_energy", recording.time, recording.kinetic_energy())
    stream.flush()


def _entity(inventory: Inventory, carrier: int) -> str:
    of = inventory.carriers[carrier]
    return f"world/{of.object.replace('/', '.')}/{of.body.replace('/', '.')}"


def _log_shapes(rerun: Any, stream: Any, inventory: Inventory) -> None:
    """Each shape as triangles, once."""
    drawn = {(item.object, item.link) for item in inventory.items if item.kind == "visual"}
    for item in inventory.items:
        if isinstance(item.shape, HalfSpace) or (item.kind != "visual" and (item.object, item.link) in drawn):
            continue
        _log_shape(rerun, stream, f"{_entity(inventory, item.carrier)}/{item.name.replace('/', '.')}", item)


def _log_shape(rerun: Any, stream: Any, entity: str, item: Item) -> None:
    surface = triangles(item.shape)
    X = item.pose.matrix
    points = surface.vertices @ X[:3, :3].T + X[:3, 3]
    color = [int(255 * x) for x in item.color]
    mesh = rerun.Mesh3D(
        vertex_positions=points.astype(np.float32),
        vertex_normals=(surface.normals @ X[:3, :3].T).astype(np.float32),
        triangle_indices=surface.faces.astype(np.uint32),
        albedo_factor=color,
    )
    stream.log(entity, mesh, static=True)


def _log_poses(rerun: Any, stream: Any, segment: Any) -> None:
    """Where each body is, in columns."""
    times = [rerun.TimeColumn("time", duration=segment.time)]
    for k in range(len(segment.inventory.carriers)):
        row = segment.rows[:, POSE * k : POSE * k + POSE]
        columns = rerun.Transform3D.columns(translation=row[:, :3], quaternion=np.roll(row[:, 3:7], -1, axis=1))
        stream.send_columns(_entity(segment.inventory, k), times, columns)


def _log_curve(rerun: Any, stream: Any, entity: str, time: Any, values: Any) -> None:
    stream.send_columns(entity, [rerun.TimeColumn("time", duration=time)], rerun.Scalars.columns(scalars=values))
