"""A real Chromium without a window, driven over its debugging port."""

import itertools
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
            answer = json.loads(self._socket.recv(timeout=60))
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
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        for _ in range(600):
            if self.js("document.readyState === 'complete' && location.href !== 'about:blank'"):
                return
            time.sleep(0.05)
        raise AssertionError(f"{url} was not loaded")


@contextmanager
def opened(profile: Path) -> Iterator[Page]:
    process = subprocess.Popen(
        [
            str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        port, path = _listening(profile / "DevToolsActivePort")
        with connect(f"ws://127.0.0.1:{port}{path}", max_size=None, close_timeout=1) as browser:
            targets = Page(browser).call("Target.getTargets")["targetInfos"]
            page = next(target["targetId"] for target in targets if target["type"] == "page")
        with connect(f"ws://127.0.0.1:{port}/devtools/page/{page}", max_size=None, close_timeout=1) as socket:
            yield Page(socket)
    finally:
        # Chromium's helpers too: they are of the session that was started for it.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _listening(file: Path) -> list[str]:
    for _ in range(600):
        if file.exists() and len(lines := file.read_text().split()) == 2:
            return lines
        time.sleep(0.1)
    raise AssertionError("Chromium did not start")
