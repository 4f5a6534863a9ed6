from typing import TypeAlias

from _typeshed import SupportsItems
from numpy.typing import ArrayLike

from rbdyn.model.model import _Body
from rbdyn.spatial.frames import Wrench

# Body -> wrench.  Not Mapping, whose keys are invariant: it would refuse a dict[str, ...].
_External: TypeAlias = SupportsItems[_Body, ArrayLike | Wrench]
