"""Sweeps: the same results whoever works; failures recorded; what was done is done."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from parallel import work

import rbdyn
from rbdyn.parallel import Sweep, grid, sweep

TESTS = Path(__file__).resolve().parents[1]


def same(a, b):
    """Whether two results are equal in type and bits."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or a != a and b != b


def test_random_numbers_depend_on_seed_and_number_alone():
    serial = sweep(work.noise, range(20), seed=5, workers=0)
    assert not serial.failures and len(serial) == 20 and serial[3]["pair"] == (3, None)
    own = np.random.default_rng(np.random.SeedSequence(5).spawn(20)[7]).normal(size=3)
    assert (serial[7]["x"] == own).all()
    with ThreadPoolExecutor(4) as threads:
        assert same(sweep(work.noise, range(20), threads, seed=5).results, serial.results)
        assert same(sweep(work.noise, range(8), threads, seed=5, chunk=3).results, serial.results[:8])
    assert not same(sweep(work.noise, range(20), seed=6, workers=0).results, serial.results)


def test_processes_give_the_bits_of_one():
    items = grid(mass=[10.0, 14.0, 18.0], steps=[5, 20])
    serial, many = sweep(work.height, items, workers=0), sweep(work.height, items, workers=2)
    assert same(serial.results, many.results) and not many.failures
    assert len({result["hash"] for result in serial}) == 6


def test_a_killed_process_and_results_that_cannot_travel(tmp_path):
    items = [{"k": k, "dies": 4, "folder": str(tmp_path)} for k in range(12)]
    found = sweep(work.die_once, items, workers=2, chunk=3)
    assert found.results == [k**2 for k in range(12)] and (tmp_path / "died").exists() and not found.failures


def test_a_task_that_kills_its_process_is_recorded():
    found = sweep(work.die, range(6), workers=2, chunk=2)
    assert found.results == [0, 1, 2, None, 4, 5] and list(found.failures) == [3]
    assert "BrokenProcessPool" in str(found.failures[3])


def test_a_result_that_cannot_travel_is_recorded():
    found = sweep(work.stream, range(4), workers=1, chunk=4)
    assert found.results == [0, 1, None, 3] and "ickl" in str(found.failures[2])


@pytest.mark.parametrize("chunk", [1, 4])
def test_failures_are_recorded_and_the_others_go_on(chunk):
    found = sweep(work.fail_at, range(8), workers=0, chunk=chunk)
    assert found.results == [0, None, 2, 3, None, 5, 6, None] and list(found.failures) == [1, 4, 7]
    failure = found.failures[4]
    assert (failure.kind, failure.message, str(failure)) == ("ValueError", "no 4", "ValueError: no 4")
    assert "fail_at" in failure.traceback and "8 tasks, 3 failures" in repr(found)


def test_an_exception_whose_text_fails():
    class OddError(Exception):
        def __str__(self):
            raise RuntimeError

    def raise_it(item, rng):
        raise OddError

    found = sweep(raise_it, [0], workers=0)
    assert (found.failures[0].kind, found.failures[0].message) == ("OddError", "?")


# ---- resume ----------------------------------------------------------------------------------------


def counted(calls, fn=work.noise):
    def noise(item, rng):
        calls.append(item)
        return fn(item, rng)

    return noise


@pytest.mark.parametrize("lost", [0, 1, 30])
def test_resume_does_what_is_left(tmp_path, lost):
    file, calls = tmp_path / "done.jsonl", []
    full = sweep(counted(calls), range(9), seed=2, workers=0, resume=file)
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 10
    cut = b"".join(lines[:6])
    file.write_bytes(cut[: len(cut) - lost])  # the writer was killed in the middle of a line
    calls.clear()
    again = sweep(counted(calls), range(9), seed=2, workers=0, resume=file)
    assert same(again.results, full.results) and calls == list(range(5 if lost == 0 else 4, 9))
    calls.clear()
    longer = sweep(counted(calls), range(12), seed=2, workers=0, resume=file)
    assert same(longer.results[:9], full.results) and calls == [9, 10, 11]
    assert same(sweep(counted(calls), range(3), seed=2, workers=0, resume=file).results, full.results[:3])


