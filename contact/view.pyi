from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

class ContactView:
    @property
    def n(self) -> int: ...
    @property
    def n_cones(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def law(self) -> NDArray[np.intc]: ...
    @property
    def first_row(self) -> NDArray[np.intc]: ...
    @property
    def rows(self) -> NDArray[np.intc]: ...
    @property
    def a(self) -> NDArray[np.float64]: ...
    @property
    def b(self) -> NDArray[np.float64]: ...
    @property
    def compliance(self) -> NDArray[np.float64]: ...
    @property
    def dt(self) -> float: ...
    iterations: int
    error: float
    converged: bool
    @property
    def v_free(self) -> NDArray[np.float64]: ...
    @property
    def target(self) -> NDArray[np.float64]: ...
    @property
    def friction(self) -> NDArray[np.float64]: ...
    @property
    def frame(self) -> NDArray[np.float64]: ...
    @property
    def key(self) -> NDArray[np.void]: ...
    @property
    def impulse(self) -> NDArray[np.float64]: ...
    @impulse.setter
    def impulse(self, value: ArrayLike) -> None: ...
    @property
    def delassus(self) -> NDArray[np.float64]: ...
    def velocity(self) -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...

class Problem(ContactView):
    def __init__(
        self,
        delassus: ArrayLike,
        v_free: ArrayLike,
        friction: ArrayLike,
        *,
        target: ArrayLike | None = None,
        dt: float = 1.0,
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
        dt: float = 1.0,
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
        dt: float = 1.0,
        key: ArrayLike | None = None,
    ) -> Self: ...
