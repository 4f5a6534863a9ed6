"""Recording: what a World, or a mechanism, went through, as arrays by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import number, shown
from rbdyn.errors import Error, RecordingError, unknown_name
from rbdyn.recording import resampling, writers
from rbdyn.recording.contacts import RecordedContact, contacts_of, force_on
from rbdyn.recording.contents import Contents, Segment
from rbdyn.recording.inventory import POSE, RecordedObject, pose_matrices
from rbdyn.recording.names import chosen_joints, names_of, only_robot
from rbdyn.spatial.rotations import Array
from rbdyn.world.extensions import provided

if TYPE_CHECKING:
    from rbdyn.recording.stored_scenery import StoredScenery
    from rbdyn.scenery.sketch import Stroke
    from rbdyn.world import World
    from rbdyn.world.snapshot.snapshot import Snapshot


class Recording:
    """What a World went through, frame by frame, as arrays by name; it needs no World.

    Made by `World.record`, `load_recording` or `recording_of`.  Slices are recordings: ``rec[100:200]``, ``rec[::10]``.
    Where an object was not there, its numbers are NaN.

    Parameters
    ----------
    contents : Contents
        What was recorded; users do not make it.
    complete : bool
        Whether nothing is missing.

    Attributes
    ----------
    time : (n,) ndarray
        Of the World at each frame, read-only [s].
    steps : (n,) ndarray of int
        Which the World had done then, read-only.
    every : int
        Steps from frame to frame.
    complete : bool
        Whether it was ended by `stop`, and nothing of it is damaged or cut off.

    Examples
    --------
    >>> world = rbdyn.World(0.01)
    >>> ball = world.add_sphere(0.1, 1.0, name="ball")
    >>> with world.record(every=10) as rec:
    ...     world.step(50)
    >>> rec.time.tolist()
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    >>> bool(rec.positions("ball")[-1, 2] < -1.2)
    True
    """

    def __init__(self, contents: Contents | None, complete: bool = True) -> None:
        self._given = contents
        self.complete = complete

    def _contents(self) -> Contents:
        """What it holds."""
        if self._given is None:
            raise Error("recordings are made by World.record, load_recording and recording_of")
        return self._given

    # ---- who and when ------------------------------------------------------------------------------

    @property
    def time(self) -> Array:
        """Of the World at each frame, (n,) read-only [s]."""
        return _joined(self.segments, lambda segment: segment.time)

    @property
    def steps(self) -> NDArray[np.int64]:
        """Which the World had done at each frame, (n,) read-only."""
        return _joined(self.segments, lambda segment: segment.steps)

    @property
    def every(self) -> int:
        """Steps from frame to frame."""
        return self._contents().every

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Frames with the same objects; another one begins when something came, went or was rebuilt."""
        return self._contents().segments

    @property
    def objects(self) -> dict[str, RecordedObject]:
        """What was there at any time, by name: counts, joints, mass."""
        found: dict[str, RecordedObject] = {}
        for segment in self.segments:
            found |= segment.inventory.by_name
        return found

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the objects that are articulated systems."""
        return tuple(name for name, obj in self.objects.items() if obj.robot)

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """(object, body) of all that moves."""
        found = {(c.object, c.body): None for segment in self.segments for c in segment.inventory.carriers}
        return tuple(found)

    @property
    def snapshot(self) -> Snapshot | None:
        """Of the World when the recording began; None for a part of a recording."""
        from rbdyn.world.snapshot.snapshot import Snapshot

        data = self._contents().snapshot
        return Snapshot.from_bytes(data) if data else None

    @property
    def user(self) -> Mapping[str, Array]:
        """What the user's function gave: name -> (n, ...) ndarray, read-only."""
        return MappingProxyType(self._contents().user)

    @property
    def sensors(self) -> Mapping[str, Mapping[str, NDArray[Any]]]:
        """What sensors measured, at their own rates: "ROBOT/SET/SENSOR" -> "time" (k,) [s] and its values (k, ...).

        Where a value changes its shape it has the largest one, filled up with NaN.
        """
        return MappingProxyType(self._contents().sensors)

    def __len__(self) -> int:
        return len(self._contents())

    def __getitem__(self, index: slice) -> Recording:
        if not isinstance(index, slice):
            raise Error(f"index of a recording must be a slice, as in rec[10:20], got {shown(index)}")
        which = np.arange(len(self))[index]
        if len(which) == 0:
            raise Error(f"rec[{index.start}:{index.stop}:{index.step}] of {len(self)} frames has none")
        if len(which) > 1 and which[0] > which[1]:
            raise Error("a recording cannot be turned round: the step of a slice must be above 0")
        return Recording(self._contents().taken(which))

    def between(self, start: float, end: float) -> Recording:
        """The frames whose time is from `start` to `end` [s]."""
        start, end = number(start, "start", unit="[s]"), number(end, "end", unit="[s]")
        which = np.flatnonzero((self.time >= start) & (self.time <= end))
        if len(which) == 0:
            raise Error(f"no frame is from {start:g} to {end:g} s: they are from {self._span()}")
        return Recording(self._contents().taken(which))

    def resample(self, times: ArrayLike | None = None, rate: float | None = None) -> Recording:
        """Frames at other times: interpolated, quaternions along the shortest rotation.

        Contacts are those of the frame before, as are the user's values.

        Parameters
        ----------
        times : (n,) array_like, optional
            Ascending, within those of the recording [s].
        rate : float, optional
            In place of them: frames a second, from the first time on [1/s].

        Raises
        ------
        Error
            If not exactly one of them is given, or the recording's own times do not ascend: the World went back to a
            snapshot in it.
        """
        return Recording(resampling.resampled(self._contents(), self.time, times, rate))

    # ---- coordinates ---------------------------------------------------------------------------------

    def q(self, robot: str | None = None) -> Array:
        """Configurations of a robot.

        Parameters
        ----------
        robot : str, optional
            Its name; not needed if there is one alone.

        Returns
        -------
        q : (n, nq) ndarray
            Fresh [rad or m, quaternions].

        Raises
        ------
        UnknownNameError
            If there is no such robot.
        RecordingError
            If nq changed on the way, by surgery: ask ``rec[a:b]``.
        """
        return self._columns(only_robot(self.objects, robot), "q")

    def v(self, robot: str | None = None) -> Array:
        """Velocities of a robot, (n, nv), fresh [rad/s or m/s]; arguments and errors as for `q`."""
        return self._columns(only_robot(self.objects, robot), "v")

    def joint_positions(self, joints: str | Sequence[str] | None = None, robot: str | None = None) -> Array:
        """Coordinates of joints of one degree of freedom.

        Parameters
        ----------
        joints : str or sequence of str, optional
            Their names; all that have one, by default.
        robot : str, optional
            Its name; not needed if there is one alone.

        Returns
        -------
        positions : (n, k) ndarray
            Fresh [rad or m].
        """
        name = only_robot(self.objects, robot)
        columns = [joint.q for joint in chosen_joints(self.objects[name], joints)]
        return self.q(name)[:, columns]

    def joint_velocities(self, joints: str | Sequence[str] | None = None, robot: str | None = None) -> Array:
        """Rates of joints of one degree of freedom, (n, k), fresh [rad/s or m/s].

        Parameters
        ----------
        joints, robot
            As for `joint_positions`.
        """
        name = only_robot(self.objects, robot)
        columns = [joint.v for joint in chosen_joints(self.objects[name], joints)]
        return self.v(name)[:, columns]

    def center_of_mass(self, robot: str | None = None) -> Array:
        """Centre of mass of a robot, (n, 3), fresh, world [m]; arguments and errors as for `q`."""
        return self._columns(only_robot(self.objects, robot), "center")

    def joint_names(self, robot: str | None = None) -> tuple[str, ...]:
        """Joints of one degree of freedom of a robot, in the order of `joint_positions`."""
        name = only_robot(self.objects, robot)
        return tuple(joint.name for joint in chosen_joints(self.objects[name], None))

    def _columns(self, name: str, what: str) -> Array:
        """Numbers of an object, NaN where it was not there."""
        parts: list[tuple[int, Array | None]] = []
        for segment in self.segments:
            columns = segment.inventory.columns(name, what)
            parts.append((len(segment), None if columns is None else segment.rows[:, columns]))
        widths = {part.shape[1] for _, part in parts if part is not None}
        if len(widths) > 1:
            raise RecordingError(f"{what} of {name!r} has {' and '.join(map(str, sorted(widths)))} numbers, before and "
                                 "after surgery: take a part of the recording, as in rec[:100]")  # fmt: skip
        width = widths.pop()
        return np.concatenate([np.full((n, width), np.nan) if part is None else part for n, part in parts])

    # ---- bodies ----------------------------------------------------------------------------------------

    def poses(self, body: str, object: str | None = None) -> Array:  # noqa: A002
        """World poses of a body, link or frame.

        Parameters
        ----------
        body : str
            Its name; of a single body, the object's own; a robot's own is that of its base.
        object : str, optional
            Name of the object that has it, where several have one of that name.

        Returns
        -------
        poses : (n, 4, 4) ndarray
            Fresh [m].

        Raises
        ------
        UnknownNameError
            If there is none of that name.
        """
        if not isinstance(body, str):
            raise Error(f"body must be a name, got {shown(body)}")
        parts, found = [], False
        body, object = self._meant(body, object)
        for segment in self.segments:
            frame = segment.inventory.frame(body, object)
            if frame is None:
                parts.append(np.full((len(segment), 4, 4), np.nan))
                continue
            found = True
            X = np.broadcast_to(frame.pose, (len(segment), 4, 4))
            if frame.carrier >= 0:
                k = POSE * frame.carrier
                X = pose_matrices(segment.rows[:, k : k + POSE]) @ X
            parts.append(X)
        if not found:
            raise unknown_name("body", body, names_of(self.segments, object), "this recording")
        return np.concatenate(parts)

    def _meant(self, body: str, object: str | None) -> tuple[str, str | None]:  # noqa: A002
        """A body by name; the base of a robot of that name, if no body is called so."""
        if object is not None or body not in self.robots or body in names_of(self.segments, None):
            return body, object
        carriers = (carrier for segment in self.segments for carrier in segment.inventory.carriers)
        return next(((one.body, body) for one in carriers if one.object == body), (body, object))

    def positions(self, body: str, object: str | None = None) -> Array:  # noqa: A002
        """World positions of a body, link or frame, (n, 3), fresh [m]; arguments as for `poses`."""
        return self.poses(body, object)[:, :3, 3].copy()

    def orientations(self, body: str, object: str | None = None) -> Array:  # noqa: A002
        """Orientations of a body, link or frame, (n, 4), quaternions [w, x, y, z], fresh; arguments as for `poses`."""
        from rbdyn.scenery.quaternions import quats_from_matrices

        return np.asarray(quats_from_matrices(self.poses(body, object)[:, :3, :3]))

    def linear_velocities(self, body: str) -> Array:
        """Velocity of the centre of mass of a single body, (n, 3), world axes, fresh [m/s]."""
        return self._velocities(body)[:, :3]

    def angular_velocities(self, body: str) -> Array:
        """Angular velocity of a single body, (n, 3), world axes, fresh [rad/s]."""
        return self._velocities(body)[:, 3:]

    def _velocities(self, name: str) -> Array:
        singles = {n: obj for n, obj in self.objects.items() if not obj.robot}
        if name not in singles:
            raise unknown_name("single body", name, singles, "this recording")
        return self._columns(name, "velocity")

    def carrier_poses(self, frame: int) -> Array:
        """World poses of the `scenery` of a frame's segment, (k, 4, 4): what `Scenery.poses(carriers=...)` takes."""
        segment, k = self._segment_of(frame)
        carriers = len(segment.inventory.carriers)
        return pose_matrices(segment.rows[k, : POSE * carriers].reshape(carriers, POSE))

    def scenery(self, frame: int = 0, geometry: str = "visual") -> StoredScenery:
        """What is to be seen at a frame, for cameras and own renderers, without a World.

        Parameters
        ----------
        frame : int
            Number of the frame; all frames of a segment have the same.
        geometry : {"visual", "collision", "both"}
            As for Scenery.
        """
        from rbdyn.recording.stored_scenery import StoredScenery

        scenery = StoredScenery(self._segment_of(frame)[0].inventory, geometry)
        scenery.place(self.carrier_poses(frame), self.strokes(frame))
        return scenery

    def strokes(self, frame: int) -> tuple[Stroke, ...]:
        """What was drawn into the World (`World.sketch`) at a frame.

        Parameters
        ----------
        frame : int
            Its number.
        """
        self._segment_of(frame)
        return self._contents().strokes(int(frame) % len(self))

    def _segment_of(self, frame: int) -> tuple[Segment, int]:
        """The segment of a frame, and its number there."""
        n = len(self)
        if isinstance(frame, bool) or not isinstance(frame, (int, np.integer)) or not -n <= frame < n:
            raise Error(f"frame must be an int from 0 to {n - 1}, got {shown(frame)}")
        k = int(frame) % n
        for segment in self.segments:
            if k < len(segment):
                return segment, k
            k -= len(segment)
        raise AssertionError("frames are counted wrong")

    # ---- energies and contacts ---------------------------------------------------------------------------

    def kinetic_energy(self, name: str | None = None) -> Array:
        """Kinetic energy at each frame, (n,), fresh [J].

        Parameters
        ----------
        name : str, optional
            Of an object; the sum over all of them by default.
        """
        return self._energy(name, "kinetic")

    def potential_energy(self, name: str | None = None) -> Array:
        """Energy in the World's gravity at each frame, zero at the origin, (n,), fresh [J]; as for `kinetic_energy`."""
        return self._energy(name, "potential")

    def _energy(self, name: str | None, what: str) -> Array:
        objects = self.objects
        if name is not None:
            if name not in objects:
                raise unknown_name("object", name, objects, "this recording")
            return self._columns(name, what)[:, 0]
        return np.asarray(sum((np.nan_to_num(self._columns(k, what)[:, 0]) for k in objects), np.zeros(len(self))))

    def contacts(self, frame: int) -> list[RecordedContact]:
        """Contacts of a frame, in the order of `World.contacts`.

        Raises
        ------
        RecordingError
            If they were not recorded: ``world.record(contacts=True)``.
        """
        segment, k = self._segment_of(frame)
        return contacts_of(segment, k)

    def contact_forces(self, name: str) -> Array:
        """Sum of the contact forces on an object, body, link or collision shape, (n, 3), world axes, fresh [N].

        Parameters
        ----------
        name : str
            Its name.

        Raises
        ------
        RecordingError
            If contacts were not recorded: ``world.record(contacts=True)``.
        UnknownNameError
            If nothing that collides has that name.
        """
        return force_on(self.segments, name)

    # ---- what can be done with it ------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write to a file; the suffix says how.

        Parameters
        ----------
        path : str or os.PathLike
            ".npz": all of it, for `load_recording` and for numpy; ".csv": time, q, v and poses as a table;
            ".html": a page that plays it in any browser, by itself; ".mp4", ".gif": a film; ".png": a picture of its
            last frame; ".rrd": for rerun.
        **options
            Of the format: docs/viewing.md.

        Raises
        ------
        Error
            If the suffix is none of these, or an option wrong.
        PathError
            If the file cannot be written.
        MissingExtraError
            If the format needs a package that is not installed.
        """
        writers.save(self, path, options)

    def view(self, **options: Any) -> Any:
        """Show it in the browser, to be played.

        Parameters
        ----------
        **options
            Of `rbdyn.view`.
        """
        return provided("view")(self, **options)

    def plot(self, what: str, **options: Any) -> Any:
        """Draw numbers over time, with matplotlib.

        Parameters
        ----------
        what : {"joint_positions", "joint_velocities", "energies", "contact_forces", "positions"}
            What to draw.
        **options
            ``joints=``, ``robot=``, ``bodies=``: of what; ``axes=``: into which axes, new ones by default.

        Returns
        -------
        axes : matplotlib.axes.Axes

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from rbdyn.recording.plotting import plot

        return plot(self, what, **options)

    def replay(self, world: World, before_step: Callable[[World], Any] | None = None) -> str:
        """Go through it again in a World, and see that every frame has the same bits.

        Parameters
        ----------
        world : World
            That which was recorded, or one that was built in the same way.  It goes back to the recording's snapshot.
        before_step : callable, optional
            Called with it before each step: what gave commands from outside then.  Scheduled functions are called
            anyhow.

        Returns
        -------
        hash : str
            Of the World at the end, the same as when the recording was stopped.

        Raises
        ------
        RecordingError
            If a frame differs, which names the first number that does; or if something came, went or was rebuilt
            within the recording, which only the program that did it can do again.
        """
        from rbdyn.recording.replaying import replay

        return replay(self, self._contents(), world, before_step)

    def frames(self) -> Iterator[tuple[float, Array]]:
        """Time [s] and `carrier_poses` of each frame."""
        for k, time in enumerate(self.time.tolist()):
            yield time, self.carrier_poses(k)

    def _span(self) -> str:
        return f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self) else "nowhere"

    def _repr_html_(self) -> str:
        return str(provided("html_of")(self))

    def __repr__(self) -> str:
        names = ", ".join(list(self.objects)[:4]) + (", ..." if len(self.objects) > 4 else "")
        return f"Recording({len(self)} frames from {self._span()}: {names})"


def _joined(segments: tuple[Segment, ...], part: Callable[[Segment], Any]) -> Any:
    """An array of all segments, read-only."""
    whole = np.concatenate([part(segment) for segment in segments])
    whole.flags.writeable = False
    return whole
