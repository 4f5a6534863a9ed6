import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.shapes import Compound, ConvexHull, HeightMap, Mesh, Shape
from rbdyn.contact import ContactSolver, MaterialTable, Problem
from rbdyn.mechanism import Geometry, Joint, Mechanism, RigidBody
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform
from rbdyn.world.constraints.body_joint import BodyJoint
from rbdyn.world.constraints.constraint import Constraint
from rbdyn.world.constraints.coupling import Coupling
from rbdyn.world.constraints.wire import Wire, _StretchType
from rbdyn.world.edits.edits import Edits
from rbdyn.world.objects.articulated_system import ArticulatedSystem
from rbdyn.world.objects.contact import Contact
from rbdyn.world.objects.handles.body_ref import BodyRef
from rbdyn.world.objects.object import WorldObject
from rbdyn.world.objects.single_body import SingleBody, _BodyType
from rbdyn.world.queries.hits import RayHit, RayHits, Seen, Separation
from rbdyn.world.queries.queries import Queries
from rbdyn.world.scheduler.schedule import Schedule
from rbdyn.world.snapshot.snapshot import Snapshot

_Integrator: TypeAlias = Literal["trapezoid", "semi_implicit", "euler", "rk4"]

_End: TypeAlias = SingleBody | BodyRef | tuple[ArticulatedSystem, str] | None

_F = TypeVar("_F")
_T = TypeVar("_T")

SCHEMES: dict[_Integrator, int]

