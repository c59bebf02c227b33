"""Writes models of one operator with random attributes, shapes and data, and what onnxruntime answers, as files for
sim/tests/onnx: a folder for each, as ../onnx_cases.py writes them.

Usage: python tools/onnx_random FOLDER SEED COUNT [OPERATOR...]

With the operator `graphs` the models have several nodes.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import base
import graphs
import operators

FLOATS = (np.float32, np.float16, np.float64)
# What the standard's own library answers otherwise: where onnxruntime does as PyTorch, and where it adds products of bytes
# in 16 bits, which it does on processors that have no instruction for them.
ASKED_TWICE = ("GridSample", "Resize", "MatMulInteger", "ConvInteger", "QLinearConv", "QLinearMatMul")
RENAMED = {b"bicubic": b"cubic", b"bilinear": b"linear"}
onnxruntime.set_default_logger_severity(4)


def model_of(rng, one):
    """The model, with open or fixed dims; inputs that are chosen to be so are constants."""
    inputs, values, constants = [], [], []
    open_dims = rng.random() < 0.4
    halves(rng, one)
    first = rng.random() < 0.2 and sum(value is not None for value in one.inputs) > 1
    for index, value in enumerate(one.inputs):
        if value is None:
            continue
        name, kind = f"x{index}", helper.np_dtype_to_tensor_dtype(value.dtype)
        if index in one.constants or (first if index == 0 else rng.random() < 0.3):
            constants.append(numpy_helper.from_array(value, name))
            continue
        dims = [f"d{index}_{axis}" for axis in range(value.ndim)] if open_dims else value.shape
        inputs.append(helper.make_tensor_value_info(name, kind, dims))
        values.append((name, value))
    names = [f"x{index}" if value is not None else "" for index, value in enumerate(one.inputs)]
    outputs = [f"y{index}" for index in range(one.outputs)]
    node = helper.make_node(one.operator, names, outputs, domain=one.domain, **one.attributes)
    imports = [helper.make_opsetid("", one.opset)]
    if one.domain:
        imports.append(helper.make_opsetid(one.domain, 1))
    infos = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph([node], "random", inputs, infos, constants)
    model = helper.make_model(graph, opset_imports=imports, ir_version=8 if one.opset < 21 else 10)
    return model, values


def halves(rng, one):
    """Makes f16 of f32, now and then."""
    if one.half and rng.random() < 0.1:
        narrow = lambda value: value.astype(np.float16) if value is not None and value.dtype == np.float32 else value
        with np.errstate(over="ignore"):
            one.inputs = [narrow(value) for value in one.inputs]
        one.relative, one.absolute = 2e-2, max(one.absolute, 2e-2)


def answers(model, values):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(values))


def agrees(model, one, values, results):
    """Whether the standard's own library answers the same, as far as it answers."""
    newer = onnx.ModelProto.FromString(model.SerializeToString())
    if one.operator == "GridSample":
        newer.opset_import[0].version = max(20, one.opset)
        for attribute in newer.graph.node[0].attribute:
            attribute.s = RENAMED.get(attribute.s, attribute.s)
    try:
        others = ReferenceEvaluator(newer).run(None, dict(values))
    except Exception:  # what it does not have
        return True
    same = lambda a, b: a.shape == b.shape and np.allclose(a, b, one.relative, one.absolute, equal_nan=True)
    return all(same(np.asarray(other), result) for other, result in zip(others, results))


def declare(rng, model, results):
    """Enters the types of the outputs, and maybe their dims."""
    for info, result in zip(model.graph.output, results):
        kind = helper.np_dtype_to_tensor_dtype(result.dtype)
        dims = [f"{info.name}_{axis}" for axis in range(result.ndim)]
        info.CopyFrom(helper.make_tensor_value_info(info.name, kind, dims))


def write(folder, one, model, values, results):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "tolerance.txt").write_text(f"{one.relative} {one.absolute}\n")
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for index, (name, value) in enumerate(values):
        (data / f"input_{index}.pb").write_bytes(numpy_helper.from_array(value, name).SerializeToString())
    for index, (info, value) in enumerate(zip(model.graph.output, results)):
        (data / f"output_{index}.pb").write_bytes(numpy_helper.from_array(value, info.name).SerializeToString())


def run_node(graph, node, names):
    """The results of a node of a graph in the making."""
    inputs = [name for name in graph.values if graph.values[name] is not None]
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(graph.values[name].dtype), graph.values[name].shape
        )
        for name in inputs
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output]
    made = helper.make_graph([node], "one", infos, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", graph.opset)], ir_version=8)
    return answers(model, {name: graph.values[name] for name in inputs})


def several(rng, folder):
    graph = graphs.random_graph(rng, run_node)
    if not graph.nodes:
        return
    results = {name: graph.values[name] for node in graph.nodes for name in node.output if name not in graph.used}
    open_dims = rng.random() < 0.4
    info = lambda name, value, dims: helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(value.dtype), dims
    )
    dims = lambda name, value: [f"{name}_{axis}" for axis in range(value.ndim)]
    inputs = [
        info(name, value, dims(name, value) if open_dims else value.shape) for name, value in graph.inputs.items()
    ]
    outputs = [info(name, value, dims(name, value)) for name, value in results.items()]
    made = helper.make_graph(graph.nodes, "random", inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", graph.opset)], ir_version=8)
    one = base.One("Graph", [])
    write(folder, one, model, list(graph.inputs.items()), list(results.values()))


def main():
    root, seed, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if sys.argv[4:] == ["graphs"]:
        for number in range(count):
            several(np.random.default_rng([seed, number]), root / "node" / f"graph_{number:06}")
        return
    makers = operators.makers(sys.argv[4:])
    refused = {}
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        maker = makers[number % len(makers)]
        one = maker(rng)
        try:
            model, values = model_of(rng, one)
            results = answers(model, values)
            # The data are numbers: its Softplus inside of a network overflows, the standard's does not.
            if one.operator in ("RNN", "GRU", "LSTM") and any(np.isnan(result).any() for result in results):
                raise ValueError("onnxruntime itself overflows in the network")
            if one.operator in ASKED_TWICE and not agrees(model, one, values, results):
                raise ValueError("the standard's own library answers otherwise")
        except Exception as error:  # what onnxruntime does not take is no test
            refused.setdefault(maker.__name__, []).append(str(error).splitlines()[0][:150])
            continue
        if not values:
            continue
        declare(rng, model, results)
        write(root / "node" / f"{one.operator}_{number:06}", one, model, values, results)
    for name, errors in sorted(refused.items()):
        print(f"{name}: onnxruntime refused {len(errors)}, such as: {errors[0]}")


main()
