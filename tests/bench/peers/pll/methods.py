# SPDX-License-Identifier: Apache-2.0
"""The partial-label study's methods on tables: one network of one hidden layer, batches of 128 rows, a step an epoch.

Most methods are a loss of logits and candidate sets. Those with a table of confidences also say how it changes after a
step. Complementary losses are sums over the cells outside the sets, so that no row is repeated.
"""
import math

import torch
import torch.nn.functional as F

from frame import Affine, Method, Task

EVERY = 1000  # steps between judgements
POINTS = 400, 1400  # steps of the two trainings that are timed: the warm-ups but valen's are over


def read(folder):
    return Task(folder, (0.81, 0.09))


class Net(torch.nn.Module):
    def __init__(self, task):
        super().__init__()
        self.phi, self.head = Affine(task.f, 500), Affine(500, task.classes)

    def forward(self, x):
        return self.head(F.relu(self.phi(x)))


class Encoder(Net):
    """With the projection head of the contrastive methods."""

    def __init__(self, task, width=128):
        super().__init__(task)
        self.first, self.second = Affine(500, 500), Affine(500, width)

    def both(self, x):
        h = F.relu(self.phi(x))
        return self.head(h), F.normalize(self.second(F.relu(self.first(h))))


class Batches(Method):
    """Batches without replacement, the last incomplete one dropped; judged now and then."""
    epochs, lr, decay, batch = 10000, 1e-3, 1e-5, 128

    def __init__(self, task):
        x = task.x
        task.scaled = (x - x.mean(0)) / (x.std(0, correction=0) + 1e-6)
        self.x, self.s = task.scaled[task.train].contiguous(), task.candidates[task.train].contiguous()
        self.xv, self.yv = task.scaled[task.val].contiguous(), task.labels[task.val]
        self.k = task.candidates.shape[1]
        task.classes = self.k
        self.order, self.place = None, 0
        super().__init__(task)
        self.q = self.s / self.s.sum(1, keepdim=True)
        self.before_steps()

    def before_steps(self):
        pass

    def network(self):
        return Net(self.t)

    def rows(self):
        if self.order is None or self.place + self.batch > len(self.order):
            self.order, self.place = torch.randperm(len(self.x)), 0
        self.place += self.batch
        return self.order[self.place - self.batch:self.place]

    def of(self, z, s, rows):
        """The loss of logits and candidate sets."""
        raise NotImplementedError

    def after(self, x, s, rows):
        """What changes after a step, for methods that carry something."""

    def epoch(self, optimiser, epoch):
        rows = self.rows()
        x, s = self.x[rows], self.s[rows]
        self.step(optimiser, self.of(self.net(x), s, rows))
        with torch.no_grad():
            self.after(x, s, rows)

    def validation(self):
        z = self.net(self.xv)
        return (z.argmax(1) == self.yv).float().mean().item()

    def fit(self, epochs):
        optimiser, best, kept = self.optimiser(self.parameters()), -1, None
        self.modes(True)
        for epoch in range(epochs):
            self.epoch(optimiser, epoch)
            if epoch % EVERY == 0 or epoch + 1 == epochs:
                with torch.no_grad():
                    right = self.validation()
                if right > best:
                    best, kept = right, [p.detach().clone() for p in self.parameters()]
        return best, kept


def confidences(p, s):
    q = p * s
    return q / q.sum(1, keepdim=True)


def soft(q, z):
    """Cross-entropy with soft targets."""
    return F.cross_entropy(z, q)


class CC(Batches):
    def of(self, z, s, rows):
        return (torch.logsumexp(z, 1) - torch.logsumexp(z.masked_fill(s == 0, -math.inf), 1)).mean()


class Log(Batches):
    """CC, each row by (K - 1) / (K - |S|)."""

    def of(self, z, s, rows):
        each = torch.logsumexp(z, 1) - torch.logsumexp(z.masked_fill(s == 0, -math.inf), 1)
        return ((self.k - 1) / (self.k - s.sum(1)) * each).mean()


class Proden(Batches):
    def of(self, z, s, rows):
        return soft(self.q[rows], z)

    def after(self, x, s, rows):
        self.q[rows] = confidences(F.softmax(self.net(x), 1), s)


class Cavl(Proden):
    def after(self, x, s, rows):
        z = self.net(x)
        self.q[rows] = F.one_hot((z * (1 - z).abs() * s).argmax(1), self.k).float()


