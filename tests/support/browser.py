"""A real Chromium without a window, driven over its debugging port."""

import itertools
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from command_line import PATIENCE, wait_until
from websockets.sync.client import ClientConnection, connect

CHROMIUM = Path("/usr/bin/chromium")


class Page:
    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._numbers = socket, itertools.count(1)
        self.requested: list[str] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("method") == "Network.requestWillBeSent":
                self.requested.append(answer["params"]["request"]["url"])
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def js(self, expression: str) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str) -> None:
        code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}.get(key) or ord(key.upper())
        typed = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            text = {"text": typed} if typed and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def show(self, url: str, width: int, height: int, scheme: str = "light") -> None:
        self.call("Network.enable")
        size: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        loaded = "document.readyState === 'complete' && location.href !== 'about:blank'"
        wait_until(lambda: self.js(loaded))


@contextmanager
def opened(profile: Path) -> Iterator[Page]:
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0")
    command, silent = [CHROMIUM, *flags, f"--user-data-dir={profile}", "about:blank"], subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=silent, stderr=silent, start_new_session=True)
    try:
        notes = profile / "DevToolsActivePort"
        port, path = wait_until(lambda: notes.exists() and len(lines := notes.read_text().split()) == 2 and lines)
        with connect(f"ws://127.0.0.1:{port}{path}", max_size=None, close_timeout=1) as browser:
            targets = Page(browser).call("Target.getTargets")["targetInfos"]
            page = next(target["targetId"] for target in targets if target["type"] == "page")
        with connect(f"ws://127.0.0.1:{port}/devtools/page/{page}", max_size=None, close_timeout=1) as socket:
            yield Page(socket)
    finally:
        # Chromium's helpers too: they are of the session that was started for it.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
