"""Camera: where it looks from, how wide, and how many pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import as_vector, choice, number, plain_array, shown, whole
from rbdyn.errors import Error
from rbdyn.scenery.mounts import mount_pose
from rbdyn.scenery.scenery import Scenery
from rbdyn.spatial.transform import Transform

Array = NDArray[np.float64]
Triple = tuple[float, float, float]

AXES = ("forward", "optical")
MOST_PIXELS = 2**26
# from optical axes (x right, y down, z forward) to those of robots (x forward, y left, z up)
FORWARD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
FOV = math.radians(45.0)
MARGIN = 1.08  # by which a camera that looks at everything stands back


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A pinhole camera without distortion, fixed in the world or mounted on something that moves.

    Pixel [v, u] is in row v from the top and column u from the left; its middle is at (u + 0.5, v + 0.5), and a point
    (x, y, z) in optical axes (x right, y down, z forward) is seen at (fx x / z + cx, fy y / z + cy).

    Parameters
    ----------
    width, height : int
        Pixels, 640 by 480 unless said otherwise.
    position : (3,) sequence of float, optional
        Where it stands, in the frame that it is mounted in, the world by default [m].
    target : (3,) sequence of float, optional
        Where it looks, same frame [m]; the origin by default.
    up : (3,) sequence of float, optional
        What is up in the picture, same frame; not along the line of sight.  z by default, and x for a camera that looks
        straight up or down.
    pose : Transform, optional
        Instead of these: of its axes, in that frame.
    axes : {"forward", "optical"}
        What axes `pose` means: x forward, y left, z up, as those of robots' links and RaiSim's sensors; or x right, y
        down, z forward, as those of ROS frames named "..._optical_frame".
    on : SingleBody, BodyRef, FrameRef, (robot, "frame name") or str, optional
        What it is mounted on; a name alone is that of a body or frame of the mechanism that is looked at.
    vertical_fov, horizontal_fov : float, optional
        Angle that the picture spans [rad], one of them; 45 degrees upright by default.
    intrinsics : (4,) sequence of float, optional
        Instead of an angle: fx, fy, cx, cy [pixels].
    near, far : float
        Depths that are seen, along the line of sight [m]; `far` may be infinite.

    Raises
    ------
    Error
        If a value is wrong, or two of them say the same.

    Examples
    --------
    >>> camera = Camera(width=320, height=240, position=(2, 0, 1), target=(0, 0, 0))
    >>> camera.project((0, 0, 0)).tolist()
    [160.0, 120.0]
    """

    width: int = 640
    height: int = 480
    position: Triple | None = None
    target: Triple | None = None
    up: Triple | None = None
    pose: Transform | None = None
    axes: str = "forward"
    on: Any = None
    vertical_fov: float | None = None
    horizontal_fov: float | None = None
    intrinsics: tuple[float, float, float, float] | None = None
    near: float = 0.01
    far: float = math.inf

    def __post_init__(self) -> None:
        values: dict[str, Any] = {
            "width": whole(self.width, "width", least=1, most=MOST_PIXELS),
            "height": whole(self.height, "height", least=1, most=MOST_PIXELS),
            "axes": choice(self.axes, "axes", AXES),
            "near": number(self.near, "near", above=0.0, unit="[m]"),
        }
        if values["width"] * values["height"] > MOST_PIXELS:
            raise Error(f"width times height must be at most {MOST_PIXELS} pixels, got {self.width} x {self.height}")
        if not (isinstance(self.far, float) and self.far == math.inf):
            values["far"] = number(self.far, "far", above=values["near"], unit="[m]")
        values["intrinsics"] = _intrinsics(self, values["width"], values["height"])
        values["pose"] = _pose(self)
        for key, value in values.items():
            object.__setattr__(self, key, value)

    # ---- where it is ---------------------------------------------------------------------------

    @classmethod
    def looking_at(cls, source: Any, direction: ArrayLike = (-1.0, 1.2, -0.65), **values: Any) -> Camera:
        """A camera that has everything in its picture, as it is now.

        Parameters
        ----------
        source : World, ArticulatedSystem, SingleBody, Mechanism, Model, State or Scenery
            What to look at.  Grounds are without end, and not counted; neither is terrain, if there is anything else.
        direction : (3,) array_like
            Which way to look, world axes.
        **values
            Anything else of a Camera but `position`, `target` and `pose`.

        Returns
        -------
        camera : Camera
        """
        scenery = source if isinstance(source, Scenery) else Scenery(source)
        along = as_vector(direction, 3, "direction")
        if not along.any():
            raise Error("direction must not be zero")
        along = along / np.linalg.norm(along)
        center, radius = scenery.ball()
        up = values.pop("up", (0.0, 0.0, 1.0) if abs(along[2]) < 0.999 else (1.0, 0.0, 0.0))
        probe = cls(position=(0.0, 0.0, 0.0), target=tuple(along.tolist()), up=up, **values)
        x, y, z = ((scenery.corners() - center) @ probe.optical_pose()[:3, :3]).T
        fx, fy, cx, cy = probe.intrinsics  # type: ignore[misc]
        sides = [-x * fx / cx, x * fx / (probe.width - cx), -y * fy / cy, y * fy / (probe.height - cy)]
        distance = max([float((side - z).max(initial=0.0)) for side in sides])  # from where all corners are seen
        position = center - MARGIN * max(distance, 1e-6 + 0.5 * radius) * along
        values.setdefault("near", max(1e-4, min(0.01, 0.01 * radius)))
        return cls(position=tuple(position.tolist()), target=tuple(center.tolist()), up=up, **values)

    def optical_pose(self, state: Any = None) -> Array:
        """Where it is now: homogeneous pose of its optical axes in the world, (4, 4) [m].

        Parameters
        ----------
        state : State, optional
            Of the mechanism on which it is mounted by name.

        Returns
        -------
        pose : (4, 4) ndarray
            Fresh; x right, y down, z forward.

        Raises
        ------
        RemovedError
            If what it is mounted on has left its World.
        """
        assert self.pose is not None
        X = mount_pose(self.on, state) @ self.pose.matrix
        if self.axes == "forward":
            X[:3, :3] = X[:3, :3] @ FORWARD
        return X

    # ---- pixels --------------------------------------------------------------------------------

    @property
    def matrix(self) -> Array:
        """(3, 3) fresh: from points in optical axes to (u, v, 1) times depth [pixels]."""
        fx, fy, cx, cy = self.intrinsics  # type: ignore[misc]
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])

    def project(self, points: ArrayLike, state: Any = None) -> Array:
        """Where points of the world are in the picture.

        Parameters
        ----------
        points : (..., 3) array_like
            World [m].
        state : State, optional
            As for `optical_pose`.

        Returns
        -------
        pixels : (..., 2) ndarray
            (u, v); not a number of points that are not before the camera.
        """
        x = plain_array(points, "points", np.float64)
        if x.ndim == 0 or x.shape[-1] != 3:
            raise Error(f"points must be (..., 3) [m], got shape {x.shape}")
        X = self.optical_pose(state)
        y = (x - X[:3, 3]) @ X[:3, :3]
        depth = np.where(y[..., 2:] > 0.0, y[..., 2:], np.nan)
        fx, fy, cx, cy = self.intrinsics  # type: ignore[misc]
        return np.asarray(y[..., :2] / depth * (fx, fy) + (cx, cy))

    def rays(self) -> Array:
        """Through the middles of all pixels: points of depth 1 in optical axes, (height, width, 3), fresh [m]."""
        fx, fy, cx, cy = self.intrinsics  # type: ignore[misc]
        x, y = (np.arange(self.width) + 0.5 - cx) / fx, (np.arange(self.height) + 0.5 - cy) / fy
        rays = np.empty((self.height, self.width, 3))
        rays[..., 0], rays[..., 1], rays[..., 2] = x, y[:, None], 1.0
        return rays

    def points(self, depth: ArrayLike, frame: str = "world", state: Any = None) -> Array:
        """What is seen, as coordinates.

        Parameters
        ----------
        depth : (height, width) array_like
            Along the line of sight, as `World.render` gives it [m].
        frame : {"world", "forward", "optical"}
            Whose coordinates: of the world, or of the camera by its axes x forward, y left, z up, or x right, y down, z
            forward.
        state : State, optional
            As for `optical_pose`.

        Returns
        -------
        points : (height, width, 3) ndarray
            Not a number where nothing is seen [m].
        """
        z = as_array_of_depths(depth, (self.height, self.width))
        chosen = choice(frame, "frame", ("world", "forward", "optical"))
        points = self.rays() * np.where(np.isfinite(z), z, np.nan)[..., None]
        if chosen == "optical":
            return np.asarray(points)
        if chosen == "forward":
            return np.asarray(points @ FORWARD.T)
        X = self.optical_pose(state)
        return np.asarray(points @ X[:3, :3].T + X[:3, 3])


