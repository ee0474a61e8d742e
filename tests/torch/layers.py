# SPDX-License-Identifier: Apache-2.0
"""The models of plugins/lib/model in PyTorch, written layer by layer from their description (plugins/lib/model/model.hpp) and from nothing that
computes there. Every function takes tensors by the names that they have there; gradients are autograd's."""

import math

import torch
from torch.nn import functional


def linear(of, name, x):
    return functional.linear(x, of[name + " weight"], of.get(name + " bias"))


def layer_norm(of, name, x):
    return functional.layer_norm(x, x.shape[-1:], of[name + " gain"], of[name + " shift"], 1e-5)


def rms_norm(of, name, x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * of[name + " gain"]


def rotated(x, base):
    """x: samples × heads × sequence × d. Pairs (i, i + d/2) are turned by the place times base^(-2i/d)."""
    sequence, d = x.shape[-2:]
    exponents = torch.arange(d // 2, dtype=torch.float64) * -2 / d
    angles = torch.arange(sequence, dtype=torch.float64)[:, None] * base**exponents
    cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], -1)


def attention(step, projected, causal, base):
    """projected: samples × sequence × (queries, keys, values of all heads)."""
    heads, kv_heads = step["heads"], step["kv_heads"]
    d = projected.shape[-1] // (heads + 2 * kv_heads)
    parts = projected.unflatten(-1, (-1, d)).transpose(1, 2)  # samples × heads of all kinds × sequence × d
    queries, keys, values = parts.split([heads, kv_heads, kv_heads], 1)
    if base is not None:
        queries, keys = rotated(queries, base), rotated(keys, base)
    keys, values = (x.repeat_interleave(heads // kv_heads, 1) for x in (keys, values))
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(d)
    if causal:
        sequence = scores.shape[-1]
        scores = scores.masked_fill(torch.ones(sequence, sequence, dtype=torch.bool).triu(1), -math.inf)
    return (scores.softmax(-1) @ values).transpose(1, 2).flatten(2)


def bert_layer(step, of, x):
    branch = attention(step, linear(of, "attention in", x), False, None)
    x = layer_norm(of, "attention norm", x + linear(of, "attention out", branch))
    branch = functional.gelu(linear(of, "ffn up", x))
    return layer_norm(of, "ffn norm", x + linear(of, "ffn down", branch))


def llama_layer(step, of, x):
    branch = linear(of, "attention in", rms_norm(of, "attention norm", x))
    x = x + linear(of, "attention out", attention(step, branch, True, step["rotary_base"]))
    gate, up = linear(of, "ffn gate and up", rms_norm(of, "ffn norm", x)).chunk(2, -1)
    return x + linear(of, "ffn down", functional.silu(gate) * up)


def mlp_layer(_step, of, x):
    return functional.gelu(linear(of, "product", x))


def part(tensors, prefix):
    return {name[len(prefix) :]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def embedded(step, of, tokens):
    places = torch.arange(step["sequence"])
    x = of["words"][tokens]
    if "positions" in of:
        x = x + of["positions"][places]
    if "types" in of:
        x = x + of["types"][places * step["types"] // step["sequence"]]
    return layer_norm(of, "norm", x) if "norm gain" in of else x


def loss(step, tensors, tokens, features, labels):
    """The mean cross-entropy. tokens: samples × sequence; features: samples × width, of an MLP; labels: one for each row of scores."""
    layer = {"bert": bert_layer, "gpt": bert_layer, "llama": llama_layer, "mlp": mlp_layer}[step["block"]]
    x = features if step["block"] == "mlp" else embedded(step, part(tensors, "embedding "), tokens)
    for number in range(step["layers"]):
        x = layer(step, part(tensors, f"layer {number} "), x)
    head = part(tensors, "head ")
    if step["block"] == "bert":
        scores = torch.tanh(linear(head, "pooler", x[:, 0]))
    else:
        scores = linear(head, "scores", rms_norm(head, "norm", x) if step["block"] == "llama" else x)
    return functional.cross_entropy(scores.flatten(0, -2), labels)
