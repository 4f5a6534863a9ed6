"""The State that a user means."""

from rbdyn.arguments import shown

from rbdyn.model.state cimport State


cdef State state_of_other(object given):
    """What is no plain State: a State of a derived class, or an object with a State, as a robot in a World."""
    cdef object inner = given if isinstance(given, State) else getattr(given, "state", None)
    if not isinstance(inner, State):
        raise TypeError(f"state must be a State, or a robot in a World, which has one; got {shown(given)}")
    return <State> inner
