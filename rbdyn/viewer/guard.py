"""Who may talk to the viewer: pages that it served itself, and programs on this machine."""

from __future__ import annotations

from collections.abc import Mapping

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def refusal(headers: Mapping[str, str], protocol: str) -> str | None:
    """Why a request is refused; None if it is not.

    A page from elsewhere can make a browser ask any address on this machine, under a name of its own (DNS rebinding) or
    from its own origin (cross-site WebSockets).  Both show in the headers, which pages cannot change.

    Parameters
    ----------
    headers : mapping
        Of the request.
    protocol : str
        That web sockets have to ask for.

    Returns
    -------
    why : str or None
    """
    host = headers.get("Host", "").lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] if ":" in host else host
    if name not in LOOPBACK:
        return "this server answers to localhost and 127.0.0.1 alone"
    origin = headers.get("Origin")
    if origin is not None and origin.lower() != f"http://{host}":
        return "this server answers to its own pages alone"
    if headers.get("Upgrade", "").lower() != "websocket":
        return None
    offered = [p.strip() for p in headers.get("Sec-WebSocket-Protocol", "").split(",")]
    return None if protocol in offered else f"web sockets must ask for {protocol}"
