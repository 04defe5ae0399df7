#include "service/lab/watch_rule.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

/// Visits every constant with its name and range, so that reading and writing cannot differ.
template <class Rule, class Count, class Number>
void visit_rule(Rule& rule, Count count, Number number) {
    auto& watch = rule.watch;
    count("kept_nights", watch.kept, 20, 4000);
    count("level_nights", watch.level_nights, 8, 4000);
    count("newest_nights", watch.newest, 2, 16);
    count("least_level_nights", watch.least_level, 3, 1000);
    count("least_suspicion_nights", watch.least_suspicion, 2, 1000);
    count("spell_nights", watch.spell_nights, 0, 1000);
    number("least_change_ratio", watch.least_ratio, 1e-4, 10);
    number("least_spread", watch.least_spread, 1e-6, 1);
    number("same_level_margin", watch.same_level, -100, 1000);
    number("same_level_margin_a_night", watch.same_level_a_night, 0, 100);
    number("own_noise_margin", watch.own_noise, -100, 1000);
    number("own_noise_margin_a_night", watch.own_noise_a_night, 0, 100);
    number("own_noise_margin_of_two", watch.own_noise_two, -100, 1000);
    number("large_step", watch.large_step, 0, 100);
    number("large_step_price", watch.large_step_price, 0, 1000);
    number("two_apart_spreads", watch.two_apart, 0, 1000);
    number("volatile_spell_margin", watch.volatile_spell, -100, 1000);
    number("earlier_spell_margin", watch.earlier_spell, -100, 1000);
    number("rank_margin", watch.rank, -100, 1000);
    number("rank_margin_of_two", watch.rank_two, -100, 1000);
    number("burst_margin", watch.burst, -100, 1000);
    number("resemblance", watch.resemblance, 0, 10);
    number("resemblance_of_two", watch.resemblance_two, 0, 10);
    number("unseen_nights", watch.background, 1e-3, 1000);
    number("unseen_width", watch.background_width, 1e-3, 10);
    number("local_share", watch.local_share, 0, 1);
    number("suspicious", rule.suspicious, 1e-3, 1000);
}

}  // namespace

WatchRule parse_watch_rule(std::string_view text, const std::string& name) {
    const json document = wire::parse_json(text, name);
    wire::ObjectReader reader(document, "rule");
    WatchRule rule;
    visit_rule(
        rule,
        [&](const char* key, int& value, int low, int high) {
            value = reader.small_or(key, value, {low, high});
        },
        [&](const char* key, double& value, double low, double high) {
            value = reader.number_or(key, value, {low, high});
        });
    reader.done();
    if (rule.watch.level_nights > rule.watch.kept) {
        wire::refuse("rule.level_nights", "must not be more than kept_nights");
    }
    if (rule.watch.least_suspicion > rule.watch.least_level) {
        wire::refuse("rule.least_suspicion_nights", "must not be more than least_level_nights");
    }
    return rule;
}

json watch_rule_json(const WatchRule& rule) {
    json document = json::object();
    const auto put = [&](const char* key, auto value, auto, auto) { document[key] = value; };
    visit_rule(rule, put, put);
    return document;
}

}  // namespace vigil::cli
