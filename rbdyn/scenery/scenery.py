"""Scenery: the shapes of a World, a robot or a mechanism, and where they are."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import as_array, choice, shown
from rbdyn.collision.shapes import HalfSpace, HeightMap
from rbdyn.errors import Error, RemovedError, StateError
from rbdyn.mechanism import Mechanism
from rbdyn.model import Model, State
from rbdyn.scenery.corners import corners
from rbdyn.scenery.frames import FramePlace, Key, model_frames, world_frames
from rbdyn.scenery.item import Carrier, Item
from rbdyn.scenery.listing import Listing
from rbdyn.scenery.marks import MARKS, Marks, marks_of, size_of
from rbdyn.scenery.quaternions import quats_from_matrices
from rbdyn.scenery.sketch import Stroke, strokes_in
from rbdyn.scenery.sources import of_mechanism, of_world, signature
from rbdyn.scenery.ties import Tie, ties_of_mechanism, ties_of_world
from rbdyn.world import ArticulatedSystem, SingleBody, World

if TYPE_CHECKING:
    from rbdyn.world.objects.object import WorldObject

Array = NDArray[np.float64]

GEOMETRY = ("visual", "collision", "both")


class Scenery:
    """What there is to see, as a list, and where all of it is, as arrays: for viewers, cameras and own renderers.

    The list is that of the moment; `update` makes it anew if something came, went or was edited.  Poses are asked for
    whenever they are needed, and take no loop over bodies.

    Parameters
    ----------
    source : World, ArticulatedSystem, SingleBody, Mechanism, Model or State
        What to show.  A Mechanism or Model stands at its neutral configuration, loops closed, until a State is given.
    geometry : {"visual", "collision", "both"}
        "visual": what a link shows, and what it collides with if it shows nothing.  The meshes that a robot shows are
        read with ``load_urdf(..., visual_meshes=True)`` or ``world.add_articulated_system(..., visual_meshes=True)``.

    Attributes
    ----------
    items : tuple of Item
        The shapes, in the order of the World's objects.
    carriers : tuple of Carrier
        The bodies that they move with, with or without shapes.
    carrier_of : (n,) ndarray of int
        Which of these each shape moves with; read-only.
    local_poses : (n, 4, 4) ndarray
        Where each shape is on it; read-only [m].
    revision : int
        Grows whenever `update` makes the list anew.

    Raises
    ------
    Error
        If `source` is none of these, or `geometry` no choice.

    Examples
    --------
    >>> world = rbdyn.World()
    >>> ball = world.add_sphere(0.1, 1.0, name="ball")
    >>> ball.set_pose(position=(0, 0, 2))
    >>> scenery = Scenery(world)
    >>> scenery.items[0].name, scenery.poses()[0, :3, 3].tolist()
    ('ball/0', [0.0, 0.0, 2.0])
    """

    _artist: Any = None  # who drew it last

    def __init__(self, source: Any, geometry: str = "visual") -> None:
        self._geometry = choice(geometry, "geometry", GEOMETRY)
        self._kept: World | None = None  # so that it lives as long as this
        self._world_of: weakref.ref[World] | None = None
        self._only: WorldObject | None = None
        self._state: State | None = None
        if isinstance(source, World):
            self._kept = source
        elif isinstance(source, (ArticulatedSystem, SingleBody)):
            self._kept, self._only = source.world, source
        elif isinstance(source, (Mechanism, Model, State)):
            self._state = _state_of(source)
        else:
            need = "a World, an object of one, a Mechanism, a Model or a State"
            raise Error(f"source must be {need}, got {shown(source)}")
        if self._kept is not None:
            self._world_of = weakref.ref(self._kept)
        self.revision = 0
        self._make()

    @property
    def _world(self) -> World | None:
        """What is shown, if that is a World or an object of one."""
        if self._world_of is None:
            return None
        world = self._world_of()
        if world is None:
            raise RemovedError("the World that is shown is gone")
        return world

    def let_go(self) -> Scenery:
        """Keep the World alive no longer: of a Scenery that lives as long as it.

        Returns
        -------
        scenery : Scenery
            This one.
        """
        self._kept = None
        return self

    def _make(self) -> None:
        """The list as it is now."""
        listing = Listing(self._geometry)
        world = self._world
        if world is None:
            assert self._state is not None
            of_mechanism(listing, self._state.model)
        else:
            of_world(listing, world, self._only)
        self._signature = None if world is None else signature(world, self._only)
        self._objects, self._inner, self._rest = listing.places()
        self.show(tuple(listing.items), tuple(listing.carriers))
        self._ties: tuple[Tie, ...] | None = None
        self._frames: dict[Key, FramePlace] | None = None
        self.revision += 1

    def show(self, items: tuple[Item, ...], carriers: tuple[Carrier, ...]) -> None:
        """Make the lists these: what a source has now, or, in a class derived from this one, whatever it knows.

        Parameters
        ----------
        items : tuple of Item
        carriers : tuple of Carrier
            What is listed from here on.
        """
        self.items, self.carriers = items, carriers
        self.carrier_of = np.array([item.carrier for item in items], dtype=np.intp)
        self.local_poses = np.array([item.pose.matrix for item in items]).reshape(-1, 4, 4)
        self._corners = np.array([corners(item.shape) for item in items]).reshape(-1, 8, 3)
        terrain = [k for k, item in enumerate(items) if isinstance(item.shape, HeightMap)]
        finite = [k for k, item in enumerate(items) if not isinstance(item.shape, HalfSpace)]
        self._counted = (np.array(sorted({*finite} - {*terrain}), dtype=np.intp), np.array(terrain, dtype=np.intp))
        for array in (self.carrier_of, self.local_poses):
            array.flags.writeable = False

    def update(self) -> bool:
        """Make the list anew if something came, went or was edited since it was made; a pose or a velocity is no edit.

        Returns
        -------
        changed : bool
            Whether it was.
        """
        world = self._world
        if world is None:
            return False
        now = signature(world, self._only)
        before = self._signature
        assert before is not None
        if len(now) == len(before) and all(a is b or a == b for a, b in zip(now, before, strict=True)):
            return False
        self._make()
        return True

    def carrier_poses(self, state: State | None = None) -> Array:
        """World poses of `carriers`.

        Parameters
        ----------
        state : State, optional
            Of the model that is shown, where there is no World.

        Returns
        -------
        poses : (n, 4, 4) ndarray
            Fresh [m].

        Raises
        ------
        StateError
            If a state is given for a World, or one of another model.
        RemovedError
            If an object was removed and `update` was not called since.
        """
        out = np.empty((len(self.carriers), 4, 4))
        world = self._world
        if world is not None:
            if state is not None:
                raise StateError("state: what is shown is a World, which knows where everything is")
            from rbdyn.scenery.gather import carrier_poses

            carrier_poses(world, self._objects, self._inner, self._rest, out)
            return out
        from rbdyn.algorithms.kinematics.forward import forward_kinematics

        assert self._state is not None
        if state is None:
            state = self._state
        elif not isinstance(state, State) or state.model is not self._state.model:
            raise StateError(f"state must be a State of the model that is shown, got {shown(state)}")
        n = state.model.n_bodies
        forward_kinematics(state, out[:n])
        out[n:] = np.eye(4)  # the root, beside a floating base
        return out

    def poses(self, state: State | None = None, carriers: Array | None = None) -> Array:
        """World poses of `items`.

        Parameters
        ----------
        state : State, optional
            As for `carrier_poses`.
        carriers : (k, 4, 4) array_like, optional
            Where `carriers` are, of a recording for example; by default where they are now.

        Returns
        -------
        poses : (n, 4, 4) ndarray
            Fresh [m].
        """
        if carriers is None:
            bodies = self.carrier_poses(state)
        else:
            bodies = as_array(carriers, (len(self.carriers), 4, 4), "carriers")
        return np.asarray(bodies[self.carrier_of] @ self.local_poses)

    def positions_and_quats(self, state: State | None = None, carriers: Array | None = None) -> tuple[Array, Array]:
        """World positions and orientations of `items`.

        Parameters
        ----------
        state, carriers
            As for `poses`.

        Returns
        -------
        positions : (n, 3) ndarray
            Fresh [m].
        quats : (n, 4) ndarray
            Unit quaternions [w, x, y, z], w >= 0, fresh.
        """
        X = self.poses(state, carriers)
        return X[:, :3, 3].copy(), quats_from_matrices(X[:, :3, :3])

    # ---- what is drawn beside the things ---------------------------------------------------------

    @property
    def frames(self) -> dict[Key, FramePlace]:
        """(object, name of a body, link or frame) -> number of its carrier, -1 for the world, and its pose there."""
        if self._frames is None:
            world = self._world
            if world is not None:
                self._frames = dict(world_frames(world, self.carriers)) if self._only is None else self._frames_of_one()
            else:
                assert self._state is not None
                self._frames = dict(model_frames(self._state.model.mechanism.name, self._state.model, 0))
        return self._frames

    def _frames_of_one(self) -> dict[Key, FramePlace]:
        """Those of the only object that is shown."""
        if isinstance(self._only, ArticulatedSystem):
            return dict(model_frames(self._only.name, self._only.model, 0))
        assert self._only is not None
        return {(self._only.name, self._only.name): FramePlace(0, np.eye(4))}

    @property
    def ties(self) -> tuple[Tie, ...]:
        """Wires, and joints that close loops."""
        if self._ties is None:
            world = self._world
            if world is not None:
                self._ties = tuple(ties_of_world(world, self.frames, self._only))
            else:
                assert self._state is not None
                mechanism = self._state.model.mechanism
                self._ties = tuple(ties_of_mechanism(mechanism.name, mechanism, self.frames))
        return self._ties

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """What the user drew into the World."""
        world = self._world
        return () if world is None else strokes_in(world)

    def marks(self, show: Iterable[str] = MARKS, carriers: Array | None = None) -> Marks:
        """What is drawn beside the things, as shapes and labels.

        Parameters
        ----------
        show : iterable of {"sketch", "wires", "loops"}
            Which.
        carriers : (k, 4, 4) ndarray, optional
            Where `carriers` are; by default where they are now.
        """
        ties = [tie for tie in self.ties if tie.kind in show] if "wires" in show or "loops" in show else []
        strokes = self.strokes if "sketch" in show else ()
        if not ties and not strokes:
            return Marks()
        X = self.carrier_poses() if carriers is None else carriers
        size = size_of(ties, X, self.ball(np.asarray(X[self.carrier_of] @ self.local_poses))[1]) if ties else 1.0
        return marks_of(ties, strokes, self.frames if strokes else {}, X, size)

    @property
    def state(self) -> State | None:
        """Where a Mechanism or Model stands until another State is given; None of a World."""
        return self._state

    def corners(self, poses: Array | None = None) -> Array:
        """Corners of the boxes of all shapes but grounds, and terrain if there is anything else.

        Parameters
        ----------
        poses : (n, 4, 4) ndarray, optional
            Of `items`; where they are now by default [m].

        Returns
        -------
        corners : (k, 3) ndarray
            World [m]; none if there is nothing.
        """
        X = self.poses() if poses is None else poses
        for chosen in self._counted:
            if len(chosen):
                own = np.einsum("nij,nkj->nki", X[chosen, :3, :3], self._corners[chosen])
                return np.asarray((own + X[chosen, None, :3, 3]).reshape(-1, 3))
        return np.empty((0, 3))

    def ball(self, poses: Array | None = None) -> tuple[Array, float]:
        """A ball that holds all of these corners.

        Parameters
        ----------
        poses : (n, 4, 4) ndarray, optional
            As for `corners`.

        Returns
        -------
        center : (3,) ndarray
            World [m].
        radius : float
            [m]; 1 if there is nothing.
        """
        points = self.corners(poses)
        if not len(points):
            return np.zeros(3), 1.0
        center = 0.5 * (points.min(axis=0) + points.max(axis=0))
        return center, max(float(np.linalg.norm(points - center, axis=1).max()), 1e-9)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"Scenery({len(self.items)} shapes on {len(self.carriers)} bodies)"


def _state_of(source: Mechanism | Model | State) -> State:
    """A State of one's own, where a World would begin; that which was given."""
    if isinstance(source, State):
        return source
    model = source if isinstance(source, Model) else Model(source)
    state = State(model)
    from rbdyn.world.objects.joints.closed_loops import start

    state.set(start(model))
    return state
