"""Writes ONNX's backend tests as files, for sim/tests/onnx: a folder for each test, with model.onnx, a folder for each
data set (input_0.pb, output_0.pb, ...), and tolerance.txt (relative, absolute).

Usage: onnx_cases.py FOLDER
"""

import pathlib
import shutil
import sys
import warnings

import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.loader import load_model_tests

WRITERS = {
    "sequence_type": numpy_helper.from_list,
    "optional_type": numpy_helper.from_optional,
    "map_type": numpy_helper.from_dict,
    "tensor_type": numpy_helper.from_array,
}


def as_message(value, declared):
    if isinstance(value, TensorProto):
        return value
    kind = declared.type.WhichOneof("value") or "tensor_type"
    return WRITERS[kind](value, declared.name)


def write_values(folder, prefix, values, declared):
    for index, (value, info) in enumerate(zip(values, declared)):
        (folder / f"{prefix}_{index}.pb").write_bytes(as_message(value, info).SerializeToString())


def write_case(case, root):
    folder = root / case.kind / case.name
    folder.mkdir(parents=True)
    (folder / "tolerance.txt").write_text(f"{case.rtol} {case.atol}\n")
    if case.model is None:
        shutil.copytree(case.model_dir, folder, dirs_exist_ok=True)
        return
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        write_values(data, "input", inputs, case.model.graph.input)
        write_values(data, "output", outputs, case.model.graph.output)


def main():
    root = pathlib.Path(sys.argv[1])
    warnings.simplefilter("ignore")
    count = 0
    for kind in ("node", "simple", "pytorch-operator", "pytorch-converted", "light"):
        for case in load_model_tests(kind=kind):
            if case.model is not None or case.model_dir is not None:
                write_case(case, root)
                count += 1
    (root / "version.txt").write_text(onnx.__version__ + "\n")
    print(f"{count} tests of onnx {onnx.__version__} in {root}")


main()
