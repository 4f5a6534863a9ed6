"""Fixed: no motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rbdyn.mechanism.joints.joint_type import JointType


@dataclass(frozen=True)
class Fixed(JointType):
    """No motion: the two frames coincide."""

    kind: ClassVar[str] = "fixed"
    kernel_kind: ClassVar[int] = 5
