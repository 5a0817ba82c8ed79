# SPDX-License-Identifier: Apache-2.0
"""Attacks of a method in Python, one a setting. Each tries all its ways; the trial fails with what it has reached."""
import atexit
import builtins
import ctypes
import fcntl
import os
import resource
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from multiprocessing import shared_memory

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
                 *(write(os.path.join(sysconfig.get_path(name), "loot.pth")) for name in ("purelib", "stdlib")),
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


def environment(self, task):
    """What would make the next program, interpreter or library do something else, or is the user's."""
    return [name for name in os.environ if name != "PYTHONHASHSEED"
            and name.startswith(("LD_", "PYTHON", "SSH_", "XDG_", "CRUCIBLE_")) or name in ("HOME", "USER", "PATH", "MAIL")]


def shares(self, task):
    """Memory, names and locks that another process could have, too."""
    def named():
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.bind("\0crucible-loot")
    readable = open(np.__file__, "rb")
    lock = bytes(np.array([1, 0, 0, 0], np.int64))  # a struct flock of a whole file; 37: F_OFD_SETLK
    return tried(("a name of no folder", named),
                 ("shared memory", lambda: shared_memory.SharedMemory("crucible-loot", True, 4096)),
                 ("a memory file", lambda: os.memfd_create("loot")),
                 ("a segment", lambda: libc.shmget(0x6c6f6f74, 4096, 0o1600) >= 0),
                 ("a semaphore", lambda: libc.semget(0x6c6f6f74, 1, 0o1600) >= 0),
                 ("a queue", lambda: libc.msgget(0x6c6f6f74, 0o1600) >= 0),
                 ("a named queue", lambda: libc.mq_open(b"/crucible-loot", 0o102, 0o600, None) >= 0),
                 ("locks a library", lambda: fcntl.flock(readable, fcntl.LOCK_EX | fcntl.LOCK_NB)),
                 ("locks a part of one", lambda: fcntl.lockf(readable, fcntl.LOCK_SH | fcntl.LOCK_NB)),
                 ("locks it as opened", lambda: fcntl.fcntl(readable, 37, lock)),
                 ("the clock of what others make its parent work", lambda: time.clock_gettime(~os.getppid() << 3 | 2)),
                 ("is told of signals", lambda: fcntl.fcntl(readable, fcntl.F_SETOWN, os.getppid())),
                 *(read(f"/sys/devices/system/node/node0/{name}") for name in ("meminfo", "numastat", "vmstat")))


def remains(self, task):
    """Whether an earlier trial is in this interpreter, and leaves what a later one would find."""
    places = dict(crucible=crucible, numpy=np, builtins=builtins, sys=sys, socket=socket)
    found = [name for name, place in places.items() if hasattr(place, "loot")] + ["a patch"] * (not crucible.method)
    found += [name for name, there in (("a module", "loot" in sys.modules), ("a path", "loot" in sys.path),
                                       ("a variable", "LOOT" in os.environ), ("a mask", os.umask(0o123) == 0o123),
                                       ("a thread", threading.active_count() > 1),
                                       ("a draw", np.random.get_state()[1][1] == 1812433255)) if there]
    for place in places.values():
        place.loot = True
    np.random.seed(1)
    sys.modules["loot"] = os
    sys.path.append("loot")
    os.environ["LOOT"] = "1"
    crucible.method = None
    return found


def lingers(self, task):
    """Neither a thread nor what is to be done at exit keeps the worker."""
    def busy():
        while True:
            pass
    threading.Thread(target=busy).start()
    threading.Thread(target=busy, daemon=True).start()
    atexit.register(busy)
    return []


def truth(self, task):
    hidden = np.setdiff1d(np.arange(task.items), np.concatenate([task.split.train, task.split.val]))
    return tried(("labels of the test", lambda: bool((task.labels[hidden] != -1).any())))


ATTACKS = dict(files=files, writes=writes, network=network, processes=processes, proc=proc, descriptors=descriptors,
               environment=environment, lingers=lingers, memory=memory, remains=remains, shares=shares, truth=truth)


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