def as_array_of_depths(depth: ArrayLike, shape: tuple[int, int]) -> Array:
    """Numbers, infinite where nothing is seen."""
    z = plain_array(depth, "depth", np.float64)
    if z.shape != shape:
        raise Error(f"depth must be of shape {shape}, got {z.shape}")
    return z


def _intrinsics(camera: Camera, width: int, height: int) -> tuple[float, float, float, float]:
    """fx, fy, cx, cy."""
    given = [k for k in ("vertical_fov", "horizontal_fov", "intrinsics") if getattr(camera, k) is not None]
    if len(given) > 1:
        raise Error(f"give one of vertical_fov, horizontal_fov and intrinsics, got {' and '.join(given)}")
    if given == ["intrinsics"]:
        fx, fy, cx, cy = as_vector(camera.intrinsics, 4, "intrinsics", "(fx, fy, cx, cy)").tolist()  # type: ignore
        if not (fx > 0.0 and fy > 0.0):
            raise Error(f"fx and fy of intrinsics must be above 0, got {fx!r} and {fy!r}")
        return fx, fy, cx, cy
    across = given == ["horizontal_fov"]
    angle = getattr(camera, given[0]) if given else FOV
    angle = number(angle, given[0] if given else "vertical_fov", above=0.0, high=3.1, unit="[rad]")
    f = 0.5 * (width if across else height) / math.tan(0.5 * angle)
    return f, f, 0.5 * width, 0.5 * height


