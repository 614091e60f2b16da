#!/usr/bin/env python3
"""GMM, k-means and LSTM by PyTorch and JAX, as far as Python has them: the same functions on the same shapes as
`kenaz bench suite applications --large`. Prints the same kind of table: the function, and its gradient (for
k-means the step of Newton's method), in milliseconds; medians, after a warm-up, of calls that are waited for.
Products of f32 matrices are f32, as Kenaz's are; rows that say TF32 let cuDNN use that.

    peers.py [MINUTES [FOLDER [resume]]]   stops after so many minutes; keeps rows in FOLDER/peers.md, and at the end
                                           compares them with what Kenaz measured there (suite-*.md)
    peers.py --values FILE                 the functions and gradients of the data in that file, as JSON"""
import json
import math
import os
import sys
import threading
import time

SECONDS = 0.2
GRACE = 20  # seconds for the row that is being measured when time is up
GMM = [(1000, 64, 200), (1000, 128, 200), (10000, 32, 200), (10000, 64, 25), (10000, 128, 25), (10000, 128, 200)]
KMEANS = [(5, 494019, 35), (1024, 10000, 256), (10, 2000000, 4), (1024, 2000000, 10)]
SPARSE = [(6040, 3706, 1000000, 10), (138493, 26744, 20000000, 10)]
LSTM = [(64, 20, 300, 192), (1024, 20, 300, 192), (1024, 300, 80, 256)]


def constant(n, d, k):
    """Of a Gaussian mixture's likelihood: what doesn't depend on its parameters (gamma 1, m 0)."""
    m = d + 1
    gammas = 0.25 * d * (d - 1) * math.log(math.pi)
    gammas += sum(math.lgamma(0.5 * (m - j)) for j in range(d))
    return -n * d * 0.5 * math.log(2 * math.pi) - k * (m * d * math.log(1 / math.sqrt(2)) - gammas)


