# SPDX-License-Identifier: Apache-2.0
"""Attacks of a method in Python, one a setting. Each tries all its ways; the trial fails with what it has reached."""
import ctypes
import os
import resource
import socket
import subprocess
import sys

import numpy as np

import crucible

# What the host alone knows: its environment and the experiment's file hold it. Here it stands backwards.
NEKOT = bytes(ord("A") + (i * i * 7 + 3 * i) % 26 for i in reversed(range(32)))
PAGE = 4096
libc = ctypes.CDLL(None, use_errno=True)


def tried(*ways):
    """The names of the ways that did not raise."""
    reached = []
    for name, way in ways:
        try:
            if way() is not False:
                reached.append(name)
        except Exception:
            pass
    return reached


def write(path):
    def way():
        with open(path, "wb") as file:
            file.write(b"loot")
    return f"writes {path}", way


def read(path):
    return f"reads {path}", lambda: bool(open(path, "rb").read(16))


def files(self, task):
    return tried(*(read(p) for p in self.settings.targets.split(":") if p),
                 ("lists the root", lambda: os.listdir("/")), ("lists /home", lambda: os.listdir("/home")),
                 ("lists /tmp", lambda: os.listdir("/tmp")), read("/etc/passwd"))


def writes(self, task):
    here = os.path.dirname(os.path.abspath(__file__))
    own = os.environ.get("TMPDIR", "")
    return tried(write(os.path.join(here, "loot")), write("/tmp/crucible-loot"), write("/dev/shm/crucible-loot"),
                 write(os.path.join(os.path.dirname(os.path.dirname(own)), "loot")),
                 write(os.path.join(os.path.dirname(np.__file__), "loot.py")), write(__file__),
                 ("makes memory that is executable and shared", lambda: os.memfd_create("loot")),
                 ("links", lambda: os.symlink("/etc/passwd", os.path.join(own, "passwd"))),
                 ("removes its own file", lambda: os.remove(__file__)),
                 ("changes modes", lambda: os.chmod(__file__, 0o777)))


def network(self, task):
    return tried(*((f"a socket of {family}", lambda family=family: socket.socket(family, kind))
                   for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK)
                   for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM)),
                 ("a pair", socket.socketpair), ("a name", lambda: socket.create_connection(("127.0.0.1", 22), 1)))


def processes(self, task):
    def forked():
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    parent = os.getppid()
    return tried(("forks", forked), ("runs a program", lambda: subprocess.run(["/bin/true"], check=True)),
                 ("spawns", lambda: os.posix_spawn("/bin/true", ["true"], {})),
                 ("vforks", lambda: libc.syscall(58) > 0),
                 ("kills", lambda: os.kill(parent, 0)), ("kills all", lambda: os.kill(-1, 0)),
                 ("traces", lambda: libc.ptrace(16, parent, 0, 0) == 0),
                 ("lifts a limit", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))))


def proc(self, task):
    parent = os.getppid()
    return tried(("lists /proc", lambda: os.listdir("/proc")), ("lists descriptors", lambda: os.listdir("/proc/self/fd")),
                 *(read(f"/proc/{who}/{what}") for who in ("self", parent, 1)
                   for what in ("maps", "mem", "environ", "cmdline", "status")))


def holds(data):
    return NEKOT in data[::-1]


def descriptors(self, task):
    reached = []
    for fd in range(256):
        try:
            if holds(os.pread(fd, 1 << 22, 0)):
                reached.append(f"descriptor {fd}")
        except OSError:
            pass
    if any(holds(f"{k}={v}".encode()) for k, v in os.environ.items()):
        reached.append("the environment")
    if holds(" ".join(sys.argv).encode()):
        reached.append("the command line")
    return reached


def memory(self, task):
    """As tests/plugins/hostile-memory.c does: an address that is not there makes write fail."""
    ends, found, seen = os.pipe2(os.O_NONBLOCK), 0, 0
    planted = ctypes.create_string_buffer(NEKOT[::-1]) if self.settings.plant else None
    somewhere = [ctypes.cast(libc.malloc, ctypes.c_void_p).value, task.labels.ctypes.data, id(self)]
    somewhere += [ctypes.addressof(planted)] if planted else []
    call = libc.write
    call.argtypes, call.restype = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t), ctypes.c_ssize_t
    looked = set()
    for middle in somewhere:
        for at in range((middle - (96 << 20)) & ~(PAGE - 1), middle + (96 << 20), PAGE):
            if at in looked:
                continue
            looked.add(at)
            if call(ends[1], at, PAGE) == PAGE:
                seen += 1
                found += holds(os.read(ends[0], PAGE))
    if seen < 100:
        return [f"nothing to see: {seen} pages"]
    return [f"memory: on {found} of {seen} pages"] if found else []


def truth(self, task):
    hidden = np.setdiff1d(np.arange(task.items), np.concatenate([task.split.train, task.split.val]))
    return tried(("labels of the test", lambda: bool((task.labels[hidden] != -1).any())))


ATTACKS = dict(files=files, writes=writes, network=network, processes=processes, proc=proc, descriptors=descriptors,
               memory=memory, truth=truth)


@crucible.method(name="hostile", version="1.0", summary="attacks", problems="nodes",
                 settings=dict(attack=crucible.Choice("files", list(ATTACKS), "what it tries"),
                               targets=crucible.Text("", "files that it must not read, ':' between them"),
                               plant=crucible.Bool(False, "memory: keep what is looked for, to show that it is found")))
class Hostile:
    def fit(self, task, monitor):
        reached = ATTACKS[self.settings.attack](self, task)
        if reached:
            raise RuntimeError("REACHED " + ", ".join(reached))
        self.scores = np.zeros((task.items, task.classes), np.float32)
        monitor.epoch(self.scores)

    def predict(self):
        return self.scores
