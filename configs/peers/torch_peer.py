#!/usr/bin/env python3
"""PyTorch beside Kenaz: the programs of configs/paper/pytorch.json.

    torch_peer.py PROGRAM value|derivative CORES INPUT

A program has the arguments and the results of Kenaz's program of this name, and is written as a user
of PyTorch would write it: with operations on whole arrays, and automatic differentiation.
"""

import math
import os
import sys

program, part, cores, source = sys.argv[1:5]
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = cores  # They are read when the libraries are loaded.

import numpy
import torch
from torch.autograd.functional import vhp

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peer

torch.set_num_threads(int(cores))


def tensor(array):
    return torch.from_numpy(array)


def with_gradient(objective, parameters):
    """Returns a function that gives the objective and its gradient."""
    for p in parameters:
        p.requires_grad_(True)

    def call():
        for p in parameters:
            p.grad = None
        value = objective()
        value.backward()
        return [value.detach().numpy()] + [p.grad.numpy() for p in parameters]

    return call


def only_value(objective):
    def call():
        with torch.no_grad():
            return objective().numpy()

    return call


def of_parts(objective, parameters):
    return only_value(objective) if part == "value" else with_gradient(objective, parameters)


# The product of two matrices


def matmul(a, b, c=None):
    if part == "value":
        return only_value(lambda: a @ b)

    def call():
        x, y = a.requires_grad_(True), b.requires_grad_(True)
        product = x @ y
        slopes = torch.autograd.grad(product, (x, y), c)
        return [product.detach().numpy()] + [s.numpy() for s in slopes]

    return call


# A mixture of Gaussians, as in ADBench


def gmm(alphas, means, icf, xs, gamma, m):
    gamma, m = float(gamma), int(m)
    n, d = xs.shape
    k = alphas.shape[0]
    rows, columns = torch.tril_indices(d, d, -1)
    places = d * columns - columns * (columns + 1) // 2 + rows - columns - 1
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(
        math.lgamma(0.5 * freedom - 0.5 * j) for j in range(d)
    )
    constant = freedom * d * math.log(gamma / math.sqrt(2)) - log_gamma

    def objective():
        diagonals = torch.exp(icf[:, :d])
        sums = icf[:, :d].sum(1)
        factors = torch.zeros(k, d, d, dtype=icf.dtype)
        factors[:, rows, columns] = icf[:, d + places]
        centred = xs[:, None, :] - means[None, :, :]
        scaled = diagonals * centred + torch.einsum("kij,nkj->nki", factors, centred)
        densities = alphas + sums - 0.5 * (scaled**2).sum(2)
        prior = (
            0.5 * gamma**2 * ((diagonals**2).sum(1) + (icf[:, d:] ** 2).sum(1)) - m * sums
        )
        return (
            torch.logsumexp(densities, 1).sum()
            - n * (0.5 * d * math.log(2 * math.pi) + torch.logsumexp(alphas, 0))
            + prior.sum()
            - k * constant
        )

    return of_parts(objective, [alphas, means, icf])


# k-means


def newton(cost, centres):
    """A step of Newton's method; where a centre has no points it stays."""
    if part == "value":
        return only_value(lambda: cost(centres))
    ones = torch.ones_like(centres)

    def call():
        at = centres.detach().requires_grad_(True)
        (slope,) = torch.autograd.grad(cost(at), at)
        _, curvature = vhp(cost, centres.detach(), ones)
        step = torch.where(curvature == 0, torch.zeros_like(slope), slope / curvature)
        return (centres.detach() - step).numpy()

    return call


def kmeans_dense(points, centres):
    def cost(c):
        products = points @ c.T
        distances = (points**2).sum(1)[:, None] + (c**2).sum(1)[None, :] - 2 * products
        return distances.min(1)[0].sum()

    return newton(cost, centres)


def kmeans_sparse(values, columns, starts, centres):
    counts = starts[1:] - starts[:-1]
    rows = torch.repeat_interleave(torch.arange(len(counts)), counts)
    shape = (len(counts), centres.shape[1])
    points = torch.sparse_coo_tensor(torch.stack([rows, columns]), values, shape).coalesce()
    squares = torch.zeros(len(counts)).index_add_(0, rows, values**2)

    def cost(c):
        products = torch.sparse.mm(points, c.T)
        distances = squares[:, None] + (c**2).sum(1)[None, :] - 2 * products
        return distances.min(1)[0].sum()

    return newton(cost, centres)


# A long short-term memory network


def lstm(inputs, target, hidden, cell, w_input, w_hidden, bias, w_out, bias_out, library=True):
    n, bs, d = inputs.shape
    h = hidden.shape[1]
    net = torch.nn.LSTM(d, h) if library else None
    parameters = [w_input, w_hidden, bias, w_out, bias_out]

    def of_library():
        weights = [w_input.reshape(4 * h, d), w_hidden.reshape(4 * h, h), bias.reshape(4 * h)]
        weights.append(torch.zeros(4 * h))
        outs, _, _ = torch._VF.lstm(
            inputs, (hidden[None], cell[None]), weights, True, 1, 0.0, True, False, False
        )
        return outs

    def by_hand():
        state, c, outs = hidden, cell, []
        for t in range(n):
            gates = torch.einsum("bd,ghd->gbh", inputs[t], w_input)
            gates = gates + torch.einsum("bk,ghk->gbh", state, w_hidden) + bias[:, None, :]
            i, f, o = (torch.sigmoid(gates[g]) for g in (0, 1, 3))
            c = f * c + i * torch.tanh(gates[2])
            state = o * torch.tanh(c)
            outs.append(state)
        return torch.stack(outs)

    def objective():
        outs = by_hand() if net is None else of_library()
        said = outs @ w_out.T + bias_out
        return torch.nn.functional.mse_loss(said, target)

    return of_parts(objective, parameters)


def lstm_by_hand(*arguments):
    return lstm(*arguments, library=False)


PROGRAMS = {
    "matmul": matmul,
    "gmm": gmm,
    "kmeans_dense": kmeans_dense,
    "kmeans_sparse": kmeans_sparse,
    "lstm": lstm,
    "lstm_by_hand": lstm_by_hand,
}

if __name__ == "__main__":
    call = PROGRAMS[program](*[tensor(a) for a in peer.read(source)])
    version = "PyTorch %s, numpy %s" % (torch.__version__, numpy.__version__)
    peer.serve(call, version=version)
