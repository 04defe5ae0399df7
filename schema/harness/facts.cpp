#include "schema/harness/facts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"

namespace vigil::harness {

using nlohmann::json;

std::string fact_of(const json& value) {
    if (value.is_string()) return text::one_line(value.get_ref<const std::string&>());
    if (value.is_number() || value.is_boolean()) return value.dump();
    return value.is_object() && value.contains("Value") && !value["Value"].is_object()
               ? fact_of(value["Value"])
               : "";
}

std::string fact_in(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() ? "" : fact_of(*found);
}

void note_facts(const json& object, std::initializer_list<const char*> keys, Report& report) {
    for (const char* key : keys) {
        auto fact = fact_in(object, key);
        if (!fact.empty()) report.environment[key] = std::move(fact);
    }
}

std::string caches_of(const json& context) {
    std::string all;
    const auto caches = context.find("caches");
    if (caches == context.end() || !caches->is_array()) return all;
    for (const auto& cache : *caches) {
        const auto size = fact_in(cache, "size");
        if (size.empty()) continue;
        const auto type = fact_in(cache, "type");
        all += fmt::format(
            "{}L{}{} {} x {}",
            all.empty() ? "" : ", ",
            fact_in(cache, "level"),
            type.starts_with("Inst") ? "i" : "",
            size,
            fact_in(cache, "num_sharing"));
    }
    return text::one_line(all);
}

}  // namespace vigil::harness
