"""Make the list of TensorFlow's operations from the public API index of its wheels.

    python -m tests.lint.tensorflow_api.api_index TENSORFLOW_WHEEL KERAS_WHEEL

TensorFlow's wheel has its public API as modules that import each symbol under each of its public
names (`tensorflow/_api/v2/`, with `compat/v1/` in it); Keras' has the same for its own. The wheels
are read, not installed and not run. A function of TensorFlow that can name its node takes an
argument `name`: that distinguishes an operation from what only configures; the few without it are
listed. What creates a state of its own (variables, queues, tables, summaries), draws at random,
reads, writes, or opens a scope is not an operation in this sense: to call it again means something
else than to keep its result.
"""

import ast
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

TENSORFLOW_INDEX = "tensorflow/_api/v2/"
KERAS_INDEX = "keras/"
KERAS_PARTS = ("ops/", "_tf_keras/keras/backend/")
OTHER_NAMESPACES = frozenset(
    (
        *("__internal__", "__operators__", "app", "autodiff", "autograph", "compiler"),
        *("config", "data", "debugging", "distribute", "distributions", "estimator"),
        *("experimental", "feature_column", "flags", "gfile", "graph_util", "initializers"),
        *("keras", "layers", "lite", "logging", "lookup", "losses", "manip_internal"),
        *("metrics", "mlir", "nest", "profiler", "python_io", "queue", "random"),
        *("resource_loader", "saved_model", "summary", "sysconfig", "test", "tpu", "train"),
        *("types", "user_ops", "version", "xla"),
    )
)
OWN_STATE_OR_EFFECT = re.compile(
    r"random|multinomial|shuffle|dropout|truncated_normal|sampler|sampled_|nce_loss|fractional_"
    r"|variable|placeholder|^assign|^scatter_(?:nd_)?(?:add|sub|mul|div|min|max|update)$|^count_up_to"
    r"|^batch_scatter|initializ|^get_seed|^set_|^get_(?!static)|session|summary|^read_|^write_|matching_files|"
    r"^save|^restore|decode_proto|encode_proto|^py_func|^numpy_function|^print|^Print|timestamp"
    r"|queue|^batch_join|^maybe_|^barrier|_scope$|^control_dep|^device$|^function$|^container$|colocate"
    r"|^[Aa]ssert|^verify_|^check_numerics|^add_check|^no_op|^group$|^tuple$|^report_|^add_to_|^trainable"
    r"|_rnn$|^raw_rnn|^cond$|^case$|^switch_case|^while_loop|_fn$|^fold|^scan$|^vectorized_map|^scale_regul"
    r"|^convert_to_numpy|^is_|^dtype$|^custom_gradient|^recompute_grad|^grad_pass|^make_template|^with_"
    r"|^fixed_size_partitioner|partitioner$|^Global|^local_|^tables_|^import_|^export_|^load_|^clear_|"
    r"^reset_|^learning_phase|^manual_|^backend$|^epsilon$|^floatx$|^image_data_format|^standardize|"
    r"^result_type|^name_scope|^update$|^update_|^moving_average|^rnn$|^ctc_label|^standard|^zeros_init"
    r"|^delete_|^associative_scan|^vectorize$|^map$|^bias_add_keras|^stop_recording"
)
KERAS_STATE = frozenset(("zeros", "ones", "eye", "zeros_like", "ones_like", "constant"))
WITHOUT_A_NAME = frozenset(
    (
        *("add", "bincount", "broadcast_dynamic_shape", "ctc_beam_search_decoder"),
        *("ctc_beam_search_decoder_v2", "ctc_greedy_decoder", "einsum", "meshgrid"),
        *("set_diag", "sparse_add", "sparse_reduce_max", "sparse_reduce_max_sparse"),
        *("sparse_reduce_sum", "sparse_reduce_sum_sparse", "sparse_retain"),
        *("reduce_max_sparse", "reduce_sum_sparse", "retain"),
    )
)


def operations(tensorflow: Path, keras: Path) -> list[str]:
    """The full public names of the operations, in order: `tensorflow.math.add`, `keras.ops.add`, …

    Parameters
    ----------
    tensorflow, keras
        The wheels.

    Returns
    -------
    list of str
        Every alias of every operation; those of `tensorflow.compat.v1` under that name.
    """
    with zipfile.ZipFile(tensorflow) as wheel:
        found = set(_of_tensorflow(wheel))
    with zipfile.ZipFile(keras) as wheel:
        found |= set(_of_keras(wheel))
    return sorted(found)


def _of_tensorflow(wheel: zipfile.ZipFile) -> Iterator[str]:
    files = set(wheel.namelist())
    named: dict[str, set[str]] = {}
    for file in sorted(files):
        if not file.startswith(TENSORFLOW_INDEX) or not file.endswith("/__init__.py"):
            continue
        parts = PurePosixPath(file.removeprefix(TENSORFLOW_INDEX)).parent.parts
        inner = parts[2:] if parts[:1] == ("compat",) else parts
        if (inner[:1] and inner[0] in OTHER_NAMESPACES) or "compat" in inner:
            continue
        space = ".".join(("tensorflow", *parts))
        for module, name, public in _imports(wheel, file):
            if module not in named:
                source = module.replace(".", "/") + ".py"
                named[module] = _takes_a_name(wheel, source) if source in files else set()
            sure = inner[:1] == ("raw_ops",) or public in WITHOUT_A_NAME
            effect = public not in WITHOUT_A_NAME and OWN_STATE_OR_EFFECT.search(_snake(public))
            if (sure or name in named[module]) and not effect:
                yield f"{space}.{public}"


def _of_keras(wheel: zipfile.ZipFile) -> Iterator[str]:
    for file in sorted(wheel.namelist()):
        inner = file.removeprefix(KERAS_INDEX)
        if not inner.startswith(KERAS_PARTS) or not file.endswith("/__init__.py"):
            continue
        space = ".".join(PurePosixPath(inner.removeprefix("_tf_keras/keras/")).parent.parts)
        for _, name, public in _imports(wheel, file):
            state = space == "backend" and public in KERAS_STATE
            if name == name.lower() and not state and not OWN_STATE_OR_EFFECT.search(public):
                yield f"keras.{space}.{public}"


def _imports(wheel: zipfile.ZipFile, file: str) -> Iterator[tuple[str, str, str]]:
    for node in ast.parse(wheel.read(file)).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                public = alias.asname or alias.name
                if not public.startswith("_"):
                    yield node.module, alias.name, public


def _takes_a_name(wheel: zipfile.ZipFile, source: str) -> set[str]:
    return {
        node.name
        for node in ast.parse(wheel.read(source)).body
        if isinstance(node, ast.FunctionDef)
        and "name" in {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
    }


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() if name[:1].isupper() else name


def _version(wheel: Path) -> str:
    name, version = wheel.name.split("-")[:2]
    return f"{name} {version}"


def main() -> None:
    """Write the list to standard output, first the versions that it is of."""
    tensorflow, keras = (Path(one) for one in sys.argv[1:3])
    versions = f"{_version(tensorflow)}, {_version(keras)}"
    lines = [f"# {versions}; made by tests.lint.tensorflow_api.api_index"]
    spaces: dict[str, list[str]] = {}
    for one in operations(tensorflow, keras):
        space, _, name = one.rpartition(".")
        spaces.setdefault(space, []).append(name)
    lines += [f"{space}: {' '.join(names)}" for space, names in sorted(spaces.items())]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