def test_failures_are_tried_again(tmp_path):
    file = tmp_path / "done"
    assert list(sweep(work.fail_at, range(3), workers=0, resume=file).failures) == [1]
    assert list(sweep(work.fail_at, range(3), workers=0, resume=file).failures) == [1]
    assert len(file.read_text().splitlines()) == 3


OTHERS = [
    ({"seed": 3}, "done:2: task 0 was done with other parameters, or another seed"),
    ({"params": [0, 1.5, 2]}, "done:3: task 1 was done with other parameters"),
    ({"fn": work.fail_at}, "is of a sweep of 'parallel.work.noise', not of 'parallel.work.fail_at'"),
]


@pytest.mark.parametrize("changed, match", OTHERS)
def test_resume_with_something_else(tmp_path, changed, match):
    given = {"fn": work.noise, "params": range(3), "seed": 2, "workers": 0, "resume": tmp_path / "done"}
    sweep(**given)
    before = given["resume"].read_bytes()
    with pytest.raises(rbdyn.Error, match=match):
        sweep(**{**given, **changed})
    assert given["resume"].read_bytes() == before


def total(result):
    """The checksum of a result's text."""
    return hashlib.blake2b(json.dumps(result, sort_keys=True).encode(), digest_size=8).hexdigest()


DAMAGED = [
    (b"\x80\x04\x95\x00\n", "is no checkpoint"),
    (b'{"file": "rbdyn sweep 9"}\n', "is no checkpoint"),
    (b"[]\n", "is no checkpoint"),
    (b"HEAD{]\n", ":2: damaged"),
    (b"HEAD3\n", ":2: damaged"),
    (b"HEAD" + b"[" * 100000 + b"\n", ":2: damaged"),
    (b'HEAD{"index": 0, "task": "", "result": 1}\n', ":2: damaged"),
    (b'HEAD{"index": 0, "task": "", "sum": "SUM", "result": 12}\n', ":2: damaged: the result is not what was written"),
    (b'HEAD{"index": "0", "task": "", "sum": "SUM", "result": 1}\n', ":2: damaged"),
    (b'HEAD{"index": 0, "task": "", "sum": "SUM", "result": 1}\n', ":2: task 0 was done with other parameters"),
]
BODIES = [
    ({"!": "code", "of": "1"}, ":2: damaged: a 'code'"),
    ({"!": "array", "dtype": "O", "shape": [1], "of": ""}, ":2: damaged"),
    ({"!": "array", "dtype": "<f8", "shape": [9], "of": ""}, ":2: damaged"),
    ({"!": "complex", "of": [1]}, ":2: damaged"),
    ({"!": "dict", "of": [[[], 1]]}, ":2: damaged"),
]
DAMAGED += [
    (b"HEAD" + json.dumps({"index": 0, "task": "", "sum": total(body), "result": body}).encode() + b"\n", match)
    for body, match in BODIES
]


@pytest.mark.parametrize("content, match", DAMAGED)
def test_damaged_files(tmp_path, content, match):
    file = tmp_path / "done"
    content = content.replace(b"HEAD", b'{"file": "rbdyn sweep 2", "function": "parallel.work.noise"}\n')
    file.write_bytes(content.replace(b"SUM", total(1).encode()))
    before = file.read_bytes()
    with pytest.raises(rbdyn.Error, match=match):
        sweep(work.noise, range(2), workers=0, resume=file)
    assert file.read_bytes() == before


def test_results_that_cannot_be_written(tmp_path):
    class Kind(np.ndarray):
        """An array that is more than its numbers."""

    for values in ([lambda: 0, np.ma.array([1.0, 2.0], mask=[0, 1])], [np.zeros(2).view(Kind), {1, 2}]):
        file = tmp_path / f"done_{len(list(tmp_path.iterdir()))}"
        choose = lambda item, rng, its=values: its[item] if item < 2 else item  # noqa: E731
        found = sweep(choose, range(4), workers=0, resume=file)
        assert found.results == [None, None, 2, 3] and "the result cannot be written" in found.failures[0].message
        assert list(found.failures) == [0, 1] and len(file.read_text().splitlines()) == 3


