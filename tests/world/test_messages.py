"""The library never prints; what it says goes to the standard logger."""

import logging

import numpy as np
import pytest

import rbdyn
from rbdyn.world import World


def test_messages_go_to_the_logger(caplog, capfd):
    """Coming and going are INFO, a step that diverged ERROR; without a handler nothing is seen."""
    world = World()
    ball = world.add_sphere(0.1, 1.0, name="ball")
    assert any(isinstance(one, logging.NullHandler) for one in logging.getLogger("rbdyn").handlers)
    with caplog.at_level(logging.INFO, logger="rbdyn"):
        world.add_box(0.1, 0.1, 0.1, 1.0, name="box")
        world.remove("box")
        ball.set_external_force(0, (1e308, 1e308, 1e308))
        ball.set_velocity(np.full(3, 1e308))
        with pytest.raises(rbdyn.DivergenceError):
            world.step(100)
    said = [(one.levelname, one.getMessage().split(" (")[0]) for one in caplog.records]
    assert said[:2] == [("INFO", "box 'box' is added"), ("INFO", "'box' is removed")]
    assert said[-1][0] == "ERROR" and "is not finite" in caplog.records[-1].getMessage()
    assert capfd.readouterr() == ("", "")
