from collections.abc import Mapping, Sequence
from typing import Any, Self

from numpy.typing import ArrayLike

from rbdyn.contact.views.view import ContactView

class Problem(ContactView):
    def __init__(
        self,
        delassus: ArrayLike,
        v_free: ArrayLike,
        friction: ArrayLike,
        *,
        target: ArrayLike | None = None,
        dt: float = 0.0,
        frame: ArrayLike | None = None,
        key: ArrayLike | None = None,
    ) -> None: ...
    @classmethod
    def from_bodies(
        cls,
        inverse_mass: ArrayLike,
        inverse_inertia: ArrayLike,
        *,
        frame: ArrayLike,
        v_free: ArrayLike,
        friction: ArrayLike,
        single_a: ArrayLike,
        arm_a: ArrayLike,
        single_b: ArrayLike | None = None,
        arm_b: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        target: ArrayLike | None = None,
        dt: float = 0.0,
        key: ArrayLike | None = None,
    ) -> Self: ...
    @classmethod
    def from_blocks(
        cls,
        blocks: Sequence[Mapping[str, Any]],
        delassus: ArrayLike,
        v_free: ArrayLike,
        *,
        target: ArrayLike | None = None,
        dt: float = 0.0,
        key: ArrayLike | None = None,
    ) -> Self: ...
    @classmethod
    def from_rows(
        cls,
        blocks: Sequence[Mapping[str, Any]],
        rows: ArrayLike,
        v_free: ArrayLike,
        *,
        target: ArrayLike | None = None,
        dt: float = 0.0,
        key: ArrayLike | None = None,
    ) -> Self: ...
