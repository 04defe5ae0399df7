#include "worker/bench/models/rounding.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <tuple>

#include <ATen/Functions.h>

namespace vigil_bench {

namespace {

/// How many times as far off a result may lie as other roundings move it. Measured in
/// docs/figures/measuring.md.
constexpr double room = 1.5;
constexpr std::uint64_t roundings = 3;  ///< each with a seed of its own

/// A result that may be off by this part of its size may be anything.
constexpr double nothing_is_left = 1;

/// How much a number may be off by rounding, over the number.
double rounding_of(at::ScalarType type) {
    if (type == at::kBFloat16) return 1.0 / 256;
    return type == at::kHalf ? 1.0 / 2048 : 1.0 / 16777216;
}

/// How far rounding moves each, the worst of several.
std::vector<Distance> moved_by_rounding(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    at::ScalarType type,
    const Rounded& rounded) {
    std::vector<Distance> most(references.size());
    for (std::uint64_t seed = 1; seed <= roundings; ++seed) {
        const auto distances = distances_of(rounded(rounding_of(type), seed), actuals, references);
        for (std::size_t i = 0; i < most.size(); ++i) {
            most[i].rms_ratio = std::max(most[i].rms_ratio, distances[i].rms_ratio);
            most[i].cosine_gap = std::max(most[i].cosine_gap, distances[i].cosine_gap);
        }
    }
    return most;
}

constexpr std::int64_t summed_rows = 8192;

bool stands_still(const at::Tensor& sums) {
    return sums.flatten()[0].item<double>() < 0.9 * summed_rows;
}

/// LibTorch 1.13 sums the gradients of a layer norm's scale and shift in bfloat16 on the CPU: of
/// 8,192 rows that sum stands still long before its end, and is off by half.
bool norms_sum_in_bfloat16() {
    const at::Tensor ones = at::ones({summed_rows, 8}, at::kBFloat16);
    const at::Tensor scale = at::ones({8}, at::kBFloat16);
    const auto [normed, mean, spread] = at::native_layer_norm(ones, {8}, scale, scale, 1e-5);
    const auto gradients = at::native_layer_norm_backward(
        ones, ones, {8}, mean, spread, scale, scale, {false, false, true});
    return stands_still(std::get<2>(gradients));
}

/// On a processor without instructions for bfloat16 it sums matrix products so too: a gradient over
/// a large batch is off.
bool products_sum_in_bfloat16() {
    const at::Tensor left = at::ones({8, summed_rows}, at::kBFloat16);
    const at::Tensor right = at::ones({summed_rows, 8}, at::kBFloat16);
    return stands_still(at::mm(left, right));
}

/// Which gradients this LibTorch sums in bfloat16.
struct SumsInBfloat16 {
    bool of_norms = norms_sum_in_bfloat16();
    bool of_products = products_sum_in_bfloat16();

    bool touch(const at::Tensor& gradient) const {
        return of_products || (of_norms && gradient.dim() == 1);
    }
};

constexpr Tolerance any_result{2, std::numeric_limits<double>::infinity()};

/// Gradients that are off where such sums stand still: nothing can be said of them.
std::vector<std::size_t> list_unsound_sums(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    const std::vector<Tolerance>& tolerances) {
    std::vector<std::size_t> unsound;
    std::optional<SumsInBfloat16> sums;
    for (std::size_t i = 0; i < references.size(); ++i) {
        const at::Tensor& actual = actuals[i].value;
        if (!actual.defined() || !actual.device().is_cpu()) continue;
        if (actual.scalar_type() != at::kBFloat16) continue;
        std::vector<Tolerance> alone(references.size(), any_result);
        alone[i] = tolerances[i];
        if (find_disagreement(actuals, references, alone).empty()) continue;
        if (!sums) sums.emplace();
        if (sums->touch(actual)) unsound.push_back(i);
    }
    return unsound;
}

std::string words_of(const NamedTensor& tensor, double moved) {
    std::ostringstream text;
    text.precision(3);
    text << tensor.name << ": rounding alone moves it by " << moved << " of its size";
    return text.str();
}

}  // namespace

Judged judge(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    at::ScalarType type,
    Compared compared,
    const Rounded& rounded) {
    Judged judged;
    const Tolerance plain = tolerance_of(type, compared);
    const std::vector<Tolerance> all(references.size(), plain);
    judged.wrong = find_disagreement(actuals, references, all);
    if (judged.wrong.empty() || !is_comparable(actuals, references)) return judged;
    judged.wrong.clear();
    const auto moved = moved_by_rounding(actuals, references, type, rounded);
    std::vector<Tolerance> wide = all;
    std::size_t widest = 0;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < wide.size(); ++i) {
        wide[i].rms_ratio = std::max(plain.rms_ratio, room * moved[i].rms_ratio);
        // An angle's gap grows with the square of what lies across.
        wide[i].cosine_gap = std::max(plain.cosine_gap, room * room * moved[i].cosine_gap);
        if (moved[i].rms_ratio > moved[widest].rms_ratio) widest = i;
        if (wide[i].rms_ratio < nothing_is_left) continue;
        if (lost++ == 0) judged.unchecked = words_of(references[i], moved[i].rms_ratio);
        wide[i].cosine_gap = 2;
    }
    if (compared == Compared::gradients) {
        for (const auto i : list_unsound_sums(actuals, references, wide)) {
            wide[i] = any_result;
            if (lost++ == 0) {
                judged.unchecked = references[i].name + ": this LibTorch sums it in bfloat16";
            }
        }
    }
    judged.wrong = find_disagreement(actuals, references, wide);
    if (!judged.wrong.empty()) return {judged.wrong, "", ""};
    judged.widened = words_of(references[widest], moved[widest].rms_ratio);
    if (lost > 0) {
        judged.unchecked += " (and " + std::to_string(lost - 1) + " more of " +
                            std::to_string(references.size()) + ")";
    }
    return judged;
}

}  // namespace vigil_bench
