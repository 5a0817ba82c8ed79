# SPDX-License-Identifier: Apache-2.0
"""One method of one family in PyTorch, at the request of tests/bench/scripts/study.py.

    python peer.py FAMILY METHOD FOLDER [--epochs N] [--threads N] [--count]
    python peer.py FAMILY --list
    python peer.py FAMILY --serve [--threads N]

FOLDER has what crucible-bench-task wrote. Prints one line of JSON: the seconds of processor and of elapsed time of a whole
training, from two short ones (rule.py); with --epochs that training is timed as it is; with --count the operations in the
products of a training, too, counted in others. With --list the version and the methods, each with its epochs (none: it is fitted once)
and the lengths of the two trainings. With --serve it reads METHOD FOLDER [--count] line by line and answers each from a process
of its own, so that PyTorch is imported once and no method sees what another one left.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import sys
import time
import warnings

import torch

warnings.filterwarnings("ignore")  # sparse CSR tensors call themselves beta
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import rule  # noqa: E402


def family_of(name):
    spec = importlib.util.spec_from_file_location("methods", os.path.join(HERE, name, "methods.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def points_of(module, method):
    return getattr(method, "points", module.POINTS) if method.epochs else (1, 1)


def fewer(points):
    """For counting, which takes long and is exact: a tenth of the way between them."""
    low, high = points
    return low, low + max((high - low) // 10, 1)


def timer(module, name, folder):
    """Trains the method afresh for so many epochs and returns both clocks; reading the data is not in them."""
    def train(epochs):
        task = module.read(folder)
        processor, elapsed = time.process_time(), time.perf_counter()
        module.METHODS[name](task).fit(epochs)
        return time.process_time() - processor, time.perf_counter() - elapsed
    return train


def products(train):
    """Operations in the products of train(n): two for each cell of a dense factor, or each stored cell of a sparse one."""
    from torch.utils.flop_counter import FlopCounterMode

    def of_product(a, b, *_, out_val=None, **__):
        stored = a._nnz() if a.layout != torch.strided else a.numel()
        return 2 * stored * b.shape[-1]

    def of_sum(_, a, b, *rest, out_val=None, **__):
        return of_product(a, b)

    of_product._get_raw = of_sum._get_raw = True
    mapping = {torch.ops.aten.mm: of_product, torch.ops.aten.bmm: of_product, torch.ops.aten.addmm: of_sum}

    def count(epochs):
        with FlopCounterMode(display=False, custom_mapping=mapping) as counter:
            train(epochs)
        return [counter.get_total_flops()]
    return count


def answer(module, options):
    """The line of JSON of one method."""
    torch.manual_seed(0)
    method, train = module.METHODS[options.method], timer(module, options.method, options.folder)
    epochs = options.epochs or method.epochs or 1
    points = [epochs] * 2 if options.epochs else points_of(module, method)
    train(1)  # what PyTorch sets up at its first operators is not the method's
    processor, elapsed = rule.whole(train, points, epochs)
    found = {"processor": processor, "elapsed": elapsed}
    if options.count:  # in trainings of their own: counting takes time
        found["operations"] = rule.whole(products(train), fewer(points), epochs)[0]
    return json.dumps(found)


def serve(module, parser, family, threads):
    """What the optimiser imports at its first use is imported before the first fork; no thread has been started by then."""
    torch.optim.Adam([torch.zeros(1, requires_grad=True)], foreach=True)
    for line in sys.stdin:
        options = parser.parse_args([family, *line.split()])
        there, here = os.pipe()
        child = os.fork()
        if not child:
            os.close(there)
            torch.set_num_threads(threads)
            try:
                found = answer(module, options)
            except Exception as problem:  # the others are of use without it
                found = json.dumps({"problem": f"{type(problem).__name__}: {problem}".splitlines()[0]})
            with os.fdopen(here, "w") as pipe:
                pipe.write(found)
            os._exit(0)
        os.close(here)
        with os.fdopen(there) as pipe:
            found = pipe.read()
        os.waitpid(child, 0)
        print(found or json.dumps({"problem": "the loop's process ended"}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("method", nargs="?")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--count", action="store_true")
    options = parser.parse_args()
    module = family_of(options.family)
    if options.list:
        found = {name: {"epochs": m.epochs, "points": points_of(module, m)} for name, m in module.METHODS.items()}
        print(json.dumps({"methods": found, "version": torch.__version__}))
        return
    if options.serve:
        serve(module, parser, options.family, options.threads)
        return
    if not options.method or not options.folder:
        parser.error("METHOD and FOLDER are missing")
    torch.set_num_threads(options.threads)
    print(answer(module, options))


if __name__ == "__main__":
    main()
