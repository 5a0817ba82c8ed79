#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times a GCN on Cora under 30 % uniform label noise, ten seeds: `crucible run` against the same loop in PyTorch.

    tools/bench --noise [--seeds N] [--rounds N] [--threads N] [--build DIR] [--json FILE]

Both do 200 epochs of full-batch training (hidden 64, dropout 0.5, Adam, weight decay 5e-4), evaluate after every epoch,
keep the weights of the best accuracy on noisy validation labels and score the test part with them.

Ours is the whole command: processes, sandbox, judge, store and table included, with as many jobs as --threads says.
PyTorch's is its training loop alone, without imports and loading, with as many threads. There are two of it:

    study   the loop as NoisyGL writes it: dense features; every convolution adds self-loops and normalises the sparse
            adjacency again, as an uncached GCNConv does; training accuracy, validation loss and accuracy in every epoch
    tuned   the same with sparse features, the adjacency normalised once, and only the validation accuracy

Processor time and elapsed time of all three, the median of alternating rounds. With one thread processor time is the
fairer of the two, because it does not count what other programs use; with more, elapsed time. Needs Cora in the mirror
(CRUCIBLE_MIRROR).
"""
import argparse
import copy
import json
import os
import pickle
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore", category=DeprecationWarning)  # of pickled SciPy matrices

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
EPOCHS, HIDDEN, RATE = 200, 64, 0.3


def load_cora(folder):
    """Features, adjacency pairs and labels of the Planetoid files."""
    import numpy
    import scipy.sparse

    def part(name):
        with open(os.path.join(folder, "ind.cora." + name), "rb") as file:
            return pickle.load(file, encoding="latin1")

    order = numpy.loadtxt(os.path.join(folder, "ind.cora.test.index"), dtype=int)
    x, y = scipy.sparse.vstack([part("allx"), part("tx")]).tolil(), numpy.vstack([part("ally"), part("ty")])
    x[order], y[order] = x[numpy.sort(order)], y[numpy.sort(order)]
    pairs = {(u, v) for u, near in part("graph").items() for v in near if u != v}
    pairs |= {(v, u) for u, v in pairs}
    return x.tocsr().astype("float32"), numpy.array(sorted(pairs)), y.argmax(1)


class Peer:
    """What both loops share: data, weights, the choice of the best epoch."""
    name = None

    def __init__(self, folder, threads):
        os.environ["OPENBLAS_NUM_THREADS"] = str(threads)  # read when it is loaded; PyTorch's own setting is not for it
        import numpy
        import torch
        torch.set_num_threads(threads)
        self.numpy, self.torch = numpy, torch
        x, pairs, self.labels = load_cora(folder)
        self.nodes = x.shape[0]
        edges = torch.from_numpy(pairs).t().contiguous()
        self.adj = torch.sparse_coo_tensor(edges, torch.ones(len(pairs)), (self.nodes, self.nodes)).coalesce()
        coo = x.tocoo()
        indices = torch.from_numpy(numpy.stack([coo.row, coo.col]).astype("int64"))
        self.x = torch.sparse_coo_tensor(indices, torch.from_numpy(coo.data), x.shape).coalesce()
        parts = (range(140), range(140, 640), range(1708, 2708))
        self.train, self.val, self.test = [torch.tensor(part) for part in parts]

    def noisy(self, seed):
        """Every label redrawn with probability RATE, the other classes being equally likely."""
        rng = self.numpy.random.RandomState(seed)
        flip, classes = rng.rand(len(self.labels)) < RATE, 7
        shift = rng.randint(1, classes, len(self.labels))
        return self.numpy.where(flip, (self.labels + shift) % classes, self.labels)

    def normalised(self):
        """D^-1/2 (A + I) D^-1/2"""
        torch, adj = self.torch, self.adj
        loops = torch.arange(self.nodes).repeat(2, 1)
        edges = torch.cat([adj.indices(), loops], 1)
        values = torch.cat([adj.values(), torch.ones(self.nodes)])
        degree = torch.zeros(self.nodes).scatter_add_(0, edges[0], values)
        scale = degree.pow(-0.5).masked_fill_(degree == 0, 0)
        values = scale[edges[0]] * values * scale[edges[1]]
        return torch.sparse_coo_tensor(edges, values, adj.shape).coalesce()

    def forward(self, weights, training):
        w1, b1, w2, b2 = weights
        h = self.torch.relu(self.spread(self.first(w1)) + b1)
        h = self.torch.nn.functional.dropout(h, 0.5, training)
        return self.spread(h @ w2) + b2

    def accuracy(self, z, labels, part):
        return (z[part].detach().numpy().argmax(1) == labels[part].numpy()).mean()

    def run(self, seed, epochs=EPOCHS):
        torch = self.torch
        loss = torch.nn.functional.cross_entropy
        torch.manual_seed(seed)
        labels = torch.from_numpy(self.noisy(seed))
        w = [torch.nn.init.xavier_uniform_(torch.empty(*size)) for size in ((1433, HIDDEN), (HIDDEN, 7))]
        weights = [p.requires_grad_() for p in (w[0], torch.zeros(HIDDEN), w[1], torch.zeros(7))]
        optimiser = torch.optim.Adam(weights, lr=0.01, weight_decay=5e-4)
        best, kept = -1, None
        for _ in range(epochs):
            optimiser.zero_grad()
            z = self.forward(weights, True)
            loss(z[self.train], labels[self.train]).backward()
            if self.full_record:
                self.accuracy(z, labels, self.train)
            optimiser.step()
            with torch.no_grad():
                z = self.forward(weights, False)
                if self.full_record:
                    loss(z[self.val], labels[self.val])
            score = self.accuracy(z, labels, self.val)
            if score > best:
                best, kept = score, copy.deepcopy([p.data for p in weights])
        with torch.no_grad():
            return self.accuracy(self.forward(kept, False), torch.from_numpy(self.labels), self.test)


class Study(Peer):
    """The study's loop, as it writes it."""
    name, full_record = "study", True

    def __init__(self, folder, threads):
        super().__init__(folder, threads)
        self.x = self.x.to_dense()

    def first(self, w):
        return self.x @ w

    def spread(self, h):
        return self.torch.sparse.mm(self.normalised(), h)


