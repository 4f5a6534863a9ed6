"""A sweep on a real cluster: a Dask scheduler and two workers over loopback, one of which is killed half-way.

It takes some ten seconds, so that it runs where the variable RBDYN_CLUSTER is 1.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from parallel import work
from parallel.test_sweep import same

from rbdyn.parallel import sweep

pytestmark = [
    pytest.mark.skipif(os.environ.get("RBDYN_CLUSTER") != "1", reason="starts a cluster; RBDYN_CLUSTER=1 runs it"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]

TESTS = Path(__file__).resolve().parents[1]


def start(*words, folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    command = [sys.executable, "-m", "dask", *words]
    with (folder / f"{words[0]}.log").open("a") as log:
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)


@pytest.fixture
def cluster(tmp_path):
    """(client, workers), each a process of its own."""
    distributed = pytest.importorskip("distributed")
    address = tmp_path / "scheduler.json"
    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show",
                      "--scheduler-file", str(address), folder=tmp_path)  # fmt: skip
    workers = [
        start("worker", "--scheduler-file", str(address), "--host", "127.0.0.1", "--no-nanny", "--no-dashboard",
              "--nthreads", "1", "--name", f"worker_{k}", "--local-directory", str(tmp_path / str(k)), folder=tmp_path)
        for k in range(2)
    ]  # fmt: skip
    try:
        while not address.exists():
            time.sleep(0.05)
        with distributed.Client(scheduler_file=str(address), timeout=30) as client:
            client.wait_for_workers(2, timeout=60)
            yield client, workers
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()


def test_a_killed_worker_loses_nothing(cluster, tmp_path):
    client, workers = cluster
    items = [{"mass": 10.0 + 0.05 * k, "steps": 50 + k % 7} for k in range(200)]
    file, killed = tmp_path / "done.jsonl", []

    def kill_half_way():
        while not file.exists() or file.read_bytes().count(b"\n") < 80:
            time.sleep(0.01)
        killed.append(file.read_bytes().count(b"\n"))
        workers[0].kill()

    killer = threading.Thread(target=kill_half_way, daemon=True)
    killer.start()
    found = sweep(work.height, items, client.get_executor(), seed=4, resume=file, chunk=2)
    killer.join()
    assert 80 <= killed[0] < 190 and not found.failures and len(client.scheduler_info()["workers"]) == 1
    assert same(found.results, sweep(work.height, items, seed=4, workers=0).results)


def test_failures_of_tasks_and_of_workers(cluster):
    client, workers = cluster
    assert list(sweep(work.fail_at, range(9), client.get_executor()).failures) == [1, 4, 7]
    for fn, failed, kind in ((work.stream, 2, "TypeError"), (work.unreadable, 1, "ValueError")):
        found = sweep(fn, range(4), client.get_executor())
        assert list(found.failures) == [failed] and [found[k] for k in range(4) if k != failed] == [
            k for k in range(4) if k != failed
        ]
        assert kind in found.failures[failed].kind
    assert workers[0].poll() is None


def test_a_client_that_is_killed_loses_nothing(cluster, tmp_path):
    """Another one goes on where it was, on the same cluster."""
    client, _ = cluster
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    words = [sys.executable, "-m", "parallel.work", str(tmp_path), str(tmp_path / "scheduler.json")]
    first, file = subprocess.Popen(words, env=environment), tmp_path / "done.jsonl"
    while (not file.exists() or file.read_bytes().count(b"\n") < 6) and first.poll() is None:
        time.sleep(0.005)
    first.kill()
    first.wait()
    done = file.read_bytes().count(b"\n") - 1
    assert 5 <= done < 12
    items = [{"k": k, "folder": str(tmp_path), "sleep": 0.05} for k in range(12)]
    found = sweep(work.slow, items, client.get_executor(), seed=3, resume=file)
    assert not found.failures and same(found.results, sweep(work.slow, items, seed=3, workers=0).results)
    assert file.read_bytes().count(b"\n") == 13


def test_a_cluster_that_is_gone(cluster, tmp_path):
    client, _ = cluster
    items = [{"k": k, "folder": str(tmp_path), "sleep": 0.05} for k in range(40)]

    def leave():
        while not (tmp_path / "began_10").exists():
            time.sleep(0.01)
        client.close()

    threading.Thread(target=leave, daemon=True).start()
    file = tmp_path / "kept.jsonl"
    with pytest.raises(Exception, match="executor|close"):
        sweep(work.slow, items, client.get_executor(), resume=file, chunk=1)
    done = file.read_bytes().count(b"\n") - 1
    assert 0 < done < 40
    for path in tmp_path.glob("began_*"):
        path.unlink()
    found = sweep(work.slow, items, resume=file, workers=0)
    assert not found.failures and len(list(tmp_path.glob("began_*"))) == 40 - done