class World:
    integrator: _Integrator
    time_step: float
    substeps: int
    contact_slop: float
    contact_margin: float
    sleeping: bool
    sleep_time: float
    sleep_speed: float
    def __deepcopy__(self, memo: dict[int, Any]) -> World: ...
    def __init__(
        self,
        time_step: float = 0.002,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        collision: CollisionBackend | Literal["native", "fcl", "coal"] | None = None,
        contact: ContactSolver | Literal["bisection", "pgs"] | None = None,
        position_solver: ContactSolver | Literal["bisection", "pgs"] | None = None,
        substeps: int = 1,
    ) -> None: ...
    @property
    def collision(self) -> CollisionBackend: ...
    @property
    def contact(self) -> ContactSolver: ...
    @property
    def position_solver(self) -> ContactSolver: ...
    @property
    def materials(self) -> MaterialTable: ...
    @property
    def objects(self) -> tuple[SingleBody | ArticulatedSystem, ...]: ...
    def find(self, name: str) -> SingleBody | ArticulatedSystem | Constraint: ...
    def add_single_body(
        world,
        geometries: Iterable[Geometry],
        mass: float,
        inertia: ArrayLike,
        body_type: _BodyType = "dynamic",
        name: str | None = None,
    ) -> SingleBody: ...
    def add_ground(
        world,
        height: float = 0.0,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_sphere(
        world,
        radius: float,
        mass: float | None = None,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
        body_type: str = "dynamic",
    ) -> SingleBody: ...
    def add_box(
        world,
        x: float,
        y: float,
        z: float,
        mass: float | None = None,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
        body_type: str = "dynamic",
    ) -> SingleBody: ...
    def add_cylinder(
        world,
        radius: float,
        height: float,
        mass: float | None = None,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
        body_type: str = "dynamic",
    ) -> SingleBody: ...
    def add_cone(
        world,
        radius: float,
        height: float,
        mass: float | None = None,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
        body_type: str = "dynamic",
    ) -> SingleBody: ...
    def add_ellipsoid(
        world,
        x: float,
        y: float,
        z: float,
        mass: float | None = None,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
        body_type: str = "dynamic",
    ) -> SingleBody: ...
    def add_compound(
        world,
        compound: Compound,
        mass: float | None = None,
        body_type: _BodyType = "dynamic",
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_capsule(
        world,
        radius: float,
        height: float,
        mass: float | None = None,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
        body_type: str = "dynamic",
    ) -> SingleBody: ...
    def add_height_map(
        world,
        heights: ArrayLike | HeightMap,
        size: tuple[float, float] | None = None,
        position: ArrayLike = (0.0, 0.0),
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_mesh(
        world,
        mesh: Mesh | ConvexHull | str | os.PathLike[str],
        mass: float | None = None,
        body_type: _BodyType = "dynamic",
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_articulated_system(
        world,
        source: Mechanism | str | os.PathLike[str],
        name: str | None = None,
        self_collision: bool | None = None,
        loop_constraints: str = "eliminate",
        collide_with_parent: bool = False,
        contacts_per_self_pair: int | None = None,
        group: int | None = None,
        mask: int | None = None,
        ignore_overlapping: bool = False,
        **load_options: Any,
    ) -> ArticulatedSystem: ...
    @property
    def constraints(self) -> tuple[Constraint, ...]: ...
    def add_joint(
        world,
        a: _End,
        b: _End,
        joint: Joint,
        pose_a: Transform | None = None,
        pose_b: Transform | None = None,
        *,
        name: str | None = None,
    ) -> BodyJoint: ...
    def add_coupling(
        world,
        coefficients: Mapping[tuple[ArticulatedSystem, str], float],
        offset: float | None = None,
        *,
        name: str | None = None,
    ) -> Coupling: ...
    def _add_coupling(
        self, coefficients: Mapping[tuple[ArticulatedSystem, str], float], offset: float | None, name: str | None
    ) -> Coupling: ...
    def merge(
        world,
        robot_a: ArticulatedSystem,
        body_a: str | RigidBody | BodyRef,
        robot_b: ArticulatedSystem | SingleBody,
        body_b: str | RigidBody | BodyRef | SingleBody,
        joint: Joint,
        pose_a: Transform | None = None,
        pose_b: Transform | None = None,
        *,
        tolerance: float = 1e-3,
        prefix: str = "",
    ) -> ArticulatedSystem: ...
    def add_weld(
        world,
        a: _End,
        b: _End,
        pose: Transform | None = None,
        *,
        pose_b: Transform | None = None,
        name: str | None = None,
    ) -> BodyJoint: ...
    def _add_joint(
        self, a: _End, b: _End, joint: Joint | None, pose_a: Transform, pose_b: Transform | None, name: str | None
    ) -> BodyJoint: ...
    def add_compliant_wire(
        world,
        a: _End,
        b: _End,
        length: float | None = None,
        *,
        stiffness: float,
        damping: float = 0.0,
        point_a: ArrayLike = (0.0, 0.0, 0.0),
        point_b: ArrayLike = (0.0, 0.0, 0.0),
        via: Iterable[tuple[_End, ArrayLike]] = (),
        ratios: Sequence[float] | None = None,
        stretch_type: _StretchType = "stretch_resistant",
        name: str | None = None,
    ) -> Wire: ...
    def add_custom_wire(
        world,
        a: _End,
        b: _End,
        length: float | None = None,
        *,
        law: Callable[[float, float], float],
        point_a: ArrayLike = (0.0, 0.0, 0.0),
        point_b: ArrayLike = (0.0, 0.0, 0.0),
        via: Iterable[tuple[_End, ArrayLike]] = (),
        ratios: Sequence[float] | None = None,
        name: str | None = None,
    ) -> Wire: ...
    def add_spring(
        world,
        a: _End,
        b: _End,
        stiffness: float,
        damping: float = 0.0,
        length: float | None = None,
        *,
        point_a: ArrayLike = (0.0, 0.0, 0.0),
        point_b: ArrayLike = (0.0, 0.0, 0.0),
        name: str | None = None,
    ) -> Wire: ...
    def add_stiff_wire(
        world,
        a: _End,
        b: _End,
        length: float | None = None,
        *,
        point_a: ArrayLike = (0.0, 0.0, 0.0),
        point_b: ArrayLike = (0.0, 0.0, 0.0),
        via: Iterable[tuple[_End, ArrayLike]] = (),
        ratios: Sequence[float] | None = None,
        stretch_type: _StretchType = "stretch_resistant",
        restitution: float = 0.0,
        name: str | None = None,
    ) -> Wire: ...
    def _add_wire(
        self,
        points: list[tuple[Any, Array, str]],
        ratios: list[float],
        attributes: dict[str, Any],
        name: str | None,
    ) -> Wire: ...
    def remove(self, obj: WorldObject | Constraint | str) -> None: ...
    _insides: Any
    _surgery: Any
    def _check_idle(self) -> None: ...
    def _check_made(self) -> None: ...
    def _take(self, count: int, first: bool) -> None: ...
    def _look_ahead(self, robot: WorldObject | None = None) -> Any: ...
    def _go(self, count: int, first: bool) -> None: ...
    def _call_scheduled(self, function: Callable[[World], object]) -> None: ...
    def _check_editable(self) -> None: ...
    def _check_settable(self) -> None: ...
    def _add_single(
        self, geometries: Iterable[Geometry], mass: float, inertia: ArrayLike, body_type: str, name: str | None
    ) -> SingleBody: ...
    def _built_system(self, mechanism: Mechanism, name: str | None) -> ArticulatedSystem: ...
    def _enter_system(
        self, robot: ArticulatedSystem, name: str | None, self_collision: bool, inloop: bool
    ) -> ArticulatedSystem: ...
    def _as_one(self, edit: Callable[[], _T]) -> _T: ...
    def _add_as_one(self, add: Callable[[], _T], then: Callable[[_T], object]) -> _T: ...
    def add_observer(self, observer: _F, accelerations: bool = False) -> _F: ...
    def remove_observer(self, observer: object) -> None: ...
    @property
    def gravity(self) -> Array: ...
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def contacts(self) -> list[Contact]: ...
    def _contacts_on(self, on: WorldObject | None, link: str | None, body: str | None) -> list[Contact]: ...
    @property
    def problem(self) -> Problem | None: ...
    def step(self, n: int = 1) -> None: ...
    def integrate1(self) -> None: ...
    def integrate2(self) -> None: ...
    random: Generator
    @property
    def schedules(self) -> tuple[Schedule, ...]: ...
    def record(
        world,
        every: int | None = None,
        contacts: bool = False,
        user: Callable[[World], Mapping[str, Any]] | None = None,
        path: str | os.PathLike[str] | None = None,
        sensors: bool | Iterable[Any] = False,
    ) -> Any: ...
    def run(world, duration: float, progress: bool = False) -> None: ...
    def schedule(
        world,
        function: Callable[[World], object],
        rate: float,
        phase: float = 0.0,
        order: int = 0,
        name: str | None = None,
    ) -> Schedule: ...
    def snapshot(world) -> Snapshot: ...
    def restore(world, snapshot: Snapshot) -> None: ...
    def state_hash(world) -> str: ...
    def reset(world) -> None: ...
    def set_reset_state(world, snapshot: Snapshot | None = None) -> None: ...
    @property
    def erp(self) -> tuple[float, float]: ...
    def set_erp(self, erp: float, erp2: float = 0.0) -> None: ...
    def set_contact_solver_param(
        world,
        alpha_init: float | None = None,
        alpha_min: float | None = None,
        alpha_decay: float | None = None,
        max_iterations: int | None = None,
        threshold: float | Literal["auto"] | None = None,
    ) -> None: ...
    _edits: Edits
    _queries: Queries
    def ray_test(
        world,
        origin: ArrayLike,
        direction: ArrayLike,
        length: float = ...,
        mask: int = -1,
        exclude: Any = (),
        all: bool = False,
    ) -> Any: ...
    def ray_test_batch(
        world,
        origins: ArrayLike,
        directions: ArrayLike,
        length: float = ...,
        mask: int = -1,
        exclude: Any = (),
        threads: int = 1,
    ) -> RayHits: ...
    def shape_cast(
        world, shape: Shape, pose: ArrayLike, displacement: ArrayLike, mask: int = -1, exclude: Any = ()
    ) -> RayHit | None: ...
    def shape_cast_batch(
        world, shape: Shape, poses: ArrayLike, displacements: ArrayLike, mask: int = -1, exclude: Any = ()
    ) -> RayHits: ...
    def nearest(
        world, shape: Shape, pose: ArrayLike, reach: float = ..., mask: int = -1, exclude: Any = ()
    ) -> RayHit | None: ...
    def nearest_batch(
        world, shape: Shape, poses: ArrayLike, reach: float = ..., mask: int = -1, exclude: Any = ()
    ) -> RayHits: ...
    def overlap_test(
        world, shape: Shape, pose: ArrayLike, margin: float = 0.0, mask: int = -1, exclude: Any = ()
    ) -> list[Seen]: ...
    def overlap_test_batch(
        world, shape: Shape, poses: ArrayLike, margin: float = 0.0, mask: int = -1, exclude: Any = ()
    ) -> list[list[Seen]]: ...
    def distance(world, a: Any, b: Any) -> Separation | None: ...
    def render(world, camera: Any = None, what: str = "rgb", **options: Any) -> Any: ...
    def view(world, **options: Any) -> Any: ...
    @property
    def sketch(world) -> Any: ...
    def _repr_html_(thing) -> str: ...
    def contacts_at(world, obj: WorldObject, at: ArrayLike, margin: float = 0.0) -> list[Contact]: ...
    def collides_at(world, obj: WorldObject, at: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]: ...
    def ignore_collision(world, a: Any, b: Any) -> None: ...
    def allow_collision(world, a: Any, b: Any) -> None: ...
    def _forget_shapes(self, shape_ids: list[int], system: int = -1) -> None: ...
    def set_material_pair(
        world,
        a: str,
        b: str,
        friction: float,
        restitution: float = 0.0,
        threshold: float = 0.0,
        static_friction: float | None = None,
        static_threshold: float = 0.0,
        torsional_friction: float = 0.0,
        rolling_friction: float = 0.0,
    ) -> None: ...
    def set_default_material(
        world,
        friction: float = 0.8,
        restitution: float = 0.0,
        threshold: float = 0.0,
        torsional_friction: float = 0.0,
        rolling_friction: float = 0.0,
    ) -> None: ...
