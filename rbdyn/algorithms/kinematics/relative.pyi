from numpy.typing import ArrayLike

from rbdyn.model.model import _Body
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def spatial_velocity(
    state: _At, body: _Body, relative_to: _Body = "world", expressed_in: _Body | None = None, out: Array | None = None
) -> Array: ...
def spatial_acceleration(
    state: _At,
    vd: ArrayLike,
    body: _Body,
    relative_to: _Body = "world",
    expressed_in: _Body | None = None,
    out: Array | None = None,
) -> Array: ...
def relative_point_velocity_6d(
    state: _At, base: _Body, relative: _Body, expressed_in: _Body = "world", out: Array | None = None
) -> Array: ...
def relative_point_acceleration_6d(
    state: _At, vd: ArrayLike, base: _Body, relative: _Body, expressed_in: _Body = "world", out: Array | None = None
) -> Array: ...
def relative_body_spatial_jacobian(
    state: _At, base: _Body, relative: _Body, expressed_in: _Body | None = None, out: Array | None = None
) -> Array: ...
def relative_body_spatial_jacobian_dot(
    state: _At, base: _Body, relative: _Body, expressed_in: _Body | None = None, out: Array | None = None
) -> Array: ...
def relative_body_spatial_jacobian_and_dot(
    state: _At,
    base: _Body,
    relative: _Body,
    expressed_in: _Body | None = None,
    out: Array | None = None,
    out_dot: Array | None = None,
) -> tuple[Array, Array]: ...
def relative_point_jacobian_6d(
    state: _At, base: _Body, relative: _Body, expressed_in: _Body = "world", out: Array | None = None
) -> Array: ...
def relative_point_jacobian_dot_6d(
    state: _At, base: _Body, relative: _Body, expressed_in: _Body = "world", out: Array | None = None
) -> Array: ...
def relative_point_jacobian_and_dot_6d(
    state: _At,
    base: _Body,
    relative: _Body,
    expressed_in: _Body = "world",
    out: Array | None = None,
    out_dot: Array | None = None,
) -> tuple[Array, Array]: ...
