#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py FOLDER: holds what write_step left there to PyTorch's loss and gradients from the same weights, in fp32. Prints what differs by more
than it may, and ends with 1 then. Needs PyTorch."""

import json
import pathlib
import sys

import layers
import torch

LOSS = 1e-6  # relative
GRADIENT = 1e-4  # of a tensor's norm


def main(folder):
    step = json.loads((folder / "step.json").read_text(encoding="utf-8"))
    torch.set_num_threads(1)

    def array(name, dtype):
        return torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=dtype)

    def tensors_of(name):
        data = array(name, torch.float32)
        cut = {}
        for tensor in step["tensors"]:
            size = tensor["rows"] * tensor["columns"]
            values = data[tensor["offset"] : tensor["offset"] + size].clone()
            cut[tensor["name"]] = values.view(tensor["rows"], tensor["columns"]) if tensor["rows"] > 1 else values
        return cut

    parameters, gradients = tensors_of("parameters.f32"), tensors_of("gradients.f32")
    for tensor in parameters.values():
        tensor.requires_grad_()
    tokens = array("tokens.i32", torch.int32).long().view(step["samples"], step["sequence"])
    features = array("features.f32", torch.float32).view(step["samples"] * step["sequence"], -1)
    loss = layers.loss(step, parameters, tokens, features, array("labels.i32", torch.int32).long())
    loss.backward()

    wrong = []
    apart = abs(loss.item() - step["loss"]) / abs(loss.item())
    if not apart <= LOSS:
        wrong.append(f"the loss is {step['loss']}, PyTorch's {loss.item()}")
    largest = 0.0
    for name, tensor in parameters.items():
        expected, seen = tensor.grad.double(), gradients[name].double()
        distance = ((seen - expected).norm() / expected.norm()).item()
        largest = max(largest, distance)
        if not distance <= GRADIENT:
            wrong.append(f"the gradient of {name} is off by {distance:.3g} of its norm")
    print(f"{step['block']}: {len(parameters)} tensors, loss apart by {apart:.2g}, gradients by {largest:.2g} at most")
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
