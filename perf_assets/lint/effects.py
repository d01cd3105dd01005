"""What calls do beside giving a value: nothing, a change of an object, a new graph."""

# Methods that tell something of an object and leave it as it is.
READING_METHODS = frozenset(
    (
        *("as_list", "as_numpy_dtype", "assert_has_rank", "astype", "copy", "count"),
        *("decode", "difference", "dot", "encode", "endswith", "find", "flatten", "format"),
        *("get", "get_shape", "index", "intersection", "is_fully_defined"),
        *("is_compatible_with", "isdigit", "issubset", "items", "join", "keys", "lower"),
        *("lstrip", "max", "mean", "merge_with", "min", "ndims", "num_elements", "numpy"),
        *("prod", "ravel", "replace", "reshape", "rsplit", "rstrip", "size", "split"),
        *("splitlines", "squeeze", "startswith", "std", "strip", "sum", "title", "to_list"),
        *("tolist", "transpose", "union", "upper", "value", "values", "with_rank", "zfill"),
        *("__getitem__", "__len__", "eval", "run", "concatenate", "as_default"),
        *("as_graph_def", "get_operations", "get_tensor_by_name", "finalize"),
    )
)
HARMLESS_INHERITED = (
    "assert",
    "add_weight",
    "add_loss",
    "add_metric",
    "subTest",
    "log",
    "evaluate",
    "get_",
)
NEW_GRAPH = frozenset(
    (
        "tensorflow.Graph",
        "tensorflow.reset_default_graph",
        "tensorflow.python.framework.ops.reset_default_graph",
        "keras.backend.clear_session",
        "keras.utils.clear_session",
    )
)
# Functions that change what they are given first.
CHANGING = frozenset(
    (
        *("random.shuffle", "numpy.random.shuffle", "numpy.copyto", "numpy.put", "numpy.place"),
        *("heapq.heappush", "heapq.heappop", "heapq.heapify", "heapq.heappushpop"),
    )
)
# Methods that change the variables of a model, or do so in what they run.
LEARNING_METHODS = frozenset(
    (
        *("apply_gradients", "apply", "assign", "assign_add", "assign_sub", "fit", "fit_generator"),
        *("load_weights", "minimize", "restore", "set_weights", "train_on_batch", "train_step"),
    )
)
# Attributes of optimizers and the like that training counts up.
COUNTING = frozenset(("global_step", "iterations", "step"))
VARIABLES = frozenset(("tensorflow.Variable", "tensorflow.get_variable", "keras.Variable"))
# Attributes that say what a tensor is like, which no training changes.
LIKENESS = frozenset(("dtype", "name", "ndim", "rank", "shape"))
PINS = frozenset(
    ("tensorflow.device", "tensorflow.control_dependencies", "tensorflow.colocate_with")
)
PURE_BUILTINS = frozenset(
    (
        *("abs", "all", "any", "bool", "bytes", "chr", "complex", "dict", "divmod"),
        *("enumerate", "float", "format", "frozenset", "getattr", "hasattr", "int"),
        *("isinstance", "issubclass", "len", "list", "max", "min", "ord", "pow", "range"),
        *("repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "super"),
        *("tuple", "type", "zip"),
    )
)
PURE_MODULES = (
    "numpy.",
    "math.",
    "operator.",
    "functools.partial",
    "collections.OrderedDict",
    "string.",
)
IMPURE = ("numpy.random", "numpy.load", "numpy.from", "numpy.genfrom", "numpy.memmap", "numpy.save")
PURE_OF_TENSORFLOW = frozenset(
    (
        *(
            "tensorflow.TensorShape",
            "tensorflow.TensorSpec",
            "tensorflow.Dimension",
            "tensorflow.as_dtype",
        ),
        *(
            "tensorflow.DType",
            "tensorflow.dtypes.as_dtype",
            "tensorflow.newaxis",
            "keras.backend.floatx",
        ),
        *("tensorflow.get_default_graph", "tensorflow.ConfigProto", "tensorflow.GPUOptions"),
        *("keras.backend.int_shape", "keras.backend.ndim", "keras.backend.epsilon"),
    )
)
