"""The command `copydesk` as a user calls it: a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

COPYDESK = [sys.executable, "-m", "streams"]
ROOT = Path(__file__).parents[1]


def environment(**variables: str) -> dict[str, str]:
    """The environment without settings of whoever runs the tests, and with these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COPYDESK_")}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**kept, "PYTHONPATH": path, "COLUMNS": "80", **variables}


def copydesk(
    *arguments: str | Path,
    folder: Path,
    text: bytes | None = None,
    timeout: float = 60,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """What the command said and how it ended."""
    done = subprocess.run(
        [*COPYDESK, *map(str, arguments)],
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        cwd=folder,
        env=environment(**variables),
        timeout=timeout,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


class Running:
    """A command that runs until it is ended, with what it says on the way."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.out: list[str] = []
        self.errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((process.stdout, self.out), (process.stderr, self.errors))
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream: Iterator[bytes], lines: list[str]) -> None:
        for line in stream:
            lines.append(line.decode().rstrip("\n"))

    def wait_until(self, true: Callable[[Running], bool], timeout: float = 60) -> None:
        """Returns when it is true of what was said."""
        deadline = time.monotonic() + timeout
        while not true(self):
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.errors[-20:]}"
            assert time.monotonic() < deadline, f"not in {timeout} s: {self.out[-5:]} {self.errors[-20:]}"
            time.sleep(0.02)

    def end(self, with_signal: signal.Signals, timeout: float = 40) -> int:
        """The exit code after this signal."""
        self.process.send_signal(with_signal)
        code = self.process.wait(timeout)
        for reader in self._readers:
            reader.join(5)
        return code


@contextmanager
def running(
    *arguments: str | Path, folder: Path, stdin: int = subprocess.DEVNULL, **variables: str
) -> Iterator[Running]:
    """The command, ended with the block at the latest."""
    process = subprocess.Popen(
        [*COPYDESK, *map(str, arguments)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(**variables),
    )
    try:
        yield Running(process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
