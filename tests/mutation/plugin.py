"""pytest plugin: which test reaches which mutant; and mutant after mutant against the tests that reach it.

RBDYN_MUTANT_MAP is a file with the number of the mutant to be and one byte for each mutant, set where the
library asks for it.  With RBDYN_MUTANT_REACH, what each test reached is written there.  With RBDYN_MUTANT_PLAN,
{number: [tests, seconds]}, the tests are collected once, and each mutant runs its tests in a fork, up to the first that
fails.
"""

import json
import os
import pathlib
import signal
import struct
import time

import pytest

MAP, REACH, PLAN, RESULTS = (os.environ.get(f"RBDYN_MUTANT_{name}") for name in ("MAP", "REACH", "PLAN", "RESULTS"))
BEFORE = struct.calcsize("i")  # bytes of the map before those of the mutants
tests, files, failed = {}, {}, []


def reached():
    """Numbers seen since the last call."""
    if not (MAP and REACH):
        return []
    with pathlib.Path(MAP).open("r+b") as file:
        file.seek(BEFORE)
        seen = file.read()
        file.seek(BEFORE)
        file.write(bytes(len(seen)))
    return [k for k, byte in enumerate(seen) if byte]


def of_file(nodeid, numbers):
    files.setdefault(nodeid.split("::")[0], set()).update(numbers)


def pytest_collectreport(report):
    of_file(report.nodeid, reached())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """What a fixture of many tests reaches, all of them reach."""
    before = reached()
    result = yield
    numbers = reached()
    if fixturedef.scope != "function":
        of_file(request.node.nodeid, numbers)
    tests.setdefault(request._pyfuncitem.nodeid, [0.0, set()])[1].update([*before, *numbers])
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    start = time.perf_counter()
    result = yield
    entry = tests.setdefault(item.nodeid, [0.0, set()])
    entry[0] = time.perf_counter() - start
    entry[1].update(reached())
    return result


def pytest_runtest_logreport(report):
    if report.failed:
        failed.append(report.nodeid)


def pytest_runtestloop(session):
    """Each mutant of the plan in a process of its own, which has all tests collected and none run."""
    if not PLAN:
        return None
    items = {item.nodeid: item for item in session.items}
    with pathlib.Path(RESULTS).open("a") as results:
        for number, (names, seconds) in json.loads(pathlib.Path(PLAN).read_text()).items():
            chosen = [items[name] for name in names if name in items]
            if chosen:
                results.write(json.dumps([int(number), *trial(int(number), chosen, seconds)]) + "\n")
                results.flush()
    return True


def be(number):
    """Switch a mutant on, in every module of this process and of its children."""
    with pathlib.Path(MAP).open("r+b") as file:
        file.write(struct.pack("i", number))


def trial(number, chosen, seconds):
    """(status, test) of one mutant."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        be(number)
        run(chosen, writer)
    os.close(writer)
    end = time.monotonic() + seconds
    while (status := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < end:
        time.sleep(0.01)
    if status[0] == 0:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with os.fdopen(reader) as file:
        by = file.read().split("\n")
    be(0)
    if status[0] == 0:
        return "killed", f"takes for ever: {by[-1]}"
    code = os.waitstatus_to_exitcode(status[1])
    return {0: "survived", 1: "killed"}.get(code, "crash"), f"{len(chosen)} tests" if code == 0 else by[-1]


def run(chosen, writer):
    """Run tests up to the first that fails, and leave the process; the last name written is the test at work."""
    code = 2
    try:
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            os.write(writer, f"\n{item.nodeid}".encode())
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if failed:
                break
        code = 1 if failed else 0
    finally:
        os._exit(code)


def pytest_sessionfinish():
    if REACH:
        found = {
            "tests": {name: [seconds, sorted(numbers)] for name, (seconds, numbers) in tests.items()},
            "files": {name: sorted(numbers) for name, numbers in files.items()},
            "failed": failed,
        }
        pathlib.Path(REACH).write_text(json.dumps(found))
