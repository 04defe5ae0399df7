#include "worker/bench/operators/hints.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "worker/bench/operators/profile_text.hpp"

namespace vigil_bench {

namespace {

constexpr double least_hint_share = 0.01;

}  // namespace

Hint hint_of(std::string kind, std::string what, std::vector<double> saved_ns, double times) {
    // Of 15 rounds the median lies between the 4th and the 12th with 96.5 % (binomial).
    constexpr std::size_t low = 3;
    constexpr std::size_t high = hint_rounds - 1 - low;
    saved_ns.resize(hint_rounds);
    std::sort(saved_ns.begin(), saved_ns.end());
    return {
        std::move(kind),
        std::move(what),
        saved_ns[hint_rounds / 2] * times,
        saved_ns[low] * times,
        saved_ns[high] * times};
}

std::vector<Hint> worth_saying(std::vector<Hint> hints, double step_ns) {
    const auto is_small = [&](const Hint& hint) {
        return !(hint.low_ns > 0) || hint.saves_ns < least_hint_share * step_ns;
    };
    hints.erase(std::remove_if(hints.begin(), hints.end(), is_small), hints.end());
    std::stable_sort(hints.begin(), hints.end(), [](const Hint& a, const Hint& b) {
        return a.saves_ns > b.saves_ns;
    });
    return hints;
}

nlohmann::json measured_json(const std::vector<Hint>& measured) {
    std::map<std::string, int> counts;
    for (const auto& hint : measured) ++counts[hint.kind];
    return counts;
}

nlohmann::json hints_json(const std::vector<Hint>& hints, double step_ns) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& hint : hints) {
        all.push_back(
            {{"kind", hint.kind},
             {"what", hint.what},
             {"saves_ns", hint.saves_ns},
             {"interval_ns", {hint.low_ns, hint.high_ns}},
             {"share", step_ns > 0 ? hint.saves_ns / step_ns : 0}});
    }
    return all;
}

std::string hints_text(const std::vector<Hint>& hints, double step_ns) {
    std::string text;
    for (const auto& hint : hints) {
        text += "  hint: " + hint.what + ": saves " + time_text(hint.saves_ns) + " (" +
                percent_text(step_ns > 0 ? hint.saves_ns / step_ns : 0) +
                "; 95 %: " + time_text(hint.low_ns) + " to " + time_text(hint.high_ns) + ")\n";
    }
    return text;
}

}  // namespace vigil_bench