def test_an_empty_file_is_a_new_one_and_two_sweeps_do_not_share_it(tmp_path):
    file = tmp_path / "done"
    file.touch()

    def again(item, rng):
        with pytest.raises(rbdyn.Error, match="is written to by another sweep"):
            sweep(again, [1], workers=0, resume=file)
        return item

    assert sweep(again, [1], workers=0, resume=file).results == [1]
    assert sweep(again, [1], workers=0, resume=file).results == [1]


def test_equal_parameters_in_another_order_are_the_same(tmp_path):
    calls = []
    for items in ([{"a": 1, "b": {"x", "y", "z"}}], [{"b": {"z", "y", "x"}, "a": 1}]):
        sweep(counted(calls, lambda item, rng: 0), items, workers=0, resume=tmp_path / "done")
    assert len(calls) == 1
    with pytest.raises(rbdyn.Error, match="other parameters"):
        sweep(counted(calls), [{"a": 1, "b": {"x", "y"}}], workers=0, resume=tmp_path / "done")


def test_results_come_back_as_they_were(tmp_path):
    values = [
        None, True, 10**30, -0.0, float("nan"), float("inf"), 5e-324, "é\n\"", b"\x00\xff", (1, (2.5, [])), {},
        {"!": 1}, {(1, 2): {"a": ()}}, np.arange(6, dtype=">i2").reshape(2, 3), np.zeros((0, 3)), np.float32(0.1),
        np.array([1 + 2j, np.nan]), 1 - 2j,
        np.array(["a", "bcd"]), np.bool_(True), np.arange(4)[::2], np.datetime64("2020"),
    ]  # fmt: skip
    file = tmp_path / "done"
    first = sweep(lambda item, rng: values[item], range(len(values)), workers=0, resume=file)
    again = sweep(lambda item, rng: values[item], range(len(values)), workers=0, resume=file)
    assert same(first.results, values) and same(again.results, values)
    assert again.results is not first.results and again[13] is not values[13]


def test_parameters_without_words_are_known_by_their_pickle(tmp_path):
    items = [range(1, k) for k in range(2, 5)]
    calls = []
    for _ in range(2):
        sweep(counted(calls, lambda item, rng: len(item)), items, workers=0, resume=tmp_path / "done")
    assert calls == items


