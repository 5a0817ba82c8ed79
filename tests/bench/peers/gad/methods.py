# SPDX-License-Identifier: Apache-2.0
"""The anomaly study's networks on one graph: full batches, 32 units, weighted classes. An epoch's logits are scored before
its step, so that it has one pass. Sums over neighbours are sparse products; what a product cannot say (attention, largest and
smallest neighbours) is a reduction over the edges in the order of their ends."""
import math

import torch
import torch.nn.functional as F

from frame import Affine, MLP, Method, Task, normalised

POINTS = 2, 8


def read(folder):
    """With a loop on every node."""
    task = Task(folder, (0.4, 0.2))
    own = torch.arange(task.n)
    pairs = torch.cat([task.pairs[:, task.pairs[0] != task.pairs[1]], torch.stack([own, own])], 1)
    task.pairs = pairs[:, torch.argsort(pairs[0] * task.n + pairs[1])]
    return task


def average_precision(score, label):
    label = label[torch.argsort(score, descending=True)].float()
    found = label.cumsum(0)
    return ((found / torch.arange(1, len(label) + 1)) * label).sum() / label.sum()


class Graph(Method):
    epochs, hidden, decay = 200, 32, 0

    def __init__(self, task):
        y = task.labels[task.train].float()
        self.weights = torch.tensor([1.0, float((1 - y).sum() / y.sum())])
        super().__init__(task)

    def sym(self):
        return normalised(self.t.pairs, self.t.n, False)

    def mean(self):
        return normalised(self.t.pairs, self.t.n, False, "rw")

    def edges(self):
        self.cols = self.t.pairs[1]
        self.lengths = torch.bincount(self.t.pairs[0], minlength=self.t.n)
        self.rows = self.t.pairs[0]

    def reduced(self, values, how):
        return torch.segment_reduce(values, how, lengths=self.lengths)

    def attention(self, scores, values):
        """Softmax over the edges of each node, then the weighted sum."""
        top = self.reduced(scores.detach(), "max")
        e = (scores - top[self.rows]).exp()
        alpha = e / torch.zeros_like(top).index_add(0, self.rows, e)[self.rows]
        spread = alpha[..., None] * values[self.cols]
        return torch.zeros_like(values).index_add(0, self.rows, spread)

    def loss(self, epoch):
        self.last = self.z()
        return F.cross_entropy(self.last[self.t.train], self.y, self.weights)

    def validation(self):
        return average_precision(self.last[self.t.val, 1] - self.last[self.t.val, 0], self.t.labels[self.t.val]).item()


def layers(**parts):
    net = torch.nn.Module()
    for name, part in parts.items():
        setattr(net, name, part)
    return net


class Mlp(Graph):
    def network(self):
        return MLP([self.t.f, 32, 2], 0)

    def z(self):
        return self.net(self.t.x)


class Gcn(Graph):
    def network(self):
        self.adj = self.sym()
        return layers(a=Affine(self.t.f, 32), b=Affine(32, 32), out=Affine(32, 2))

    def z(self):
        n, x = self.net, self.t.x
        for layer in (n.a, n.b):
            narrow = x.shape[1] <= layer.w.shape[1]
            h = (self.adj @ x) @ layer.w if narrow else self.adj @ (x @ layer.w)
            x = F.relu(h + layer.b)
        return n.out(x)


class Sgc(Graph):
    def network(self):
        adj = self.sym()
        self.x = adj @ (adj @ self.t.x)
        return Affine(self.t.f, 2)

    def z(self):
        return self.net(self.x)


class Gin(Graph):
    def network(self):
        self.adj = self.mean()
        self.first = self.t.x + self.adj @ self.t.x
        return layers(a=Affine(self.t.f, 32), b=Affine(32, 2))

    def z(self):
        h = F.relu(self.net.a(self.first))
        h = h @ self.net.b.w
        return h + self.adj @ h + self.net.b.b


