"""Lets requests to this machine pass by a proxy, which stands for the internet and cannot reach our loopback."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import getproxies

_LOOPBACK = ("127.0.0.1", "localhost")
_EXCEPT = ("no_proxy", "NO_PROXY")


@contextmanager
def loopback_direct() -> Iterator[None]:
    """Except loopback from the proxies of the environment or the system, here and in processes that are started here.

    Nothing is changed where there is no proxy, or where no address is to be asked through it (``NO_PROXY=*``).
    """
    environ = dict(os.environ)
    proxies = {f"{scheme}_proxy": address for scheme, address in getproxies().items() if scheme != "no"}
    excepted = [name.strip() for variable in _EXCEPT for name in environ.get(variable, "").split(",") if name.strip()]
    changed: dict[str, str] = {}
    if proxies and "*" not in excepted:
        # Those of the system count only as long as the environment says nothing of proxies, which it does from here on.
        changed = {name: address for name, address in proxies.items() if not {name, name.upper()} & environ.keys()}
        # Of the two spellings some read one and some the other.
        changed |= dict.fromkeys(_EXCEPT, ",".join(dict.fromkeys((*excepted, *_LOOPBACK))))
    os.environ.update(changed)
    try:
        yield
    finally:
        for name in changed:
            os.environ.pop(name, None)
        os.environ.update({name: environ[name] for name in changed if name in environ})
