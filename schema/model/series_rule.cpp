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
               fits_pattern(rule.variant, name.variant) && fits_pattern(rule.metric, name.metric) &&
               fits_pattern(rule.machine_class, name.machine_class);
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

std::string rule_line(std::string_view benchmark, std::string_view variant) {
    return "{\"benchmark\": " + quoted(benchmark) + ", \"variant\": " + quoted(variant) +
           ", \"direction\": \"higher_is_better\"}";
}

}  // namespace vigil