class Sage(Graph):
    """The pooling form."""

    def network(self):
        self.edges()
        f = self.t.f
        return layers(p1=Affine(f, f), s1=Affine(f, 32), n1=Affine(f, 32, False), p2=Affine(32, 32), s2=Affine(32, 32),
                      n2=Affine(32, 32, False), out=Affine(32, 2))

    def z(self):
        n, h = self.net, self.t.x
        for pool, own, near in ((n.p1, n.s1, n.n1), (n.p2, n.s2, n.n2)):
            top = self.reduced(F.relu(pool(h))[self.cols], "max")
            h = F.relu(own(h) + near(top))
        return n.out(h)


class Gat(Graph):
    ego = False

    def network(self):
        self.edges()
        net = layers(first=Affine(self.t.f, 32), out=Affine(32, 2), blocks=torch.nn.ModuleList())
        for _ in range(2):
            net.blocks.append(layers(u=Affine(32, 32), src=Affine(32, 4), dst=Affine(32, 4, False),
                                     a=Affine(64 if self.ego else 32, 32), b=Affine(32, 32)))
        return net

    def z(self):
        h = F.gelu(self.net.first(self.t.x))
        for b in self.net.blocks:
            u = b.u(h)
            e = F.leaky_relu(b.src(u)[self.cols] + b.dst(u)[self.rows], 0.2)
            m = self.attention(e, u.view(-1, 8, 4).transpose(1, 2).contiguous()).transpose(1, 2).reshape(-1, 32)
            h = h + b.b(F.gelu(b.a(torch.cat([u, m], 1) if self.ego else m)))
        return self.net.out(h)


class GatSep(Gat):
    ego = True


class Gt(Graph):
    def network(self):
        self.edges()
        net = layers(first=Affine(self.t.f, 32), out=Affine(32, 2), blocks=torch.nn.ModuleList())
        for _ in range(2):
            net.blocks.append(layers(qkv=Affine(32, 96), o=Affine(32, 32), a=Affine(32, 32), b=Affine(32, 32)))
        return net

    def z(self):
        h = F.gelu(self.net.first(self.t.x))
        for b in self.net.blocks:
            q, k, v = (part.reshape(-1, 4, 8) for part in b.qkv(h).split(32, 1))
            e = (q[self.cols] * k[self.rows]).sum(2) / math.sqrt(8)
            h = h + b.o(self.attention(e, v).reshape(-1, 32))
            h = h + b.b(F.gelu(b.a(h)))
        return self.net.out(h)


class Pna(Graph):
    def network(self):
        self.adj = self.mean()
        self.edges()
        return layers(first=Affine(self.t.f, 32), a=Affine(128, 32), b=Affine(128, 32), out=Affine(32, 2))

    def z(self):
        h = self.net.first(self.t.x)
        for layer in (self.net.a, self.net.b):
            means = self.adj @ torch.cat([h, h * h], 1)
            mean, square = means.split(32, 1)
            there = h[self.cols]
            std = (F.relu(square - mean * mean) + 1e-5).sqrt()
            h = F.relu(layer(torch.cat([mean, self.reduced(there, "max"), self.reduced(there, "min"), std], 1)))
        return self.net.out(h)


class Bwgnn(Graph):
    """The powers of L are shared by the three filters."""

    def network(self):
        self.adj = self.sym()
        return layers(first=MLP([self.t.f, 32, 32], 0), head=MLP([96, 32, 2], 0))

    def z(self):
        h = F.relu(self.net.first(self.t.x))
        l1 = h - self.adj @ h
        l2 = l1 - self.adj @ l1
        return self.net.head(torch.cat([3 * h - 3 * l1 + 0.75 * l2, 3 * l1 - 1.5 * l2, 0.75 * l2], 1))


class Bernnet(Graph):
    def network(self):
        self.adj = self.sym()
        net = layers(first=MLP([self.t.f, 32, 32], 0), out=Affine(32, 2))
        net.theta = torch.nn.Parameter(torch.ones(3))
        return net

    def z(self):
        h = F.relu(self.net.first(self.t.x))
        h = h + self.adj @ h
        g = h + self.adj @ h
        t = F.relu(self.net.theta)
        return self.net.out(F.relu(0.25 * t[0] * g + (0.5 * t[1] + 0.25 * t[2]) * (g - self.adj @ g)))


