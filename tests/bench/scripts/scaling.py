#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How the cost of an epoch grows with the edges of a graph.

    tools/bench --scaling [--orders [NAME,...]] [--most EDGES] [--seconds N] [--threads N] [--build DIR] [--svg FILE] [--figure FILE]

One epoch of a GCN (32 features, 32 hidden values, half of the nodes teach) and one evaluation, on random graphs from 10^5
edges to --most (10^8: about 15 GB of memory) with 12 edges a node and skewed degrees, and on those of cnr-2000 and ogbl-ddi
where the mirror (CRUCIBLE_MIRROR) has them. Edges are undirected and without loops; medians of processor time with one
thread, of elapsed time with more. The last column is the time of an edge over that of the smallest random graph: what grows
beside the edges are nodes and misses of the caches. --svg draws the figure; --figure FILE draws it again from a table that
was printed to FILE.

--orders times instead what the numbers of the nodes are worth: each graph (cnr-2000 and ogbl-ddi, or cards that are named) as
it is, shuffled, by falling degree, and in the order of reverse Cuthill-McKee, the runs taking turns. Needs scipy.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
REAL = ("ogbl-ddi", "cnr-2000")
PER_NODE = 12
CASE = "large gcn epoch of a file"


def random_pairs(edges):
    """One end favours low numbers."""
    nodes, draw = max(edges // PER_NODE, 2), numpy.random.default_rng(edges)
    first = (nodes * draw.random(edges) ** 3).astype(numpy.int64)
    return nodes, first, draw.integers(nodes, size=edges)


def real_pairs(name, options, folder):
    subprocess.run([os.path.join(options.build, "bin", "crucible-bench-task"), name, folder], check=True)
    first, second = numpy.load(os.path.join(folder, "pairs.npy")).astype(numpy.int64)
    return int(max(first.max(), second.max())) + 1, first, second


def write_graph(path, nodes, first, second):
    """Both directions and a loop at each node, sorted, each entry once. Returns the number of edges."""
    own = numpy.arange(nodes)
    keys = numpy.concatenate([first * nodes + second, second * nodes + first, own * nodes + own])
    keys.sort()
    keys = keys[numpy.concatenate([[True], keys[1:] != keys[:-1]])]
    offsets = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(keys // nodes, minlength=nodes))])
    with open(path, "wb") as file:
        numpy.array([nodes, len(keys)], dtype=numpy.int64).tofile(file)
        offsets.astype(numpy.int64).tofile(file)
        (keys % nodes).astype(numpy.int32).tofile(file)
    return (len(keys) - nodes) // 2


def time_epoch(path, options):
    program = os.path.join(options.build, "tests", "crucible-bench")
    asked = f"open {options.threads} {CASE}\ntime {options.seconds}\nclose\n"
    run = subprocess.run([program], input=asked, capture_output=True, text=True, env=dict(os.environ, CRUCIBLE_BENCH_GRAPH=path))
    lines = run.stdout.splitlines()
    if run.returncode or len(lines) < 2 or lines[1].startswith("error"):
        raise RuntimeError(f"{path}: {run.stderr.strip() or lines}")
    return 1e-9 * float(lines[1].split()[1 if options.threads == 1 else 0])


def measure(options):
    """Rows of (name, nodes, edges, seconds), printed as they come."""
    sizes = [10 ** (k / 2) for k in range(10, 17)]
    names = [("random", int(size)) for size in sizes if size <= options.most * 1.01]
    names += [(name, 0) for name in REAL if os.environ.get("CRUCIBLE_MIRROR")]
    rows, base = [], None
    print("| graph | nodes | edges | seconds | ns an edge | of the smallest |\n|---|---:|---:|---:|---:|---:|", flush=True)
    for name, size in names:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph")
            nodes, first, second = real_pairs(name, options, folder) if not size else random_pairs(size)
            edges = write_graph(path, nodes, first, second)
            del first, second
            seconds = time_epoch(path, options)
        base = base or seconds / edges
        rows.append((name, nodes, edges, seconds))
        print(f"| {name} | {nodes} | {edges} | {seconds:.5f} | {1e9 * seconds / edges:.1f} | {seconds / edges / base:.2f} |",
              flush=True)
    return rows


def orders_of(nodes, first, second):
    """For each order of the nodes the new number of each."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee
    ones = numpy.ones(2 * len(first), dtype=numpy.int8)
    ends = numpy.concatenate([first, second]), numpy.concatenate([second, first])
    graph = coo_matrix((ones, ends), (nodes, nodes)).tocsr()
    number = numpy.empty(nodes, dtype=numpy.int64)

    def numbered(order):
        number[order] = numpy.arange(nodes)
        return number.copy()
    return {"as it is": numpy.arange(nodes), "shuffled": numbered(numpy.random.default_rng(1).permutation(nodes)),
            "by degree": numbered(numpy.argsort(-numpy.bincount(ends[0], minlength=nodes), kind="stable")),
            "RCM": numbered(reverse_cuthill_mckee(graph, symmetric_mode=True))}


def compare_orders(options):
    """The fastest of three rounds: what is on the machine beside it only adds."""
    print("| graph | order | seconds | of the first |\n|---|---|---:|---:|", flush=True)
    for name in options.orders:
        with tempfile.TemporaryDirectory() as folder:
            nodes, first, second = real_pairs(name, options, folder)
            paths = {}
            for order, number in orders_of(nodes, first, second).items():
                paths[order] = os.path.join(folder, order.replace(" ", "-"))
                write_graph(paths[order], nodes, number[first], number[second])
            rounds = [{order: time_epoch(path, options) for order, path in paths.items()} for _ in range(3)]
            best = {order: min(times[order] for times in rounds) for order in paths}
        for order, seconds in best.items():
            print(f"| {name} | {order} | {seconds:.5f} | {seconds / best['as it is']:.2f} |", flush=True)


def read_table(path):
    with open(path) as file:
        found = re.findall(r"^\| ([\w-]+) \| (\d+) \| (\d+) \| ([\d.]+) \|", file.read(), re.M)
    return [(name, int(nodes), int(edges), float(seconds)) for name, nodes, edges, seconds in found]


def draw(rows, path):
    """Seconds over edges, both in logarithms; the line through the smallest random graph is what is linear."""
    width, height, left, bottom = 560, 360, 70, 50
    x0 = math.floor(math.log10(min(r[2] for r in rows)))
    x1 = math.ceil(math.log10(max(r[2] for r in rows)))
    y0 = math.floor(math.log10(min(r[3] for r in rows)))
    y1 = math.ceil(math.log10(max(r[3] for r in rows)))
    at = lambda e, s: (left + (math.log10(e) - x0) / (x1 - x0) * (width - left - 20),
                       height - bottom - (math.log10(s) - y0) / (y1 - y0) * (height - bottom - 20))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for k in range(x0, x1 + 1):
        x = at(10 ** k, 10 ** y0)[0]
        out.append(f'<path d="M{x:.1f} 20V{height - bottom}" stroke="#ddd"/><text x="{x:.1f}" y="{height - bottom + 16}" '
                   f'text-anchor="middle">10<tspan dy="-4" font-size="9">{k}</tspan></text>')
    for k in range(y0, y1 + 1):
        y = at(10 ** x0, 10 ** k)[1]
        out.append(f'<path d="M{left} {y:.1f}H{width - 20}" stroke="#ddd"/><text x="{left - 6}" y="{y + 4:.1f}" '
                   f'text-anchor="end">10<tspan dy="-4" font-size="9">{k}</tspan></text>')
    _, _, edges, seconds = rows[0]
    end = min(10 ** x1, 10 ** y1 / seconds * edges)
    (xa, ya), (xb, yb) = at(edges, seconds), at(end, seconds / edges * end)
    out.append(f'<path d="M{xa:.1f} {ya:.1f}L{xb:.1f} {yb:.1f}" stroke="#999" stroke-dasharray="5 4"/>')
    for name, _, edges, seconds in rows:
        x, y = at(edges, seconds)
        colour = "#1f5fa8" if name == "random" else "#c2410c"
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        if name != "random":
            out.append(f'<text x="{x + 7:.1f}" y="{y + 14:.1f}" fill="{colour}">{name}</text>')
    out += [f'<text x="{(left + width - 20) / 2}" y="{height - 12}" text-anchor="middle">edges (dashed: linear)</text>',
            f'<text transform="translate(18 {(height - bottom) / 2 + 10}) rotate(-90)" text-anchor="middle">'
            'seconds of an epoch</text>', "</svg>"]
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=float, default=1e8, metavar="EDGES")
    parser.add_argument("--seconds", type=float, default=1, help="for each graph, about (1)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    parser.add_argument("--svg", metavar="FILE")
    parser.add_argument("--figure", metavar="FILE")
    parser.add_argument("--orders", nargs="?", const=",".join(REAL), metavar="NAME,...", type=lambda text: text.split(","))
    options = parser.parse_args()
    try:
        if options.orders:
            compare_orders(options)
            return 0
        rows = read_table(options.figure) if options.figure else measure(options)
        if options.svg:
            draw(rows, options.svg)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
