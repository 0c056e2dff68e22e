"""A model that judges imported problems, at an OpenAI-compatible endpoint.

Off by default. A model's reply is not reproducible, so the recipe of the dataset names the model. The token comes
from the environment alone and is written nowhere; nor is a password in the endpoint's address.

Requests to a busy or lost endpoint are repeated after growing delays, or after its Retry-After.
"""

import os
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache

import httpx

from planimeter.export.errors import CurationError
from planimeter.flows.errors import first_line, redacted

TOKEN = "PLANIMETER_JUDGE_TOKEN"  # noqa: S105 - the name of a variable

#: Seconds for one reply.
TIMEOUT = 120.0

#: Seconds that an endpoint may be busy or gone until the import ends, by default.
PATIENCE = 300.0

#: Seconds before the second try, doubled with each further one, and the most of them.
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0

#: Status codes of a server that may recover soon.
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

#: Status codes that no second try changes.
_HOPELESS = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """``url`` is the base of the endpoint, such as http://127.0.0.1:8000/v1; ``patience`` in seconds."""

    url: str
    model: str
    patience: float = PATIENCE

    def ask(self, question: str) -> str:
        """Return the model's reply to ``question``. Raises ``CurationError`` if the endpoint gives none in time."""
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
        """Return the request body for ``question``: the only input of the reply."""
        return {"model": self.model, "temperature": 0, "messages": [{"role": "user", "content": question}]}


@cache
def _client() -> httpx.Client:
    # One for all requests of a process: loading certificates takes longer than a small model.
    return httpx.Client(timeout=TIMEOUT)


def _wait(error: Exception, attempt: int) -> float | None:
    """Return the seconds before the next try, None if another try is useless."""
    wait = min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT)
    if isinstance(error, httpx.HTTPStatusError):
        if error.response.status_code not in BUSY:
            return None
        return max(wait, _retry_after(error.response.headers.get("Retry-After", "")))
    return wait if isinstance(error, httpx.TransportError) and not isinstance(error, _HOPELESS) else None


def _retry_after(header: str) -> float:
    """Return the seconds of a Retry-After, a number or a date; 0 if it is neither."""
    try:
        return float(header) if header.strip().isdigit() else parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return 0.0


def _token() -> str:
    """Return the token, empty without one. Raises ``CurationError`` if a header cannot contain it."""
    # A line of a file that ends in CRLF brings its end along.
    token = os.environ.get(TOKEN, "").strip()
    if not (token.isascii() and token.isprintable()):
        raise CurationError(f"{TOKEN} holds a control character or one that is not ASCII; set it again")
    return token


def _why(error: Exception, token: str) -> str:
    """Return the first line of ``error`` without a secret; httpx quotes headers and whole addresses."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answers {error.response.status_code}"
    if isinstance(error, httpx.InvalidURL):
        return "that is not a valid address"
    line = first_line(error)
    return line.replace(token, "(token)") if token else line