def below(d):
    """Where the elements below the diagonal stand in a row of inverse factors, column by column; elsewhere 0."""
    return [[d + d * j - j * (j + 1) // 2 + i - j - 1 if j < i else 0 for j in range(d)] for i in range(d)]


class Torch:
    """Each function of data gives a pair to be called: the value, and the gradients."""

    def __init__(self):
        import torch

        self.torch = torch
        self.gpu = torch.cuda.is_available()
        self.device = "cuda" if self.gpu else "cpu"
        where = torch.cuda.get_device_name() if self.gpu else "CPU"
        self.who = "PyTorch %s, %s" % (torch.__version__, where)
        torch.manual_seed(1)
        self.tf32(False)

    def tf32(self, allowed):
        backends = self.torch.backends
        if hasattr(backends, "fp32_precision"):  # since PyTorch 2.9
            word = "tf32" if allowed else "ieee"
            for part in (backends, backends.cuda.matmul, backends.cudnn, backends.cudnn.conv, backends.cudnn.rnn):
                part.fp32_precision = word
        else:
            backends.cuda.matmul.allow_tf32 = backends.cudnn.allow_tf32 = allowed

    def wait(self):
        if self.gpu:
            self.torch.cuda.synchronize()

    def end(self):
        """Others need the memory."""
        if self.gpu:
            self.torch.cuda.empty_cache()

    def array(self, numbers, kind="f32"):
        types = {"f32": self.torch.float32, "f64": self.torch.float64, "i64": self.torch.int64}
        return self.torch.tensor(numbers, dtype=types[kind], device=self.device)

    def normal(self, *shape, kind="f32"):
        return self.torch.randn(*shape, dtype=self.array([], kind).dtype, device=self.device)

    def uniform(self, low, high, *shape):
        return low + (high - low) * self.torch.rand(*shape, device=self.device)

    def indices(self, bound, n):
        return self.torch.randint(bound, (n,), device=self.device)

    def pair(self, function, parameters):
        parameters = [p.clone().requires_grad_() for p in parameters]

        def gradients():
            return self.torch.autograd.grad(function(*parameters), parameters)

        return lambda: function(*parameters), gradients

    def newton(self, cost, centres):
        functional, ones = self.torch.autograd.functional, self.torch.ones_like(centres)

        def step():
            _, gradient = functional.vjp(cost, centres)
            _, second = functional.vhp(cost, centres, ones)
            return (centres - gradient / second,)

        return lambda: cost(centres), step

    def gmm(self, alphas, means, icf, xs):
        torch, (n, d), k = self.torch, xs.shape, len(alphas)
        places = self.array(below(d), "i64")

        def function(alphas, means, icf):
            diagonals, sums = torch.exp(icf[:, :d]), icf[:, :d].sum(1)
            factors = icf[:, places] * (places > 0)
            centred = xs[:, None, :] - means[None]
            scaled = diagonals * centred + torch.einsum("kij,nkj->nki", factors, centred)
            inner = alphas + sums - 0.5 * (scaled**2).sum(2)
            prior = 0.5 * ((diagonals**2).sum() + (icf[:, d:] ** 2).sum())
            mixed = torch.logsumexp(inner, 1).sum() - n * torch.logsumexp(alphas, 0)
            return mixed + prior + constant(n, d, k)

        return self.pair(function, [alphas, means, icf])

    def kmeans(self, points, centres):
        def cost(c):
            square = (points**2).sum(1)[None] + (c**2).sum(1)[:, None] - 2 * c @ points.T
            return square.min(0)[0].sum()

        return self.newton(cost, centres)

    def sparse(self, values, columns, starts, centres):
        torch, rows = self.torch, len(starts) - 1
        row = torch.repeat_interleave(torch.arange(rows, device=self.device), starts[1:] - starts[:-1])
        place = torch.stack([row, columns])
        points = torch.sparse_coo_tensor(place, values, (rows, centres.shape[1])).coalesce()
        squares = torch.zeros(rows, device=self.device).index_add(0, row, values**2)

        def cost(c):
            square = squares[None] + (c**2).sum(1)[:, None] - 2 * torch.sparse.mm(points, c.T).T
            return square.min(0)[0].sum()

        return self.newton(cost, centres)

    def lstm(self, xs, wanted, w, u, b, last, bias):
        torch, (_, h, d) = self.torch, w.shape
        net = torch.nn.LSTM(d, h).to(self.device)
        net.weight_ih_l0.data, net.weight_hh_l0.data = w.reshape(4 * h, d).clone(), u.reshape(4 * h, h).clone()
        net.bias_ih_l0.data, net.bias_hh_l0.data = b.reshape(4 * h).clone(), torch.zeros_like(b.reshape(4 * h))
        net.flatten_parameters()
        last, bias = last.clone().requires_grad_(), bias.clone().requires_grad_()
        parameters = [net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, last, bias]

        def loss():
            return torch.nn.functional.mse_loss(net(xs)[0] @ last.T + bias, wanted)

        return loss, lambda: torch.autograd.grad(loss(), parameters)


class Jax:
    """As Torch. Data are arguments of what is compiled: of constants much would be computed by the compiler."""

    def __init__(self):
        # not most of the GPU's memory at once: somebody else may have some
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
        self.jax, self.jnp = jax, jnp
        self.gpu = jax.devices()[0].platform != "cpu"
        self.who = "JAX %s, %s" % (jax.__version__, jax.devices()[0].device_kind)
        self.seed = 0

    def wait(self):
        """Each call does."""

    def end(self):
        """It is the last one."""

    def key(self):
        self.seed += 1
        return self.jax.random.PRNGKey(self.seed)

    def array(self, numbers, kind="f32"):
        types = {"f32": self.jnp.float32, "f64": self.jnp.float64, "i64": self.jnp.int64}
        return self.jnp.array(numbers, dtype=types[kind])

    def normal(self, *shape, kind="f32"):
        return self.jax.random.normal(self.key(), shape, dtype=self.array([], kind).dtype)

    def uniform(self, low, high, *shape):
        return self.jax.random.uniform(self.key(), shape, self.jnp.float32, low, high)

    def indices(self, bound, n):
        return self.jax.random.randint(self.key(), (n,), 0, bound)

    def compiled(self, function, *arguments):
        """With the arguments that are differentiated first."""
        compiled = self.jax.jit(function)
        return lambda: self.jax.block_until_ready(compiled(*arguments))

    def pair(self, function, parameters, *data):
        return self.compiled(function, parameters, *data), self.compiled(self.jax.grad(function), parameters, *data)

    def newton(self, cost, centres, *data):
        def step(c, *data):
            slope = self.jax.grad(lambda c: cost(c, *data))
            gradient, second = self.jax.jvp(slope, (c,), (self.jnp.ones_like(c),))
            return (c - gradient / second,)

        return self.compiled(cost, centres, *data), self.compiled(step, centres, *data)

    def gmm(self, alphas, means, icf, xs):
        jnp, (n, d), k = self.jnp, xs.shape, len(alphas)
        places = self.array(below(d), "i64")

        def function(parameters, xs, places):
            alphas, means, icf = parameters
            diagonals, sums = jnp.exp(icf[:, :d]), icf[:, :d].sum(1)
            factors = icf[:, places] * (places > 0)
            centred = xs[:, None, :] - means[None]
            scaled = diagonals * centred + jnp.einsum("kij,nkj->nki", factors, centred)
            inner = alphas + sums - 0.5 * (scaled**2).sum(2)
            prior = 0.5 * ((diagonals**2).sum() + (icf[:, d:] ** 2).sum())
            lse = self.jax.scipy.special.logsumexp
            return lse(inner, axis=1).sum() - n * lse(alphas) + prior + constant(n, d, k)

        return self.pair(function, (alphas, means, icf), xs, places)

    def kmeans(self, points, centres):
        def cost(c, points):
            square = (points**2).sum(1)[None] + (c**2).sum(1)[:, None] - 2 * c @ points.T
            return square.min(0).sum()

        return self.newton(cost, centres, points)

    def sparse(self, values, columns, starts, centres):
        jnp, rows = self.jnp, len(starts) - 1
        row = jnp.repeat(jnp.arange(rows), starts[1:] - starts[:-1])

        def cost(c, values, columns, row):
            part = values * (values - 2 * c[:, columns])  # of each centre
            sums = self.jax.vmap(lambda p: self.jax.ops.segment_sum(p, row, rows, indices_are_sorted=True))(part)
            return ((c**2).sum(1)[:, None] + sums).min(0).sum()

        return self.newton(cost, centres, values, columns, row)

    def lstm(self, xs, wanted, w, u, b, last, bias):
        jax, jnp, (_, h, d) = self.jax, self.jnp, w.shape

        def loss(parameters, xs, wanted):
            w, u, b, last, bias = parameters
            w, u, b = w.reshape(4 * h, d), u.reshape(4 * h, h), b.reshape(4 * h)

            def cell(state, x):
                hidden, memory = state
                i, f, g, o = jnp.split(x @ w.T + hidden @ u.T + b, 4, axis=1)
                memory = jax.nn.sigmoid(f) * memory + jax.nn.sigmoid(i) * jnp.tanh(g)
                hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
                return (hidden, memory), hidden

            zero = jnp.zeros((xs.shape[1], h), dtype=jnp.float32)
            _, all_hidden = jax.lax.scan(cell, (zero, zero), xs)
            return ((all_hidden @ last.T + bias - wanted) ** 2).mean()

        return self.pair(loss, (w, u, b, last, bias), xs, wanted)


# Data as Kenaz has them: name, label, and what makes the pair of function and gradient


def gmm(peer, n, d, k):
    f64 = lambda *shape: peer.normal(*shape, kind="f64")
    return peer.gmm(f64(k), f64(k, d), f64(k, d * (d + 1) // 2), f64(n, d))


def kmeans(peer, k, n, d):
    return peer.kmeans(peer.uniform(0, 1, n, d), peer.uniform(0, 1, k, d))


def sparse(peer, rows, columns, count, k):
    starts = peer.array([count * i // rows for i in range(rows + 1)], "i64")
    return peer.sparse(peer.uniform(1, 5, count), peer.indices(columns, count), starts, peer.uniform(0, 5, k, columns))


def lstm(peer, bs, n, d, h):
    w = 1 / math.sqrt(h)
    sizes = ((4, h, d), (4, h, h), (4, h), (d, h), (d,))
    return peer.lstm(peer.normal(n, bs, d), peer.normal(n, bs, d), *(peer.uniform(-w, w, *s) for s in sizes))


CASES = (
    ("GMM", "n %d, d %d, K %d", gmm, GMM),
    ("k-means, Newton's step", "k %d, n %d, d %d", kmeans, KMEANS),
    ("LSTM", "bs %d, n %d, d %d, h %d", lstm, LSTM),
    ("sparse k-means, Newton's step", "%d x %d, %d values, k %d", sparse, SPARSE),
)


class Table:
    def __init__(self, minutes, folder, resume):
        self.file = os.path.join(folder, "peers.md") if folder else None
        self.folder, self.start, self.minutes = folder, time.perf_counter(), minutes
        self.lines = lines_of(self.file) if resume else []
        if self.file and not resume and os.path.exists(self.file):
            os.remove(self.file)
        if minutes < math.inf:
            timer = threading.Timer(60 * minutes + GRACE, self.stop)
            timer.daemon = True
            timer.start()

    def say(self, line):
        print(line, flush=True)
        self.lines.append(line)
        if self.file:
            try:
                with open(self.file, "a") as file:
                    print(line, file=file)
            except OSError as e:
                print("%s can't be written: %s" % (self.file, e), file=sys.stderr)

    def stop(self):
        """A library can't be interrupted otherwise."""
        print("time is up: what was being measured is left out", flush=True)
        self.compare()
        os._exit(0)

    def head(self):
        if not any(line.startswith("| ---") for line in self.lines):
            self.say("| peer | program | data | function ms | with derivative ms | times |")
            self.say("| --- | --- | --- | --- | --- | --- |")

    def row(self, who, name, data, make, wait):
        """Measures the pair of function and gradient that make() gives."""
        start = "| %s | %s | %s |" % (who, name, data)
        if any(line.startswith(start) for line in self.lines):
            return
        if time.perf_counter() - self.start > 60 * self.minutes:
            print(start + " left out for lack of time |", flush=True)
            return
        try:
            function, gradient = make()
            f, g = median_ms(function, wait), median_ms(gradient, wait)
            self.say(start + " %.3f | %.3f | %.2f |" % (f, g, g / f))
        except Exception as e:  # each library fails in ways of its own, for want of memory first of all
            self.say(start + " fails: %s |" % (str(e).splitlines() or [repr(e)])[0][:80].replace("|", "/"))

    def compare(self):
        """With what Kenaz measured: its time over the peer's, less than 1 where Kenaz is faster."""
        ours = {}
        for name in sorted(os.listdir(self.folder)) if self.folder and os.path.isdir(self.folder) else []:
            if name.startswith("suite-") and name.endswith(".md"):
                for cells in map(cells_of, lines_of(os.path.join(self.folder, name))):
                    if len(cells) == 7 and number(cells[2]) and number(cells[4]):
                        ours[cells[0], cells[1]] = number(cells[2]), number(cells[4])
        theirs = [c for c in map(cells_of, self.lines) if len(c) == 6 and number(c[3]) and number(c[4])]
        both = [(c, ours[name, c[2]]) for c in theirs for name in [c[1].split(" (")[0]] if (name, c[2]) in ours]
        if both:
            print("\nKenaz's time over the peer's (below 1 Kenaz is faster)\n")
            print("| peer | program | data | function | with derivative |\n| --- | --- | --- | --- | --- |")
        for c, (f, g) in both:
            print("| %s | %s | %s | %.2f | %.2f |" % (*c[:3], f / number(c[3]), g / number(c[4])))
        sys.stdout.flush()


def lines_of(file):
    if not file or not os.path.exists(file):
        return []
    with open(file) as text:
        return text.read().splitlines()


def cells_of(line):
    return [c.strip() for c in line.strip().strip("|").split("|")] if line.startswith("|") else []


def number(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


def median_ms(run, wait):
    def timed():
        start = time.perf_counter()
        run()
        wait()
        return time.perf_counter() - start

    start = time.perf_counter()
    timed()  # what is compiled is compiled now
    while time.perf_counter() - start < SECONDS:
        timed()
    times = []
    start = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < SECONDS:
        times.append(timed())
    return sorted(times)[len(times) // 2] * 1e3


def rows(peer, table):
    for name, label, make, shapes in CASES:
        # the first one alone where there is no GPU: the others are too large
        for shape in shapes if peer.gpu else shapes[:1]:
            table.row(peer.who, name, label % shape, lambda: make(peer, *shape), peer.wait)
    if peer.gpu and hasattr(peer, "tf32"):
        peer.tf32(True)
        for shape in LSTM:
            label = "bs %d, n %d, d %d, h %d" % shape
            table.row(peer.who, "LSTM (TF32)", label, lambda: lstm(peer, *shape), peer.wait)


def values(peer, file):
    """By the name of a function its arguments, each a kind and numbers: what it gives, and its gradients."""
    with open(file) as text:
        given = json.load(text)
    found = {}
    for name, arguments in given.items():
        function, gradient = getattr(peer, name)(*(peer.array(numbers, kind) for kind, numbers in arguments))
        leaves = gradient()
        found[name] = [float(function()), [leaf.tolist() for leaf in leaves]]
    return found


def peers():
    for make in (Torch, Jax):
        name = make.__name__.lower()
        try:
            yield make()
        except Exception as e:  # not there, or broken
            why = "no %s" % name if isinstance(e, ImportError) else "a broken %s: %s" % (name, e)
            print("Python (%s) has %s" % (sys.executable, why), file=sys.stderr, flush=True)


def main(arguments):
    if arguments[:1] == ["--values"]:
        print(json.dumps({peer.who: values(peer, arguments[1]) for peer in peers()}))
        return
    minutes = float(arguments[0]) if arguments else math.inf
    table = Table(minutes, arguments[1] if len(arguments) > 1 else None, "resume" in arguments[2:])
    for peer in peers():
        table.head()
        try:
            rows(peer, table)
        except Exception as e:
            print("%s fails: %s" % (peer.who, e), flush=True)
        peer.end()
    table.compare()


if __name__ == "__main__":
    main(sys.argv[1:])
