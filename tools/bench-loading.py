#!/usr/bin/python3
"""Times the opening of datasets against what one writes with numpy and scipy.

    tools/bench-loading.py [--quick] [--json FILE] [--only TEXT] [--build DIR]

Reads the largest sets of each layout in the mirror (CRUCIBLE_MIRROR) and skips, aloud, what is not there. `cold` is from
the published files, checksums and all checks included, without a cache; `warm` is from the cache. Both sides end with a
symmetric adjacency (where there is a graph), float32 features and labels in memory. Processor time, which does not count
what other programs use; medians over the rounds.
"""
import argparse
import gzip
import io
import json
import lzma
import os
import pickle
import statistics
import subprocess
import sys
import time
import zipfile

import numpy
import scipy.io
import scipy.sparse as sparse

HERE = os.path.dirname(os.path.abspath(__file__))


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


def cifar10(folder):
    batches = [gzip.open(os.path.join(folder, name)).read() for name in ("data_batch_1.bin.gz",
                                                                       "test_batch_first2000.bin.gz")]
    records = numpy.frombuffer(b"".join(batches), dtype=numpy.uint8).reshape(-1, 3073)
    return None, records[:, 1:].astype(numpy.float32) / 255, records[:, 0].astype(numpy.int64)


def fashion_mnist(folder):
    def images(name):
        bytes = gzip.open(os.path.join(folder, name)).read()
        return numpy.frombuffer(bytes, dtype=numpy.uint8, offset=16 if "images" in name else 8)
    x = numpy.concatenate([images("train-images-20k-idx3-ubyte.gz"), images("t10k-images-5k-idx3-ubyte.gz")])
    y = numpy.concatenate([images("train-labels-20k-idx1-ubyte.gz"), images("t10k-labels-5k-idx1-ubyte.gz")])
    return None, x.reshape(-1, 784).astype(numpy.float32) / 255, y.astype(numpy.int64)


# Dataset, folder in the mirror, the Python loader.
CASES = [
    ("coauthor-physics", "coauthor-physics", coauthor_physics),
    ("cornell5", "facebook100", cornell5),
    ("pubmed", "pubmed", pubmed),
    ("deezer-europe", "deezer-europe", deezer_europe),
    ("ogbg-molhiv", "ogbg-molhiv", ogbg_molhiv),
    ("reddit-binary", "reddit-binary", reddit_binary),
    ("fashion-mnist-25k", "fashion-mnist", fashion_mnist),
    ("cifar10-12k", "cifar10", cifar10),
]


def time_python(load, folder, rounds):
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        load(folder)
        taken.append(time.process_time() - begun)
    return statistics.median(taken)


def run(options):
    mirror = os.environ.get("CRUCIBLE_MIRROR", "")
    subprocess.run(["cmake", "--build", options.build, "--target", "crucible-loading"], check=True,
                   stdout=subprocess.DEVNULL)
    program, rounds = os.path.join(options.build, "bin", "crucible-loading"), 1 if options.quick else 3
    print(f"{'dataset':<20} {'numpy ms':>10} {'cold ms':>10} {'faster':>8} {'warm ms':>10}")
    results = []
    for name, folder, load in CASES:
        folder = os.path.join(mirror, folder)
        if options.only not in name:
            continue
        if not mirror or not os.path.isdir(folder):
            print(f"{name:<20} SKIP: not in the mirror")
            continue
        theirs = time_python(load, folder, rounds)
        answer = subprocess.run([program, name, str(rounds)], check=True, capture_output=True, text=True,
                                env=dict(os.environ, OMP_NUM_THREADS="1")).stdout
        cold, warm = (1e-9 * float(number) for number in answer.split())
        print(f"{name:<20} {1e3 * theirs:10.1f} {1e3 * cold:10.1f} {theirs / cold:7.1f}x {1e3 * warm:10.2f}",
              flush=True)
        results.append({"dataset": name, "numpy": theirs, "cold": cold, "warm": warm, "ratio": theirs / cold})
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    parser.add_argument("--only", default="", metavar="TEXT", help="datasets whose name contains this")
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"), metavar="DIR")
    options = parser.parse_args()
    try:
        run(options)
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"bench-loading: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
