#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times the opening of datasets against Python.

    tools/bench --loading [--quick] [--json FILE] [--only TEXT] [--build DIR] [--processor]

Reads the largest sets of each layout in the mirror (CRUCIBLE_MIRROR) and skips, aloud, what is not there. The largest of
all are COLLAB (84 MB of text once unpacked, 24.6 million arcs) and CIFAR-10 (37 MB, 147 MB as float32). Two peers:
`numpy` is the leanest code that one writes with numpy and scipy; `library` does what the loader that most people use does
with the same file, where there is one and it does more than that: torch_geometric makes the features of an .npz graph dense
and its edges unique, torchvision turns images into tensors one by one, ogb cuts its tables into graphs. (Its steps are
written out here, with numpy and PyTorch: the libraries themselves need not be installed.) Imports are not timed.

`cold` is from the published files, checksums and all checks included, without a cache; `first` is the first open of the
cache, which verifies a small image (large ones are stamped when they are stored); `warm` are the opens after it. All sides
read the same files and end with a symmetric adjacency (where there is a graph), float32 features and labels in memory; the
peers verify no checksum and look for no value that is not finite. Elapsed time, the best of the rounds on every side; we use
as many threads as the machine has, as the libraries could: a machine that is busy shows less than one that is not.
--processor instead counts processor time, of one thread on our side.

What bounds `cold`: a gzip or xz stream is unpacked by one thread. For CIFAR-10's stream of 28 MB, which hardly compresses,
libdeflate takes 80 ms of a processor, ISA-L's igzip 102 and zlib, which Python uses, 179; on text libdeflate and ISA-L are
alike. The other threads verify checksums and get memory ready meanwhile. xz is the same library on both sides.
"""
import argparse
import gzip
import io
import json
import lzma
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy
import scipy.io
import scipy.sparse as sparse

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))


def symmetric(adjacency):
    adjacency = sparse.csr_matrix(adjacency)
    adjacency.data[:] = 1
    both = adjacency + adjacency.T
    both.data[:] = 1
    both.sort_indices()
    return both


def from_pairs(pairs, nodes):
    ones = numpy.ones(len(pairs), dtype=numpy.float32)
    return symmetric(sparse.coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=(nodes, nodes)))


def unzip_text(path):
    return gzip.open(path, "rt").read()


def coauthor_physics(folder):
    data = numpy.load(os.path.join(folder, "coauthor_phy.npz"), allow_pickle=True)
    adjacency, x = data["adj_matrix"].item(), data["node_attr"].item()
    return symmetric(adjacency), x.astype(numpy.float32), data["node_label"]


def cornell5(folder):
    file = scipy.io.loadmat(os.path.join(folder, "Cornell5.mat"))
    info = file["local_info"].astype(int)
    columns = numpy.hstack([info[:, :1], info[:, 2:]])
    coded = [(column[:, None] == numpy.unique(column)[None, :]) for column in columns.T]
    return symmetric(file["A"]), numpy.hstack(coded).astype(numpy.float32), info[:, 1] - 1


def ogbg_molhiv(folder):
    def table(name):
        return numpy.loadtxt(os.path.join(folder, "raw", name), delimiter=",", dtype=numpy.int64, ndmin=2)
    edges, nodes = table("edge.csv.gz"), table("num-node-list.csv.gz")[:, 0]
    counts = table("num-edge-list.csv.gz")[:, 0]
    offsets = numpy.concatenate([[0], numpy.cumsum(nodes)])
    edges = edges + numpy.repeat(offsets[:-1], counts)[:, None]
    features = table("node-feat.csv.gz").astype(numpy.float32)
    return from_pairs(edges, offsets[-1]), features, table("graph-label.csv.gz")[:, 0]


def torch_geometric_npz(folder):
    """Dense features, edges without self-loops in both directions, each once."""
    import torch
    data = numpy.load(os.path.join(folder, "coauthor_phy.npz"), allow_pickle=True)
    adjacency, x = data["adj_matrix"].item().tocoo(), data["node_attr"].item()
    x = torch.from_numpy(numpy.asarray(x.todense())).to(torch.float)
    edges = torch.from_numpy(numpy.vstack([adjacency.row, adjacency.col])).to(torch.long)
    edges = edges[:, edges[0] != edges[1]]
    both = torch.cat([edges, edges.flip(0)], dim=1)
    key = torch.unique(both[0] * x.shape[0] + both[1])
    return torch.stack([key // x.shape[0], key % x.shape[0]]), x, torch.from_numpy(data["node_label"]).to(torch.long)


def ogb_graphs(folder):
    """One graph after the other, each edge in both directions."""
    def table(name):
        return numpy.loadtxt(os.path.join(folder, "raw", name), delimiter=",", dtype=numpy.int64, ndmin=2)
    edges, x = table("edge.csv.gz").T, table("node-feat.csv.gz")
    graphs, node, edge = [], 0, 0
    for nodes, count in zip(table("num-node-list.csv.gz")[:, 0], table("num-edge-list.csv.gz")[:, 0]):
        both = numpy.repeat(edges[:, edge:edge + count], 2, axis=1)
        both[0, 1::2], both[1, 1::2] = both[1, 0::2].copy(), both[0, 0::2].copy()
        graphs.append({"edge_index": both, "node_feat": x[node:node + nodes], "num_nodes": nodes})
        node, edge = node + nodes, edge + count
    return graphs, None, table("graph-label.csv.gz")[:, 0]


def image_tensors(images):
    """torchvision's ToTensor on every image, height x width x channels, and one tensor of all."""
    import torch
    each = [torch.from_numpy(image).permute(2, 0, 1).contiguous().to(torch.float32).div(255) for image in images]
    return torch.stack(each)


