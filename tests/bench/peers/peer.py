# SPDX-License-Identifier: Apache-2.0
"""One method of one family in PyTorch, at the request of tests/bench/study.py.

    python peer.py FAMILY METHOD TASK [--epochs N] [--threads N]
    python peer.py FAMILY --list

TASK is a folder with indptr, indices and data of the features, pairs, labels, train and val as .npy files. Prints one
line of JSON: the version, the seconds of processor and of elapsed time of the loop, and the best accuracy on validation;
with --list the methods that the family has here.
"""
import argparse
import importlib.util
import json
import os
import time
import warnings

import numpy
import torch

warnings.filterwarnings("ignore")  # sparse CSR tensors call themselves beta
HERE = os.path.dirname(os.path.abspath(__file__))


def methods_of(family):
    spec = importlib.util.spec_from_file_location("methods", os.path.join(HERE, family, "methods.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(module, folder):
    part = {name: numpy.load(os.path.join(folder, name + ".npy"))
            for name in ("indptr", "indices", "data", "shape", "pairs", "labels", "train", "val")}
    x = torch.sparse_csr_tensor(torch.from_numpy(part["indptr"]), torch.from_numpy(part["indices"]),
                                torch.from_numpy(part["data"]), tuple(part["shape"]))
    rest = [torch.from_numpy(part[name]) for name in ("pairs", "labels", "train", "val")]
    return module.Task(x, *rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("method", nargs="?")
    parser.add_argument("task", nargs="?")
    parser.add_argument("--list", action="store_true", help="the methods there are, and PyTorch's version")
    parser.add_argument("--epochs", type=int, help="instead of the method's own number")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    module = methods_of(options.family)
    if options.list:
        print(json.dumps({"methods": sorted(module.METHODS), "version": torch.__version__}))
        return
    if not options.method or not options.task:
        parser.error("METHOD and TASK are missing")
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    task = read(module, options.task)
    module.METHODS["gcn"](task).fit(2)  # what PyTorch sets up at its first operators is not the method's
    processor, elapsed = time.process_time(), time.perf_counter()
    method = module.METHODS[options.method](task)
    best, _ = method.fit(options.epochs or method.epochs)
    print(json.dumps({"version": torch.__version__, "processor": time.process_time() - processor,
                      "elapsed": time.perf_counter() - elapsed, "validation": best}))


if __name__ == "__main__":
    main()
