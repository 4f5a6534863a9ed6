# The State that a user means: itself, or that of a robot in a World.

from rbdyn.model.state cimport State

cdef State state_of_other(object given)

cdef inline State state_of(object given):
    """A State, or that of an object that has one."""
    if type(given) is State:
        return <State> given
    return state_of_other(given)
