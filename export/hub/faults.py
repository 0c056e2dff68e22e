"""Turns failed requests to the Hub into errors of one line, without access tokens and query strings of URLs.

A failed request may have been carried out: the answer may be lost after a successful commit. So no request is repeated
here; ``export.hub.publish``, run again, reads the state of the Hub and continues from there.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from huggingface_hub import get_token

from planimeter.export.atomic import ExportError
from planimeter.items.printing import redacted

#: Errors of the Hub's client; Xet raises RuntimeError.
CLIENT_FAULTS = (httpx2.HTTPError, OSError, RuntimeError, ValueError)

#: Status code -> reason and remedy.
_REMEDIES = {
    401: "the Hub does not accept the token (401); log in again with `hf auth login`, or set HF_TOKEN",
    402: "the Hub requires payment (402); check the storage of the account",
    403: "the token has no right to write there (403); use one with write access to that name",
    413: "the Hub refuses the upload because it is too large (413)",
}


class PublishError(ExportError):
    """Publishing is refused; the message has reason and remedy. No half-published version is left on the Hub."""


class HubError(PublishError):
    """A request to the Hub failed, and may have been carried out; the same command, run again, continues from there."""


@contextmanager
def explain_hub_errors() -> Iterator[None]:
    """Turn an error of the Hub's client into ``HubError`` if a rerun may help, else into ``PublishError``."""
    try:
        yield
    except CLIENT_FAULTS as error:
        raise _explained(error) from None


def without_token(text: str) -> str:
    """Return ``text`` with access tokens masked and the query strings of URLs removed."""
    token = get_token()
    return redacted(text.replace(token, "***") if token else text)


def _explained(error: Exception) -> PublishError:
    response = getattr(error, "response", None)
    if response is not None:
        message = without_token(response.headers.get("X-Error-Message", ""))[:200]
        line = f"the Hub answered {response.status_code}{f' ({message})' if message else ''}"
        remedy = _REMEDIES.get(response.status_code)
        return PublishError(remedy) if remedy else HubError(f"{line}; run the same command again")
    first = next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)
    line = without_token(first)[:200]
    if isinstance(error, OSError) and error.filename:
        return PublishError(f"{error.filename}: cannot be read ({error.strerror})")
    return HubError(f"a request to the Hub failed ({line}); run the same command again")