def test_a_killed_client_loses_nothing(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    client = subprocess.Popen([sys.executable, "-m", "parallel.work", str(tmp_path)], env=environment)
    while not (tmp_path / "began_6").exists() and client.poll() is None:
        time.sleep(0.01)
    client.kill()
    client.wait()
    done = len((tmp_path / "done.jsonl").read_text().splitlines()) - 1
    assert 5 <= done < 12
    items = [{"k": k, "folder": str(tmp_path), "sleep": 0.0} for k in range(12)]
    with pytest.raises(rbdyn.Error, match="other parameters"):
        sweep(work.slow, items, seed=3, resume=tmp_path / "done.jsonl", workers=0)
    items = [{"k": k, "folder": str(tmp_path), "sleep": 0.05} for k in range(12)]
    for k in range(12):
        (tmp_path / f"began_{k}").unlink(missing_ok=True)
    found = sweep(work.slow, items, seed=3, resume=tmp_path / "done.jsonl", workers=0)
    assert len(list(tmp_path.glob("began_*"))) == 12 - done
    assert same(found.results, sweep(work.slow, items, seed=3, workers=0).results)


# ---- processes -------------------------------------------------------------------------------------


def run(folder, text, **options):
    """A script of its own: its process."""
    script = folder / "script.py"
    script.write_text(text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    return subprocess.Popen([sys.executable, str(script)], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **options)  # fmt: skip


HIDDEN = """
import rbdyn
if __name__ == "__main__":
    def mine(item, rng): return item
    try: rbdyn.sweep(mine, range(1000), workers=1)
    except rbdyn.Error as error: print(error)
"""
UNGUARDED = """
import rbdyn
def mine(item, rng): return item
try: rbdyn.sweep(mine, range(1000), workers=1)
except rbdyn.Error as error: print(error)
"""


@pytest.mark.parametrize("text, match", [(HIDDEN, "worker processes can import"), (UNGUARDED, "could start")])
def test_a_function_that_workers_cannot_find_ends_it_at_once(tmp_path, text, match):
    out, _ = run(tmp_path, text).communicate(timeout=120)
    assert match in out and len(out.splitlines()) == 1


ORPHANS = """
import os, sys, time
import rbdyn
from parallel import work
if __name__ == "__main__":
    rbdyn.sweep(work.tell, [{"folder": sys.argv[1] if len(sys.argv) > 1 else "FOLDER"}] * 2, workers=2, chunk=1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_client(tmp_path, how):
    client = run(tmp_path, ORPHANS.replace("FOLDER", str(tmp_path)))
    while len(list(tmp_path.glob("pid_*"))) < 2 and client.poll() is None:
        time.sleep(0.01)
    client.send_signal(how)
    client.communicate(timeout=60)  # which waits until nobody holds the pipes any more
    assert len(list(tmp_path.glob("pid_*"))) == 2


# ---- bad input -------------------------------------------------------------------------------------


class Gone(Executor):
    """An executor that leaves after some pieces of work."""

    def __init__(self, after):
        self.left = after

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        if self.left > 0:
            future.set_result(fn(*args, **kwargs))
        else:
            future.cancel()
            future.set_running_or_notify_cancel()
        self.left -= 1
        return future


def test_an_executor_that_is_gone(tmp_path):
    file, calls = tmp_path / "done", []
    with pytest.raises(rbdyn.Error, match="the executor is gone after 4 of 9 tasks"):
        sweep(counted(calls), range(9), Gone(4), resume=file, chunk=1)
    found = sweep(counted(calls), range(9), workers=0, resume=file)
    assert calls == list(range(9)) and same(found.results, sweep(work.noise, range(9), workers=0).results)


BAD = [
    ({"fn": 3}, "fn must be callable"),
    ({"fn": lambda item, rng: 0, "workers": 1}, "fn must be a function that worker processes can import"),
    ({"executor": 3, "workers": None}, "executor must be an Executor"),
    ({"executor": Gone(1)}, "workers is of the pool"),
    ({"seed": -1}, "seed must be a whole number"),
    ({"workers": -1}, "workers must be a whole number"),
    ({"params": 3}, "params must be a sequence"),
    ({"params": {"a": 1}}, "params must be a sequence, with an item for each task, got .*grid"),
    ({"chunk": 0}, "chunk must be a whole number, 1 or more"),
    ({"progress": 1}, "progress must be True or False"),
]


@pytest.mark.parametrize("changed, match", BAD)
def test_bad_arguments(changed, match):
    with pytest.raises(rbdyn.Error, match=match):
        sweep(**{"fn": work.noise, "params": [1, 2], "workers": 0, **changed})


def test_nothing_to_do():
    assert sweep(work.noise, []).results == [] and rbdyn.sweep is sweep
    assert list(Sweep([1])) == [1] and grid() == [{}] and grid(a=[]) == []
    assert grid(a=range(2), b=(k for k in "xy")) == [{"a": a, "b": b} for a in (0, 1) for b in "xy"]
    for wrong in (3.5, "text", None):
        with pytest.raises(rbdyn.Error, match=r"^mass must be a sequence of values, got .*; write mass=\["):
            grid(mass=wrong)


def test_an_interrupt_ends_it(tmp_path):
    def stop(item, rng):
        if item == 3:
            raise KeyboardInterrupt
        return item

    with pytest.raises(KeyboardInterrupt):
        sweep(stop, range(6), workers=0, resume=tmp_path / "done", chunk=1)
    assert len((tmp_path / "done").read_text().splitlines()) >= 2
