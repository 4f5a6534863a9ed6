"""Forgetting impulses: forgetting.pxd."""

from libc.string cimport memmove

from rbdyn.contact.problem cimport Key
from rbdyn.contact.warm_start cimport WarmStart
from rbdyn.stepping.constraints.bodies.joints cimport JOINT_SOURCE
from rbdyn.stepping.constraints.bodies.loops cimport LOOP_SOURCE
from rbdyn.stepping.constraints.bodies.wire cimport SPRING_SOURCE, WIRE_SOURCE
from rbdyn.stepping.constraints.contact.contacts cimport CONTACT_SOURCE
from rbdyn.stepping.constraints.contact.rolling cimport ROLLING_SOURCE, TORSION_SOURCE
from rbdyn.stepping.constraints.joints.ball_limits cimport BALL_SOURCE
from rbdyn.stepping.constraints.joints.couplings cimport COUPLING_SOURCE
from rbdyn.stepping.constraints.joints.dry_friction cimport FRICTION_SOURCE
from rbdyn.stepping.constraints.joints.limits cimport LIMIT_SOURCE
from rbdyn.stepping.constraints.joints.mimics cimport MIMIC_SOURCE
from rbdyn.stepping.constraints.joints.motors cimport MOTOR_SOURCE
from rbdyn.stepping.constraints.joints.velocity_limits cimport VELOCITY_SOURCE


cdef bytearray marked(list shape_ids):
    """Of each shape id up to the largest of these, whether it is one of them."""
    own = bytearray(max(shape_ids) + 1 if shape_ids else 0)
    for shape_id in shape_ids:
        own[shape_id] = 1
    return own


cdef bint is_of(Key key, const unsigned char* own, size_t n, long system, set links) except -1:
    """Whether a block is of these shapes, of the system of this body handle, or of constraints of these numbers."""
    if key.source in (CONTACT_SOURCE, TORSION_SOURCE, ROLLING_SOURCE):
        return (key.id_a < n and own[key.id_a]) or (key.id_b < n and own[key.id_b])
    if key.source in (COUPLING_SOURCE, JOINT_SOURCE, WIRE_SOURCE, SPRING_SOURCE):
        return key.id_a in links
    if key.source in (LIMIT_SOURCE, MOTOR_SOURCE, FRICTION_SOURCE, VELOCITY_SOURCE, BALL_SOURCE, MIMIC_SOURCE,
                      LOOP_SOURCE):
        return <long> key.id_a == system
    return False


cdef int forget_impulses(ContactSolver solver, bytearray own, long system, set links) except -1:
    """Forget what acted in contacts of these shapes (`marked`), in a system, and in constraints between bodies.

    `system` is the body handle of one, -1 for none; `links` are numbers of constraints.
    """
    cdef WarmStart* w = &solver.memory
    cdef const unsigned char* mark = own
    cdef size_t n = len(own)
    cdef int k, kept = 0, row = 0, rows = 0
    solver.check_free(True)
    for k in range(w.n):
        if not is_of(w.key[k], mark, n, system, links):
            w.key[kept], w.impulse[kept] = w.key[k], w.impulse[k]
            kept += 1
    w.n, kept = kept, 0
    for k in range(w.n_blocks):
        if not is_of(w.block_key[k], mark, n, system, links):
            memmove(w.row_impulse + rows, w.row_impulse + row, w.block_rows[k] * sizeof(double))
            rows += w.block_rows[k]
            w.block_key[kept] = w.block_key[k]
            row, w.block_rows[kept] = row + w.block_rows[k], w.block_rows[k]
            kept += 1
        else:
            row += w.block_rows[k]
    w.n_blocks, w.n_rows = kept, rows
    return 0