class Pop(Proden):
    window, warm_up = 5, 20

    def before_steps(self):
        self.steps, self.theta = 0, 1e-3
        self.slots = torch.zeros(self.window, *self.q.shape)

    def after(self, x, s, rows):
        super().after(x, s, rows)
        each = len(self.x) // self.batch
        if self.steps % each == 0:
            self.slots[self.steps // each % self.window] = self.q
            if self.steps >= self.warm_up * each:
                self.purify()
        self.steps += 1

    def purify(self):
        mean = self.slots.mean(0)
        mean /= mean.sum(1, keepdim=True)
        kept = self.s * (mean / mean.amax(1, keepdim=True) >= self.theta)
        self.q = confidences(mean, kept)
        if self.theta < 0.4 and (kept != self.s).sum() < 1e-4 * kept.numel():
            self.theta *= 1.001


class AbsMae(Batches):
    def of(self, z, s, rows):
        return 2 * (1 - (self.q[rows] * F.softmax(z, 1)).sum(1)).mean()


class AbsGce(Batches):
    def of(self, z, s, rows):
        return (self.q[rows] * (1 - (0.7 * F.log_softmax(z, 1)).exp()) / 0.7).sum(1).mean()


class Exp(Batches):
    def of(self, z, s, rows):
        weight = (self.k - 1) / (self.k - s.sum(1))
        return (weight * (-(F.softmax(z, 1) * s).sum(1)).exp()).mean()


class MclGce(Batches):
    def each(self, z):
        return (1 - (0.7 * F.log_softmax(z, 1)).exp()) / 0.7

    def of(self, z, s, rows):
        each, size = self.each(z), s.sum(1)
        inside = (each * s).sum(1)
        outside = each.sum(1) - inside
        return (inside - (size - 1) / ((self.k - size) * outside + 1e-20)).mean()


class MclMse(MclGce):
    def each(self, z):
        p = F.softmax(z, 1)
        return (p * p).sum(1, keepdim=True) - 2 * p + 1


class Lws(Batches):
    def before_steps(self):
        self.w = torch.full_like(self.q, 1 / self.k)

    def of(self, z, s, rows):
        w = self.w[rows]
        return (w * (s * torch.sigmoid(-z) + 2 * (1 - s) * torch.sigmoid(z))).sum(1).mean()

    def after(self, x, s, rows):
        p = F.softmax(self.net(x), 1)
        a, b = p * s, p * (1 - s)
        self.w[rows] = a / (a + 1e-8).sum(1, keepdim=True) + b / (b + 1e-8).sum(1, keepdim=True)


class Pairs(Batches):
    """Losses over the cells outside the candidate sets, averaged over all of them."""

    def of(self, z, s, rows):
        outside = 1 - s
        return (outside * self.cell(z)).sum() / outside.sum()


class PC(Pairs):
    def cell(self, z):
        return (self.k - 1) * torch.sigmoid(z[:, :, None] - z[:, None, :]).sum(2)


class CllForward(Pairs):
    def before_steps(self):
        self.transition = (1 - torch.eye(self.k)) / (self.k - 1)

    def cell(self, z):
        return -(F.softmax(z, 1) @ self.transition).log()


class SclExp(Pairs):
    def cell(self, z):
        return F.softmax(z, 1).exp()


class SclNl(Pairs):
    def cell(self, z):
        return -(1 - F.softmax(z, 1) + 1e-6).log()


class LW(Pairs):
    def cell(self, z):
        r = 1 - F.softmax(z, 1)
        return -(1 + r / r.sum(1, keepdim=True)) * F.log_softmax(r, 1)


class OpW(Pairs):
    def cell(self, z):
        a, b = F.softmax(z, 1) + 1e-18, F.softmax(-z, 1) + 1e-18
        return -(a * F.softmax(1 / b + 1, 1) + 1e-6) * b.log()


class CllNn(Batches):
    def before_steps(self):
        outside = (1 - self.s).sum(0)
        self.prior = outside / outside.sum()

    def parts(self, z, s):
        outside = 1 - s
        count = outside.sum(0)
        present = (count > 0).float()
        a = outside.t() @ -F.log_softmax(z, 1) / count.clamp(min=1)[:, None]
        return self.prior * (a.sum(0) - (self.k - 1) * present * a.diagonal()), count

    def of(self, z, s, rows):
        return self.parts(z, s)[0].clamp(min=0).sum()


class CllGa(CllNn):
    def epoch(self, optimiser, epoch):
        rows = self.rows()
        v, count = self.parts(self.net(self.x[rows]), self.s[rows])
        u = count * v
        self.step(optimiser, -u.clamp(max=0).sum() if u.min() < 0 else v.sum())


class Able(Batches):
    """Both views of a row of a table are the row."""
    points = 50, 150

    def network(self):
        return Encoder(self.t)

    def epoch(self, optimiser, epoch):
        rows, b = self.rows(), self.batch
        s = self.s[rows]
        z, h = self.net.both(self.x[rows].repeat(2, 1))
        z = z[:b]
        p = F.softmax(z, 1).detach()
        chosen = (p * s).argmax(1)
        size = torch.bincount(chosen, minlength=self.k)
        mask = (s[:, chosen] * self.q[:b][:, chosen] / size[chosen]).repeat(2, 2).fill_diagonal_(0)
        a = h @ h.t() / 0.07
        a = a - a.detach().amax(1, keepdim=True)
        log = a - torch.logsumexp(a.masked_fill(torch.eye(2 * b, dtype=torch.bool), -math.inf), 1, keepdim=True)
        self.step(optimiser, soft(self.q[rows], z) - (mask * log).sum(1).mean())
        self.q[rows] = confidences(p, s)


class CrdPll(Batches):
    def before_steps(self):
        self.steps = 0

    def epoch(self, optimiser, epoch):
        rows = self.rows()
        x, s = self.x[rows], self.s[rows]
        q = self.q[rows]
        weak, strong = self.net(x), self.net(x)
        outside = -((1 - s) * (1.0000001 - F.softmax(weak, 1)).log()).sum(1).mean()
        near = sum(F.kl_div(F.log_softmax(z, 1), q, reduction="batchmean") for z in (weak, strong))
        self.step(optimiser, min(self.steps / (0.5 * self.epochs), 1) * near + outside)
        self.steps += 1
        with torch.no_grad():
            p = F.softmax(self.net(x), 1).sqrt() * F.softmax(self.net(x), 1).sqrt()
            self.q[rows] = confidences(p, s)


class Fredis(Batches):
    """The second and third pass after a step see the same network and are one."""

    def before_steps(self):
        self.posterior, self.sets = torch.full_like(self.q, 1 / self.k), self.s.clone()
        self.steps, self.theta, self.delta = 0, 1e-6, 1.0

    def of(self, z, s, rows):
        outside = -((1 - s) * (1.0000001 - F.softmax(z, 1)).log()).sum(1).mean()
        return 10 * F.kl_div(F.log_softmax(z, 1), self.q[rows], reduction="batchmean") + outside

    def after(self, x, s, rows):
        p = F.softmax(self.net(x), 1)
        self.q[rows], self.posterior[rows] = confidences(p, s), p
        if self.steps % int(20 * len(self.x) / self.batch) == 0:
            self.correct()
        self.steps += 1

    def correct(self):
        gap, old = self.posterior.amax(1, keepdim=True) - self.posterior, self.sets
        new = old.clone()
        added = min(int(((old == 0) & (gap < self.theta)).sum()), 500)
        near = (gap < self.theta).flatten().nonzero()[:, 0]
        new.view(-1)[near if len(near) <= 500 else near[torch.randperm(len(near))[:500]]] = 1
        far, _ = gap[old == 1].sort(descending=True)
        if added and (far > self.delta).sum() < 2 * added:
            self.delta = float(far[min(2 * added, len(far)) - 1]) - 1e-6
        gone = (gap > self.delta).flatten().nonzero()[:, 0]
        new.view(-1)[gone if len(gone) <= 1000 else gone[torch.randperm(len(gone))[:1000]]] = 0
        self.q, self.sets = confidences(self.posterior, new + 1e-12), new
        if (new != old).sum() < 500 and self.theta < 0.9 and self.delta > 0.1:
            self.theta, self.delta = self.theta + 1e-6, self.delta - 1e-6


class Idgp(Batches):
    warm_up = 10

    def before_steps(self):
        self.second = Net(self.t)
        self.b, self.steps = self.s.clone(), 0
        self.adams = [self.optimiser(net.parameters()) for net in (self.net, self.second)]

    def epoch(self, optimiser, epoch):
        rows = self.rows()
        x, s = self.x[rows], self.s[rows]
        d, b, eps, one = self.q[rows], self.b[rows], 1e-12, 1.0000001
        zf, zg = self.net(x), self.second(x)
        p, u = F.softmax(zf, 1), torch.sigmoid(zg)
        logp, logu, lognot = (p + eps).log(), (u + eps).log(), (one - u).log()
        f = -(d * logp).sum(1).mean()
        g = -(b * logu + (1 - b) * lognot).sum(1).mean()
        if self.steps > self.warm_up * len(self.x) / self.batch:
            with torch.no_grad():
                own = F.one_hot((d * s).argmax(1), self.k)
                w = torch.where(own == 1, 1 - u, u) * s
                w = torch.where(w == 0, 1, w)
                v = s * (1 - w) / (w + eps) * w.prod(1, keepdim=True)
                v = v / (v.sum(1, keepdim=True) + eps)
                r = p * s
                r = r / (r.sum(1, keepdim=True) + eps)
            ramp = min(self.steps / (0.2 * self.epochs), 1)
            f = f - (v * logp).sum(1).mean() + ramp * F.kl_div(F.log_softmax(zf, 1), d, reduction="batchmean")
            g = (g - (r * lognot).sum(1).mean() - (s * logu + (1 - s) * lognot).sum(1).mean() +
                 ramp * F.kl_div(F.logsigmoid(zg), b, reduction="batchmean"))
        self.step(self.adams[0], f)
        self.step(self.adams[1], g)
        p, u = p.detach() * s, u.detach() * s
        self.q[rows], self.b[rows] = p / (p.sum(1, keepdim=True) + eps), u
        self.steps += 1


class Pico(Batches):
    """The prototypes' update, a chain over the batch, is the same weighted sum at once."""
    queue, width, momentum, weight, start = 8192, 128, 0.999, 0.5, 178
    points = 200, 260

    def network(self):
        return Encoder(self.t)

    def before_steps(self):
        self.key = Encoder(self.t)
        self.key.load_state_dict(self.net.state_dict())
        self.bank = F.normalize(torch.randn(self.queue, self.width), dim=0)
        self.said = torch.randn(self.queue)
        self.centres = torch.zeros(self.k, self.width)
        self.steps, self.at, self.phi = 0, 0, 0.99

    @torch.no_grad()
    def move_key(self):
        keys, queries = list(self.key.parameters()), list(self.net.parameters())
        torch._foreach_lerp_(keys, queries, 1 - self.momentum)

    @torch.no_grad()
    def move_centres(self, said, q):
        order = torch.argsort(said, stable=True)
        count = torch.bincount(said, minlength=self.k)
        first = count.cumsum(0) - count
        rank = torch.empty_like(said)
        rank[order] = torch.arange(len(said)) - first[said[order]]
        weight = 0.01 * 0.99 ** (count[said] - 1 - rank).float()
        self.centres *= (0.99 ** count.float())[:, None]
        self.centres.index_add_(0, said, weight[:, None] * q)
        self.centres = F.normalize(self.centres)

    def contrast(self, q, k, said, bank, labels):
        if self.steps < self.start:
            a = torch.cat([(q * k).sum(1, keepdim=True), q @ bank.t()], 1) / 0.07
            return F.cross_entropy(a, torch.zeros(len(q), dtype=torch.long))
        a = q @ torch.cat([q, k, bank]).t() / 0.07
        a = a - a.detach().amax(1, keepdim=True)
        own = torch.arange(len(q))
        same = said[:, None].float() == torch.cat([said.float(), said.float(), labels])[None]
        same[own, own] = False
        e = a.exp()
        total = e.sum(1) - e[own, own]
        log = a - (total + 1e-12).log()[:, None]
        return -((same * log).sum(1) / same.sum(1)).mean()

    def shared(self, x, s):
        """Query, key, queue: what alim and pico-plus do alike."""
        z, q = self.net.both(x)
        with torch.no_grad():
            said = (F.softmax(z, 1) * s).argmax(1)
            near = F.softmax(q @ self.centres.t(), 1)
            self.move_centres(said, q)
            self.move_key()
            k = self.key.both(x)[1]
            bank, labels = self.bank.clone(), self.said.clone()
            self.bank[self.at:self.at + len(k)], self.said[self.at:self.at + len(k)] = k, said.float()
            self.at = (self.at + len(k)) % self.queue
        return z, near, self.contrast, (q, k, said, bank, labels)

    def epoch(self, optimiser, epoch):
        rows = self.rows()
        s = self.s[rows]
        z, near, contrast, parts = self.shared(self.x[rows], s)
        if self.steps >= self.start:
            hot = F.one_hot((near * s).argmax(1), self.k)
            self.q[rows] = self.phi * self.q[rows] + (1 - self.phi) * hot
        self.step(optimiser, soft(self.q[rows], z) + self.weight * contrast(*parts))
        self.phi = 0.95 - 0.15 * self.steps / self.epochs
        self.steps += 1


class PicoPlus(Pico):
    """As the study ran it: its counter stands still, so that training stays in the warm-up."""

    def epoch(self, optimiser, epoch):
        rows = self.rows()
        z, _, contrast, parts = self.shared(self.x[rows], self.s[rows])
        self.step(optimiser, soft(self.q[rows], z) + self.weight * contrast(*parts))


class Alim(Pico):
    """As the study ran it: every step is its first."""

    def epoch(self, optimiser, epoch):
        rows, others = self.rows(), self.rows()
        x = self.x[rows]
        z, _, contrast, parts = self.shared(x, self.s[rows])
        share = torch.distributions.Beta(4.0, 4.0).sample().item()
        share = max(share, 1 - share)
        mixed = self.net(share * x + (1 - share) * self.x[others])
        target = share * self.q[rows] + (1 - share) * self.q[others]
        self.step(optimiser, soft(self.q[rows], z) + self.weight * contrast(*parts) + soft(target, mixed))


class Dirk(Pico):
    momentum = 0.99

    def before_steps(self):
        super().before_steps()
        self.key = Encoder(self.t)
        self.bank_d, self.bank_s = torch.randn(self.queue, self.k), torch.randn(self.queue, self.k)

    def epoch(self, optimiser, epoch):
        rows = self.rows()
        x, s = self.x[rows], self.s[rows]
        with torch.no_grad():
            z, k = self.key.both(x)
            u = F.softmax(z, 1)
            inside = (u * s).sum(1, keepdim=True)
            part, comp = u * s / inside, u * (1 - s) / ((u * (1 - s)).sum(1, keepdim=True) + 1e-20)
            least = part.masked_fill(s == 0, math.inf).amin(1, keepdim=True)
            most = comp.amax(1, keepdim=True) / inside
            alpha = most / (most + least)
            alpha = torch.where(alpha == 0, 1, alpha)
            r = alpha * part + (1 - alpha) * comp
            g, d, c = (torch.cat(two) for two in ((k, self.bank), (r, self.bank_d), (s, self.bank_s)))
            here = slice(self.at, self.at + len(k))
            self.bank[here], self.bank_d[here], self.bank_s[here] = k, r, s
            self.at = (self.at + len(k)) % self.queue
        z, q = self.net.both(x)
        self.step(optimiser, soft(r, z) + self.pull(q, g, (r, d), (s, c)))
        self.move_key()
        self.steps += 1

    def pull(self, q, g, dists, sets):
        own, b = torch.arange(len(q)), len(q)
        if self.steps < self.start:
            a = torch.cat([(q * g[:b]).sum(1, keepdim=True), q @ g[b:].t()], 1) / 0.07
            return F.cross_entropy(a, torch.zeros(b, dtype=torch.long))
        with torch.no_grad():
            d, c = torch.cat([dists[0], dists[1]]), torch.cat([sets[0], sets[1]])
            mask = (sets[0] @ c.t() != 0) & (dists[0].argmax(1)[:, None] == d.argmax(1)[None])
            mask[own, own] = False
            e = F.normalize(dists[0]) @ F.normalize(d).t() / 0.4
            w = mask * (e - e.amax(1, keepdim=True)).exp()
            w = w / w.sum(1, keepdim=True)
        a = q @ torch.cat([q, g]).t() / 0.07
        a = a - a.detach().amax(1, keepdim=True)
        e = a.exp()
        log = a - (e.sum(1) - e[own, own] + 1e-12).log()[:, None]
        return -(w * log).sum(1).mean()


class Valen(Batches):
    """Warm-up, one pass that collects features, the graph of nearest rows, then the variational steps."""
    warm_up, points = 1000, (1400, 2400)

    def before_steps(self):
        def drawn(rows, cols):
            return Affine(rows, cols, bound=math.sqrt(6 / (rows + cols)))
        self.enc = Net(self.t)
        self.enc.load_state_dict(self.net.state_dict())
        self.dec = torch.nn.Sequential(drawn(self.k, self.t.f), torch.nn.ReLU(), drawn(self.t.f, self.t.f))
        self.sgd = torch.optim.SGD(self.net.parameters(), self.lr, momentum=0.9, weight_decay=self.decay)
        weights = [p for net in (self.net, self.enc, self.dec) for p in net.parameters()]
        self.adam, self.steps = self.optimiser(weights), 0
        self.features = torch.zeros(len(self.x), 500)

    @staticmethod
    def reverse(t, z):
        r = (t > 0) * (F.softmax(z, 1) + 1e-12)
        return r / r.sum(1, keepdim=True)

    def epoch(self, optimiser, epoch):
        rows, collected = self.rows(), int(len(self.x) / self.batch) + 2
        x, t = self.x[rows], self.steps
        self.steps += 1
        if t < self.warm_up:
            z = self.net(x)
            o = self.q[rows]
            self.step(self.sgd, -(o * (F.softmax(z, 1) + 1e-12).log()).sum(1).mean())
            self.q[rows] = self.reverse(o, z.detach())
        elif t < self.warm_up + collected:
            with torch.no_grad():
                self.features[rows] = F.relu(self.net.phi(x))
        elif t == self.warm_up + collected:
            self.enc.load_state_dict(self.net.state_dict())
            far = torch.cdist(self.features, self.features).fill_diagonal_(math.inf)
            self.near = far.topk(3, largest=False).indices
            self.d = self.q.clone()
        else:
            self.variational(x, self.s[rows], rows)

    def variational(self, x, s, rows):
        z, a, o, d = self.net(x), self.enc(x), self.q[rows], self.d[rows]
        masked = F.softmax(a, 1) * (o > 0)
        delta = torch.distributions.Dirichlet(masked / masked.sum(1, keepdim=True).detach() + 0.01).rsample()
        alpha = (a / 4).exp().clamp(0.01, 30)
        total = alpha.sum(1)
        prior = (torch.lgamma(total) - torch.lgamma(alpha).sum(1) - math.lgamma(self.k) +
                 ((alpha - 1) * (torch.digamma(alpha) - torch.digamma(total)[:, None])).sum(1)).mean()
        b = len(rows)
        place = torch.full((len(self.x),), -1)
        place[rows] = torch.arange(b)
        there = place[self.near[rows]]
        graph = torch.eye(b) / 4
        i, j = (there >= 0).nonzero(as_tuple=True)
        graph[i, there[i, j]] = 0.25
        rebuilt = (0.01 * F.mse_loss(self.dec(delta), x) + 0.01 * F.binary_cross_entropy_with_logits(delta, s) +
                   F.mse_loss(F.softmax(torch.sigmoid(delta @ delta.t()), 1), graph))
        each = lambda q, logits: -(q * (F.softmax(logits, 1) + 1e-12).log()).sum(1).mean()
        self.step(self.adam, rebuilt + prior + each(o, a) + each(d, z))
        with torch.no_grad():
            new = (self.reverse(o, a) > 0) * delta
            self.d[rows] = new / new.sum(1, keepdim=True)
            self.q[rows] = self.reverse(d, z)


METHODS = {"proden": Proden, "rc": Proden, "log": Log, "cavl": Cavl, "pop": Pop, "abs-mae": AbsMae, "abs-gce": AbsGce, "exp": Exp,
           "mcl-gce": MclGce, "mcl-mse": MclMse, "cc": CC, "lws": Lws, "idgp": Idgp, "pc": PC,
           "cll-forward": CllForward, "cll-nn": CllNn, "cll-ga": CllGa, "scl-exp": SclExp, "scl-nl": SclNl, "l-w": LW,
           "op-w": OpW, "able": Able, "crdpll": CrdPll, "fredis": Fredis, "pico": Pico, "pico-plus": PicoPlus,
           "alim": Alim, "dirk": Dirk, "valen": Valen}
