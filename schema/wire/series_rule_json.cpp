#include "schema/wire/series_rule_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::wire {

std::vector<SeriesRule> parse_series_rules(std::string_view text, const std::string& name) {
    constexpr std::size_t max_pattern_bytes = 500;
    const auto document = parse_json(text, name, {.comments = Comments::allowed});
    if (!document.is_array()) {
        refuse(name, "must be a list of rules, [{\"variant\": \"...\", \"direction\": \"...\"}]");
    }
    std::vector<SeriesRule> rules;
    for (const auto& item : items_of({&document, name}, max_series_rules)) {
        ObjectReader reader(item);
        SeriesRule& rule = rules.emplace_back();
        const auto pattern = [&](const char* key, std::string& value) {
            value = reader.text_or(key, value, max_pattern_bytes);
        };
        pattern("suite", rule.suite);
        pattern("benchmark", rule.benchmark);
        pattern("case", rule.case_name);
        pattern("variant", rule.variant);
        pattern("metric", rule.metric);
        pattern("machine_class", rule.machine_class);
        if (reader.find("direction")) rule.direction = reader.choice<Direction>("direction");
        if (reader.find("judge")) rule.judge = reader.flag("judge");
        if (reader.has("worse_ratio")) {
            rule.worse_ratio = reader.number("worse_ratio", {least_worse_ratio, most_worse_ratio});
        }
        if (reader.has("worse_absolute")) {
            rule.worse_absolute = reader.number("worse_absolute", {0, most_worse_absolute});
        }
        reader.done();
    }
    return rules;
}

}  // namespace vigil::wire
