"""Prepares texts for people: escapes control characters, removes credentials, and quotes commands for a shell."""

import re
import shlex

#: Control characters, directional overrides and surrogates: a terminal executes them, hides text, or cannot print them.
#: Tabs and line breaks stay.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

#: Credentials: a user and password (which may contain an @) before a host, a token of the Hub, a bearer token.
_SECRET = re.compile(r"(?<=://)\S*@|\bhf_\w+|(?i:(?<=\bbearer )\S+)")

#: The query and fragment of an address, which may contain a key or signature; and a key in an address without scheme.
_QUERY = re.compile(r"(://[^\s'\"?#]+)[?#][^\s'\"]*")
_KEY = re.compile(r"(?i)([?&][\w-]*(?:token|key|secret|password|credential|signature|sig)=)[^\s&'\"]+")


def printable(text: str) -> str:
    r"""Return ``text`` with control characters as escapes, such as ``\x1b``."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def redacted(text: str) -> str:
    """Return ``text`` with credentials replaced by ``***``, and URLs without their queries and fragments."""
    hidden = _SECRET.sub(lambda found: "***@" if found[0].endswith("@") else "***", text)
    return _KEY.sub(r"\1***", _QUERY.sub(r"\1", hidden))


def command(*words: object) -> str:
    """Return ``words`` as one shell command, each quoted if necessary."""
    return shlex.join(map(str, words))
