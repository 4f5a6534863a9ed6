"""The viewer's server: viser's, on this machine alone, guarded and silent."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any

from rbdyn.errors import ViewerError, missing_extra
from rbdyn.viewer.guard import refusal

HOST = "127.0.0.1"
LOG = logging.getLogger("rbdyn")
_lock = threading.Lock()


def viser_module() -> Any:
    """viser, or MissingExtraError."""
    try:
        import viser
    except ImportError:
        raise missing_extra("the viewer", "viser", "viz") from None
    return viser


def start_server(port: int | None, label: str = "rbdyn") -> Any:
    """A viser.ViserServer on 127.0.0.1.

    Parameters
    ----------
    port : int or None
        None: any that is free.
    label : str
        Of the page.

    Raises
    ------
    ViewerError
        If the port is in use, or viser cannot be guarded.
    MissingExtraError
        Without viser.
    """
    viser = viser_module()
    if port is not None:
        check_free(port)
    with _lock, silent(), guarded(f"viser-v{viser.__version__}") as guards:
        server = viser.ViserServer(host=HOST, port=port or 0, label=label, verbose=False)
    if not guards or server.get_host() != HOST or (port is not None and server.get_port() != port):
        stop_server(server)
        reason = (
            f"it listens at {server.get_host()}:{server.get_port()}" if guards else "its requests cannot be checked"
        )
        raise ViewerError(f"viser {viser.__version__} did not start as it was told: {reason}")
    server.request_share_url = _not_shared  # a page may ask for a tunnel to the outside
    return server


def _not_shared(*_: Any, **options: Any) -> None:
    """No."""
    LOG.warning("the viewer is not shared: it answers to this machine alone")


def check_free(port: int) -> None:
    """ViewerError if somebody listens there: viser would take another one without a word."""
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
        except OSError as error:
            raise ViewerError(f"port {port} cannot be used: {error.strerror}; give another one, or none") from None


@contextlib.contextmanager
def guarded(protocol: str) -> Iterator[list[Any]]:
    """While a ViserServer is made: its requests go through `refusal` first.

    viser has no place for this, and makes its server by `websockets.asyncio.server.serve`, which has one:
    `process_request`.  What is yielded holds a guard once that was so.
    """
    from websockets.asyncio import server as websockets_server

    real, guards = websockets_server.serve, []

    def serve(handler: Any, host: Any, port: Any, **options: Any) -> Any:
        inner = options.get("process_request")

        def guard(connection: Any, request: Any) -> Any:
            why = refusal(request.headers, protocol)
            if why is not None:
                LOG.warning("the viewer refused a request: %s", why)
                return connection.respond(403, why + "\n")
            return inner(connection, request) if inner is not None else None

        guards.append(guard)
        quiet = logging.getLogger("rbdyn.viewer.requests")
        quiet.setLevel(logging.CRITICAL)  # what strangers send is no error of the program
        return real(handler, host, port, **options | {"process_request": guard, "logger": quiet})

    websockets_server.serve = serve  # type: ignore[assignment, misc]
    try:
        yield guards
    finally:
        websockets_server.serve = real  # type: ignore[misc]


def stop_server(server: Any) -> None:
    """Stop it."""
    with _lock, silent():
        server.stop()


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """While a server starts or stops: what viser prints then, verbose or not, is left out."""
    import rich

    real = rich.print

    def nothing(*values: Any, **options: Any) -> None:
        """Print nothing."""

    rich.print = nothing
    try:
        yield
    finally:
        rich.print = real


def address(server: Any) -> str:
    """Where a browser finds it."""
    return f"http://localhost:{server.get_port()}"
