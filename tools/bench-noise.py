#!/usr/bin/python3
"""Times a GCN on Cora under 30 % uniform label noise, ten seeds: `crucible run` against the same loop in PyTorch.

    tools/bench --noise [--seeds N] [--rounds N] [--build DIR] [--json FILE]

Both do 200 epochs of full-batch training (hidden 64, dropout 0.5, Adam, weight decay 5e-4), evaluate after every epoch,
keep the weights of the best accuracy on noisy validation labels and score the test part with them. Ours is the whole
command with one job: processes, sandbox, judge, store and table included. PyTorch's is its training loop alone, with one
thread, without imports and loading; its features are dense or sparse, whichever is faster. Processor time of both, because
it does not count what other programs use; the median of alternating rounds. Needs Cora in the mirror (CRUCIBLE_MIRROR).
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
ROOT = os.path.dirname(HERE)
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
    """The study's loop, as one would write it in PyTorch."""

    def __init__(self, folder, sparse):
        import numpy
        import torch
        torch.set_num_threads(1)
        self.numpy, self.torch = numpy, torch
        x, pairs, self.labels = load_cora(folder)
        n = x.shape[0]
        loops = numpy.stack([numpy.arange(n)] * 2, 1)
        edges = torch.from_numpy(numpy.concatenate([pairs, loops])).t()
        degree = torch.bincount(edges[0], minlength=n).float()
        values = (degree[edges[0]] * degree[edges[1]]).rsqrt()
        self.adj = torch.sparse_coo_tensor(edges, values, (n, n)).coalesce()
        coo = x.tocoo()
        indices = torch.from_numpy(numpy.stack([coo.row, coo.col]).astype("int64"))
        self.x = torch.sparse_coo_tensor(indices, torch.from_numpy(coo.data), x.shape).coalesce()
        if not sparse:
            self.x = self.x.to_dense()
        self.train, self.val, self.test = range(140), range(140, 640), range(1708, 2708)

    def noisy(self, seed):
        """Every label redrawn with probability RATE, the other classes being equally likely."""
        rng = self.numpy.random.RandomState(seed)
        flip, classes = rng.rand(len(self.labels)) < RATE, 7
        shift = rng.randint(1, classes, len(self.labels))
        return self.numpy.where(flip, (self.labels + shift) % classes, self.labels)

    def run(self, seed, epochs=EPOCHS):
        torch = self.torch
        torch.manual_seed(seed)
        labels = torch.from_numpy(self.noisy(seed))
        w = [torch.nn.init.xavier_uniform_(torch.empty(1433, HIDDEN)),
             torch.nn.init.xavier_uniform_(torch.empty(HIDDEN, 7))]
        weights = [p.requires_grad_() for p in (w[0], torch.zeros(HIDDEN), w[1], torch.zeros(7))]
        optimiser = torch.optim.Adam(weights, lr=0.01, weight_decay=5e-4)
        parts = [torch.tensor(part) for part in (self.train, self.val, self.test)]

        def forward(training):
            w1, b1, w2, b2 = weights
            product = torch.sparse.mm(self.x, w1) if self.x.is_sparse else self.x @ w1
            h = torch.sparse.mm(self.adj, product) + b1
            h = torch.nn.functional.dropout(torch.relu(h), 0.5, training)
            return torch.sparse.mm(self.adj, h @ w2) + b2

        best, kept = -1, None
        for _ in range(epochs):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(forward(True)[parts[0]], labels[parts[0]]).backward()
            optimiser.step()
            with torch.no_grad():
                score = (forward(False)[parts[1]].argmax(1) == labels[parts[1]]).float().mean().item()
            if score > best:
                best, kept = score, copy.deepcopy([p.data for p in weights])
        for p, data in zip(weights, kept):
            p.data = data
        with torch.no_grad():
            right = forward(False)[parts[2]].argmax(1) == torch.from_numpy(self.labels)[parts[2]]
        return right.float().mean().item()


def time_ours(options, folder):
    """Processor time of the whole command, and its mean accuracy."""
    db = os.path.join(folder, "bench.db")
    if os.path.exists(db):
        os.remove(db)
    program = os.path.join(options.build, "bin", "crucible")
    command = [program, "run", os.path.join(ROOT, "configs", "noisygl", "quick-cora.ini"), "--db", db, "--jobs", "1",
               "--quiet", "--set", "experiment.algorithms=gcn", "--set", "experiment.corruptors=uniform",
               "--set", "experiment.metrics=accuracy", "--set", f"experiment.seeds=0..{options.seeds - 1}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = subprocess.run([program, "report", "--db", db, "--format", "csv"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, report.splitlines()[-1]


def time_theirs(peer, seeds):
    begin = time.process_time()
    scores = [peer.run(3000 + seed) for seed in range(seeds)]
    return time.process_time() - begin, statistics.mean(scores)


def quicker(folder):
    """Dense or sparse features, whichever takes less time for a few epochs."""
    def cost(peer):
        peer.run(0, 5)
        begin = time.process_time()
        peer.run(0, 20)
        return time.process_time() - begin

    return min((Peer(folder, sparse) for sparse in (False, True)), key=cost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    mirror = os.environ.get("CRUCIBLE_MIRROR")
    if not mirror:
        print("bench: set CRUCIBLE_MIRROR to a folder that has cora/", file=sys.stderr)
        return 1
    peer = quicker(os.path.join(mirror, "cora"))
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            mine, row = time_ours(options, folder)
            yours, accuracy = time_theirs(peer, options.seeds)
            ours.append(mine)
            theirs.append(yours)
            print(f"round {number + 1}: ours {mine:.2f} s ({row}), PyTorch {yours:.2f} s (accuracy {accuracy:.4f}, "
                  f"{'sparse' if peer.x.is_sparse else 'dense'} features)", flush=True)
    ratio = statistics.median(theirs) / statistics.median(ours)
    print(f"GCN, {options.seeds} seeds, Cora under noise: ours {statistics.median(ours):.2f} s, PyTorch "
          f"{statistics.median(theirs):.2f} s of processor time: {ratio:.1f} times as fast")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"case": "gcn cora noise", "seeds": options.seeds, "ours": ours, "theirs": theirs,
                       "ratio": ratio}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
