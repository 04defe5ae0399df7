"""The day between the two nights: what each commit of the main line does, in order."""

import random

from history import Step
from plants import BY_NAME

OPERATORS = {
    "linear": "The product is made in blocks of rows; a block's bias is added while it is hot.",
    "bias_gelu": "The exact gelu, by the error function, not its approximation by tanh.",
    "layer_norm": "The variance is that of the whole population, as in LibTorch.",
    "scores": "No scaling: the caller knows the width of the whole head.",
    "conv2d": "Odd kernels only; the padding keeps height and width.",
    "max_pool": "A last odd row or column is left out.",
    "sgd_step": "The parameter changes in place, with autograd switched off by the caller.",
}

# A change of words in a source file, of equal length in lines: the library stays the same.
WORDS = [
    ("src/linear.cpp", "/// Adds the bias to each row of `product` and writes it to `out`.",
     "/// Writes each row of `product`, with the bias added, to `out`."),
    ("src/normalise.cpp", "constexpr float epsilon = 1e-5f;",
     "constexpr float epsilon = 1e-5f;  // LibTorch's"),
    ("src/convolution.cpp", "/// Copies what each output pixel sees of one channel into a column:",
     "/// Lays out what each output pixel sees of one channel as a column:"),
    ("src/attention.cpp", "/// LibTorch has a fast product when both types are the same.",
     "/// Where both types are the same, LibTorch has a fast product."),
    ("src/optimiser.cpp", "/// What the optimiser remembers of a parameter that is trained with",
     "/// What the optimiser keeps for a parameter that is trained with"),
    ("src/pooling.cpp", "/// The largest of each 2 x 2. Every index lies inside:",
     "/// The largest of each 2 x 2; every index lies inside:"),
    ("include/tensorlab/check.hpp", "/// Kernels read plain rows of floats.",
     "/// Kernels read plain rows of 32-bit floats."),
]

# Locals with better names: the library stays the same.
RENAMES = [
    ("src/convolution.cpp", "    const int64_t outputs = weight.size(0);\n"
     "    const at::Tensor filters = weight.view({outputs, rows});\n",
     "    const int64_t outputs = weight.size(0);\n"
     "    const at::Tensor filters = weight.view({outputs, rows});  // [o,c*k*k]\n"),
    ("src/normalise.cpp", "    const float mean = sum / static_cast<float>(width);\n"
     "    float squares = 0;\n"
     "    for (int64_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);\n"
     "    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(width) + epsilon);\n",
     "    const float mean = sum / static_cast<float>(width);\n"
     "    float spread = 0;\n"
     "    for (int64_t i = 0; i < width; ++i) spread += (x[i] - mean) * (x[i] - mean);\n"
     "    const float scale = 1.0f / std::sqrt(spread / static_cast<float>(width) + epsilon);\n"),
    ("src/linear.cpp", "    const at::Tensor transposed = weight.t();\n",
     "    const at::Tensor transposed = weight.t();  // [i,o]\n"),
    ("src/optimiser.cpp", "    const at::Tensor plain = gradient.contiguous();\n",
     "    const at::Tensor plain = gradient.contiguous();  // autograd may hand out a view\n"),
]

TESTS = {
    "bias_gelu": "tensorlab::bias_gelu(x, at::randn({16})).sizes() == x.sizes()",
    "layer_norm": "tensorlab::layer_norm(x, at::ones({16}), at::zeros({16})).mean().item<float>() "
                  "< 1e-3",
    "scores": "tensorlab::scores(x.unsqueeze(0), x.unsqueeze(0)).size(2) == 8",
    "conv2d": "tensorlab::conv2d(at::ones({1, 1, 4, 4}), at::ones({1, 1, 3, 3}), "
              "at::zeros({1})).max().item<float>() == 9",
    "max_pool": "tensorlab::max_pool(at::ones({1, 1, 4, 4})).size(3) == 2",
    "sgd_step": "tensorlab::sgd_step(at::ones({4}), at::ones({4}), 1).max().item<float>() == 0",
}


