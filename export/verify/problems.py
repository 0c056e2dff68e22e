"""A broken promise, as the verifier reports it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """``where`` is a file or row, ``what`` the rule and the value that breaks it, ``remedy`` what to do about it."""

    where: str
    what: str
    remedy: str = "build the dataset again"

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.remedy}"
