"""What may go wrong between us and the Hub, in one line each, and whether to look again or to stop.

A fault never says whether the request was carried out: an answer may be lost after a commit that did happen. So nothing
is ever repeated blindly; after a fault the remote is read again, and that decides (``export.hub.publish``). This
module only decides whether to read again. No line contains a token, nor an address with its query, which may be signed.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import httpx2
from huggingface_hub import constants, get_token
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from planimeter.export.atomic import ExportError

Result = TypeVar("Result")

#: What the client raises; RuntimeError is how Xet reports its faults.
CLIENT_FAULTS = (httpx2.HTTPError, OSError, RuntimeError, ValueError)

#: Faults in a row after which we stop, and the longest wait that we grant a Hub that asks for one, in seconds.
TRIES = 6
LONGEST_WAIT = 300.0

#: 404: the repository is not there yet, or not any more; 409 and 412: another commit, maybe our own, was quicker.
_LOOK_AGAIN = frozenset({404, 408, 409, 412, 425, 429})

_TOKEN = re.compile(r"hf_\w+|(?i:bearer) \S+")

#: How the client words a Hub's refusal of a list of data that it says are there already.
_STALE = re.compile(r"\b400\b.*/v1/shards\b", re.DOTALL)

_REMEDIES = {
    401: "the Hub does not accept the token (401); log in again with `hf auth login`, or set HF_TOKEN",
    402: "the Hub asks for payment (402); look at the account's storage",
    403: "the token has no right to write there (403); use one with write access to that name",
    413: "the Hub finds the upload too large (413)",
}


class PublishError(ExportError):
    """Why the dataset could not be published, and what to do; the remote is as it was, or consistent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """``line`` describes what happened; ``wait`` is what the Hub asks for in seconds, if it does."""

    line: str
    passing: bool
    wait: float | None = None


class Patience:
    """Waits after a passing fault, longer each time, and gives up after ``TRIES`` in a row."""

    def __init__(self, sleep: Callable[[float], object], log: Callable[[str], object]) -> None:
        self._sleep, self._log = sleep, log
        self._faults = 0

    def progress(self) -> None:
        """Note that a step has succeeded."""
        self._faults = 0

    def persist(self, action: Callable[[], Result], /) -> Result:
        """Return what ``action``, which only reads, returns, if need be after some tries."""
        while True:
            try:
                result = action()
            except CLIENT_FAULTS as error:
                self.after(error)
            else:
                self.progress()
                return result

    def attempt(self, action: Callable[[], object], /) -> bool:
        """Call ``action``, which writes, once; return whether it succeeded, or wait after its fault.

        Its answer may be lost after it was carried out, so what is to be done next is for another look to decide.
        """
        try:
            action()
        except CLIENT_FAULTS as error:
            self.after(error)
            return False
        self.progress()
        return True

    def after(self, error: Exception) -> None:
        """Wait after ``error``; ``PublishError`` if it will not pass, or has not for ``TRIES`` times."""
        fault = read_fault(error)
        self._faults += 1
        if not fault.passing:
            raise PublishError(fault.line) from None
        if self._faults >= TRIES:
            raise PublishError(f"{fault.line}; given up after {TRIES} tries, run the same command again") from None
        wait = 2.0 ** (self._faults - 1) if fault.wait is None else fault.wait
        if wait > LONGEST_WAIT:
            raise PublishError(f"the Hub asks to wait {wait:.0f} s; run the same command again then") from None
        self._log(f"{fault.line}; looking again in {wait:.0f} s")
        self._sleep(wait)


def read_fault(error: Exception) -> Fault:
    """Return what ``error``, raised by the client, means."""
    if isinstance(error, HfHubHTTPError | httpx2.HTTPStatusError):
        return _answer(error.response)
    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return Fault(line="the Hub did not answer in time", passing=True)
    if _STALE.search(str(error)):
        # Xet remembers on this machine what each Hub has; asking again with the same memory gets the same answer.
        stale = "the Hub lacks data that this machine's Xet cache says it has"
        return Fault(line=f"{stale}; delete {constants.HF_XET_CACHE}, then run the same command again", passing=False)
    if isinstance(error, httpx2.HTTPError | ConnectionError | LocalEntryNotFoundError):
        return Fault(line=f"the connection to the Hub failed ({_words(error)})", passing=True)
    if isinstance(error, RuntimeError):
        return Fault(line=f"the upload failed ({_words(error)})", passing=True)
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return Fault(line="the Hub's answer was cut short", passing=True)
    return Fault(line=f"cannot be published: {_words(error)}", passing=False)


def without_token(text: str) -> str:
    """Return ``text`` without anything that looks like a token, or is the one in use."""
    token = get_token()
    return _TOKEN.sub("(token)", text.replace(token, "(token)") if token else text)


def _answer(response: httpx2.Response) -> Fault:
    status = response.status_code
    if status in _REMEDIES:
        return Fault(line=_REMEDIES[status], passing=False)
    message = without_token(response.headers.get("X-Error-Message", ""))[:200]
    line = f"the Hub answered {status}{f' ({message})' if message else ''}"
    return Fault(line=line, passing=status in _LOOK_AGAIN or status >= 500, wait=_retry_after(response))


def _retry_after(response: httpx2.Response) -> float | None:
    """Return the seconds of Retry-After, or those of the Hub's own header ("api";r=0;t=55)."""
    seconds = response.headers.get("Retry-After", "")
    if not seconds.isdigit() and response.status_code == 429:
        reset = re.search(r"\bt=(\d+)", response.headers.get("ratelimit", ""))
        seconds = reset[1] if reset else ""
    return float(seconds) if seconds.isdigit() else None


def _words(error: Exception) -> str:
    """Return the first line of ``error``, without token and without the query of an address."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return re.sub(r"(https?://[^\s?]+)\?\S*", r"\1", without_token(line))[:200]
