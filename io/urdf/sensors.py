"""Sensor-set files: <link sensor="FILE"> of a robot file names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rbdyn.errors import Error
from rbdyn.io.description import GeometrySpec
from rbdyn.io.diagnostics import Diagnostics, did_you_mean
from rbdyn.io.numbers import shown
from rbdyn.io.rules import Color
from rbdyn.io.sensor_sets import DEPTH, IMU, LIDAR, NOISES, RGB, CameraSpec, ImuSpec, LidarSpec, Noise
from rbdyn.io.sensor_sets import SensorSpec as Sensor
from rbdyn.io.urdf.links import read_collision, read_inertial, read_pose, read_visual
from rbdyn.io.urdf.node import Node
from rbdyn.io.urdf.vocabulary import SENSOR_WORDS, check_words
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform

MAX_SAMPLES = 1 << 16  # pixels along an edge, rays a turn
MAX_SENSORS = 1000
COORDINATES = ("coordinates", "Coordinates")


@dataclass(frozen=True, eq=False)
class SensorFile:
    """What a sensor-set file gives to its link."""

    kind: str
    sensors: tuple[Sensor, ...]
    inertia: SpatialInertia | None = None  # in the link frame
    inertia_where: str = ""
    collision: list[GeometrySpec] = field(default_factory=list)
    visual: list[GeometrySpec] = field(default_factory=list)


def read_sensor_set(root: Node, link: str, palette: Mapping[str, Color | None], diagnostics: Diagnostics) -> SensorFile:
    """A <sensor_set>; its shapes are named after `link`, and its <origin> is its pose in the link's frame.

    Raises
    ------
    UrdfError
        With file:line, for everything that cannot be read as it stands.
    """
    if root.tag != "sensor_set":
        raise root.error("the root element of a sensor file must be <sensor_set>")
    check_words(root, diagnostics, SENSOR_WORDS)
    kind = root.text("name") if root.has("name") else ""
    pose = read_pose(root)
    node = root.need("link")
    items = node.children("sensor")
    if len(items) > MAX_SENSORS:
        raise node.error(f"{len(items)} sensors, at most {MAX_SENSORS} are read")
    sensors: dict[str, Sensor] = {}
    for item in items:
        sensor = _sensor(item, pose, diagnostics)
        if sensor.name in sensors:
            raise item.error(f"a second sensor named {shown(sensor.name)} in the set")
        sensors[sensor.name] = sensor
    inertial = node.first("inertial", diagnostics)
    inertia = None if inertial is None else read_inertial(inertial, diagnostics).transformed(pose)
    collision = read_collision(node, link, diagnostics, pose)
    visual = read_visual(node, link, palette, diagnostics, pose)
    where = "" if inertial is None else inertial.where
    return SensorFile(kind, tuple(sensors.values()), inertia, where, collision, visual)


def _sensor(node: Node, pose: Transform, diagnostics: Diagnostics) -> Sensor:
    name = node.text("name")
    kind = node.text("type")
    if kind not in READERS:
        near = did_you_mean(kind.lower(), READERS, 1)
        raise node.error(f"type={shown(kind)} is not a type of sensor; choices: {', '.join(READERS)}{near}")
    for tag in sorted({item.tag for item in node.children()} & INSIDE - PARTS[kind]):
        text = f"{node.label}: <{tag}> is not of a sensor of type {kind}; ignored"
        diagnostics.warn(node.where, text, f"{tag} in {kind}")
    rate = node.number("update_rate", 0.0)
    if rate < 0.0:
        raise node.error(f"update_rate={shown(node.text('update_rate'))} must not be negative [Hz]")
    values = {"name": name, "update_rate": rate, "pose": pose @ read_pose(node)}
    try:
        return READERS[kind](node, kind, values, diagnostics)
    except Error as error:
        raise error if str(error).startswith(node.file) else node.error(str(error)) from None


PARTS = {  # what is read of each type
    RGB: frozenset({"camera", "data"}),
    DEPTH: frozenset({"camera", "data"}),
    IMU: frozenset({"limit", "noise"}),
    LIDAR: frozenset({"model", "yaw", "pitch", "spin", "range", "noise"}),
}
INSIDE = frozenset().union(*PARTS.values())
Values = dict[str, object]


def _camera(node: Node, kind: str, values: Values, diagnostics: Diagnostics) -> Sensor:
    camera = node.need("camera")
    image, clip = camera.need("image"), camera.need("clip")
    fov = camera.number("horizontal_fov")
    if not 0.0 < fov <= 3.1:
        raise camera.error(f"horizontal_fov={shown(camera.text('horizontal_fov'))} must lie between 0 and 3.1 [rad]")
    near, far = clip.number("near"), clip.number("far")
    if not 0.0 < near < far:
        raise clip.error(f"near={shown(clip.text('near'))} far={shown(clip.text('far'))}: needed 0 < near < far [m]")
    data = node.child("data")
    given = "depth" if data is None else data.text("type")
    if given not in (*COORDINATES, "depth", "Depth"):
        raise node.error(f"<data type={shown(given)}>: choices: depth, coordinates")
    return CameraSpec(
        type=kind,
        width=_count(image, "width"),
        height=_count(image, "height"),
        horizontal_fov=fov,
        clip_near=near,
        clip_far=far,
        data="coordinates" if given in COORDINATES else "depth",
        noise=_noise(camera, diagnostics),
        **values,  # type: ignore[arg-type]
    )


def _imu(node: Node, kind: str, values: Values, diagnostics: Diagnostics) -> Sensor:
    limit = node.child("limit")
    limits = {}
    if limit is not None:
        for word in ("acc_limit", "ang_vel_limit"):
            value = limit.limit(word)
            if value is not None and not value > 0.0:
                raise limit.error(f"{word}={shown(limit.text(word))} must be above 0")
            if value is not None:
                limits[word] = value
    noise = _noise(node, diagnostics)
    return ImuSpec(acc_noise=noise, ang_vel_noise=noise, **limits, **values)  # type: ignore[arg-type]


def _lidar(node: Node, kind: str, values: Values, diagnostics: Diagnostics) -> Sensor:
    model, yaw, pitch, spin, span = (node.child(tag) for tag in ("model", "yaw", "pitch", "spin", "range"))
    given: Values = {"noise": _noise(node, diagnostics)}
    if model is not None:
        given["model"] = model.get("name") or ""
    if yaw is not None:
        given["yaw_samples"] = _count(yaw, "samples")
    if pitch is not None:
        given["pitch_samples"] = _count(pitch, "samples") if pitch.has("samples") else 1
        low, high = pitch.number("min_angle", 0.0), pitch.number("max_angle", 0.0)
        if low > high or max(abs(low), abs(high)) > 1.5708:
            raise pitch.error(f"min_angle={low:g} max_angle={high:g}: needed -pi/2 <= min_angle <= max_angle <= pi/2")
        given["pitch_min_angle"], given["pitch_max_angle"] = low, high
    if spin is not None:
        given["spin_direction"] = "clockwise" if spin.get("direction") == "clockwise" else "counterclockwise"
        given["spinning_rate"] = spin.number("rate", 10.0)
        if spin.number("rate", 10.0) < 0.0:
            raise spin.error(f"rate={shown(spin.text('rate'))} must not be negative [Hz]")
    if span is not None:
        low, high = span.number("min", 0.0), span.number("max", 100.0)
        if not 0.0 <= low < high:
            raise span.error(f"min={low:g} max={high:g}: needed 0 <= min < max [m]")
        given["range_min"], given["range_max"] = low, high
    return LidarSpec(**given, **values)  # type: ignore[arg-type]


def _count(node: Node, name: str) -> int:
    value = node.number(name)
    if value != int(value) or not 1 <= value <= MAX_SAMPLES:
        raise node.error(f"{name}={shown(node.text(name))} must be a whole number from 1 to {MAX_SAMPLES}")
    return int(value)


def _noise(node: Node, diagnostics: Diagnostics) -> Noise:
    item = node.child("noise")
    if item is None:
        return Noise()
    if not item.has("type") and (item.has("mean") or item.has("stddev")):
        diagnostics.warn(item.where, f"{item.label} has no type; there is no noise", "noise without type")
    given = item.text("type") if item.has("type") else "none"
    kind = {"no_noise": "none"}.get(given.lower(), given.lower())
    if kind not in NOISES:
        diagnostics.warn(item.where, f"{item.label}: type={shown(given)} is no noise; none is taken", "noise type")
        kind = "none"
    deviation = item.number("stddev", 0.0)
    if deviation < 0.0:
        raise item.error(f"stddev={shown(item.text('stddev'))} must not be negative")
    return Noise(kind, item.number("mean", 0.0), deviation)


READERS: dict[str, Callable[[Node, str, Values, Diagnostics], Sensor]] = {
    RGB: _camera,
    DEPTH: _camera,
    IMU: _imu,
    LIDAR: _lidar,
}
