"""Pipelines of `tf.data`, followed through a module.

Each function is run once over what its values are known to be: a dataset, with the calls of `map` that no
`batch` has followed yet; a tuple of such values; or nothing that matters. Values are followed through
assignments, attributes of objects, branches, returns and the functions of the module. A `map` of
something that is not known to be a dataset (pandas, Spark, an executor) is none.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from perf_assets.core.checks.evidence import evident_names
from perf_assets.core.checks.module import FUNCTIONS, Module, Scope, method_scope

MAPS = frozenset(("map", "map_with_legacy_function"))
BATCHES = frozenset(("batch", "padded_batch"))
OTHER_BATCHES = frozenset(
    ("ragged_batch", "dense_to_ragged_batch", "bucket_by_sequence_length", "group_by_window")
)
FLAT = frozenset(("interleave", "flat_map"))
SAME = frozenset(
    [
        "apply",
        "assert_cardinality",
        "cache",
        "concatenate",
        "counter",
        "enumerate",
        "filter",
        "fingerprint",
        "ignore_errors",
        "options",
        "prefetch",
        "rebatch",
        "rejection_resample",
        "repeat",
        "sample_from_datasets",
        "scan",
        "shard",
        "shuffle",
        "skip",
        "snapshot",
        "sparse_batch",
        "take",
        "take_while",
        "unique",
        "with_options",
        "copy",
        "zip",
        "window",
        "unbatch",
        "save_and_return",
    ]
)
SOURCES = (
    *(
        "tensorflow.data.Dataset",
        "tensorflow.data.TFRecordDataset",
        "tensorflow.data.TextLineDataset",
    ),
    *("tensorflow.data.FixedLengthRecordDataset", "tensorflow.data.experimental.CsvDataset"),
    *(
        "tensorflow.data.CsvDataset",
        "tensorflow.data.SqlDataset",
        "tensorflow.data.experimental.SqlDataset",
    ),
    *("tensorflow.data.experimental.RandomDataset", "tensorflow.data.experimental.Counter"),
    *(
        "tensorflow.data.experimental.make_csv_dataset",
        "tensorflow.data.experimental.make_batched_features_dataset",
    ),
    *(
        "tensorflow.data.experimental.sample_from_datasets",
        "tensorflow.data.experimental.choose_from_datasets",
    ),
    *(
        "tensorflow.data.experimental.load",
        "tensorflow.data.make_csv_dataset",
        "tensorflow.data.RandomDataset",
    ),
    *(
        "keras.utils.image_dataset_from_directory",
        "keras.preprocessing.image_dataset_from_directory",
    ),
    *("keras.utils.text_dataset_from_directory", "keras.preprocessing.text_dataset_from_directory"),
    *("keras.utils.audio_dataset_from_directory", "keras.utils.timeseries_dataset_from_array"),
    *("keras.preprocessing.timeseries_dataset_from_array", "tensorflow_datasets.as_dataset"),
    *("keras.preprocessing.image.image_dataset_from_directory", "tensorflow_io.IODataset"),
    *("keras.preprocessing.text.text_dataset_from_directory",),
)
BATCHED_SOURCES = (
    "from_directory",
    "from_array",
    "make_csv_dataset",
    "make_batched_features_dataset",
)
NOT_A_DATASET = (
    "tensorflow.data.Iterator",
    "tensorflow.data.Options",
    "tensorflow.data.experimental.AUTOTUNE",
)
DEEPEST = 5  # functions within functions
ROUNDS = 2  # the first learns what attributes hold, the second knows it


@dataclass(frozen=True)
class Dataset:
    """A value that is a `tf.data.Dataset`.

    Attributes
    ----------
    maps
        The calls of `map` on the way to it that no `batch` has followed.
    batched
        Whether its elements are batches, on one way to it at least.
    """

    maps: frozenset[ast.Call] = frozenset()
    batched: bool = False


@dataclass(frozen=True)
class Several:
    """A tuple, list or dictionary of values; what is at a place that is not known may be any of them."""

    parts: tuple["Value", ...]
    keys: tuple[object, ...] = ()

    def at(self, key: object) -> "Value":
        """The value under a constant key or index; of any, where it is not known."""
        if self.keys and key in self.keys:
            return self.parts[self.keys.index(key)]
        if not self.keys and isinstance(key, int) and -len(self.parts) <= key < len(self.parts):
            return self.parts[key]
        return join(self.parts)


Value = Dataset | Several | None


def join(values: Iterable[Value]) -> Value:
    """What a value may be that is one of several."""
    known = [one for one in values if one is not None]
    if known and all(isinstance(one, Several) for one in known):
        first = known[0]
        assert isinstance(first, Several)
        same = [
            one for one in known if isinstance(one, Several) and len(one.parts) == len(first.parts)
        ]
        return Several(
            tuple(join(parts) for parts in zip(*(one.parts for one in same), strict=True)),
            first.keys,
        )
    datasets = [one for one in known if isinstance(one, Dataset)]
    if not datasets:
        return None
    return Dataset(
        frozenset().union(*(one.maps for one in datasets)), any(one.batched for one in datasets)
    )


@dataclass
class Pipelines:
    """What a module does with datasets.

    Attributes
    ----------
    calls
        The calls of methods on values that are datasets, in the order in which they were met.
    late
        For a call of `map`, the `batch` that follows it in its pipeline.
    """

    calls: dict[ast.Call, Scope] = field(default_factory=dict)
    late: dict[ast.Call, ast.Call] = field(default_factory=dict)


def pipelines(module: Module) -> Pipelines:
    """Follow the datasets of a module."""
    if not any(name in module.text for name in (".map", ".interleave", ".batch")):
        return Pipelines()
    attributes: dict[tuple[Scope, str], Value] = {}
    found = Pipelines()
    for _ in range(ROUNDS):
        found = Pipelines()
        follow = _Follow(module, found, attributes)
        follow.everything()
        attributes = follow.learned
    return found


Names = dict[str, Value]


class _Follow:
    """One round over a module."""

    def __init__(
        self, module: Module, found: Pipelines, attributes: dict[tuple[Scope, str], Value]
    ) -> None:
        self.module, self.found, self.attributes = module, found, attributes
        self.learned: dict[tuple[Scope, str], Value] = {}
        self.outer: dict[Scope, Names] = {}
        self.running: list[Scope] = []
        self.known: dict[tuple[Scope, tuple[Value, ...]], Value] = {}
        self.evident: dict[Scope, frozenset[str]] = {}

    def everything(self) -> None:
        top: Names = {}
        self.outer[self.module.scope] = top
        self.block(self.module.tree.body, self.module.scope, top, [])
        for node, scope in self.module.functions.items():
            if isinstance(node, FUNCTIONS):
                self.run(scope, {})

    def run(self, scope: Scope, given: Names) -> Value:
        """What a function returns for some arguments; unknown ones by annotation and use."""
        if scope in self.running or len(self.running) > DEEPEST:
            return None
        key = (scope, tuple(given.get(name) for name in scope.parameters))
        if key in self.known:
            return self.known[key]
        names: Names = {
            name: given.get(name) or self.by_annotation(scope, name) for name in scope.parameters
        }
        for name in self.evidence(scope):
            if name in names and names[name] is None:
                names[name] = Dataset()
        returned: list[Value] = []
        self.running.append(scope)
        self.outer[scope] = names
        if isinstance(scope.node, ast.Lambda):
            returned.append(self.value(scope.node.body, scope, names))
        elif isinstance(scope.node, FUNCTIONS):
            self.block(scope.node.body, scope, names, returned)
        self.running.pop()
        self.known[key] = join(returned)
        return self.known[key]

    def by_annotation(self, scope: Scope, name: str) -> Value:
        spec = getattr(scope.node, "args", None)
        for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if spec is not None else ():
            if one.arg == name and one.annotation is not None and scope.parent is not None:
                note = one.annotation
                text = note.value if isinstance(note, ast.Constant) else ast.unparse(note)
                full = self.module.resolve(note, scope.parent) or (
                    text if isinstance(text, str) else ""
                )
                if full in ("tensorflow.data.Dataset", "tf.data.Dataset"):
                    return Dataset()
        return None

    def evidence(self, scope: Scope) -> frozenset[str]:
        if scope not in self.evident:
            self.evident[scope] = evident_names(self.module, scope)
        return self.evident[scope]

    def block(
        self, body: list[ast.stmt], scope: Scope, names: Names, returned: list[Value]
    ) -> None:
        for one in body:
            self.statement(one, scope, names, returned)

    def statement(self, node: ast.stmt, scope: Scope, names: Names, returned: list[Value]) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                pass
            case ast.ClassDef():
                inner = scope.inner.get(node)
                if inner is not None:
                    self.outer[inner] = {}
                    self.block(node.body, inner, self.outer[inner], [])
            case ast.Assign():
                value = self.value(node.value, scope, names)
                for target in node.targets:
                    self.assign(target, value, scope, names)
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.value(node.value, scope, names), scope, names)
            case ast.Return():
                returned.append(
                    self.value(node.value, scope, names) if node.value is not None else None
                )
            case ast.If():
                self.value(node.test, scope, names)
                self.branches([node.body, node.orelse], scope, names, returned)
            case ast.For() | ast.AsyncFor():
                items = self.value(node.iter, scope, names)
                item = join(items.parts) if isinstance(items, Several) else None
                self.assign(node.target, item, scope, names)
                self.branches([node.body, []], scope, names, returned)
                self.block(node.orelse, scope, names, returned)
            case ast.While():
                self.branches([node.body, []], scope, names, returned)
                self.block(node.orelse, scope, names, returned)
            case ast.Try():
                self.block(node.body, scope, names, returned)
                self.branches([[], *(one.body for one in node.handlers)], scope, names, returned)
                self.block([*node.orelse, *node.finalbody], scope, names, returned)
            case ast.With() | ast.AsyncWith():
                for item_ in node.items:
                    self.value(item_.context_expr, scope, names)
                self.block(node.body, scope, names, returned)
            case ast.Match():
                self.branches([[], *(one.body for one in node.cases)], scope, names, returned)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child, scope, names)

    def branches(
        self, bodies: list[list[ast.stmt]], scope: Scope, names: Names, returned: list[Value]
    ) -> None:
        """Run each way from the same start; a name may then hold what any way that goes on left in it."""
        ends = []
        for body in bodies:
            own = dict(names)
            self.block(body, scope, own, returned)
            if not body or not isinstance(body[-1], ast.Return | ast.Raise):
                ends.append(own)
        for name in {one for end in ends for one in end}:
            names[name] = join(end.get(name) for end in ends)

    def assign(self, target: ast.expr, value: Value, scope: Scope, names: Names) -> None:
        match target:
            case ast.Name():
                names[target.id] = (
                    Dataset() if value is None and target.id in self.evidence(scope) else value
                )
            case ast.Tuple() | ast.List():
                for index, one in enumerate(target.elts):
                    part = value.at(index) if isinstance(value, Several) else None
                    self.assign(one, part, scope, names)
            case ast.Attribute(value=ast.Name()):
                names[ast.unparse(target)] = value
                owner = self.module.class_of(target.value, scope)
                if owner is not None:
                    key = (owner, target.attr)
                    self.learned[key] = join((self.learned.get(key), value))
            case ast.Subscript(value=ast.Name()):
                held = names.get(target.value.id)
                old = held.parts if isinstance(held, Several) else ()
                names[target.value.id] = Several((join((*old, value)),), ("*",))

    def value(self, node: ast.expr, scope: Scope, names: Names) -> Value:
        match node:
            case ast.Constant():
                return None
            case ast.Name():
                return self.name(node.id, scope, names)
            case ast.Call():
                return self.call(node, scope, names)
            case ast.Attribute():
                return self.attribute(node, scope, names)
            case ast.Tuple() | ast.List():
                return Several(tuple(self.value(one, scope, names) for one in node.elts))
            case ast.Dict():
                parts = tuple(self.value(one, scope, names) for one in node.values)
                keys = tuple(
                    one.value if isinstance(one, ast.Constant) else id(one) for one in node.keys
                )
                return Several(parts, keys)
            case ast.Subscript():
                held = self.value(node.value, scope, names)
                key = node.slice.value if isinstance(node.slice, ast.Constant) else object()
                return held.at(key) if isinstance(held, Several) else None
            case ast.IfExp():
                self.value(node.test, scope, names)
                return join(
                    (self.value(node.body, scope, names), self.value(node.orelse, scope, names))
                )
            case ast.NamedExpr():
                names[node.target.id] = self.value(node.value, scope, names)
                return names[node.target.id]
            case ast.Starred() | ast.Await():
                return self.value(node.value, scope, names)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                for part in node.generators:
                    items = self.value(part.iter, scope, names)
                    self.assign(
                        part.target,
                        join(items.parts) if isinstance(items, Several) else None,
                        scope,
                        names,
                    )
                return Several((self.value(node.elt, scope, names),), ("*",))
            case ast.Lambda():
                return None
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child, scope, names)
                return None

    def name(self, name: str, scope: Scope, names: Names) -> Value:
        if name in names:
            return names[name]
        found = scope.find(name)
        if found is not None and found[0] is not scope:
            return self.outer.get(found[0], {}).get(name)
        return None

    def attribute(self, node: ast.Attribute, scope: Scope, names: Names) -> Value:
        if not isinstance(node.value, ast.Name):
            self.value(node.value, scope, names)
            return None
        text = f"{node.value.id}.{node.attr}"
        if text in names:
            return names[text]
        owner = self.module.class_of(node.value, scope)
        held = self.attributes.get((owner, node.attr)) if owner is not None else None
        if held is None and owner is not None:
            getter = self.module.method(owner, node.attr)
            if getter is not None and _is_property(getter):
                return self.run(getter, {})
        if held is None and text in self.evidence(scope):
            return Dataset()
        return held

    def call(self, node: ast.Call, scope: Scope, names: Names) -> Value:
        func = node.func
        full = self.module.resolve(func, scope)
        if full is not None and full.startswith(("tensorflow", "keras")):
            return self.of_framework(node, full, scope, names)
        if isinstance(func, ast.Attribute):
            held = self.value(func.value, scope, names)
            if (
                held is None
                and isinstance(func.value, ast.Call)
                and self.evident_chain(func.value, scope)
            ):
                held = Dataset()
            if isinstance(held, Dataset):
                return self.method(node, func.attr, held, scope, names)
            if isinstance(held, Several) and func.attr in ("get", "pop", "values", "items"):
                return held if func.attr in ("values", "items") else join(held.parts)
            if (
                isinstance(held, Several)
                and func.attr == "append"
                and isinstance(func.value, ast.Name)
            ):
                self.append(node, func.value.id, held, scope, names)
        given = [self.value(one, scope, names) for one in node.args]
        words = {word.arg: self.value(word.value, scope, names) for word in node.keywords}
        callee = self.module.callee(node, scope)
        if callee is None:
            return None
        parameters = callee.parameters[1:] if callee.itself is not None else callee.parameters
        bound: Names = dict(zip(parameters, given, strict=False))
        bound.update(
            {name: one for name, one in words.items() if name in parameters and name is not None}
        )
        return self.run(callee, bound)

    def append(self, node: ast.Call, name: str, held: Several, scope: Scope, names: Names) -> None:
        added = tuple(self.value(one, scope, names) for one in node.args)
        names[name] = Several((join((*held.parts, *added)),), ("*",))

    def evident_chain(self, node: ast.Call, scope: Scope) -> bool:
        return ast.unparse(node) in self.evidence(scope)

    def of_framework(self, node: ast.Call, full: str, scope: Scope, names: Names) -> Value:
        given = [
            self.value(one, scope, names)
            for one in (*node.args, *(word.value for word in node.keywords))
        ]
        self.lambdas(node, scope)
        if full == "tensorflow_datasets.load":
            return _loaded(node)
        if full.startswith(NOT_A_DATASET) or not full.startswith(SOURCES):
            return None
        if full.endswith((".zip", "sample_from_datasets", "choose_from_datasets")):
            flat = [join(one.parts) if isinstance(one, Several) else one for one in given]
            return join((Dataset(), *flat))
        return Dataset(batched=full.endswith(BATCHED_SOURCES))

    def lambdas(self, node: ast.Call, scope: Scope) -> None:
        for one in (*node.args, *(word.value for word in node.keywords)):
            inner = self.module.functions.get(one)
            if inner is not None:
                self.run(inner, {})

    def method(self, node: ast.Call, name: str, held: Dataset, scope: Scope, names: Names) -> Value:
        """What a method of a dataset gives."""
        self.found.calls[node] = scope
        given = [
            self.value(one, scope, names)
            for one in (*node.args, *(word.value for word in node.keywords))
        ]
        if name in MAPS:
            self.of_function(node, scope, None)
            return held if held.batched else replace(held, maps=held.maps | {node})
        if name in BATCHES:
            for one in held.maps:
                self.found.late.setdefault(one, node)
            return Dataset(batched=True)
        if name in OTHER_BATCHES:
            return Dataset(batched=True)
        if name in FLAT:
            inner = self.of_function(node, scope, Dataset())
            return join((held, inner)) if isinstance(inner, Dataset) else held
        if name == "unbatch":
            return Dataset()
        if name == "apply":
            return self.applied(node, held, scope)
        self.lambdas(node, scope)
        if name in ("concatenate", "zip"):
            return join((held, *given))
        return held if name in SAME else None

    def of_function(self, node: ast.Call, scope: Scope, given: Value) -> Value:
        """What the function that a call is given as its first argument returns."""
        first = (
            node.args[0]
            if node.args
            else next((one.value for one in node.keywords if one.arg == "map_func"), None)
        )
        inner = self.module.functions.get(first) if first is not None else None
        if inner is None and first is not None:
            inner = self.module.callee(ast.Call(first, [], []), scope)
        if inner is None:
            return None
        parameters = inner.parameters[1:] if inner.itself is not None else inner.parameters
        # Only a window gives datasets; whether this is one is not known, so nothing is counted twice.
        window = isinstance(inner.node, ast.Lambda) and given is not None and _batches_itself(inner)
        return self.run(inner, {parameters[0]: Dataset()} if parameters and window else {})

    def applied(self, node: ast.Call, held: Dataset, scope: Scope) -> Value:
        """What `apply` gives: a function of the module runs, one of TensorFlow is told by its name."""
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Call):
            name = (self.module.resolve(first.func, scope) or "").rpartition(".")[2]
            batches = ("batch" in name and name != "unbatch") or name == "bucket_by_sequence_length"
            return Dataset(batched=True) if batches else held
        inner = self.module.functions.get(first) if first is not None else None
        if inner is None and first is not None:
            inner = self.module.callee(ast.Call(first, [], []), scope)
        if inner is None or not inner.parameters:
            return held
        parameters = inner.parameters[1:] if inner.itself is not None else inner.parameters
        return self.run(inner, {parameters[0]: held}) or Dataset() if parameters else held


def _batches_itself(scope: Scope) -> bool:
    """Whether a lambda calls `batch` on its parameter, as one does with windows."""
    return any(
        isinstance(one, ast.Attribute)
        and one.attr in BATCHES
        and isinstance(one.value, ast.Name)
        and one.value.id in scope.parameters
        for one in ast.walk(scope.node)
    )


def _is_property(scope: Scope) -> bool:
    names = [
        one
        for one in getattr(scope.node, "decorator_list", ())
        if isinstance(one, ast.Name | ast.Attribute)
    ]
    return (
        any(ast.unparse(one).endswith("property") for one in names) and method_scope(scope) is scope
    )


def _loaded(node: ast.Call) -> Value:
    """What `tensorflow_datasets.load` gives: one for each split, and the information where it is asked."""
    words = {word.arg: word.value for word in node.keywords}
    split = words.get("split") or (node.args[1] if len(node.args) > 1 else None)
    size = words.get("batch_size")
    one = Dataset(
        batched=size is not None
        and not (isinstance(size, ast.Constant) and size.value in (None, 1))
    )
    several = isinstance(split, ast.List | ast.Tuple)
    value: Value = Several((one,) * len(split.elts)) if several else one  # type: ignore[union-attr]
    if split is None:
        value = Several((one,), ("*",))
    informed = words.get("with_info")
    if isinstance(informed, ast.Constant) and informed.value:
        return Several((value, None))
    return value