class Amnet(Graph):
    """G and L G are the same for the three filters."""

    def network(self):
        self.adj = self.sym()
        net = layers(a=Affine(self.t.f, 32), b=Affine(32, 32), out=Affine(32, 2))
        net.theta = torch.nn.Parameter(torch.ones(3, 3))
        return net

    def z(self):
        n = self.net
        h = n.b(F.relu(n.a(self.t.x)))
        g = h + self.adj @ h
        g = g + self.adj @ g
        lg, t = g - self.adj @ g, F.relu(n.theta)
        f = torch.stack([0.25 * t[m, 0] * g + (0.5 * t[m, 1] + 0.25 * t[m, 2]) * lg for m in range(3)])
        p = torch.tanh(n.b(h))
        alpha = F.softmax((torch.tanh(f @ n.b.w + n.b.b) * p).sum(2), 0)
        return n.out((alpha[..., None] * f).sum(0))


class Cheb(Graph):
    def network(self):
        self.adj = self.sym()
        return layers(a=Affine(self.t.f, 32), c=Affine(64, 32), out=Affine(32, 2))

    def z(self):
        h = F.relu(self.net.a(self.t.x))
        return self.net.out(F.relu(self.net.c(torch.cat([h, -(self.adj @ h)], 1))))


def nearest(x, k):
    """Pairs of each row with its k nearest by angle, some rows at a time."""
    unit, found = F.normalize(x), []
    for at in torch.arange(len(x)).split(1024):
        near = (unit[at] @ unit.t()).topk(k).indices
        found.append(torch.stack([at.repeat_interleave(k), near.flatten()]))
    return torch.cat(found, 1)


class Knn(Graph):
    """gcn's layers on the given edges and those to the five nearest together."""

    def network(self):
        pairs = torch.cat([self.t.pairs, nearest(self.t.x, 5)], 1)
        self.adj = normalised(pairs, self.t.n, False)
        return layers(a=Affine(self.t.f, 32), b=Affine(32, 32), out=Affine(32, 2))

    z = Gcn.z


class Gas(Graph):
    """One network over both graphs; the head that reads it never learns."""

    def network(self):
        self.views = [self.sym(), normalised(nearest(self.t.x, 5), self.t.n, False)]
        self.spread = [adj @ self.t.x for adj in self.views]
        self.head = MLP([64, 32, 2], 0)
        return layers(a=Affine(self.t.f, 32), b=Affine(32, 32))

    def z(self):
        n, sides = self.net, []
        for adj, spread in zip(self.views, self.spread):
            sides.append(F.relu(adj @ (F.relu(n.a(spread)) @ n.b.w) + n.b.b))
        return self.head(torch.cat(sides, 1))


class Ghrn(Bwgnn):
    """bwgnn without the edges whose ends differ most after smoothing."""

    def sym(self):
        t = self.t
        rest = t.x - normalised(t.pairs, t.n, False) @ t.x
        score = torch.cat([(rest[a] * rest[b]).sum(1) for a, b in zip(*(ends.split(1 << 16) for ends in t.pairs))])
        kept = torch.ones(len(score), dtype=torch.bool)
        kept[score.topk(int(0.015 * len(score)), largest=False).indices] = False
        kept &= t.pairs[0] != t.pairs[1]
        return normalised(t.pairs[:, kept], t.n)


