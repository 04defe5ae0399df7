#include "schema/model/series_rule.hpp"

#include <algorithm>

namespace vigil {

namespace {

/// As a pattern that fits itself, and as a text of JSON.
std::string quoted(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) {
        // What JSON would have to escape is any one byte.
        const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
        text += plain ? c : '?';
    }
    return text + "\"";
}

}  // namespace

bool fits_pattern(std::string_view pattern, std::string_view text) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = pattern.npos;  // the newest one, and where it stopped taking bytes
    std::size_t taken = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != pattern.npos) {
            p = star + 1;
            t = ++taken;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == pattern.npos;
}

const SeriesRule* find_rule(std::span<const SeriesRule> rules, const NameOfSeries& name) {
    const auto found = std::ranges::find_if(rules, [&](const SeriesRule& rule) {
        return fits_pattern(rule.suite, name.suite) &&
               fits_pattern(rule.benchmark, name.benchmark) &&
               fits_pattern(rule.case_name, name.case_name) &&
               fits_pattern(rule.variant, name.variant) &&
               fits_pattern(rule.machine_class, name.machine_class) &&
               (fits_pattern(rule.metric, name.metric) ||
                (!name.quantity.empty() && fits_pattern(rule.metric, name.quantity)));
    });
    return found == rules.end() ? nullptr : &*found;
}

Settled settle(std::optional<Direction> told, const SeriesRule* rule) {
    Settled settled{told, Judging::as_metric};
    if (rule != nullptr && rule->direction) settled.direction = rule->direction;
    if (rule != nullptr && rule->judge) {
        settled.judging = *rule->judge ? Judging::always : Judging::never;
    }
    if (!settled.direction && settled.judging != Judging::never) {
        settled.judging = Judging::no_direction;
    }
    return settled;
}

std::optional<double> threshold_by(
    const SeriesRule* rule, double usual, std::optional<double> level, Direction direction) {
    if (rule == nullptr || (!rule->worse_ratio && !rule->worse_absolute)) return std::nullopt;
    const double ratio = rule->worse_ratio.value_or(usual);
    if (!rule->worse_absolute || !level) return ratio;
    const double least = *rule->worse_absolute;
    const double sign = direction == Direction::lower_is_better ? 1 : -1;
    const double limit = *level + sign * least;
    // 0 has a stand-in, and what grows with quality cannot fall below it.
    if (*level == 0) return std::max(ratio, least / stand_in_of_zero);
    const double bar = limit > 0 ? change_ratio(*level, limit, direction) : 1 / stand_in_of_zero;
    return std::max(ratio, bar);
}

std::string rule_line(
    std::string_view benchmark, std::string_view variant, std::string_view quantity) {
    const auto metric = quantity.empty() ? "" : ", \"metric\": " + quoted(quantity);
    return "{\"benchmark\": " + quoted(benchmark) + ", \"variant\": " + quoted(variant) + metric +
           ", \"direction\": \"higher_is_better\"}";
}

}  // namespace vigil