GUIDES = {
    "building": "CMake 3.18 and a compiler for C++17; ccache is used when CCACHE_DIR is set.",
    "errors": "Wrong arguments throw c10::Error; the text starts with the operator's name.",
    "gradients": "When a gradient is wanted, operators are composed of LibTorch's own.",
    "layout": "Tensors are contiguous; call contiguous() on what may not be.",
    "memory": "All memory comes from LibTorch's allocator.",
    "numerics": "float32 throughout; sums run from left to right.",
    "releases": "One a month; main is always fit for release.",
    "threads": "Kernels run on the thread that calls them.",
    "types": "float32 only, on the CPU.",
    "versions": "Any LibTorch since 1.13.",
}

EDGES = {
    "linear": ["one row", "one column"],
    "scores": ["one token", "equal tokens"],
    "max_pool": ["an odd side"],
    "conv2d": ["a kernel of one pixel", "an empty batch"],
}


def documentation():
    for name, text in GUIDES.items():
        yield Step("docs-team", f"docs: a guide to {name}",
                   [(f"docs/guide/{name}.md", "", f"# {name.capitalize()}\n\n{text}\n")])
    for name, text in OPERATORS.items():
        yield Step("docs-team", f"docs: a page about {name}",
                   [(f"docs/{name}.md", "", f"# {name}\n\n{text}\n")])
        yield Step("docs-team", f"examples: how to call {name}",
                   [(f"examples/{name}.md", "",
                     f"# {name}\n\nFind `tensorlab::{name}` in the dispatcher, and call it.\n")])


def tests():
    for name, cases in EDGES.items():
        for case in cases:
            file = case.replace(" ", "_")
            yield Step("test-team", f"tests: plan {name} with {case}",
                       [(f"tests/plans/{name}_{file}.md", "", f"{name}: {case}\n")])
    for name, condition in TESTS.items():
        path = f"tests/{name}_test.hpp"
        yield Step("test-team", f"tests: cover {name}", [
            (path, "", "#pragma once\n\n#include <ATen/ATen.h>\n\n"
             "#include <tensorlab/operators.hpp>\n\n"
             f"inline bool {name}_works() {{\n    const auto x = at::randn({{8, 16}});\n"
             f"    (void)x;\n    return {condition};\n}}\n")])


def refactorings():
    for path, old, new in WORDS:
        name = path.rsplit("/", 1)[1].split(".")[0]
        yield Step("kernel-team", f"{name}: clearer words", [(path, old, new)])
    for path, old, new in RENAMES:
        name = path.rsplit("/", 1)[1].split(".")[0]
        yield Step("kernel-team", f"{name}: easier to read", [(path, old, new)])


VERSION = """#include <tensorlab/version.hpp>

namespace tensorlab {

const char* version() {
    return "0.9.1";
}

}  // namespace tensorlab
"""


def features():
    yield Step("release-team", "version: the library knows its own", [
        ("include/tensorlab/version.hpp", "", "#pragma once\n\nnamespace tensorlab {\n\n"
         "/// Of this library, as in its CMakeLists.txt.\nconst char* version();\n\n"
         "}  // namespace tensorlab\n"),
        ("src/version.cpp", "", VERSION),
        ("CMakeLists.txt", "  src/register.cpp)", "  src/register.cpp\n  src/version.cpp)"),
        ("CMakeLists.txt", "VERSION 0.9.0", "VERSION 0.9.1")])
    yield Step("safety-team", "linear: refuse a bias of another width", [
        ("src/linear.cpp", '    check_plain(bias, "linear: bias");\n',
         '    check_plain(bias, "linear: bias");\n'
         '    TORCH_CHECK(bias.numel() == weight.size(0), "linear: bias does not fit");\n')])
    yield Step("safety-team", "pooling: refuse pictures that are too small", [
        ("src/pooling.cpp", '    TORCH_CHECK(x.dim() == 4, "max_pool: x has four dimensions");\n',
         '    TORCH_CHECK(x.dim() == 4, "max_pool: x has four dimensions");\n'
         '    TORCH_CHECK(x.size(2) > 1 && x.size(3) > 1, "max_pool: x is too small");\n')])
    yield Step("safety-team", "convolution: refuse channels that do not fit", [
        ("src/convolution.cpp", '    check_plain(weight, "conv2d: weight");\n',
         '    check_plain(weight, "conv2d: weight");\n'
         '    TORCH_CHECK(x.size(1) == weight.size(1), "conv2d: x and weight do not fit");\n')])
    yield Step("safety-team", "activation: say which sizes do not fit", [
        ("src/activation.cpp", '"bias_gelu: x and bias do not fit"',
         '"bias_gelu: ", x.size(-1), " and ", bias.numel(), " do not fit"')])
    yield Step("safety-team", "normalise: refuse a bias of another width", [
        ("src/normalise.cpp", '    check_plain(x, "layer_norm: x");\n',
         '    check_plain(x, "layer_norm: x");\n'
         '    TORCH_CHECK(x.size(-1) == bias.numel(), "layer_norm: x and bias do not fit");\n')])
    yield Step("release-team", "build: an option for the tests' warnings", [
        ("tests/CMakeLists.txt", "", "target_compile_options(tensorlab_tests PRIVATE -Wall)\n")])


