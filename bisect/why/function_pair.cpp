#include "bisect/why/function_pair.hpp"

#include <algorithm>
#include <cmath>

namespace vigil::why {

namespace {

constexpr double normal_of_median = 1.4826;  // standard deviation by the median deviation
constexpr std::size_t least_for_scatter = 5;
constexpr double same_cost = 0.02;           // of a line: it costs as before
constexpr std::size_t most_replaced = 1000;  // that are looked at: each is held against each

bool share_shapes(const profile::Function& a, const profile::Function& b) {
    return std::ranges::any_of(a.shapes, [&](const std::string& shape) {
        return std::ranges::count(b.shapes, shape) > 0;
    });
}

double middle_of(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace

void find_replaced(std::vector<FunctionPair>& pairs) {
    std::ranges::stable_sort(pairs, std::ranges::greater{}, [](const FunctionPair& one) {
        return std::max(one.cost_before(), one.cost_after());
    });
    const auto most = std::min(pairs.size(), most_replaced);
    for (std::size_t i = 0; i < most; ++i) {
        auto& fresh = pairs[i];
        if (fresh.before != nullptr) continue;
        for (std::size_t k = 0; k < most; ++k) {
            auto& gone = pairs[k];
            if (gone.after != nullptr || gone.is_joined) continue;
            if (!share_shapes(*fresh.after, *gone.before)) continue;
            fresh.before = gone.before;
            fresh.is_replaced = true;
            gone.is_joined = true;
            break;
        }
    }
    std::erase_if(pairs, [](const FunctionPair& pair) { return pair.is_joined; });
}

std::string grown_part(
    const FunctionPair& pair, std::vector<profile::NamedCost> profile::Function::*list) {
    if (pair.after == nullptr) return "";
    const std::int64_t grown = pair.change();
    for (const auto& [name, cost] : pair.after->*list) {
        std::int64_t was = 0;
        if (pair.before != nullptr) {
            for (const auto& one : pair.before->*list) {
                if (one.name == name) was = one.cost;
            }
        }
        if (2 * (cost - was) > grown && grown > 0) return name;
    }
    return "";
}

std::string grown_line(const FunctionPair& pair) {
    if (pair.after == nullptr || pair.change() <= 0) return "";
    auto before = pair.before != nullptr ? pair.before->lines : std::vector<profile::NamedCost>();
    for (const auto& line : pair.after->lines) {
        const auto same = std::ranges::find_if(before, [&](const profile::NamedCost& one) {
            return std::abs(static_cast<double>(one.cost - line.cost)) <=
                   same_cost * static_cast<double>(line.cost);
        });
        if (same != before.end()) {
            before.erase(same);
            continue;
        }
        // The largest of those that changed is what it may have been.
        const std::int64_t was = before.empty() ? 0 : before.front().cost;
        return 2 * (line.cost - was) > pair.change() ? line.name : "";
    }
    return "";
}

double scatter_of(const std::vector<FunctionPair>& pairs) {
    std::vector<double> ratios;
    for (const auto& pair : pairs) {
        const bool is_both = pair.before != nullptr && pair.after != nullptr && !pair.is_replaced;
        if (!is_both || pair.before->cost <= 0 || pair.after->cost <= 0) continue;
        ratios.push_back(std::log(
            static_cast<double>(pair.after->cost) / static_cast<double>(pair.before->cost)));
    }
    if (ratios.size() < least_for_scatter) return 0;
    const double middle = middle_of(ratios);
    for (double& one : ratios) one = std::abs(one - middle);
    return 2 * normal_of_median * middle_of(ratios);
}

}  // namespace vigil::why