class PcGnn(Cheb):
    """chebnet without the longest edges, with edges between anomalies; nodes count by their degree."""

    def sym(self):
        t = self.t
        length = torch.cat([(t.x[a] - t.x[b]).abs().sum(1) for a, b in zip(*(ends.split(1 << 16) for ends in t.pairs))])
        kept = torch.ones(len(length), dtype=torch.bool)
        kept[length.topk(int(0.7 * len(length))).indices] = False
        pairs = t.pairs[:, kept]
        odd = t.train[t.labels[t.train] == 1]
        degree = torch.bincount(pairs[0], minlength=t.n)
        k = min(int(0.3 * degree[odd].float().mean()), 5) + 1
        pairs = torch.cat([pairs, odd[nearest(t.x[odd], min(k, len(odd)))]], 1)
        degree = torch.bincount(pairs[0], minlength=t.n).float()
        self.share = degree[t.train] / degree.max() / len(t.train)
        return normalised(pairs, t.n, False)

    def loss(self, epoch):
        self.last = self.z()
        each = F.cross_entropy(self.last[self.t.train], self.y, reduction="none")
        return (self.share * self.weights[self.y] * each).sum()


class Dci(Graph):
    """Clusters by scikit-learn; what precedes the epochs is in the time of one training."""

    def network(self):
        self.adj = self.mean()
        self.first = self.t.x + self.adj @ self.t.x
        bound = 1 / math.sqrt(32)
        net = layers(a=Affine(self.t.f, 32), b=Affine(32, 32), out=Affine(32, 2))
        net.judge = torch.nn.Parameter(torch.empty(32, 32).uniform_(-bound, bound))
        return net

    def encode(self, first):
        h = F.relu(self.net.a(first))
        h = h @ self.net.b.w
        return F.relu(h + self.adj @ h + self.net.b.b)

    def z(self):
        return self.net.out(self.encode(self.first))

    def clusters(self, x):
        from sklearn.cluster import KMeans
        return torch.from_numpy(KMeans(2, n_init=10, random_state=0).fit_predict(x.detach().numpy())).long()

    def before(self):
        optimiser, group = torch.optim.Adam(self.net.parameters(), 0.001, foreach=True), self.clusters(self.t.x)
        for epoch in range(1, 100):
            mixed = self.t.x[torch.randperm(self.t.n)]
            real, false = self.encode(self.first), self.encode(mixed + self.adj @ mixed)
            towards = self.net.judge @ torch.sigmoid(real.mean(0))
            cost = F.softplus(-(real @ towards)) + F.softplus(false @ towards)
            size = torch.bincount(group, minlength=2).float()
            self.step(optimiser, (torch.zeros(2).index_add(0, group, cost) / size).mean())
            if epoch % 20 == 0:
                with torch.no_grad():
                    group = self.clusters(self.encode(self.first))


class Rgcn(Graph):
    """One relation: the graph."""

    def network(self):
        self.adj = self.sym()
        self.spread = self.adj @ self.t.x
        return layers(a=Affine(self.t.f, 32), b=Affine(32, 32), out=Affine(32, 2))

    def z(self):
        n = self.net
        h = F.relu(n.a(self.spread))
        return n.out(F.relu(self.adj @ (h @ n.b.w) + n.b.b))


class Hgt(Graph):
    """One relation. Dropout is on in every pass, so that the logits of the training pass are those that are judged."""

    def network(self):
        self.edges()
        net = layers(first=Affine(self.t.f, 32), out=Affine(32, 2), blocks=torch.nn.ModuleList())
        for _ in range(2):
            block = layers(k=Affine(32, 32, False), q=Affine(32, 32, False), v=Affine(32, 32, False),
                           a=Affine(32, 32, False), m=Affine(32, 32, False), w=Affine(32, 32, False))
            block.prior, block.skip = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
            net.blocks.append(block)
        return net

    def z(self):
        h = self.net.first(self.t.x)
        for b in self.net.blocks:
            e = (b.a(b.k(h))[self.cols] * b.q(h)[self.rows]).sum(1, keepdim=True) * b.prior / math.sqrt(32)
            g = self.attention(e, b.m(b.v(h))[:, None])[:, 0]
            beta = torch.sigmoid(b.skip)
            h = F.relu(beta * F.dropout(b.w(g), 0.2) + (1 - beta) * h)
        return self.net.out(h)