def torchvision_cifar10(folder):
    records = cifar_records(folder)
    images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1).copy()
    return None, image_tensors(images), records[:, 0].tolist()


def torchvision_fashion_mnist(folder):
    x, y = fashion_bytes(folder)
    return None, image_tensors(x.reshape(-1, 28, 28, 1)), y.tolist()


def graph_list(path):
    lines = iter(unzip_text(path).splitlines())
    edges, labels, start = [], [], 0
    for _ in range(int(next(lines))):
        nodes, label = map(int, next(lines).split())
        labels.append(label)
        for v in range(nodes):
            row = list(map(int, next(lines).split()))
            edges.extend((start + v, start + u) for u in row[2:2 + row[1]])
        start += nodes
    return from_pairs(numpy.array(edges), start), None, numpy.array(labels)


def reddit_binary(folder):
    return graph_list(os.path.join(folder, "REDDIT-BINARY.txt.gz"))


def collab(folder):
    return graph_list(os.path.join(folder, "COLLAB.txt.gz"))


def deezer_europe(folder):
    with zipfile.ZipFile(os.path.join(folder, "deezer_europe.zip")) as file:
        names = {os.path.basename(name): name for name in file.namelist()}
        def text(ending):
            return file.read(next(path for name, path in names.items() if name.endswith(ending)))
        edges = numpy.loadtxt(io.BytesIO(text("edges.csv")), delimiter=",", skiprows=1, dtype=numpy.int64)
        labels = numpy.loadtxt(io.BytesIO(text("target.csv")), delimiter=",", skiprows=1, dtype=numpy.int64)[:, 1]
        lists = json.loads(text("features.json"))
    rows = numpy.concatenate([numpy.full(len(ids), int(node)) for node, ids in lists.items()])
    columns = numpy.concatenate([numpy.array(ids, dtype=numpy.int64) for ids in lists.values()])
    shape = (len(labels), columns.max() + 1)
    x = sparse.csr_matrix((numpy.ones(len(rows), dtype=numpy.float32), (rows, columns.astype(int))), shape=shape)
    return from_pairs(edges, len(labels)), x, labels


def pubmed(folder):
    def part(name):
        with open(os.path.join(folder, "ind.pubmed." + name), "rb") as file:
            return pickle.load(file, encoding="latin1")
    ally, ty, graph = part("ally"), part("ty"), part("graph")
    index = numpy.loadtxt(os.path.join(folder, "ind.pubmed.test.index"), dtype=numpy.int64)
    y = numpy.vstack([ally, ty])
    y[index, :] = y[numpy.sort(index), :]
    with lzma.open(os.path.join(folder, "pubmed.feature.xz"), "rt") as file:
        x = numpy.loadtxt(file, dtype=numpy.float32)
    edges = numpy.array([(v, u) for v, others in graph.items() for u in others])
    return from_pairs(edges, len(graph)), sparse.csr_matrix(x), y.argmax(1)


def cifar_records(folder):
    batches = [gzip.open(os.path.join(folder, name)).read() for name in ("data_batch_1.bin.gz",
                                                                       "test_batch_first2000.bin.gz")]
    return numpy.frombuffer(b"".join(batches), dtype=numpy.uint8).reshape(-1, 3073)


