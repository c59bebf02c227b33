"""Random models of several nodes, with branches and loops."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from base import F32, floats, maybe, pick, some_axis, whole

UNARY = "Relu Neg Abs Sigmoid Tanh Floor Ceil Round Identity Softplus Sign Exp Erf".split()
WHOLE_UNARY = "Neg Abs Identity Sign".split()
BINARY = "Add Sub Mul Div Max Min".split()
# onnxruntime answers nothing where the result is less than it calculates with.
VANISHING = {"Sigmoid", "Exp", "Softplus", "Softmax"}


def plain(result):
    """Whether all numbers are finite, and neither very large nor nearly nothing."""
    if not isinstance(result, np.ndarray) or result.dtype != F32:
        return True
    size = np.abs(result)
    # What onnxruntime takes for the mean of no elements is 0.
    return result.size > 0 and bool(np.all((size == 0) | ((size > 1e-6) & (size < 1e6))))


def operators(node):
    """The operators of a node, and of the graphs inside it."""
    inner = [operators(other) for attribute in node.attribute for other in attribute.g.node]
    return {node.op_type}.union(*inner)


class Graph:
    def __init__(self, rng, run, opset):
        self.rng, self.run, self.opset = rng, run, opset
        self.nodes, self.constants, self.inputs = [], [], {}
        self.values, self.used = {}, set()

    def fresh(self):
        return f"v{len(self.values) + len(self.nodes)}_{len(self.constants)}"

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def given(self, value):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.values[name] = value
        return name

    def add(self, operator, names, outputs=1, **attributes):
        """Adds a node if onnxruntime runs it; gives the names of its outputs."""
        node = helper.make_node(operator, names, [f"{self.fresh()}_{i}" for i in range(outputs)], **attributes)
        results = self.run(self, node, names)
        vanishes = operators(node) & VANISHING and any((np.asarray(result) == 0).any() for result in results)
        if vanishes or not all(plain(result) for result in results):
            raise ValueError("rounding would decide what the next nodes answer")
        self.nodes.append(node)
        self.used.update(names)
        for name, result in zip(node.output, results):
            self.values[name] = result
        return list(node.output)


def step(graph, name):
    """One or a few nodes on this value."""
    rng, value = graph.rng, graph.values[name]
    is_float = value.dtype == F32
    rank = value.ndim
    axes = [some_axis(rng, rank)] if rank else [0]
    scalar = lambda: graph.constant(floats(rng, []) if is_float else whole(rng, [], value.dtype, True))
    numbers = lambda *values: graph.constant(np.array(values, np.int64))
    steps = [
        lambda: graph.add(pick(rng, *(UNARY if is_float else WHOLE_UNARY)), [name]),
        lambda: graph.add(pick(rng, *BINARY), [name, scalar()]),
        lambda: graph.add(pick(rng, *BINARY), [scalar(), name]),
        lambda: graph.add(pick(rng, *BINARY), [name, pick(rng, *graph.values)]),
        lambda: graph.add(pick(rng, "Floor", "Ceil", "Round"), graph.add("Div", [name, scalar()])),
        lambda: graph.add("Transpose", [name], perm=[int(axis) for axis in rng.permutation(rank)]),
        lambda: graph.add("Reshape", [name, numbers(*pick(rng, [-1], [0, -1], [1, -1, 1]))]),
        lambda: graph.add("Flatten", [name], axis=int(rng.integers(0, rank + 1))),
        lambda: graph.add("Unsqueeze", [name, numbers(int(rng.integers(-rank - 1, rank + 1)))]),
        lambda: graph.add("Softmax", [name], axis=axes[0]),
        lambda: graph.add(
            pick(rng, "ReduceMax", "ReduceMean", "ReduceMin"), [name], axes=axes, keepdims=int(rng.integers(2))
        ),
        lambda: graph.add("ReduceSum", [name, numbers(*axes)], keepdims=int(rng.integers(2))),
        lambda: graph.add("Cast", [name], to=int(pick(rng, 1, 6, 7, 9, 10))),
        lambda: graph.add("Concat", [name, name], axis=axes[0]),
        lambda: graph.add("Split", [name], 2, axis=axes[0]),
        lambda: graph.add(
            "Slice", [name, numbers(int(rng.integers(-3, 3))), numbers(int(rng.integers(-3, 9))), numbers(*axes)]
        ),
        lambda: graph.add(
            "Gather",
            [name, graph.constant(rng.integers(-1, 1, [2] * rng.integers(0, 2)).astype(np.int64))],
            axis=axes[0],
        ),
        lambda: graph.add("Clip", [name, scalar(), ""]),
        lambda: graph.add("TopK", [name, numbers(1)], 2, axis=axes[0]),
        lambda: graph.add(pick(rng, "ArgMax", "ArgMin"), [name], axis=axes[0], keepdims=int(rng.integers(2))),
        lambda: graph.add("Shape", [name]),
        lambda: graph.add(
            "Expand", [name, graph.add("Concat", [numbers(2), graph.add("Shape", [name])[0]], axis=0)[0]]
        ),
        lambda: graph.add(
            "Reshape",
            [
                name,
                graph.add(
                    "Concat",
                    [
                        numbers(-1),
                        graph.add("Gather", [graph.add("Shape", [name])[0], numbers(axes[0] % max(rank, 1))], axis=0)[
                            0
                        ],
                    ],
                    axis=0,
                )[0],
            ],
        ),
        lambda: graph.add("Tile", [name, numbers(*rng.integers(1, 3, rank))]),
        lambda: graph.add("CumSum", [name, graph.constant(np.array(axes[0]))]),
        lambda: graph.add("Where", [graph.add("Greater", [name, scalar()])[0], name, scalar()]),
        lambda: graph.add("Mod", [name, graph.constant(np.asarray(3, value.dtype))], fmod=int(is_float)),
        lambda: graph.add("Pow", [name, graph.constant(np.asarray(2, value.dtype))]),
        lambda: graph.add("OneHot", [name, numbers(3), graph.constant(np.array([0, 1], F32))]),
        lambda: graph.add(
            "NonZero",
            [
                (
                    name
                    if rank and not is_float
                    else graph.add("Greater", [graph.add("Unsqueeze", [name, numbers(0)])[0], scalar()])[0]
                )
            ],
        ),
        lambda: graph.add("MatMul", [name, graph.add("Transpose", [name])[0]]),
        lambda: graph.add(
            "Range", [graph.constant(np.int64(0)), graph.add("Size", [name])[0], graph.constant(np.int64(1))]
        ),
        lambda: graph.add("ConstantOfShape", [graph.add("Shape", [name])[0]]),
        lambda: branch(graph, name),
        lambda: loop(graph, name),
    ]
    return pick(rng, *steps)()


def body_node(rng, name, output, value):
    return helper.make_node(pick(rng, *(UNARY[:5] if value.dtype == F32 else WHOLE_UNARY)), [name], [output])


def untyped(name):
    return onnx.ValueInfoProto(name=name)


def typed(name, value):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), None)


def branch(graph, name):
    rng, value = graph.rng, graph.values[name]
    condition = (
        graph.given(np.array(bool(rng.integers(2)))) if maybe(rng) else graph.constant(np.array(bool(rng.integers(2))))
    )
    parts = []
    for part in ("t", "e"):
        output = f"{part}{len(graph.nodes)}"
        parts.append(helper.make_graph([body_node(rng, name, output, value)], part, [], [typed(output, value)]))
    return graph.add("If", [condition], then_branch=parts[0], else_branch=parts[1])


def loop(graph, name):
    rng, value = graph.rng, graph.values[name]
    tag = len(graph.nodes)
    turn, go, old, new, stay, seen = (f"{part}{tag}" for part in ("turn", "go", "old", "new", "stay", "seen"))
    nodes = [
        body_node(rng, old, f"{new}_", value),
        helper.make_node(pick(rng, "Add", "Max", "Sub"), [f"{new}_", name], [new]),
        helper.make_node("Identity", [go], [stay]),
        helper.make_node("Identity", [new], [seen]),
    ]
    truth, count = np.array(True), np.array(0)
    body = helper.make_graph(
        nodes,
        "body",
        [typed(turn, count), typed(go, truth), typed(old, value)],
        [typed(stay, truth), typed(new, value), typed(seen, value)],
    )
    turns = graph.constant(np.array(int(rng.integers(1, 4))))
    return graph.add("Loop", [turns, "", name], 2, body=body)


def random_graph(rng, run):
    graph = Graph(rng, run, 13)
    graph.given(floats(rng, [int(rng.integers(1, 4)) for _ in range(rng.integers(1, 4))]))
    if maybe(rng):
        graph.given(
            whole(
                rng,
                [int(rng.integers(1, 4)) for _ in range(rng.integers(0, 3))],
                pick(rng, np.int64, np.int32, np.uint8),
                True,
            )
        )
    for _ in range(rng.integers(3, 9)):
        try:
            step(graph, pick(rng, *graph.values))
        except Exception:  # onnxruntime does not take it
            continue
    return graph
