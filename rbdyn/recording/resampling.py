"""Frames at other times."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import number
from rbdyn.errors import Error
from rbdyn.recording.contents import Contents, Segment, between
from rbdyn.recording.inventory import CENTER, ENERGIES, POSE, Inventory
from rbdyn.spatial.rotations import Array

MOST_FRAMES = 10**7


def resampled(contents: Contents, time: Array, times: ArrayLike | None, rate: float | None) -> Contents:
    """The contents at these times, or at this rate."""
    wanted = wanted_times(time, times, rate)
    last = np.searchsorted(time, wanted, side="right") - 1  # the frame before
    parts, first = [], 0
    for segment in contents.segments:
        here = (last >= first) & (last < first + len(segment))
        if here.any():
            parts.append(_interpolated(segment, wanted[here], last[here] - first))
        first += len(segment)
    user = {name: values[last] for name, values in contents.user.items()}
    sensors = between(contents.sensors, wanted[0], wanted[-1])
    drawn = None if contents.drawn is None else contents.drawn.taken(last)
    return Contents(tuple(parts), user, sensors, every=contents.every, drawn=drawn)


def wanted_times(time: Array, times: ArrayLike | None, rate: float | None) -> Array:
    """Checked, ascending, within the recording."""
    if (times is None) == (rate is None):
        raise Error("give either times or rate")
    if len(time) == 0:
        raise Error("a recording without frames cannot be resampled")
    if (np.diff(time) <= 0.0).any():
        k = int(np.flatnonzero(np.diff(time) <= 0.0)[0])
        raise Error(f"the World went from time {time[k]:g} back to {time[k + 1]:g} s at frame {k + 1}: take a part "
                    f"without that, as in rec[:{k + 1}]")  # fmt: skip
    if rate is not None:
        rate = number(rate, "rate", above=0.0, unit="[1/s]")
        count = np.floor((time[-1] - time[0]) * rate * (1.0 + 1e-12) + 1e-9) + 1.0
        if not count <= MOST_FRAMES:
            raise Error(f"rate {rate:g} 1/s gives {count:g} frames; at most {MOST_FRAMES} are made")
        return np.asarray(np.minimum(time[0] + np.arange(int(count)) / rate, time[-1]))
    try:
        wanted = np.array(times, dtype=np.float64)
    except (TypeError, ValueError):
        raise Error("times must be an array of numbers [s]") from None
    if wanted.ndim != 1 or len(wanted) == 0 or not np.isfinite(wanted).all() or (np.diff(wanted) <= 0.0).any():
        raise Error("times must be an array (n,) of finite numbers that ascend [s], n >= 1")
    if wanted[0] < time[0] or wanted[-1] > time[-1]:
        raise Error(f"times must be from {time[0]:g} to {time[-1]:g} s, got {wanted[0]:g} to {wanted[-1]:g}")
    return wanted


def _interpolated(segment: Segment, wanted: Array, before: NDArray[np.intp]) -> Segment:
    """One segment; beyond its last frame that one stays."""
    after = np.minimum(before + 1, len(segment) - 1)
    span = segment.time[after] - segment.time[before]
    share = np.where(span > 0.0, (wanted - segment.time[before]) / np.where(span > 0.0, span, 1.0), 0.0)[:, None]
    a, b = segment.rows[before], segment.rows[after]
    rows = a + share * (b - a)
    for start, size in unit_blocks(segment.inventory):
        block = slice(start, start + size)
        rows[:, block] = slerp(a[:, block], b[:, block], share)
    kept: Any = segment.taken(before)
    return replace(kept, time=wanted, rows=rows)


def unit_blocks(inventory: Inventory) -> list[tuple[int, int]]:
    """Where in a row there are quaternions, and pairs [sine, cosine]."""
    found = [(POSE * k + 3, 4) for k in range(len(inventory.carriers))]
    for obj in inventory.objects:
        if obj.robot:
            q = inventory.first[obj.name] + ENERGIES + CENTER
            found += [(q + start, size) for start, size in obj.blocks if size in (2, 4)]
    return found


def slerp(a: Array, b: Array, share: Array) -> Array:
    """Along the great arc of unit vectors, the shorter one of quaternions; a straight line where they are near.

    Source: K. Shoemake, Animating rotation with quaternion curves (SIGGRAPH 1985).
    """
    dot = (a * b).sum(axis=1, keepdims=True)
    if a.shape[1] == 4:
        b, dot = np.where(dot < 0.0, -b, b), np.abs(dot)
    angle = np.arccos(np.clip(dot, -1.0, 1.0))
    near = np.sin(angle) < 1e-6
    sine = np.where(near, 1.0, np.sin(angle))
    wa = np.where(near, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    wb = np.where(near, share, np.sin(share * angle) / sine)
    mixed = wa * a + wb * b
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))