class Tuned(Peer):
    """The same with what its graph and its features would allow."""
    name, full_record = "tuned", False

    def __init__(self, folder, threads):
        super().__init__(folder, threads)
        self.adj = self.normalised()

    def first(self, w):
        return self.torch.sparse.mm(self.x, w)

    def spread(self, h):
        return self.torch.sparse.mm(self.adj, h)


def time_ours(options, folder):
    """Processor and elapsed time of the whole command, and its mean accuracy."""
    db = os.path.join(folder, "bench.db")
    if os.path.exists(db):
        os.remove(db)
    program = os.path.join(options.build, "bin", "crucible")
    if not os.path.exists(program):
        sys.exit(f"bench: there is no {program}; tools/build release makes it")
    command = [program, "run", os.path.join(ROOT, "configs", "noisygl", "quick-cora.ini"), "--db", db,
               "--jobs", str(options.threads), "--quiet", "--set", "experiment.algorithms=gcn",
               "--set", "experiment.corruptors=uniform", "--set", "experiment.metrics=accuracy",
               "--set", f"experiment.seeds=0..{options.seeds - 1}"]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    report = subprocess.run([program, "report", "--db", db, "--format", "json"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed, report


def time_theirs(peer, seeds):
    cpu, begin = time.process_time(), time.perf_counter()
    scores = [peer.run(3000 + seed) for seed in range(seeds)]
    return time.process_time() - cpu, time.perf_counter() - begin, statistics.mean(scores)


def median_of(rounds, clock):
    return statistics.median(times[clock] for times in rounds)


def show(times, options):
    """The medians of ours and of each peer, and how many times as fast ours is."""
    ratios = {}
    print(f"GCN, {options.seeds} seeds, Cora under noise, {options.threads} thread(s):")
    for clock, what in ((0, "processor"), (1, "elapsed")):
        ours = median_of(times["ours"], clock)
        parts = [f"ours {ours:.2f} s"]
        for name in ("study", "tuned"):
            theirs = median_of(times[name], clock)
            ratios[f"{name} {what}"] = theirs / ours
            parts.append(f"{name} {theirs:.2f} s, {theirs / ours:.1f} times as long")
        print(f"  {what + ' time:':16}{'; '.join(parts)}")
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="PyTorch's threads and our jobs")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    mirror = os.environ.get("CRUCIBLE_MIRROR")
    if not mirror:
        print("bench: set CRUCIBLE_MIRROR to a folder that has cora/", file=sys.stderr)
        return 1
    peers = [kind(os.path.join(mirror, "cora"), options.threads) for kind in (Study, Tuned)]
    times = {"ours": [], "study": [], "tuned": []}
    with tempfile.TemporaryDirectory() as folder:
        time_ours(options, folder)  # the dataset's cache and the list of plugins are made once
        for peer in peers:
            peer.run(0, 3)
        for number in range(options.rounds):
            cpu, elapsed, report = time_ours(options, folder)
            times["ours"].append((cpu, elapsed))
            accuracy = json.loads(report)[0]["cells"][0]["mean"]
            print(f"round {number + 1}: ours {cpu:.2f} s, elapsed {elapsed:.2f} s, accuracy {accuracy:.1f}", flush=True)
            for peer in peers:
                cpu, elapsed, accuracy = time_theirs(peer, options.seeds)
                times[peer.name].append((cpu, elapsed))
                print(f"         {peer.name} {cpu:.2f} s, elapsed {elapsed:.2f} s, accuracy {100 * accuracy:.1f}",
                      flush=True)
    ratios = show(times, options)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"case": "gcn cora noise", "seeds": options.seeds, "threads": options.threads, "times": times,
                       "ratios": ratios}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
