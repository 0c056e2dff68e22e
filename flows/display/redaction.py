"""Keeps what is secret out of what is told."""

import re

#: What stands before the host in an address: a name and mostly a password, which need not be encoded as it should.
_USERINFO = re.compile(r"(?<=://)[^\s'\"]*@")


def redacted(text: str) -> str:
    """Return ``text`` with ``***`` in place of the credentials in the addresses that it names."""
    return _USERINFO.sub("***@", text)
