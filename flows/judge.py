"""A model that judges which statements are geometry (GeoGramBench, section 4.2), behind an OpenAI-compatible endpoint.

Off unless asked for. A model's word is not reproducible, so the recipe of the dataset names the model. The token comes
from the environment alone and is written nowhere.
"""

import os
from dataclasses import dataclass

import httpx

from flows.errors import PlanimeterError

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
        """Return the model's word. Raises ``PlanimeterError`` if the endpoint does not give one."""
        token = os.environ.get(TOKEN, "")
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
            raise PlanimeterError(f"the judge at {self.url} gives no answer ({error}); go without --judge") from None
        for answer in ("yes", "no"):
            if word.startswith(answer):
                return answer == "yes"
        raise PlanimeterError(f"the judge at {self.url} must say yes or no, it said {word[:60]!r}")
