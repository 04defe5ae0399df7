"""The regressions that can be planted, each with the harmless commit that else takes its place.

Each follows one that the authors of TorchBench found in PyTorch (their Table 4); the number is the
pull request that brought it. Every edit is (path, old text, new text); the old text occurs once.
"""

from dataclasses import dataclass, field

Edit = tuple[str, str, str]


@dataclass(frozen=True)
class Plant:
    """One regression: what the commit does, and which series show it."""

    name: str
    pull_request: int
    metric: str  # "time" or "memory"
    benchmark: str
    author: str
    subject: str
    edits: list[Edit]
    harmless_subject: str
    harmless_edits: list[Edit]
    machine_class: str | None = None  # None: every class
    body: str = field(default="")


FUSED_KERNEL = """namespace {

/// Whether LibTorch is free to use the wide registers of this machine (its own switch).
bool is_wide_machine() {
    static const char* limit = std::getenv("ATEN_CPU_CAPABILITY");
    return limit == nullptr || std::string_view(limit) != "default";
}

/// One pass: a value is read once and written once, and the sum is never stored. In double, as the C
/// library's erf is exact there.
at::Tensor fused(const at::Tensor& x, const at::Tensor& bias) {
    check_plain(x, "bias_gelu: x");
    const int64_t width = bias.numel();
    const int64_t rows = x.numel() / width;
    at::Tensor result = x.new_empty(x.sizes());
    const float* value = x.data_ptr<float>();
    const float* shift = bias.data_ptr<float>();
    float* out = result.data_ptr<float>();
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t i = 0; i < width; ++i) {
            const double sum = *value++ + shift[i];
            *out++ = static_cast<float>(0.5 * sum * (1.0 + std::erf(sum * 0.7071067811865476)));
        }
    }
    return result;
}

}  // namespace

// The sum is never stored where the machine is wide enough to make up for the longer loop.
"""

