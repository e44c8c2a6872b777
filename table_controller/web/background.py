"""Serves a site beside other work, as a context that ends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from table_controller.web.app import Site, serve


@asynccontextmanager
async def serving(
    site: Site, *, started: Callable[[int], None] | None = None
) -> AsyncIterator[None]:
    """The site is served inside; leaving stops it. Raises OSError where the port is taken."""
    listening: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def listens(port: int) -> None:
        if not listening.done():
            listening.set_result(None)
        if started is not None:
            started(port)

    server = asyncio.create_task(serve(site, started=listens), name="web")
    try:
        await asyncio.wait([server, listening], return_when=asyncio.FIRST_COMPLETED)
        if not listening.done():
            await server
            raise OSError(f"port {site.settings.port} cannot be listened on: is it in use?")
        yield
    finally:
        server.cancel()
        with suppress(asyncio.CancelledError, SystemExit):
            await server