class CareGnn(Graph):
    """The share of edges climbs by 0.02 an epoch: the first so many of every node."""

    def network(self):
        self.edges()
        start = self.lengths.cumsum(0) - self.lengths
        self.place = torch.arange(len(self.rows)) - start[self.rows]
        self.share, self.far, self.kept = 0.5, 0.0, None
        self.measure = Affine(self.t.f, 2)
        odd = torch.zeros(self.t.n, dtype=torch.bool)
        odd[self.t.train[self.t.labels[self.t.train] == 1]] = True
        self.of_odd = odd[self.rows].nonzero()[:, 0]
        return Affine(self.t.f, 2)

    def mean_of_kept(self):
        """Made anew when the share changed."""
        if self.kept != self.share:
            chosen = self.place < torch.ceil(self.share * self.lengths.float())[self.rows]
            adj = normalised(self.t.pairs[:, chosen], self.t.n, False, "rw")
            self.near, self.kept = adj @ self.t.x, self.share
        return self.near

    def z(self):
        return self.net(self.share * self.mean_of_kept() + self.t.x)

    def epoch(self, optimiser, epoch):
        super().epoch(optimiser, epoch)
        with torch.no_grad():
            seen = torch.tanh(self.measure(self.t.x))
            far = (seen[self.cols[self.of_odd]] - seen[self.rows[self.of_odd]]).abs().sum(1).mean().item()
        step = -0.02 if self.far < far else 0.02
        self.share, self.far = (self.share + step if 0 < self.share + step <= 1 else self.share), far


class H2(Graph):
    """Two kinds of edges that are one list here: the relation and all relations together. Dropout is always on."""
    kinds, heads = 2, 2

    def network(self):
        self.edges()
        t, inside = self.t, torch.zeros(self.t.n, dtype=torch.bool)
        inside[t.train] = True
        both = (inside[self.rows] & inside[self.cols]).nonzero()[:, 0]
        same = t.labels[self.rows[both]] == t.labels[self.cols[both]]
        self.alike, self.unlike = both[same], both[~same]
        self.odd, self.usual = t.train[t.labels[t.train] == 1], t.train[t.labels[t.train] == 0]
        net = layers(ends=Affine(t.f, 4), sign=Affine(12, 1), out=Affine(4, 2), kinds=torch.nn.ModuleList())
        for _ in range(self.kinds):
            net.kinds.append(layers(w=Affine(t.f, 4), source=Affine(2, 1), target=Affine(2, 1, False)))
        return net

    def signs(self, a, edges):
        u, v = a[self.cols[edges]], a[self.rows[edges]]
        return torch.tanh(self.net.sign(F.dropout(torch.cat([u, v, u - v], 1), 0.1)))[:, 0]

    def z(self):
        self.ends, every = self.net.ends(self.t.x), slice(None)
        with torch.no_grad():
            sign = self.signs(self.ends, every).sign()
        sums = []
        for kind in self.net.kinds:
            y = kind.w(self.t.x).view(-1, self.heads, 2)
            message = sign[:, None, None] * y[self.cols]
            narrow = lambda part, x: part(x.reshape(-1, 2)).view(-1, self.heads)
            score = F.leaky_relu(narrow(kind.source, message) + narrow(kind.target, y)[self.rows], 0.01)
            top = self.reduced(score.detach(), "max")
            e = (score - top[self.rows]).exp()
            alpha = e / torch.zeros_like(top).index_add(0, self.rows, e)[self.rows]
            sums.append(torch.zeros_like(y).index_add(0, self.rows, alpha[..., None] * message).sum(1))
        return self.net.out(F.dropout(torch.cat(sums, 1), 0.1))

    def loss(self, epoch):
        z = self.last = self.z()
        some = lambda ids, count: ids[torch.randint(len(ids), (count,))]
        nodes = torch.cat([self.odd, self.usual[torch.randperm(len(self.usual))[:len(self.odd)]]])
        total = F.cross_entropy(z[nodes], self.t.labels[nodes])
        if len(self.unlike):
            edges = torch.cat([self.unlike, some(self.alike, len(self.unlike))])
            want = torch.ones(len(edges))
            want[:len(self.unlike)] = -1
            total = total + 1.2 * F.relu(1 - want * self.signs(self.ends, edges)).mean()
        nodes = torch.cat([self.odd, some(self.usual, len(self.odd))])
        far = [-(z[nodes] - z[of].mean(0) + 1e-6).norm(dim=1) for of in (self.usual, self.odd)]
        return total + 2 * F.cross_entropy(torch.stack(far, 1), self.t.labels[nodes])


