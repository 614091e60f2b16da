#!/usr/bin/env python3
"""GMM, k-means and LSTM by PyTorch and JAX, as far as Python has them, on the same shapes as
`kenaz bench suite applications`. Prints the same kind of table: the function, and its gradient
(for k-means the step of Newton's method), in milliseconds; medians, after a warm-up."""
import math
import sys
import time

SECONDS = 0.5
GMM = [(1000, 64, 25), (1000, 64, 200), (10000, 32, 25)]
KMEANS = [(5, 494019, 35), (1024, 10000, 256), (10, 2000000, 4)]
LSTM = [(64, 20, 300, 192)]


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


def row(who, name, data, function, gradient, wait):
    try:
        f, g = median_ms(function, wait), median_ms(gradient, wait)
        print("| %s | %s | %s | %.3f | %.3f | %.2f |" % (who, name, data, f, g, g / f), flush=True)
    except (RuntimeError, MemoryError) as e:
        print("| %s | %s | %s | %s |" % (who, name, data, str(e).splitlines()[0][:80]), flush=True)


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

    for n, d, k in GMM:
        make = lambda *shape: torch.randn(*shape, dtype=torch.float64, device=device)
        alphas, means = make(k).requires_grad_(), make(k, d).requires_grad_()
        icf, xs = make(k, d * (d + 1) // 2).requires_grad_(), make(n, d)
        places = torch.zeros(d, d, dtype=torch.int64)
        for i, j, at in below(d):
            places[i, j] = at
        places = places.to(device)

        def gmm():
            diagonals, sums = torch.exp(icf[:, :d]), icf[:, :d].sum(1)
            factors = icf[:, places] * (places > 0)
            centred = xs[:, None, :] - means[None]
            scaled = diagonals * centred + torch.einsum("kij,nkj->nki", factors, centred)
            inner = alphas + sums - 0.5 * (scaled**2).sum(2)
            prior = 0.5 * ((diagonals**2).sum() + (icf[:, d:] ** 2).sum())
            mixed = torch.logsumexp(inner, 1).sum() - n * torch.logsumexp(alphas, 0)
            return mixed + prior + constant(n, d, k)

        row(who, "GMM", "n %d, d %d, K %d" % (n, d, k), gmm, gradients(gmm, [alphas, means, icf]), wait)

    for k, n, d in KMEANS:
        points = torch.rand(n, d, device=device)
        centres = points[-k:].clone()

        def cost(c):
            square = (points**2).sum(1)[None] + (c**2).sum(1)[:, None] - 2 * c @ points.T
            return square.min(0)[0].sum()

        def newton():
            _, gradient = torch.autograd.functional.vjp(cost, centres)
            _, second = torch.autograd.functional.vhp(cost, centres, torch.ones_like(centres))
            return centres - gradient / second

        data = "k %d, n %d, d %d" % (k, n, d)
        row(who, "k-means, Newton's step", data, lambda: cost(centres), newton, wait)

    for bs, n, d, h in LSTM:
        xs, wanted = (torch.randn(n, bs, d, device=device) for _ in range(2))
        lstm, last = torch.nn.LSTM(d, h).to(device), torch.nn.Linear(h, d).to(device)

        def loss():
            return torch.nn.functional.mse_loss(last(lstm(xs)[0]), wanted)

        parameters = list(lstm.parameters()) + list(last.parameters())
        data = "bs %d, n %d, d %d, h %d" % (bs, n, d, h)
        row(who, "LSTM (nn.LSTM)", data, loss, gradients(loss, parameters), wait)


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

    for n, d, k in GMM:
        xs = normal(1, n, d)
        parameters = (normal(2, k), normal(3, k, d), normal(4, k, d * (d + 1) // 2))
        places = [[0] * d for _ in range(d)]
        for i, j, at in below(d):
            places[i][j] = at
        places = jnp.array(places)

        def gmm(parameters):
            alphas, means, icf = parameters
            diagonals, sums = jnp.exp(icf[:, :d]), icf[:, :d].sum(1)
            factors = icf[:, places] * (places > 0)
            centred = xs[:, None, :] - means[None]
            scaled = diagonals * centred + jnp.einsum("kij,nkj->nki", factors, centred)
            inner = alphas + sums - 0.5 * (scaled**2).sum(2)
            prior = 0.5 * ((diagonals**2).sum() + (icf[:, d:] ** 2).sum())
            lse = jax.scipy.special.logsumexp
            return lse(inner, 1).sum() - n * lse(alphas) + prior + constant(n, d, k)

        data = "n %d, d %d, K %d" % (n, d, k)
        row(who, "GMM", data, blocking(gmm, parameters), blocking(jax.grad(gmm), parameters), wait)

    for k, n, d in KMEANS:
        points = jax.random.uniform(jax.random.PRNGKey(5), (n, d), dtype=jnp.float32)
        centres = points[-k:]

        def cost(c):
            square = (points**2).sum(1)[None] + (c**2).sum(1)[:, None] - 2 * c @ points.T
            return square.min(0).sum()

        def newton(c):
            gradient, second = jax.jvp(jax.grad(cost), (c,), (jnp.ones_like(c),))
            return c - gradient / second

        data = "k %d, n %d, d %d" % (k, n, d)
        row(who, "k-means, Newton's step", data, blocking(cost, centres), blocking(newton, centres), wait)


def main():
    found = False
    for name, run in (("torch", by_torch), ("jax", by_jax)):
        try:
            __import__(name)
        except ImportError:
            print("Python (%s) has no %s" % (sys.executable, name))
            continue
        if not found:
            print("| peer | program | data | function ms | with derivative ms | times |")
            print("| --- | --- | --- | --- | --- | --- |")
        found = True
        run()


if __name__ == "__main__":
    main()
