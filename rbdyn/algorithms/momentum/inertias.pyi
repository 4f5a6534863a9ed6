from typing import Literal, NamedTuple

from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

class Inertias(NamedTuple):
    mass: Array
    com: Array
    inertia: Array

def body_inertias(state: _At, expressed_in: Literal["body", "world"] = "body") -> Inertias: ...
def composite_inertias(state: _At, expressed_in: Literal["body", "world"] = "body") -> Inertias: ...
