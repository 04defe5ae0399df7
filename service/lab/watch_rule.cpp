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
    count("kept_nights", watch.kept, 32, 4000);
    count("newest_nights", watch.newest, 2, 16);
    number("least_change_ratio", watch.least_ratio, 1e-4, 10);
    number("least_spread", watch.least_spread, 1e-6, 1);
    number("own_noise_margin", watch.own_noise, -100, 1000);
    number("own_noise_margin_of_two", watch.own_noise_of_two, -100, 1000);
    number("unseen_width", watch.unseen_width, 1e-3, 10);
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
    return rule;
}

json watch_rule_json(const WatchRule& rule) {
    json document = json::object();
    const auto put = [&](const char* key, auto value, auto, auto) { document[key] = value; };
    visit_rule(rule, put, put);
    return document;
}

}  // namespace vigil::cli
