#!/usr/bin/env python3
"""GMM, k-means and LSTM by PyTorch and JAX, as far as Python has them, on the same shapes as
`kenaz bench suite applications --large`. Prints the same kind of table: the function, and its gradient
(for k-means the step of Newton's method), in milliseconds; medians, after a warm-up.

    peers.py [MINUTES [FILE]]    no row is begun after so many minutes; rows are kept in the file, too"""
import math
import sys
import time

SECONDS = 0.2
GMM = [(1000, 64, 200), (1000, 128, 200), (10000, 32, 200), (10000, 64, 25), (10000, 128, 25), (10000, 128, 200)]
KMEANS = [(5, 494019, 35), (1024, 10000, 256), (10, 2000000, 4), (1024, 2000000, 10)]
SPARSE = [(6040, 3706, 1000000, 10), (138493, 26744, 20000000, 10)]
LSTM = [(64, 20, 300, 192), (1024, 20, 300, 192), (1024, 300, 80, 256)]
START = time.perf_counter()
MINUTES = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
FILE = sys.argv[2] if len(sys.argv) > 2 else None


def say(line):
    print(line, flush=True)
    if FILE:
        try:
            with open(FILE, "a") as file:
                print(line, file=file)
        except OSError as e:
            print("%s can't be written: %s" % (FILE, e), file=sys.stderr)


