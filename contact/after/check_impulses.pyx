"""What a solver written in Python wrote: check_impulses.pxd."""

from libc.math cimport fabs, hypot, isfinite

from rbdyn.contact.accept cimport energy
from rbdyn.contact.laws cimport disc
from rbdyn.contact.laws.dispatch cimport admissible
from rbdyn.contact.operator cimport LineBlock, Operator, load_impulses, prepare
from rbdyn.contact.problem cimport DISC, ContactProblem
from rbdyn.contact.tolerances cimport ROUNDED_VELOCITY

from rbdyn.contact.laws import LAW_NAMES as _LAW_NAMES
from rbdyn.errors import ContactError


cdef int check_impulses(object solver, Operator* check, bint elastic, const ContactProblem* p) except -1 nogil:
    """What a Python solve() wrote: finite, not pulling, inside the cones, and making no energy.

    Forgiven are 1e-9 of the largest normal impulse, 1e-6 of the energy, and what velocities off by
    ROUNDED_VELOCITY make: where nothing is to be done but rounding, all of the energy is.
    """
    cdef double largest = 0.0, total = 0.0, most, size, gain
    cdef const double* lam
    cdef int i
    for i in range(p.n_cones):
        largest = max(largest, fabs(p.impulse[3 * i + 2]))
    for i in range(p.n_cones):
        lam = p.impulse + 3 * i
        if not (isfinite(lam[0]) and isfinite(lam[1]) and isfinite(lam[2]) and lam[2] >= -1e-9 * largest):
            with gil:
                raise ContactError(
                    f"{wrote(solver, p, i)}: it must be finite, with a normal (third) part >= 0")
        most = p.block[i].a * max(lam[2], 0.0)
        if not hypot(lam[0], lam[1]) <= most + 1e-9 * (most + largest):
            with gil:
                raise ContactError(
                    f"{wrote(solver, p, i)}: its friction (first two parts) must be at most {p.block[i].a:.6g} times "
                    f"its normal part, {most:.6g} N s, and is {hypot(lam[0], lam[1]):.6g} N s")
    prepare(check, p)
    for i in range(check.n_blocks):
        check_rows(solver, p, check.block + i, p.n_cones + i)
    if elastic:
        return 0
    load_impulses(check, p.impulse)
    gain = energy(check, p.impulse, &size)
    for i in range(p.n_rows):
        total += fabs(p.impulse[i])
    if not gain <= 1e-6 * size + ROUNDED_VELOCITY() * total:
        with gil:
            raise ContactError(
                f"{type(solver).__name__}.solve() wrote impulses that add {gain:.6g} J to the kinetic energy, "
                f"lam . (v_free + G lam / 2): contact with friction only takes energy away (springs: say "
                "adds_energy = True)")
    return 0


cdef int check_rows(object solver, const ContactProblem* p, const LineBlock* k, int block) except -1 nogil:
    """Impulses of a block that is no cone: finite, and within what its law allows, but for 1e-9 of its largest one."""
    cdef const double* lam = p.impulse + 3 * p.n_cones + k.first
    cdef double largest = 0.0, most
    cdef int r
    for r in range(k.rows):
        largest = max(largest, fabs(lam[r]))
    if k.law == DISC:
        most = disc.radius(k, p.impulse)
        if not disc.share_inside(most + 1e-9 * (most + largest), lam, k.rows) == 1.0:
            with gil:
                raise ContactError(
                    f"{type(solver).__name__}.solve() wrote impulse "
                    f"({', '.join([f'{lam[r]:.6g}' for r in range(k.rows)])}) "
                    f"N m s at block {block} of {p.n}, a disc: it must be finite, and no longer than {most:.6g} N m s, "
                    f"{k.low:.6g} m times the normal impulse of contact {k.partner}")
        return 0
    for r in range(k.rows):
        if not (isfinite(lam[r]) and fabs(lam[r] - admissible(k, lam[r])) <= 1e-9 * largest):
            with gil:
                raise ContactError(
                    f"{type(solver).__name__}.solve() wrote impulse {lam[r]:.6g} N s at row {r} of block {block} of "
                    f"{p.n}: "
                    f"a {_LAW_NAMES[k.law]} allows {admissible(k, lam[r]):.6g} at the nearest")
    return 0


cdef str wrote(object solver, const ContactProblem* p, int i):
    cdef const double* lam = p.impulse + 3 * i
    return (f"{type(solver).__name__}.solve() wrote impulse ({lam[0]:.6g}, {lam[1]:.6g}, {lam[2]:.6g}) N s at contact "
            f"{i} of {p.n}")