def merges():
    return [
        Step("release-team", "Merge branch 'docs-site'", [], side_back=3, side=[
            Step("docs-team", "docs: an index", [("docs/index.md", "", "# Index\n")], gap_s=30),
            Step("docs-team", "docs: link the operators",
                 [("docs/index.md", "", "\n- [operators](operators.md)\n")], gap_s=0)]),
        Step("release-team", "Merge branch 'continuous-tests'", [], side_back=4, side=[
            Step("test-team", "ci: build on every push",
                 [("ci/build", "", "cmake -S . -B build && cmake --build build\n")], gap_s=15),
            Step("test-team", "ci: run the tests", [("ci/test", "", "ctest --test-dir build\n")]),
            Step("test-team", "ci: keep the logs", [("ci/logs", "", "build/Testing\n")])]),
        Step("release-team", "Merge branch 'pages'", [], side_back=2, side=[
            Step("docs-team", "docs: how to cite",
                 [("docs/cite.md", "", "# Cite\n\nName the version.\n")], gap_s=0),
            Step("docs-team", "docs: how to ask",
                 [("docs/ask.md", "", "# Ask\n\nOpen an issue.\n")], gap_s=0)]),
    ]


def broken_stretch(fillers):
    """Four commits that do not compile, the first by its own doing; the fifth mends them."""
    wrong = "    check_depth(query, key);\n"  # a function that nobody has committed
    place = '    check_plain(key, "scores: key");\n'
    steps = [Step("kernel-team", "attention: check the depth of query and key",
                  [("src/attention.cpp", place, place + wrong)])]
    steps += [next(fillers) for _ in range(3)]
    for step in steps:
        step.broken = True
    steps.append(Step("kernel-team", "attention: mend the build", [
        ("src/attention.cpp", wrong, "")], gap_s=0))
    return steps


# Where the planted commits lie among the day's first-parent commits, counted from 1.
POSITIONS = {
    "bounds": 7,
    "exceptions": 16,
    "bias_workspace": 25,
    "double_check": 43,
    "workspace_leak": 55,
    "class_fusion": 62,
    "template_mismatch": 70,
}
BROKEN_AT = 36
MERGES_AT = (12, 46, 58)
LENGTH = 76


def plant_step(name, planted):
    plant = BY_NAME[name]
    if planted:
        return Step(plant.author, plant.subject, plant.edits, body=plant.body, plant=name)
    return Step(plant.author, plant.harmless_subject, plant.harmless_edits)


def changelog():
    number = 0
    while True:
        number += 1
        yield Step("release-team", f"changelog: entry {number}",
                   [("CHANGELOG.md", "", f"- entry {number}\n")], gap_s=0 if number % 2 else 300)


def day_of(planted, seed):
    """The steps of the day. planted: names of plants; seed orders the harmless steps."""
    pool = [*documentation(), *tests(), *refactorings(), *features()]
    random.Random(seed).shuffle(pool)
    for index, step in enumerate(pool):
        step.gap_s = 0 if index % 5 == 0 else 400 + 37 * (index % 11)
    fillers = iter([*pool])
    spare = changelog()

    def filler():
        return next(fillers, None) or next(spare)

    places = {position: name for name, position in POSITIONS.items()}
    joins = dict(zip(MERGES_AT, merges()))
    steps = []
    while len(steps) < LENGTH:
        position = len(steps) + 1
        if position == BROKEN_AT:
            steps += broken_stretch(iter(filler, object()))
        elif position in places:
            steps.append(plant_step(places[position], places[position] in planted))
        elif position in joins:
            steps.append(joins[position])
        else:
            steps.append(filler())
    return steps
