#include "service/local/cases/case_chosen.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

constexpr wire::IntegerRange counted_cases{0, 1'000'000};

bool has_moved(Comparing verdict) {
    return verdict == Comparing::worse || verdict == Comparing::better ||
           verdict == Comparing::drift;
}

struct NamedCount {
    const char* name;
    int CaseCounts::*count;
};

constexpr NamedCount named_counts[] = {
    {"cases", &CaseCounts::cases},
    {"worse", &CaseCounts::worse},
    {"better", &CaseCounts::better},
    {"drift", &CaseCounts::drift},
    {"same", &CaseCounts::same},
    {"unsure", &CaseCounts::unsure},
    {"only_good", &CaseCounts::only_good},
    {"only_bad", &CaseCounts::only_bad},
    {"no_value", &CaseCounts::no_value}};

}  // namespace

CaseChosen choose_case(const ComparedCases& compared, bool better) {
    CaseChosen chosen;
    const auto& searched = case_to_search(compared, better);
    chosen.name = searched.printed.name;
    chosen.counts = compared.counts;
    for (const auto& one : compared.cases) {
        if (&one == &searched || !has_moved(one.verdict)) continue;
        if (chosen.others.size() == most_case_lines) break;
        chosen.others.push_back(line_of(one));
    }
    return chosen;
}

json to_json(const CaseChosen& chosen) {
    json value{{"case", chosen.name}, {"runs", chosen.runs}, {"seconds", chosen.seconds}};
    for (const auto& [name, count] : named_counts) value[name] = chosen.counts.*count;
    value["left_out"] = chosen.counts.left_out;
    value["others"] = json::array();
    for (const auto& one : chosen.others) {
        value["others"].push_back(
            {{"case", one.name},
             {"verdict", to_string(one.verdict)},
             {"unit", one.unit},
             {"comparison", wire::to_json(one.comparison)}});
    }
    return value;
}

CaseChosen parse_case_chosen(wire::ObjectReader& reader) {
    CaseChosen chosen;
    chosen.name = reader.text("case");
    chosen.runs = reader.small("runs", counted_cases);
    chosen.seconds = reader.number("seconds", {0, 1e12});
    for (const auto& [name, count] : named_counts) {
        chosen.counts.*count = reader.small(name, counted_cases);
    }
    chosen.counts.left_out = reader.integer("left_out", wire::not_negative);
    for (const auto& item : reader.items("others")) {
        wire::ObjectReader one(item);
        CaseLine line;
        line.name = one.text("case");
        line.verdict = one.choice<Comparing>("verdict");
        line.unit = one.text("unit");
        const auto comparison = one.item("comparison");
        line.comparison = wire::parse_comparison(*comparison.value);
        one.done();
        chosen.others.push_back(std::move(line));
    }
    return chosen;
}

std::string chosen_text(const CaseChosen& chosen, bool better) {
    const CaseCounts& counts = chosen.counts;
    std::string text = fmt::format(
        "searched {}; all cases between the ends: {}\n",
        text::one_line(chosen.name, 120),
        cases_verdict(counts, better));
    const std::string rest = counts_text(counts);
    if (!rest.empty()) text += "  " + rest + "\n";
    if (chosen.others.empty()) return text;
    const bool is_reported = chosen.others.size() < most_case_lines;
    return text +
           (is_reported ? "  the others that moved:\n" : "  the ten others that moved most:\n") +
           case_rows(chosen.others);
}

}  // namespace vigil::local
