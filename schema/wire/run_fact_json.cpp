#include "schema/wire/run_fact_json.hpp"

#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json_types.hpp"

namespace vigil::wire {

namespace {

RunFact parse_run_fact(const Item& item) {
    ObjectReader in(item);
    RunFact fact;
    fact.name = in.text("name", max_name_bytes);
    if (fact.name.empty()) refuse(in.path("name"), "is empty");
    for (const auto& [name, member] :
         {std::pair{"value", &RunFact::value},
          std::pair{"low", &RunFact::low},
          std::pair{"high", &RunFact::high}}) {
        if (in.has(name)) fact.*member = in.number(name, NumberRange{});
    }
    fact.unit = in.text_or("unit", "", max_name_bytes);
    fact.text = in.text_or("text", "", max_message_bytes);
    in.done();
    return fact;
}

}  // namespace

}  // namespace vigil::wire

namespace vigil {

void to_json(nlohmann::json& value, const RunFact& fact) {
    value = {
        {"name", fact.name},
        {"value", fact.value},
        {"low", fact.low},
        {"high", fact.high},
        {"unit", fact.unit},
        {"text", fact.text}};
}

void from_json(const nlohmann::json& value, RunFact& fact) {
    fact = wire::parse_run_fact({&value, "fact"});
}

}  // namespace vigil

namespace vigil::wire {

std::vector<RunFact> parse_run_facts(ObjectReader& run) {
    std::vector<RunFact> facts;
    std::set<std::string> names;
    for (const auto& item : run.items_or_none("facts", max_run_facts)) {
        facts.push_back(parse_run_fact(item));
        if (!names.insert(facts.back().name).second) {
            refuse(item.path, "has a name that this run has already");
        }
    }
    return facts;
}

}  // namespace vigil::wire
