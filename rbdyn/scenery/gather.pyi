from collections.abc import Sequence

from numpy.typing import NDArray

from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.object import WorldObject
from rbdyn.world.world import World

def catch_up_with(world: World) -> None: ...
def revision_of(world: World) -> int: ...
def carrier_poses(world: World, objects: Sequence[WorldObject], inner: NDArray, rest: Array, out: Array) -> None: ...
