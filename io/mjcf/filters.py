"""Which shapes collide, between MuJoCo's rule, by which it is enough that one accepts, and ours: both must."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Filter = tuple[int, int]  # contype and conaffinity, or group and mask
Rule = Callable[[Filter, Filter], bool]

MUJOCO_DEFAULT, OUR_DEFAULT = (1, 1), (1, -1)
_LOW = (1 << 31) - 1  # MuJoCo's are C ints
_READ_FROM, _READ_MOST = 32, 31  # bits that files do not use themselves, so that robots of several files do not mix
_WRITE_FROM, _WRITE_MOST = 1, 30


def one_accepts(a: Filter, b: Filter) -> bool:
    """MuJoCo's rule, of contypes and conaffinities."""
    return bool(a[0] & b[1]) or bool(b[0] & a[1])


def both_accept(a: Filter, b: Filter) -> bool:
    """This library's rule, of groups and masks."""
    return bool(a[0] & b[1]) and bool(b[0] & a[1])


def groups_and_masks(filters: Iterable[Filter]) -> dict[Filter, Filter] | None:
    """(group, mask) for each (contype, conaffinity): the same pairs collide, with one another and with the default.

    They are kept as they are where that says the same, and get bits of their own from bit 32 on where it does not.
    None if there are more than 31 such.
    """
    known = _with_default(filters, MUJOCO_DEFAULT)
    kept = {f: (f[0] % 2**32, f[1] % 2**32) for f in known} | {MUJOCO_DEFAULT: OUR_DEFAULT}
    if _same(kept, one_accepts, both_accept):
        return kept
    return _own_bits(known, one_accepts, OUR_DEFAULT, _READ_FROM) if len(known) <= _READ_MOST + 1 else None


def contypes_and_conaffinities(filters: Iterable[Filter]) -> dict[Filter, Filter] | None:
    """(contype, conaffinity) for each (group, mask): the same pairs collide.

    They are kept as they are where that says the same in 31 bits, and numbered anew where it does not.  None if there
    are more than 30 such.
    """
    known = _with_default(filters, OUR_DEFAULT)
    kept = {f: (f[0] & _LOW, f[1] & _LOW) for f in known} | {OUR_DEFAULT: MUJOCO_DEFAULT}
    if _same(kept, both_accept, one_accepts):
        return kept
    return _own_bits(known, both_accept, MUJOCO_DEFAULT, _WRITE_FROM) if len(known) <= _WRITE_MOST + 1 else None


def _with_default(filters: Iterable[Filter], default: Filter) -> list[Filter]:
    return [default, *sorted(set(filters) - {default})]


def _same(other: dict[Filter, Filter], before: Rule, after: Rule) -> bool:
    """Whether each pair collides after the translation as it did before."""
    return all(before(a, b) == after(other[a], other[b]) for a in other for b in other)


def _own_bits(known: list[Filter], rule: Rule, default: Filter, first: int) -> dict[Filter, Filter]:
    """One bit for each, and the bits of all that it meets: which says the same under both rules."""
    bits = [1, *(1 << (first + k) for k in range(len(known) - 1))]
    met = {f: sum(bit for bit, other in zip(bits, known, strict=True) if rule(f, other)) for f in known}
    return {f: (bit, met[f]) for bit, f in zip(bits, known, strict=True)} | {known[0]: default}
