"""Writes the page on which a person decides about doubtful problems of an import: one file, without server or network.

Imported content is shown as text, never run as HTML. In addition, the content security policy of the page allows only
its own script, by its digest, and no network request.
"""

import base64
import hashlib
import json
from collections.abc import Iterable

from markupsafe import Markup

from planimeter.export.pages.templating import environment
from planimeter.items.values import Row

#: (entry of the review list, PNG or None, reason for a missing PNG).
Shown = tuple[Row, bytes | None, str]


def render(
    dataset: str, version: str, digest: str, entries: Iterable[Shown], levels: Iterable[str], *, left: int = 0
) -> bytes:
    """Return the HTML page on which a person decides about ``entries`` of the review list of ``dataset`` ``version``.

    Each of ``entries`` is (entry, PNG or None, reason for a missing PNG). ``digest`` is a digest of the list, under
    which the browser stores decisions. The page can save the list with decisions and edits; an edited level is one of
    ``levels``. ``left`` is the number of entries that are not on the page.
    """
    shown = []
    doubts: dict[str, None] = {}
    for entry, png, why in entries:
        shown.append({"entry": dict(entry), "figure": base64.b64encode(png or b"").decode(), "why": why})
        doubts |= dict.fromkeys(entry["doubts"])
    data = {"key": f"planimeter/{dataset}/{version}/{digest}", "name": f"{version}-reviewed.jsonl", "shown": shown}
    templates = environment()
    script = templates.get_template("review.js.j2").render()
    page = templates.get_template("review.html.j2").render(
        dataset=dataset,
        version=version,
        doubts=list(doubts),
        levels=list(levels),
        left=left,
        # Without "<", no text of a corpus can end the script element.
        data=Markup(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")),  # noqa: S704 - no tag is left
        script=Markup(script),  # noqa: S704 - our own file
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return page.encode()
