# SPDX-License-Identifier: Apache-2.0
"""Who uses what the SDK's headers declare, for tools/abi --users.

A user is a plugin (its folder, or its file), a part that several plugins share (a folder `common`, which counts as two), a
file of the host, or the guide and the headers' own examples (together one). Uses inside the SDK and in tests are counted and
do not matter for the promise. What a macro or an inline function of the headers names is used by whoever uses that.
"""
import collections
import glob
import os
import re

NAME = re.compile(r"\b(?:cru|CRU)_\w+")
DECLARATION = re.compile(r"^(?:CRU_API|static inline)\b([^;{]*?)[;{]", re.S | re.M)
DECLARED = re.compile(r"\b(cru_\w+)\s*(?:\(|\[|=|$)")
MACRO = re.compile(r"^\s*#\s*define\s+(CRU_\w+)((?:.*\\\n)*.*)", re.M)
INLINE = re.compile(r"^static inline\b([^;{]*)\{(.*?)^\}", re.S | re.M)
EXAMPLE = re.compile(r"^ \*     .*$", re.M)


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def declared(text):
    """The functions and tables that the text of a header declares."""
    for found in DECLARATION.findall(without_comments(text)):
        name = DECLARED.search(re.sub(r"CRU_PRINTF\(.*?\)|CRU_NORETURN", "", found).strip())
        if name:
            yield name.group(1)


class Headers:
    def __init__(self, include):
        self.home = {}  # symbol -> header
        self.inside = {}  # macro or inline function -> names in it
        self.examples = set()
        for path in sorted(glob.glob(os.path.join(include, "crucible", "**", "*.h"), recursive=True)):
            name, text = os.path.relpath(path, os.path.join(include, "crucible")), read(path)
            bare = without_comments(text)
            self.home.update((symbol, name) for symbol in declared(text))
            self.inside.update((m, set(NAME.findall(body))) for m, body in MACRO.findall(bare))
            for head, body in INLINE.findall(bare):
                self.inside[DECLARED.search(head).group(1)] = set(NAME.findall(body))
            shown = set(NAME.findall("\n".join(EXAMPLE.findall(text))))
            self.examples |= {symbol for symbol in shown if self.home.get(symbol, "") != name}

    def reached(self, names):
        """The names, and what the macros and inline functions among them name."""
        found, left = set(names), list(names)
        while left:
            fresh = self.inside.get(left.pop(), set()) - found
            found |= fresh
            left += fresh
        return found & set(self.home)


def user(root, path):
    """Kind and name of the user that a file belongs to; None for the SDK's public headers."""
    parts = path.split("/")
    if path.startswith("sdk/include/"):
        return None
    if path.startswith(("sdk/template/", "sdk/examples/", "sdk/backends/cuda/")):
        return "plugin", "/".join(parts[:3])
    if parts[0] != "plugins":
        return {"core": "host", "sdk": "sdk", "tests": "test"}[parts[0]], path
    if "common" in parts:
        return "shared", path
    folder = os.path.dirname(path)
    while folder != "plugins":
        if os.path.exists(os.path.join(root, folder, os.path.basename(folder) + ".c")):
            return "plugin", folder
        folder = os.path.dirname(folder)
    return "plugin", path


def count(root):
    """The headers, and symbol -> kind of user -> names of the users."""
    headers = Headers(os.path.join(root, "sdk", "include"))
    users = {symbol: collections.defaultdict(set) for symbol in headers.home}
    guide = "\n".join(re.findall(r"```c\n(.*?)```", read(os.path.join(root, "sdk", "README.md")), re.S))
    for symbol in headers.reached(headers.examples | set(NAME.findall(guide))):
        users[symbol]["plugin"].add("guide and examples")
    for top in ("core", "sdk", "plugins", "tests"):
        for path in glob.glob(os.path.join(root, top, "**", "*"), recursive=True):
            who = re.search(r"\.(c|h|cpp|cu|in)$", path) and user(root, os.path.relpath(path, root))
            if who:
                for symbol in headers.reached(set(NAME.findall(without_comments(read(path))))):
                    users[symbol][who[0]].add(who[1])
    return headers, users


def enough(kinds):
    """Whether the users of a symbol are those of a promise: the host, or two plugins."""
    return bool(kinds["host"]) or len(kinds["plugin"]) + 2 * len(kinds["shared"]) >= 2