def median_ms(run, wait):
    def timed():
        start = time.perf_counter()
        run()
        wait()
        return time.perf_counter() - start

    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        timed()
    times = []
    start = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < SECONDS:
        times.append(timed())
    return sorted(times)[len(times) // 2] * 1e3


def row(who, name, data, make, wait):
    """Measures the pair of function and gradient that make() gives."""
    if time.perf_counter() - START > 60 * MINUTES:
        say("| %s | %s | %s | left out for lack of time |" % (who, name, data))
        return
    try:
        function, gradient = make()
        f, g = median_ms(function, wait), median_ms(gradient, wait)
        say("| %s | %s | %s | %.3f | %.3f | %.2f |" % (who, name, data, f, g, g / f))
    except Exception as e:  # each library fails in ways of its own, for want of memory first of all
        say("| %s | %s | %s | fails: %s |" % (who, name, data, (str(e).splitlines() or [repr(e)])[0][:80]))


def some(shapes, gpu):
    """The first one alone where there is no GPU: the others are too large."""
    return shapes if gpu else shapes[:1]


def constant(n, d, k):
    """Of a Gaussian mixture's likelihood: what doesn't depend on its parameters (gamma 1, m 0)."""
    m = d + 1
    gammas = 0.25 * d * (d - 1) * math.log(math.pi)
    gammas += sum(math.lgamma(0.5 * (m - j)) for j in range(d))
    return -n * d * 0.5 * math.log(2 * math.pi) - k * (m * d * math.log(1 / math.sqrt(2)) - gammas)


def below(d):
    """Where the elements below the diagonal stand in a row of inverse factors, column by column."""
    return [(i, j, d + d * j - j * (j + 1) // 2 + i - j - 1) for j in range(d) for i in range(j + 1, d)]


def by_torch():
    import torch

    gpu = torch.cuda.is_available()
    device = "cuda" if gpu else "cpu"
    wait = torch.cuda.synchronize if gpu else lambda: None
    who = "PyTorch %s, %s" % (torch.__version__, torch.cuda.get_device_name() if gpu else "CPU")
    torch.manual_seed(1)

    def gradients(f, parameters):
        def run():
            for p in parameters:
                p.grad = None
            f().backward()

        return run

    def gmm(n, d, k):
        make = lambda *shape: torch.randn(*shape, dtype=torch.float64, device=device)
        alphas, means = make(k).requires_grad_(), make(k, d).requires_grad_()
        icf, xs = make(k, d * (d + 1) // 2).requires_grad_(), make(n, d)
        places = torch.zeros(d, d, dtype=torch.int64)
        for i, j, at in below(d):
            places[i, j] = at
        places = places.to(device)

        def function():
            diagonals, sums = torch.exp(icf[:, :d]), icf[:, :d].sum(1)
            factors = icf[:, places] * (places > 0)
            centred = xs[:, None, :] - means[None]
            scaled = diagonals * centred + torch.einsum("kij,nkj->nki", factors, centred)
            inner = alphas + sums - 0.5 * (scaled**2).sum(2)
            prior = 0.5 * ((diagonals**2).sum() + (icf[:, d:] ** 2).sum())
            mixed = torch.logsumexp(inner, 1).sum() - n * torch.logsumexp(alphas, 0)
            return mixed + prior + constant(n, d, k)

        return function, gradients(function, [alphas, means, icf])

    def newton(cost, centres):
        def step():
            _, gradient = torch.autograd.functional.vjp(cost, centres)
            _, second = torch.autograd.functional.vhp(cost, centres, torch.ones_like(centres))
            return centres - gradient / second

        return lambda: cost(centres), step

    def kmeans(k, n, d):
        points = torch.rand(n, d, device=device)

        def cost(c):
            square = (points**2).sum(1)[None] + (c**2).sum(1)[:, None] - 2 * c @ points.T
            return square.min(0)[0].sum()

        return newton(cost, points[-k:].clone())

    def sparse(rows, columns, count, k):
        row = torch.arange(count, device=device) * rows // count
        column = torch.randint(columns, (count,), device=device)
        values = 1 + 4 * torch.rand(count, device=device)
        points = torch.sparse_coo_tensor(torch.stack([row, column]), values, (rows, columns)).coalesce()
        squares = torch.sparse.sum(points * points, 1).to_dense()

        def cost(c):
            square = squares[None] + (c**2).sum(1)[:, None] - 2 * torch.sparse.mm(points, c.T).T
            return square.min(0)[0].sum()

        return newton(cost, 5 * torch.rand(k, columns, device=device))

    def lstm(bs, n, d, h):
        xs, wanted = (torch.randn(n, bs, d, device=device) for _ in range(2))
        net, last = torch.nn.LSTM(d, h).to(device), torch.nn.Linear(h, d).to(device)

        def loss():
            return torch.nn.functional.mse_loss(last(net(xs)[0]), wanted)

        return loss, gradients(loss, list(net.parameters()) + list(last.parameters()))

    for n, d, k in some(GMM, gpu):
        row(who, "GMM", "n %d, d %d, K %d" % (n, d, k), lambda: gmm(n, d, k), wait)
    for k, n, d in some(KMEANS, gpu):
        row(who, "k-means, Newton's step", "k %d, n %d, d %d" % (k, n, d), lambda: kmeans(k, n, d), wait)
    for bs, n, d, h in some(LSTM, gpu):
        data = "bs %d, n %d, d %d, h %d" % (bs, n, d, h)
        row(who, "LSTM (nn.LSTM)", data, lambda: lstm(bs, n, d, h), wait)
    for shape in some(SPARSE, gpu):
        data = "%d x %d, %d values, k %d" % shape
        row(who, "sparse k-means, Newton's step", data, lambda: sparse(*shape), wait)


def by_jax():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    who = "JAX %s, %s" % (jax.__version__, jax.devices()[0].device_kind)
    wait = lambda: None

    def normal(seed, *shape):
        return jax.random.normal(jax.random.PRNGKey(seed), shape, dtype=jnp.float64)

    def blocking(f, *arguments):
        compiled = jax.jit(f)
        return lambda: jax.block_until_ready(compiled(*arguments))

    def gmm(n, d, k):
        xs = normal(1, n, d)
        parameters = (normal(2, k), normal(3, k, d), normal(4, k, d * (d + 1) // 2))
        places = [[0] * d for _ in range(d)]
        for i, j, at in below(d):
            places[i][j] = at
        places = jnp.array(places)

        def function(parameters):
            alphas, means, icf = parameters
            diagonals, sums = jnp.exp(icf[:, :d]), icf[:, :d].sum(1)
            factors = icf[:, places] * (places > 0)
            centred = xs[:, None, :] - means[None]
            scaled = diagonals * centred + jnp.einsum("kij,nkj->nki", factors, centred)
            inner = alphas + sums - 0.5 * (scaled**2).sum(2)
            prior = 0.5 * ((diagonals**2).sum() + (icf[:, d:] ** 2).sum())
            lse = jax.scipy.special.logsumexp
            return lse(inner, 1).sum() - n * lse(alphas) + prior + constant(n, d, k)

        return blocking(function, parameters), blocking(jax.grad(function), parameters)

    def kmeans(k, n, d):
        points = jax.random.uniform(jax.random.PRNGKey(5), (n, d), dtype=jnp.float32)
        centres = points[-k:]

        def cost(c):
            square = (points**2).sum(1)[None] + (c**2).sum(1)[:, None] - 2 * c @ points.T
            return square.min(0).sum()

        def newton(c):
            gradient, second = jax.jvp(jax.grad(cost), (c,), (jnp.ones_like(c),))
            return c - gradient / second

        return blocking(cost, centres), blocking(newton, centres)

    def lstm(bs, n, d, h):
        make = lambda seed, *shape: normal(seed, *shape).astype(jnp.float32)
        xs, wanted = make(1, n, bs, d), make(2, n, bs, d)
        scale = 1 / math.sqrt(h)
        weights = (scale * make(3, d, 4 * h), scale * make(4, h, 4 * h), scale * make(5, 4 * h))
        parameters = weights + (scale * make(6, h, d), scale * make(7, d))

        def loss(parameters):
            w, u, b, wy, by = parameters

            def cell(state, x):
                hidden, memory = state
                i, f, j, o = jnp.split(x @ w + hidden @ u + b, 4, axis=1)
                memory = jax.nn.sigmoid(f) * memory + jax.nn.sigmoid(i) * jnp.tanh(j)
                hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
                return (hidden, memory), hidden

            zero = jnp.zeros((bs, h), dtype=jnp.float32)
            _, all_hidden = jax.lax.scan(cell, (zero, zero), xs)
            return ((all_hidden @ wy + by - wanted) ** 2).mean()

        return blocking(loss, parameters), blocking(jax.grad(loss), parameters)

    gpu = jax.devices()[0].platform != "cpu"
    for n, d, k in some(GMM, gpu):
        row(who, "GMM", "n %d, d %d, K %d" % (n, d, k), lambda: gmm(n, d, k), wait)
    for k, n, d in some(KMEANS, gpu):
        row(who, "k-means, Newton's step", "k %d, n %d, d %d" % (k, n, d), lambda: kmeans(k, n, d), wait)
    for bs, n, d, h in some(LSTM, gpu):
        row(who, "LSTM", "bs %d, n %d, d %d, h %d" % (bs, n, d, h), lambda: lstm(bs, n, d, h), wait)


def main():
    found = False
    for name, run in (("torch", by_torch), ("jax", by_jax)):
        try:
            __import__(name)
        except Exception as e:  # not there, or broken
            why = "no %s" % name if isinstance(e, ImportError) else "a broken %s: %s" % (name, e)
            say("Python (%s) has %s" % (sys.executable, why))
            continue
        if not found:
            say("| peer | program | data | function ms | with derivative ms | times |")
            say("| --- | --- | --- | --- | --- | --- |")
        found = True
        try:
            run()
        except Exception as e:
            say("%s fails: %s" % (name, e))


if __name__ == "__main__":
    main()
