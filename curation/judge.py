"""A model that judges which statements are geometry (GeoGramBench, section 4.2), behind an OpenAI-compatible endpoint.

Off unless asked for. A model's word is not reproducible, so the recipe of the dataset names the model. The token comes
from the environment alone and is written nowhere; nor is a password in the endpoint's address.
"""

import os
import re
from dataclasses import dataclass

import httpx

from planimeter.curation.errors import CurationError

TOKEN = "PLANIMETER_JUDGE_TOKEN"  # noqa: S105 - the name of a variable

_QUESTION = (
    "Decide whether the following mathematics problem is a geometry problem: one about shapes, lengths, angles, areas "
    "or volumes, rather than counting, probability, charts or graphs of functions. Reply with one word, yes or no.\n\n"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """``url`` is the base of the endpoint, such as http://127.0.0.1:8000/v1."""

    url: str
    model: str

    def is_geometry(self, problem: str) -> bool:
        """Return the model's word. Raises ``CurationError`` if the endpoint does not give one."""
        token = _token()
        body = {
            "model": self.model,
            "temperature": 0,
            "messages": [{"role": "user", "content": _QUESTION + problem}],
        }
        try:
            reply = httpx.post(
                f"{self.url.rstrip('/')}/chat/completions",
                json=body,
                headers={"Authorization": f"Bearer {token}"} if token else {},
                timeout=120,
            )
            reply.raise_for_status()
            word = str(reply.json()["choices"][0]["message"]["content"]).strip().lower()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError) as error:
            raise CurationError(f"{self._named} gives no answer ({_why(error, token)}); go without --judge") from None
        for answer in ("yes", "no"):
            if word.startswith(answer):
                return answer == "yes"
        raise CurationError(f"{self._named} must say yes or no, it said {word[:60]!r}")

    @property
    def _named(self) -> str:
        return f"the judge at {_without_secret(self.url)}"


def _token() -> str:
    """Return the token, empty if there is none. Raises ``CurationError`` if no header can hold it."""
    # A line of a file that ends in CRLF brings its end along.
    token = os.environ.get(TOKEN, "").strip()
    if not (token.isascii() and token.isprintable()):
        raise CurationError(f"{TOKEN} holds a control character or one that is not ASCII; set it again")
    return token


def _why(error: Exception, token: str) -> str:
    """Return what ``error`` says, in one line and without a secret; httpx quotes headers and whole addresses."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answers {error.response.status_code}"
    if isinstance(error, httpx.InvalidURL):
        return "that is no valid address"
    lines = (line.strip() for line in str(error).splitlines())
    said = next(filter(None, lines), type(error).__name__)
    return _without_secret(said.replace(token, "(token)") if token else said)


def _without_secret(text: str) -> str:
    """Return ``text`` without what may hold a password or a key in an address: all before an @, and the query."""
    return re.sub(r"(?<=//).*@|\?\S*", "", text, flags=re.DOTALL)
