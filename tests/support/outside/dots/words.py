"""The words of the question."""

SYSTEM_PROMPT = ""
PROMPT = "How many dots are there? Reply with a number."