def cifar10(folder):
    records = cifar_records(folder)
    return None, records[:, 1:].astype(numpy.float32) / 255, records[:, 0].astype(numpy.int64)


def fashion_bytes(folder):
    def numbers(name):
        bytes = gzip.open(os.path.join(folder, name)).read()
        return numpy.frombuffer(bytes, dtype=numpy.uint8, offset=16 if "images" in name else 8)
    return (numpy.concatenate([numbers("train-images-20k-idx3-ubyte.gz"), numbers("t10k-images-5k-idx3-ubyte.gz")]),
            numpy.concatenate([numbers("train-labels-20k-idx1-ubyte.gz"), numbers("t10k-labels-5k-idx1-ubyte.gz")]))


def fashion_mnist(folder):
    x, y = fashion_bytes(folder)
    return None, x.reshape(-1, 784).astype(numpy.float32) / 255, y.astype(numpy.int64)


# Dataset, folder in the mirror, the lean loader, what the usual library does.
CASES = [
    ("coauthor-physics", "coauthor-physics", coauthor_physics, torch_geometric_npz),
    ("cornell5", "facebook100", cornell5, None),
    ("pubmed", "pubmed", pubmed, None),
    ("deezer-europe", "deezer-europe", deezer_europe, None),
    ("ogbg-molhiv", "ogbg-molhiv", ogbg_molhiv, ogb_graphs),
    ("reddit-binary", "reddit-binary", reddit_binary, None),
    ("collab", "collab", collab, None),
    ("fashion-mnist-25k", "fashion-mnist", fashion_mnist, torchvision_fashion_mnist),
    ("cifar10-12k", "cifar10", cifar10, torchvision_cifar10),
]


def time_python(load, folder, rounds, clock):
    """The least time in seconds; None when there is no such loader or it needs what is not installed."""
    taken = []
    for _ in range(rounds if load else 0):
        begun = clock()
        try:
            load(folder)
        except ImportError:
            return None
        taken.append(clock() - begun)
    return min(taken, default=None)


def time_ours(program, name, rounds, processor):
    """Seconds: cold, first, warm."""
    environment = dict(os.environ, OMP_NUM_THREADS="1") if processor else os.environ
    with tempfile.TemporaryDirectory(prefix="crucible-loading-") as folder:
        answer = subprocess.run([program, name, str(rounds), folder], check=True, capture_output=True, text=True,
                                env=environment)
    numbers = [1e-9 * float(word) for word in answer.stdout.split()]
    return numbers[1::2] if processor else numbers[0::2]


def show(result):
    def peer(name):
        if result[name] is None:
            return f"{'-':>10} {'-':>8}"
        return f"{1e3 * result[name]:10.1f} {result[name] / result['cold']:7.1f}x"
    print(f"{result['dataset']:<20} {1e3 * result['cold']:9.1f} {peer('numpy')} {peer('library')} "
          f"{1e3 * result['first']:9.2f} {1e3 * result['warm']:9.3f}", flush=True)


def run(options):
    mirror = os.environ.get("CRUCIBLE_MIRROR", "")
    subprocess.run(["cmake", "--build", options.build, "--target", "crucible-loading"], check=True,
                   stdout=subprocess.DEVNULL)
    program, rounds = os.path.join(options.build, "bin", "crucible-loading"), 1 if options.quick else 5
    clock = time.process_time if options.processor else time.perf_counter
    print(f"{'ms':<20} {'cold':>9} {'numpy':>10} {'faster':>8} {'library':>10} {'faster':>8} {'first':>9} {'warm':>9}")
    results = []
    for name, folder, lean, library in CASES:
        folder = os.path.join(mirror, folder)
        if options.only not in name:
            continue
        if not mirror or not os.path.isdir(folder):
            print(f"{name:<20} SKIP: not in the mirror")
            continue
        cold, first, warm = time_ours(program, name, rounds, options.processor)
        results.append({"dataset": name, "cold": cold, "first": first, "warm": warm,
                        "numpy": time_python(lean, folder, rounds, clock),
                        "library": time_python(library, folder, min(rounds, 3), clock)})
        show(results[-1])
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    parser.add_argument("--only", default="", metavar="TEXT", help="datasets whose name contains this")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    parser.add_argument("--processor", action="store_true", help="processor time, of one thread on our side")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception, which ends the program and its folder, too
    try:
        run(options)
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
