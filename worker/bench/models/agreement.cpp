#include "worker/bench/models/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include <ATen/TensorOperators.h>

namespace vigil_bench {

namespace {

/// A reference below this part of the largest one is as good as zero.
constexpr double negligible_ratio = 1e-3;

/// Flat and in float64. Of a sparse gradient the values: equal inputs touch equal rows.
at::Tensor flat_double(const at::Tensor& tensor) {
    const auto dense = tensor.is_sparse() ? tensor.coalesce().values() : tensor;
    return dense.detach().to(at::kDouble).flatten();
}

double rms(const at::Tensor& flat) {
    if (flat.numel() == 0) return 0;
    return flat.norm().item<double>() / std::sqrt(static_cast<double>(flat.numel()));
}

/// "3 of 64 values are NaN" where some are; empty where all are finite.
std::string find_not_finite(const at::Tensor& flat) {
    const auto count_nan = flat.isnan().sum().item<std::int64_t>();
    const auto count_infinite = flat.isinf().sum().item<std::int64_t>();
    if (count_nan + count_infinite == 0) return "";
    const bool has_nan = count_nan > 0;
    return std::to_string(has_nan ? count_nan : count_infinite) + " of " +
           std::to_string(flat.numel()) + " values are " + (has_nan ? "NaN" : "infinite");
}

std::string describe(const std::string& name, const char* what, double found, double allowed) {
    std::ostringstream text;
    text << name << " differs from float64's: " << what << " is " << found << ", allowed "
         << allowed;
    return text.str();
}

/// Both flat, in float64 and of one shape.
/// @param size  root mean square of the reference
Distance distance_of(const at::Tensor& a, const at::Tensor& b, double size, double largest_rms) {
    const bool negligible = size < negligible_ratio * largest_rms;
    const double scale = negligible ? negligible_ratio * largest_rms : size;
    if (scale == 0) return {0, rms(a) == 0 ? 0 : std::numeric_limits<double>::infinity()};
    Distance distance{0, rms(a - b) / scale};
    if (negligible) return distance;
    const double norms = a.norm().item<double>() * b.norm().item<double>();
    distance.cosine_gap = norms > 0 ? 1 - a.dot(b).item<double>() / norms : 1;
    return distance;
}

std::string compare(
    const NamedTensor& actual,
    const NamedTensor& reference,
    double largest_rms,
    const Tolerance& tolerance) {
    if (actual.value.defined() != reference.value.defined()) {
        return actual.name + (actual.value.defined() ? " is there" : " is missing") +
               ", unlike in float64";
    }
    if (!actual.value.defined()) return "";
    if (actual.value.sizes() != reference.value.sizes()) {
        return actual.name + " has another shape than in float64";
    }
    const auto a = flat_double(actual.value);
    const auto b = flat_double(reference.value);
    if (a.numel() != b.numel()) return actual.name + " touches other rows than in float64";
    const auto not_finite = find_not_finite(a);
    if (!not_finite.empty()) return actual.name + ": " + not_finite;
    const Distance distance = distance_of(a, b, rms(b), largest_rms);
    if (std::isinf(distance.rms_ratio)) return actual.name + " is not zero, as float64's is";
    if (!(distance.rms_ratio <= tolerance.rms_ratio)) {
        return describe(
            actual.name,
            "root mean square over the reference's",
            distance.rms_ratio,
            tolerance.rms_ratio);
    }
    if (!(distance.cosine_gap <= tolerance.cosine_gap)) {
        return describe(actual.name, "1 - cosine", distance.cosine_gap, tolerance.cosine_gap);
    }
    return "";
}

/// Of all references; `found`: the first that is not finite, in words.
double largest_rms_of(const std::vector<NamedTensor>& references, std::string& found) {
    double largest = 0;
    for (const auto& reference : references) {
        if (!reference.value.defined()) continue;
        const auto flat = flat_double(reference.value);
        const auto not_finite = find_not_finite(flat);
        if (!not_finite.empty()) {
            found = reference.name + " in float64: " + not_finite;
            return largest;
        }
        largest = std::max(largest, rms(flat));
    }
    return largest;
}

}  // namespace

Tolerance tolerance_of(at::ScalarType type, Compared compared) {
    const bool gradients = compared == Compared::gradients;
    if (type == at::kBFloat16) return gradients ? Tolerance{5e-2, 3e-1} : Tolerance{1e-2, 1e-1};
    if (type == at::kHalf) return gradients ? Tolerance{1e-2, 1e-1} : Tolerance{1e-3, 3e-2};
    return gradients ? Tolerance{5e-3, 1e-1} : Tolerance{1e-6, 1e-3};
}

std::string find_disagreement(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    const std::vector<Tolerance>& tolerances) {
    if (actuals.size() != references.size()) return "there are not as many results as in float64";
    std::string found;
    const double largest_rms = largest_rms_of(references, found);
    for (std::size_t i = 0; found.empty() && i < actuals.size(); ++i) {
        found = compare(actuals[i], references[i], largest_rms, tolerances[i]);
    }
    return found;
}

std::string find_disagreement(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    const Tolerance& tolerance) {
    return find_disagreement(
        actuals, references, std::vector<Tolerance>(references.size(), tolerance));
}

std::vector<Distance> distances_of(
    const std::vector<NamedTensor>& some,
    const std::vector<NamedTensor>& others,
    const std::vector<NamedTensor>& references) {
    std::string found;
    const double largest_rms = largest_rms_of(references, found);
    std::vector<Distance> distances(references.size());
    for (std::size_t i = 0; i < references.size(); ++i) {
        const auto& one = some.at(i).value;
        const auto& other = others.at(i).value;
        const auto& reference = references[i].value;
        if (!one.defined() || !other.defined() || !reference.defined()) continue;
        const auto a = flat_double(one);
        const auto b = flat_double(other);
        if (a.numel() != b.numel()) continue;
        distances[i] = distance_of(a, b, rms(flat_double(reference)), largest_rms);
    }
    return distances;
}

bool is_comparable(
    const std::vector<NamedTensor>& actuals, const std::vector<NamedTensor>& references) {
    if (actuals.size() != references.size()) return false;
    for (std::size_t i = 0; i < actuals.size(); ++i) {
        const auto& a = actuals[i].value;
        const auto& b = references[i].value;
        if (a.defined() != b.defined()) return false;
        if (!a.defined()) continue;
        if (a.sizes() != b.sizes()) return false;
        const auto flat = flat_double(a);
        const auto reference = flat_double(b);
        if (flat.numel() != reference.numel()) return false;
        if (!find_not_finite(flat).empty() || !find_not_finite(reference).empty()) return false;
    }
    return true;
}

std::vector<Print> prints_of(const std::vector<NamedTensor>& tensors) {
    std::vector<Print> prints;
    for (const auto& [name, tensor] : tensors) {
        Print print{name, 0, 0};
        if (tensor.defined() && tensor.numel() > 0) {
            const auto flat = flat_double(tensor);
            print.sum = flat.sum().item<double>();
            print.magnitude = flat.abs().sum().item<double>();
        }
        prints.push_back(std::move(print));
    }
    return prints;
}

std::string find_nondeterminism(const std::vector<Print>& once, const std::vector<Print>& again) {
    const auto equal = [](double a, double b) { return a == b || (a != a && b != b); };
    if (once.size() != again.size()) return "two calls with one seed give other results";
    for (std::size_t i = 0; i < once.size(); ++i) {
        if (equal(once[i].sum, again[i].sum) && equal(once[i].magnitude, again[i].magnitude)) {
            continue;
        }
        std::ostringstream text;
        text << once[i].name << " differs between two calls with one seed: its sum is "
             << std::setprecision(9) << once[i].sum << ", then " << again[i].sum;
        return text.str();
    }
    return "";
}

}  // namespace vigil_bench
