#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the examples in the comments of the public headers.

    header-examples.py SOURCE COMPILER...

An example is a run of lines that a comment indents by four spaces and of which one ends with a ';'. What stands around it, the
variables that a reader takes for granted, is in tests/fixtures/header-examples/<header>.c, where a line `EXAMPLE` is
replaced by the next example of that header. "..." in an example stands for what is left out. A header with an example and
without such a file fails, unless the list below says why.
"""
import os
import re
import subprocess
import sys

NO_CODE = {"minibatch.h": "lines of a method", "backbone.h": "lines of a method"}


def examples(source):
    """Runs of indented lines, one of which ends with a ';', in the order of the header."""
    for comment in re.findall(r"/\*(.*?)\*/", source, re.S):
        lines, block = [re.sub(r"^\s*\* ?", "", line) for line in comment.split("\n")], []
        for line in lines + ["end"]:
            if line.startswith("    ") or (block and not line.strip()):
                block.append(line)
                continue
            if any(re.search(r";\s*(//.*)?$", line) for line in block):
                yield "\n".join(block)
            block = []


def complete(example):
    """Without the dots that stand for what is left out."""
    example = re.sub(r"^(\s*)\.\.\.\s*$", r"\1;", example, flags=re.M)  # a line of dots: statements
    example = re.sub(r"\.\.\.;", ";", example)
    example = re.sub(r"(?<=[{(,])\s*\.\.\.\s*,?", " ", example)  # in a list
    return re.sub(r"^(\s*)\.\.\. ", r"\1", example, flags=re.M)


def compiles(name, text, compiler):
    command = compiler + ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        print(f"an example of {name} does not compile:\n{done.stderr}\n{text}", file=sys.stderr)
    return done.returncode == 0


def check(name, headers, frames, compiler):
    with open(os.path.join(headers, name)) as file:
        found = [complete(example) for example in examples(file.read())]
    frame = os.path.join(frames, name[:-2] + ".c")
    if not os.path.exists(frame):
        if found and name not in NO_CODE:
            print(f"{name} has an example, and there is no {frame}", file=sys.stderr)
        return not found or name in NO_CODE
    with open(frame) as file:
        parts = re.split(r"^EXAMPLE$", file.read(), flags=re.M)
    if len(parts) != len(found) + 1:
        print(f"{name} has {len(found)} examples, {frame} places for {len(parts) - 1}", file=sys.stderr)
        return False
    text = parts[0] + "".join(example + part for example, part in zip(found, parts[1:]))
    return compiles(name, text, compiler)


def main():
    source, compiler = sys.argv[1], sys.argv[2:]
    headers = os.path.join(source, "sdk", "include", "crucible")
    frames = os.path.join(source, "tests", "fixtures", "header-examples")
    compiler = compiler + ["-I" + os.path.dirname(headers)]
    names = sorted(os.path.relpath(os.path.join(folder, name), headers)
                   for folder, _, files in os.walk(headers) for name in files if name.endswith(".h"))
    fine = [check(name, headers, frames, compiler) for name in names]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
