"""Errors: short messages, near names in bounded time, every class pickles."""

import pickle

import numpy as np
import pytest

import rbdyn
from rbdyn import errors
from rbdyn.errors import near_names, unknown_name

CLASSES = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.Error)]


@pytest.mark.parametrize("cls", CLASSES)
def test_messages_are_short_and_pickle(cls):
    for text in ("a short one", "begin " + 5000 * "x" + " end"):
        error = cls(text)
        assert len(str(error)) < 2000
        assert str(error).startswith(text[:5])
        assert str(error).endswith(text[-3:])
        twin = pickle.loads(pickle.dumps(error))
        assert (type(twin), str(twin)) == (cls, str(error))
    assert str(cls("short")) == "short"


@pytest.mark.parametrize("cls", CLASSES)
def test_errors_can_be_made_as_clusters_make_them(cls):
    """Dask's tracebacks (tblib) call `__new__` by name, which Python refuses of some classes with two bases."""
    error = cls.__new__(cls, "what it says")
    error.__init__("what it says")
    assert type(error) is cls and str(error) == "what it says"


class Unprintable:
    def __repr__(self):
        raise RuntimeError


ODD = {"text": "wrist", "long": 3000 * "w", "none": None, "huge": 10**5000, "unprintable": Unprintable(),
       "array": np.zeros(5000), "tuple": ("a", "b"), "bytes": b"x"}  # fmt: skip


@pytest.mark.parametrize("asked", ODD.values(), ids=ODD)
def test_any_question_gets_an_answer(asked):
    error = unknown_name("joint", asked, [f"joint_{k}_{'ab' * 500}" for k in range(50)], "mechanism 'arm'")
    assert isinstance(error, KeyError)
    text = str(error)
    assert text.startswith("no joint ")
    assert "in mechanism 'arm'" in text
    assert "(50 in all)" in text
    assert len(text) < 2000


def test_near_names_are_those_that_the_eye_finds():
    legs = [f"{side}_{part}" for side in ("LF", "RF", "LH", "RH") for part in ("HAA", "HFE", "KFE", "FOOT")]
    assert near_names("LF_HAB", legs)[0] == "LF_HAA"
    assert "RH_FOOT" in near_names("rh_FOOT", legs)
    assert near_names("KFE_LH", legs)
    assert near_names("qqq", legs) == []
    many = [f"link_{k}" for k in range(900)] + ["camera"]
    assert near_names("camra", many) == ["camera"]


@pytest.mark.parametrize(
    "names",
    [
        ["a" * 2000 + str(k) for k in range(400)],
        ["ab" * 30 for _ in range(3)] + ["ab" * 28 + f"{k:04d}" for k in range(20000)],
        [f"joint{k}" for k in range(50000)],
    ],
    ids=["long", "alike", "many"],
)
def test_an_unknown_name_is_told_in_bounded_work(names, monkeypatch):
    """At most 10 thorough comparisons of 60 letters, however many names there are."""
    compared = []

    def close(word, some, **_):
        compared.extend([word, *some])
        return []

    monkeypatch.setattr(errors.difflib, "get_close_matches", close)
    unknown_name("joint", "ab" * 5000, names)
    assert len(compared) <= 11
    assert max(map(len, compared)) <= 60


def test_a_mechanism_says_so():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("arm" + 3000 * "y"), rbdyn.Joint("elbow", rbdyn.Revolute()))
    with pytest.raises(rbdyn.UnknownNameError, match="did you mean 'elbow'"):
        m.find_joint("elbov")
    with pytest.raises(rbdyn.UnknownNameError) as error:
        m.find_body("arn" + 3000 * "y")
    assert len(str(error.value)) < 2000
