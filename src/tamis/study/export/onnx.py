"""A model as an ONNX graph of standard operators in double precision.

Numbers come in as one tensor of doubles a column, NaN where missing (ordered words and booleans as their places from
0, dates as days since 1970), categories as texts, empty where missing; space around texts is taken off, and texts such
as "NA" are missing, as where Tamis reads them. Trees are descended all at once, step by step:
the node of each row in each tree is replaced by its child until the deepest tree is at its leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.errors import StudyError
from tamis.study.export.program import Program
from tamis.table.inference.missing import TOKENS, numbers_among
from tamis.task import predicts_numbers

#: Versions of the operators that are written: 20 is the first to compare texts with patterns.
OPSET, IR = 20, 9

#: Space around texts, in words that RE2 and Python read alike: what Tamis takes off, too.
SPACE = r"[\s\v\x1c-\x1f\x85\xa0" + "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*"

#: Codes of a category that is missing, and of one never seen.
_MISSING, _UNSEEN = -1, -2


def onnx_of(program: Program) -> bytes:
    """The serialised graph: inputs by column, "prediction", and for classes "probabilities" in the order of labels."""
    try:
        import onnx
    except ImportError as error:
        raise StudyError("an ONNX model needs the package onnx, which is not installed; install tamis[onnx]") from error
    if not program.inputs:
        raise StudyError(
            "the model asks for no column, so there is nothing to export; take another with `tamis choose`"
        )
    graph = _Graph(onnx)
    columns = [graph.column(column) for column in program.inputs]
    if program.link == "shares":
        answers = graph.do("Div", _leaves(graph, program, columns), graph.constant(float(len(program.trees))))
        if program.power != 1:
            top = graph.do("ReduceMax", answers, graph.constant([1], np.int64), keepdims=1)
            raised = graph.do("Pow", graph.do("Div", answers, top), graph.constant(program.power))
            answers = graph.do("Div", raised, _row_sums(graph, raised, len(program.labels)))
    else:
        answers = _linked(graph, program, _sums(graph, program, columns))
    return graph.finished(program, answers)


def _pattern(texts: list[str]) -> str:
    """A pattern that some texts match, with space around them or without."""
    return f"{SPACE}(?:{'|'.join(_literal(text) for text in texts)}){SPACE}"


def _literal(text: str) -> str:
    """A text as a pattern: signs get a backslash, and characters that end a line or are no letters their number."""
    return "".join(
        letter
        if letter.isalnum()
        else f"\\x{ord(letter):02x}"
        if ord(letter) < 32 or 126 < ord(letter) < 256
        else f"\\{letter}"
        if ord(letter) < 127
        else letter
        for letter in text
    )


class _Graph:
    """Nodes and constants of a graph that is being written."""

    def __init__(self, onnx: Any) -> None:
        self.onnx, self.number = onnx, 0
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []

    def constant(self, values: Any, dtype: Any = np.float64) -> str:
        name, array = self._name("c"), np.asarray(values, dtype=dtype)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def texts(self, words: list[str]) -> str:
        name, kind = self._name("c"), self.onnx.TensorProto.STRING
        tensor = self.onnx.helper.make_tensor(name, kind, [len(words)], [word.encode() for word in words])
        self.constants.append(tensor)
        return name

    def do(self, operator: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node; the name of its one output."""
        out = name or self._name("t")
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [out], domain=domain, **attributes))
        return out

    def _name(self, letter: str) -> str:
        self.number += 1
        return f"tamis_{letter}{self.number}"

    def column(self, column: dict[str, Any]) -> str:
        """An input: rows × 1, doubles, or int64 codes of a category."""
        kinds, name = self.onnx.TensorProto, column["name"]
        is_text = column["kind"] == "category"
        kind = kinds.STRING if is_text else kinds.DOUBLE
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, kind, ["rows"]))
        axis = self.constant([1], np.int64)
        if not is_text:
            for number in numbers_among(column.get("missing", ())):
                stands = self.do("Equal", name, self.constant(number, np.float64))
                name = self.do("Where", stands, self.constant(np.nan, np.float64), name)
            return self.do("Unsqueeze", name, axis)
        levels = [str(level) for level in column["levels"]]
        tokens = [token for token in TOKENS if token not in levels] + column.get("missing", [])
        codes = {_pattern(tokens): _MISSING}
        codes |= {_pattern([level]): code for code, level in enumerate(levels)}
        coded = self.constant([_UNSEEN], np.int64)
        for pattern, code in codes.items():
            matches = self.do("RegexFullMatch", name, pattern=pattern)
            coded = self.do("Where", matches, self.constant(code, np.int64), coded)
        return self.do("Unsqueeze", coded, axis)

    def finished(self, program: Program, answers: str) -> bytes:
        """The whole model, once the answers (rows × 1 or rows × classes) are known."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        if predicts_numbers(program.task):
            self.do("Squeeze", answers, self.constant([1], np.int64), name="prediction")
            outputs = [helper.make_tensor_value_info("prediction", kinds.DOUBLE, ["rows"])]
        else:
            self.do("Identity", answers, name="probabilities")
            labels = self.texts([str(label) for label in program.labels])
            self.do("Gather", labels, self._decided(program, answers), name="prediction")
            outputs = [
                helper.make_tensor_value_info("prediction", kinds.STRING, ["rows"]),
                helper.make_tensor_value_info("probabilities", kinds.DOUBLE, ["rows", len(program.labels)]),
            ]
        graph = helper.make_graph(self.nodes, "tamis", self.inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET)]
        about = f"{program.target}: a model of Tamis. {program.decision}".strip()
        model = helper.make_model(graph, opset_imports=opsets, producer_name="tamis", ir_version=IR, doc_string=about)
        self.onnx.checker.check_model(model)
        return bytes(model.SerializeToString())

    def _decided(self, program: Program, shares: str) -> str:
        """The place of the largest probability, or of the least expected cost; the first of several."""
        if program.costs is None:
            return self.do("ArgMax", shares, axis=1, keepdims=0)
        expected = self.do("MatMul", shares, self.constant(program.costs))
        slack = 1e-12 * float(np.max(np.abs(program.costs)))
        least_cost = self.do("ReduceMin", expected, self.constant([1], np.int64), keepdims=1)
        limit = self.do("Add", least_cost, self.constant(slack))
        is_minimum = self.do("Not", self.do("Greater", expected, limit))
        as_integer = self.do("Cast", is_minimum, to=self.onnx.TensorProto.INT32)
        return self.do("ArgMax", as_integer, axis=1, keepdims=0)


def _row_sums(graph: _Graph, shares: str, n: int) -> str:
    return graph.do("MatMul", shares, graph.constant(np.ones((n, 1))))


def _sums(graph: _Graph, program: Program, columns: list[str]) -> str:
    """Intercept, terms and leaves, rows × sums."""
    total = graph.constant([program.intercept])
    if program.trees:
        total = graph.do("Add", total, _leaves(graph, program, columns))
    for term in program.terms:
        value = columns[term["column"]]
        if "coef" in term:
            if term["fill"] is not None:
                value = graph.do("Where", graph.do("IsNaN", value), graph.constant(term["fill"]), value)
            total = graph.do("Add", total, graph.do("MatMul", value, graph.constant([term["coef"]])))
            continue
        size, n = len(program.inputs[term["column"]]["levels"]), len(program.intercept)
        table = np.zeros((size + 2, n))
        table[1] = np.nan if term["missing"] is None else term["missing"]
        for code, numbers in term["levels"].items():
            table[int(code) + 2] = numbers
        indices = graph.do("Add", value, graph.constant(2, np.int64))
        gathered = graph.do("Gather", graph.constant(table), indices, axis=0)
        total = graph.do("Add", total, graph.do("Squeeze", gathered, graph.constant([1], np.int64)))
    return total


def _linked(graph: _Graph, program: Program, sums: str) -> str:
    """Answers from sums."""
    if program.link == "identity":
        return sums
    if program.link == "exp":
        return graph.do("Exp", graph.do("Min", sums, graph.constant(700.0)))
    if program.link == "softmax":
        shares = graph.do("Softmax", sums, axis=1)
    elif program.link == "cumulative":  # of at most a class, less that of at most the one before
        n = len(program.classes)
        differences = np.eye(n)[:-1] - np.eye(n, k=1)[:-1]
        products = graph.do("MatMul", graph.do("Sigmoid", sums), graph.constant(differences))
        shares = graph.do("Add", products, graph.constant([np.eye(n)[-1]]))
    elif program.link == "logistic":
        shares = graph.do("Concat", graph.do("Sigmoid", graph.do("Neg", sums)), graph.do("Sigmoid", sums), axis=1)
    else:
        if len(program.intercept) == 1:  # the first class where the sum is not above 0
            sums = _two_classes(graph, sums)
        best = graph.do("ArgMax", sums, axis=1, keepdims=0)
        shares = graph.do("Gather", graph.constant(np.eye(len(program.classes))), best, axis=0)
    one_hot = np.zeros((len(program.classes), len(program.labels)))
    one_hot[np.arange(len(program.classes)), list(program.classes)] = 1.0
    return graph.do("MatMul", shares, graph.constant(one_hot))


def _two_classes(graph: _Graph, sums: str) -> str:
    """0 beside the one sum of two classes."""
    return graph.do("Concat", graph.do("Mul", sums, graph.constant(0.0)), sums, axis=1)


def _leaves(graph: _Graph, program: Program, columns: list[str]) -> str:
    """The sum of the leaves of all trees, rows × answers or sums."""
    facts = _Flat(program)
    X = graph.do("Concat", *(_as_double(graph, name, column) for name, column in zip(columns, program.inputs)), axis=1)
    arrays = {name: graph.constant(facts.arrays[name], facts.arrays[name].dtype) for name in facts.arrays}
    first = graph.do("Gather", X, graph.constant([0], np.int64), axis=1)  # rows × 1, to give the nodes their rows
    none = graph.do("Cast", graph.do("IsNaN", first), to=graph.onnx.TensorProto.INT64)
    none = graph.do("Mul", none, graph.constant(0, np.int64))
    at = graph.do("Add", none, graph.constant([facts.roots], np.int64))
    for _ in range(facts.depth):
        at = _step(graph, facts, arrays, X, at)
    leaves = graph.do("Gather", graph.constant(facts.values), at, axis=0)
    return graph.do("ReduceSum", leaves, graph.constant([1], np.int64), keepdims=0)


def _as_double(graph: _Graph, name: str, column: dict[str, Any]) -> str:
    """A column as doubles; a category that is missing or was never seen is NaN."""
    if column["kind"] != "category":
        return name
    code = graph.do("Cast", name, to=graph.onnx.TensorProto.DOUBLE)
    return graph.do("Where", graph.do("Less", code, graph.constant(0.0)), graph.constant(np.nan), code)


def _step(graph: _Graph, facts: _Flat, arrays: dict[str, str], X: str, at: str) -> str:
    """The children of nodes (rows × trees): by the first test that answers, else the default."""
    kinds = graph.onnx.TensorProto
    right = graph.do("Gather", arrays["default"], at)
    for s in range(facts.n_tests - 1, -1, -1):
        test = {name: graph.do("Gather", arrays[f"{name}{s}"], at) for name in _OF_A_TEST}
        value = graph.do("GatherElements", X, test["column"], axis=1)
        is_nan = graph.do("IsNaN", value)
        above = graph.do("Xor", graph.do("Greater", value, test["threshold"]), test["flip"])
        filled = graph.do("Where", is_nan, graph.constant(-1.0), value)
        code = graph.do("Mul", graph.do("Cast", filled, to=kinds.INT64), test["is_category"])
        side = graph.do("Gather", arrays["sides"], graph.do("Add", test["offset"], code))
        answer = graph.do("Where", test["is_number"], graph.do("Cast", above, to=kinds.INT64), side)
        is_decided = graph.do("Less", answer, graph.constant(2, np.int64))
        is_decided = graph.do("And", is_decided, graph.do("Not", graph.do("And", test["is_number"], is_nan)))
        right = graph.do("Where", is_decided, answer, right)
    return graph.do("Add", graph.do("Gather", arrays["left"], at), right)


_OF_A_TEST = ("column", "threshold", "flip", "is_number", "is_category", "offset")


class _Flat:
    """Nodes of all trees as arrays; a leaf leads to itself.

    sides holds, from the offset of a test on, the side of each code: 0 left, 1 right, 2 no answer; the code -1, of a
    missing category, stands before it.
    """

    def __init__(self, program: Program) -> None:
        sizes = [len(tree) for tree in program.trees]
        self.roots = [int(start) for start in np.cumsum([0, *sizes[:-1]])]
        nodes = [(root, node) for root, tree in zip(self.roots, program.trees) for node in tree]
        self.n_tests = max((len(node["tests"]) for _, node in nodes if "tests" in node), default=0)
        self.depth = max(_depth(tree) for tree in program.trees)
        width = next(len(node["leaf"]) for _, node in nodes if "leaf" in node)
        self.values = np.array([node.get("leaf", [0.0] * width) for _, node in nodes])
        left = [index if "leaf" in node else root + node["left"] for index, (root, node) in enumerate(nodes)]
        self.arrays = {
            "left": np.array(left, dtype=np.int64),
            "default": np.array([node.get("default", 0) for _, node in nodes], dtype=np.int64),
        }
        self.sides: list[int] = [2, 2]  # of what is no category
        for s in range(self.n_tests):
            tests = [self._test(program, node["tests"][s] if s < len(node.get("tests", ())) else None)
                     for _, node in nodes]  # fmt: skip
            for k, name in enumerate(_OF_A_TEST):
                dtype = {"threshold": np.float64, "flip": bool, "is_number": bool}.get(name, np.int64)
                self.arrays[f"{name}{s}"] = np.array([test[k] for test in tests], dtype=dtype)
        self.arrays["sides"] = np.array(self.sides, dtype=np.int64)

    def _test(self, program: Program, test: list[Any] | None) -> tuple[Any, ...]:
        """Column, threshold, flip, whether it is of numbers, of a category, and where its sides begin."""
        if test is None:
            return 0, 0.0, False, False, 0, 0
        if test[0] == "sum":
            raise StudyError("splits on sums of columns are not written as ONNX; give --to python")
        if test[0] == "there":
            return test[1], np.inf, False, True, 0, 0
        if test[0] == "le":
            return test[1], test[2], bool(test[3]), True, 0, 0
        n = len(program.inputs[test[1]]["levels"])
        sides = [2] * (n + 1)
        for side in (0, 1):
            for code in test[2 + side]:
                if code < n:
                    sides[code + 1] = side
        self.sides += sides
        return test[1], 0.0, False, False, 1, len(self.sides) - n


def _depth(tree: list[dict[str, Any]]) -> int:
    depth = [0] * len(tree)
    for index, node in enumerate(tree):  # children come after their parents
        if "left" in node:
            depth[node["left"]] = depth[node["left"] + 1] = depth[index] + 1
    return max(depth)
