#include "schema/wire/sample_rule_json.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json_types.hpp"

namespace vigil {

void to_json(nlohmann::json& value, const SampleRule& rule) {
    value = {
        {"format", rule.format},
        {"printed", rule.printed},
        {"unit", rule.unit},
        {"direction", rule.direction},
        {"select", rule.select}};
    if (rule.ignore_exit_code) value["ignore_exit_code"] = true;
}

void from_json(const nlohmann::json& value, SampleRule& rule) {
    value.at("format").get_to(rule.format);
    value.at("printed").get_to(rule.printed);
    value.at("unit").get_to(rule.unit);
    value.at("direction").get_to(rule.direction);
    value.at("select").get_to(rule.select);
    rule.ignore_exit_code = value.value("ignore_exit_code", false);
}

}  // namespace vigil

namespace vigil::wire {

SampleRule parse_sample_rule(const Item& item) {
    ObjectReader in(item);
    SampleRule rule;
    rule.format = in.choice<SampleFormat>("format");
    rule.printed = in.choice<Metric>("printed");
    rule.unit = in.text("unit", max_name_bytes);
    rule.direction = in.choice<Direction>("direction");
    rule.select = in.text("select", max_name_bytes);
    rule.ignore_exit_code = in.flag_or("ignore_exit_code", false);
    in.done();
    return rule;
}

}  // namespace vigil::wire