class Fitted:
    """scikit-learn's estimator of the method, asked for the scores of all other nodes. It has no epochs."""
    epochs = None

    def __init__(self, task):
        self.t = task

    def features(self):
        return self.t.x

    def estimator(self):
        raise NotImplementedError

    def weights(self, y):
        return None

    def fit(self, _):
        t, x = self.t, self.features().numpy()
        rest = torch.ones(t.n, dtype=torch.bool)
        rest[t.train] = False
        y, model = t.labels[t.train].numpy(), self.estimator()
        weights = self.weights(y)
        model.fit(x[t.train.numpy()], y, **({} if weights is None else {"sample_weight": weights}))
        return getattr(model, "predict_proba", getattr(model, "decision_function", None))(x[rest.numpy()])


class Neighbours(Fitted):
    def estimator(self):
        from sklearn.neighbors import KNeighborsClassifier
        return KNeighborsClassifier(5, n_jobs=1)


class Svm(Fitted):
    def estimator(self):
        from sklearn.svm import LinearSVC
        return LinearSVC()

    def fit(self, _):
        t = self.t
        return self.estimator().fit(t.x[t.train].numpy(), t.labels[t.train].numpy()).decision_function(t.x.numpy())


class Forest(Fitted):
    def estimator(self):
        from sklearn.ensemble import RandomForestClassifier
        return RandomForestClassifier(100, n_jobs=1)

    def weights(self, y):
        return (y == 0) + (y == 1) * float((y == 0).sum() / (y == 1).sum())


class GraphForest(Forest):
    def features(self):
        adj, found = normalised(self.t.pairs, self.t.n, False, "rw"), [self.t.x]
        for _ in range(2):
            found.append(adj @ found[-1])
        return torch.cat(found, 1)


class Boosting(Fitted):
    """Trees of depth 6 on histograms, a hundred rounds."""

    def estimator(self):
        from sklearn.ensemble import HistGradientBoostingClassifier
        return HistGradientBoostingClassifier(learning_rate=0.3, max_iter=100, max_depth=6, max_leaf_nodes=None,
                                              min_samples_leaf=1, l2_regularization=1, early_stopping=False)

    weights = Forest.weights


class GraphBoosting(Boosting):
    features = GraphForest.features


class Averaged(Boosting):
    """Every score with the mean of those of the five nearest rows."""

    def fit(self, _):
        t, y = self.t, self.t.labels[self.t.train].numpy()
        model = self.estimator().fit(t.x[t.train].numpy(), y, self.weights(y))
        score = torch.from_numpy(model.predict_proba(t.x.numpy())[:, 1])
        return score + score[nearest(t.x, 5)[1]].view(-1, 5).mean(1)


METHODS = {"mlp": Mlp, "gcn": Gcn, "sgc": Sgc, "gin": Gin, "graphsage": Sage, "gat": Gat, "gat-sep": GatSep, "gt": Gt,
           "pna": Pna, "bwgnn": Bwgnn, "bernnet": Bernnet, "amnet": Amnet, "chebnet": Cheb, "knn-gcn": Knn, "gas": Gas,
           "ghrn": Ghrn, "pc-gnn": PcGnn, "dci": Dci, "rgcn": Rgcn, "hgt": Hgt, "care-gnn": CareGnn, "h2-fdetector": H2,
           "knn": Neighbours, "svm": Svm, "rf": Forest, "rf-graph": GraphForest,
           "xgboost": Boosting, "xgb-graph": GraphBoosting, "na": Averaged}
