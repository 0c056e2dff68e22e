"""Asks a model at an OpenAI-compatible endpoint to judge imported problems (option ``--judge``).

Replies of a model are not reproducible, so the recipe of the dataset names the model. The token comes from the
environment only; neither the token nor a password in the address of the endpoint is written anywhere. If the endpoint
is busy or unreachable, a request is repeated after growing delays, or after the time in a header Retry-After.
"""

import os
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache

import httpx

from planimeter.export.errors import CurationError
from planimeter.flows.errors import first_line, redacted

#: The environment variable with the token.
TOKEN = "PLANIMETER_JUDGE_TOKEN"  # noqa: S105 - the name of a variable

#: The time limit of one request in seconds.
TIMEOUT = 120.0

#: The default number of seconds for which an endpoint may be busy or unreachable before the import fails.
PATIENCE = 300.0

#: Seconds before the second attempt, which double with each further one, and their upper limit.
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0

#: Status codes after which another attempt may succeed.
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

#: Errors of the connection after which another attempt is useless.
_HOPELESS = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """A model at the endpoint ``url``, such as http://127.0.0.1:8000/v1; if busy, asked again for ``patience`` s."""

    url: str
    model: str
    patience: float = PATIENCE

    def ask(self, question: str) -> str:
        """Return the model's reply to ``question``. Raises ``CurationError`` if there is none within ``patience``."""
        token = _token()
        address = f"{self.url.rstrip('/')}/chat/completions"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        began, attempt = time.monotonic(), 0
        while True:
            try:
                reply = _client().post(address, json=self.body(question), headers=headers)
                reply.raise_for_status()
                content = reply.json()["choices"][0]["message"]["content"]
                if not isinstance(content, str):
                    raise TypeError(f"expected text, got {type(content).__name__}")
                return content
            except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError) as error:
                wait = _wait(error, attempt)
                waited = time.monotonic() - began
                if wait is None or waited + wait > self.patience:
                    named = f"the judge at {redacted(''.join(self.url.split()))} failed ({_why(error, token)})"
                    if wait is None:
                        raise CurationError(f"{named}; go without --judge") from None
                    raise CurationError(
                        f"{named} after {waited:.0f} s, and the next attempt is in {wait:.0f} s; judgements so far are "
                        "kept: run the same command again later, give a longer --patience, or go without --judge"
                    ) from None
                time.sleep(wait)
                attempt += 1

    def body(self, question: str) -> dict[str, object]:
        """Return the JSON body of the request with ``question``."""
        return {"model": self.model, "temperature": 0, "messages": [{"role": "user", "content": question}]}


@cache
def _client() -> httpx.Client:
    # One client for all requests of a process, since loading certificates is slow.
    return httpx.Client(timeout=TIMEOUT)


def _wait(error: Exception, attempt: int) -> float | None:
    """Return the seconds to wait before the next attempt after ``error``; None if another attempt is useless.

    ``attempt`` counts from 0.
    """
    wait = min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT)
    if isinstance(error, httpx.HTTPStatusError):
        if error.response.status_code not in BUSY:
            return None
        return max(wait, _retry_after(error.response.headers.get("Retry-After", "")))
    return wait if isinstance(error, httpx.TransportError) and not isinstance(error, _HOPELESS) else None


def _retry_after(header: str) -> float:
    """Return the seconds that a Retry-After ``header`` demands, as a number or a date; 0 if it is neither."""
    try:
        return float(header) if header.strip().isdigit() else parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return 0.0


def _token() -> str:
    """Return the token, empty if none is set. Raises ``CurationError`` if an HTTP header cannot contain it."""
    # A token that was read from a file may end in a line end.
    token = os.environ.get(TOKEN, "").strip()
    if not (token.isascii() and token.isprintable()):
        raise CurationError(f"{TOKEN} contains a control character or a non-ASCII character; set it again")
    return token


def _why(error: Exception, token: str) -> str:
    """Return the first line of ``error`` without ``token`` and other secrets, which httpx may quote."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"HTTP status {error.response.status_code}"
    if isinstance(error, httpx.InvalidURL):
        return "that is not a valid address"
    line = first_line(error)
    return line.replace(token, "(token)") if token else line