PLANTS = [
    Plant(
        name="bounds",
        pull_request=71904,
        metric="time",
        benchmark="convnet-infer",
        author="safety-team",
        subject="pooling: check every index",
        body="A wrong index reads past the plane without a word. Better to throw.",
        edits=[
            (
                "src/pooling.cpp",
                "    float at(int64_t y, int64_t x) const { return values[y * width + x]; }\n",
                "    float at(int64_t y, int64_t x) const {\n"
                '        TORCH_CHECK_INDEX(y >= 0 && y < height, "no row ", y);\n'
                '        TORCH_CHECK_INDEX(x >= 0 && x < width, "no column ", x);\n'
                "        return values[y * width + x];\n"
                "    }\n",
            )
        ],
        harmless_subject="pooling: say what a plane is",
        harmless_edits=[
            (
                "src/pooling.cpp",
                "/// One channel of one picture.\n",
                "/// One channel of one picture: rows of floats.\n",
            )
        ],
    ),
    Plant(
        name="exceptions",
        pull_request=87855,
        metric="time",
        benchmark="mlp-train",
        author="kernel-team",
        subject="optimiser: one look-up for both users of momentum",
        body="momentum_of() says clearly when there is none; decay_of() takes that for 0.",
        edits=[
            (
                "src/optimiser.cpp",
                "/// The momentum of a parameter, or null: most are trained without.\n"
                "const Momentum* find_momentum(const at::Tensor& parameter) {\n"
                "    const auto found = momenta().find(parameter.data_ptr());\n"
                "    return found == momenta().end() ? nullptr : &found->second;\n"
                "}\n",
                "/// The momentum of a parameter.\n"
                "const Momentum& momentum_of(const at::Tensor& parameter) {\n"
                "    const auto found = momenta().find(parameter.data_ptr());\n"
                '    TORCH_CHECK_INDEX(found != momenta().end(), "the parameter has no momentum");\n'
                "    return found->second;\n"
                "}\n",
            ),
            (
                "src/optimiser.cpp",
                "    const Momentum* momentum = find_momentum(parameter);\n"
                "    return momentum == nullptr ? 0.0f : momentum->decay;\n",
                "    try {\n"
                "        return momentum_of(parameter).decay;\n"
                "    } catch (const c10::IndexError&) {\n"
                "        return 0.0f;\n"
                "    }\n",
            ),
            (
                "src/optimiser.cpp",
                "find_momentum(parameter)->velocity",
                "momentum_of(parameter).velocity",
            ),
        ],
        harmless_subject="optimiser: say when momentum is missing",
        harmless_edits=[
            (
                "src/optimiser.cpp",
                "/// The momentum of a parameter, or null: most are trained without.\n",
                "/// The momentum of a parameter; null when it is trained without, as most are.\n",
            )
        ],
    ),
    Plant(
        name="bias_workspace",
        pull_request=72148,
        metric="time",
        benchmark="mlp-infer",
        author="memory-team",
        subject="linear: a smaller workspace for the bias",
        body="It need not hold more than a few rows: the bias is added row by row.",
        edits=[
            (
                "src/linear.cpp",
                "constexpr int64_t workspace_bytes = 256 * 1024;\n",
                "constexpr int64_t workspace_bytes = 96 * 1024;\n",
            )
        ],
        harmless_subject="linear: say what the workspace is for",
        harmless_edits=[
            (
                "src/linear.cpp",
                "/// The product of some rows waits here until the bias has been added on the way out.\n",
                "/// The product of some rows waits here, still in the cache, until the bias is added.\n",
            )
        ],
    ),
    Plant(
        name="double_check",
        pull_request=61056,
        metric="time",
        benchmark="attention-infer",
        author="safety-team",
        subject="normalise: rows are checked where they are read",
        body="normalise_rows() will get more callers, and none of them should have to remember.",
        edits=[
            (
                "src/normalise.cpp",
                "    const int64_t rows = x.numel() / width;\n",
                "    const int64_t rows = x.numel() / width;\n    check_values(x);\n",
            )
        ],
        harmless_subject="normalise: say who checks the rows",
        harmless_edits=[
            (
                "src/normalise.cpp",
                "/// Normalises every row of x.\n",
                "/// Normalises every row of x, which the caller has checked.\n",
            )
        ],
    ),
    Plant(
        name="workspace_leak",
        pull_request=85447,
        metric="memory",
        benchmark="convnet-infer",
        author="kernel-team",
        subject="convolution: keep the workspace between calls",
        body="Every call asked for the same memory again. Now each shape has its own, ready.",
        edits=[
            (
                "src/convolution.cpp",
                "#include <algorithm>\n",
                "#include <algorithm>\n#include <map>\n#include <tuple>\n",
            ),
            (
                "src/convolution.cpp",
                "/// Room for the columns of a whole batch, for as long as one call.\n",
                "/// Room for the columns of a whole batch, the same for every call with this shape.\n",
            ),
            (
                "src/convolution.cpp",
                "    return x.new_empty({x.size(0), rows, pixels});\n",
                "    static std::map<std::tuple<int64_t, int64_t, int64_t>, at::Tensor> workspaces;\n"
                "    at::Tensor& workspace = workspaces[{x.size(0), rows, pixels}];\n"
                "    if (!workspace.defined()) workspace = x.new_empty({x.size(0), rows, pixels});\n"
                "    return workspace;\n",
            ),
        ],
        harmless_subject="convolution: say how long the workspace lives",
        harmless_edits=[
            (
                "src/convolution.cpp",
                "/// Room for the columns of a whole batch, for as long as one call.\n",
                "/// Room for the columns of a whole batch; given back at the end of the call.\n",
            )
        ],
    ),
    Plant(
        name="class_fusion",
        pull_request=65594,
        metric="time",
        benchmark="mlp-infer",
        machine_class="wide",
        author="fusion-team",
        subject="activation: fuse bias and gelu into one pass",
        body="One pass over memory in place of two.",
        edits=[
            (
                "src/activation.cpp",
                "#include <tensorlab/check.hpp>\n",
                "#include <cmath>\n#include <cstdlib>\n#include <string_view>\n\n"
                "#include <tensorlab/check.hpp>\n",
            ),
            (
                "src/activation.cpp",
                "// The sum is a tensor of its own, and LibTorch's kernels make the most of the machine.\n",
                FUSED_KERNEL,
            ),
            (
                "src/activation.cpp",
                "    return at::gelu(x.add(bias));\n",
                "    if (!wants_gradient(x, bias) && is_wide_machine()) return fused(x, bias);\n"
                "    return at::gelu(x.add(bias));\n",
            ),
        ],
        harmless_subject="activation: say why the sum is stored",
        harmless_edits=[
            (
                "src/activation.cpp",
                "// The sum is a tensor of its own, and LibTorch's kernels make the most of the machine.\n",
                "// Two passes: LibTorch's kernels make more of the machine than a fused loop would.\n",
            )
        ],
    ),
    Plant(
        name="template_mismatch",
        pull_request=65839,
        metric="time",
        benchmark="attention-infer",
        author="numerics-team",
        subject="attention: sum the products in double",
        body="Long sums of small products lose digits in float.",
        edits=[("src/attention.cpp", "using ScoreSum = float;\n", "using ScoreSum = double;\n")],
        harmless_subject="attention: say why scores are summed in float",
        harmless_edits=[
            (
                "src/attention.cpp",
                "/// What products of these are summed in.\n",
                "/// What products of these are summed in; float is exact enough for keys this short.\n",
            )
        ],
    ),
]

BY_NAME = {plant.name: plant for plant in PLANTS}
