"""The child of ``sandbox``: loads matplotlib, gives up its rights, runs the code, answers on standard output.

It imports no other module of this project, and all that a drawing could need: once confined, it can open no file.
"""

import ctypes
import importlib
import json
import os
import platform
import resource
import struct
import sys
import zlib
from types import ModuleType

_NR = {
    # The number of write, then of read close fstat lseek mmap mprotect munmap brk sigaction sigprocmask sigreturn
    # mremap madvise getpid exit
    # futex sched_yield getaffinity clock_gettime nanosleep clock_nanosleep exit_group getrandom sigaltstack
    # gettimeofday times getrusage sysinfo rseq membarrier; newfstatat, by which matplotlib asks whether a font is there
    "x86_64": (0xC000003E, 1, (
        0, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 25, 28, 39, 60, 202, 24, 204, 228, 35, 230, 231, 318, 131, 96, 100, 98,
        99, 334, 324, 262,
    )),
    "aarch64": (0xC00000B7, 64, (
        63, 57, 80, 62, 222, 226, 215, 214, 134, 135, 139, 216, 233, 172, 93, 98, 124, 123, 113, 101, 115, 94, 278, 132,
        169, 153, 165, 179, 293, 283, 79,
    )),
}  # fmt: skip

_ALLOW, _DENY, _KILL = 0x7FFF0000, 0x00050001, 0x80000000


def _filter(arch: int, write: int, allowed: tuple[int, ...]) -> bytes:
    """Return the BPF program: ``allowed`` passes, ``write`` to descriptors 1 and 2 too, all else fails with EPERM."""
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    steps = [(load, 0, 0, 4), (equal, 1, 0, arch), (give, 0, 0, _KILL), (load, 0, 0, 0)]
    steps += [(at_least, 0, 1, 0x40000000), (give, 0, 0, _KILL)]
    for number in allowed:
        steps += [(equal, 0, 1, number), (give, 0, 0, _ALLOW)]
    steps += [(equal, 0, 4, write), (load, 0, 0, 16), (equal, 1, 0, 1), (equal, 0, 1, 2)]
    steps += [(give, 0, 0, _ALLOW), (give, 0, 0, _DENY)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _disarm() -> bool:
    """Give up all system calls that computing does not need; False where the kernel or machine does not know how."""
    known = _NR.get(platform.machine())
    if sys.platform != "linux" or known is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    program = _filter(*known)
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    whole = Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    no_new_privileges, set_seccomp, mode_filter = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(set_seccomp, mode_filter, ctypes.byref(whole), 0, 0) == 0)


def _limit(cpu: int, memory: int, output: int) -> None:
    with open("/proc/self/statm") as pages:  # noqa: PTH123
        used = int(pages.read().split()[0]) * resource.getpagesize()
    spent = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2])) + 1
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
    resource.setrlimit(resource.RLIMIT_CPU, (spent + cpu, spent + cpu))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))


class _Silence:
    """Discards what the code prints."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Nothing is kept, so nothing is flushed."""


def _warm() -> ModuleType:
    """Import what a drawing may ask for, and draw letters in every font that matplotlib may look up."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib.font_manager import fontManager

    # Neither the user's matplotlibrc nor the fonts of this machine may change a picture.
    mpl.rcdefaults()
    fontManager.ttflist = [font for font in fontManager.ttflist if font.fname.startswith(mpl.get_data_path())]

    importlib.import_module("mpl_toolkits.mplot3d.art3d")

    figure = plt.figure()
    axes = figure.add_subplot(projection="3d")
    for weight in ("normal", "bold"):
        for style in ("normal", "italic"):
            sample = r"A $A_1^2\alpha\angle\frac{1}{2}\sqrt{3}\mathbf{B}\mathrm{C}90^\circ$"
            axes.text2D(0, 0, sample, weight=weight, style=style)
    axes.plot([0, 1], [0, 1], [0, 1], label="A")
    axes.legend()
    axes.set_title("A")
    figure.canvas.draw()
    flat = plt.figure().add_subplot()
    flat.plot([0, 1], [0, 1], "o--")
    flat.fill([0, 1, 1], [0, 0, 1], hatch="//", alpha=0.5)
    flat.annotate("A", (0, 0), (1, 1), arrowprops={"arrowstyle": "->"})
    flat.figure.canvas.draw()
    plt.close("all")
    return plt


def _contents(plt: ModuleType) -> tuple[dict[str, object], bytes]:
    """Return the last figure: what its axes hold, and its pixels."""
    figure = plt.gcf()
    figure.set_dpi(100)
    width, height = figure.get_size_inches()
    scale = min(1.0, 8.0 / max(width, height))
    figure.set_size_inches(width * scale, height * scale)
    figure.canvas.draw()
    import numpy as np

    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]
    lines: list[object] = []
    labels: list[object] = []
    for axes in figure.axes:
        lines += [np.asarray(line.get_xydata(), float)[:200].round(9).tolist() for line in axes.lines[:500]]
        for text in axes.texts[:200]:
            x, y = getattr(text, "xy", text.get_position())
            labels.append([str(text.get_text()), float(x), float(y)])
    head = {"height": pixels.shape[0], "width": pixels.shape[1], "lines": lines, "labels": labels}
    return head, zlib.compress(np.ascontiguousarray(pixels).tobytes(), 6)


def _answer(head: dict[str, object], body: bytes = b"") -> None:
    data = json.dumps(head).encode() + b"\n" + body
    while data:
        data = data[os.write(1, data) :]


def main() -> None:
    """Read the order from standard input, run it, answer."""
    order = json.loads(sys.stdin.buffer.read())
    plt = _warm()
    compiled = compile(order["code"], "drawing", "exec")
    # The figure is read when the code has ended: until then nothing may wait for a window, write a file or close it.
    for owner, names in ((plt, ("show", "savefig", "close")), (plt.Figure, ("show", "savefig"))):
        for name in names:
            setattr(owner, name, lambda *_, **__: None)
    # Only font files are open now, of which matplotlib reads a glyph when it first draws it.
    _limit(int(order["cpu"]), int(order["memory"]), int(order["output"]))
    if not _disarm():
        _answer({"reason": "the kernel offers no sandbox (seccomp on Linux, x86-64 or ARM64)"})
        return
    sys.stdout = sys.stderr = _Silence()
    try:
        exec(compiled, {"__name__": "__main__"})  # noqa: S102 - the purpose of this program
        if not plt.get_fignums():
            _answer({"reason": "the code draws nothing"})
            return
        _answer(*_contents(plt))
    except MemoryError:
        _answer({"reason": "the code takes too much memory"})
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the code's own failure
        _answer({"reason": "the code fails", "detail": f"{type(error).__name__}: {error}".splitlines()[0]})


if __name__ == "__main__":
    main()