def _pose(camera: Camera) -> Transform:
    """Of its axes in the frame that it is mounted in."""
    if camera.pose is not None:
        if not isinstance(camera.pose, Transform):
            raise Error(f"pose must be a Transform, got {shown(camera.pose)}")
        if camera.position is not None or camera.target is not None:
            raise Error("give a pose, or a position and a target, not both")
        return camera.pose
    if camera.position is None and camera.target is None:
        return Transform()
    if camera.axes == "optical":
        raise Error('axes="optical" is for a pose; a position and a target say how a camera is turned')
    eye = as_vector(camera.position if camera.position is not None else (0.0, 0.0, 0.0), 3, "position", "[m]")
    to = as_vector(camera.target if camera.target is not None else (0.0, 0.0, 0.0), 3, "target", "[m]")
    x = to - eye
    if not np.linalg.norm(x) > 0.0:
        raise Error(f"target must be somewhere else than position, got {shown(camera.target)} for both")
    x = x / np.linalg.norm(x)
    steep = not np.linalg.norm(x[:2]) > 1e-9
    up = as_vector(((1.0, 0.0, 0.0) if steep else (0.0, 0.0, 1.0)) if camera.up is None else camera.up, 3, "up")
    y = np.cross(up, x)
    if not np.linalg.norm(y) > 1e-9 * np.linalg.norm(up):
        raise Error(f"up must not be along the line of sight {x.tolist()}, got {shown(camera.up)}")
    y = y / np.linalg.norm(y)
    return Transform(rotation=np.column_stack([x, y, np.cross(x, y)]), translation=eye)
