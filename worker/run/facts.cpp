#include "worker/run/facts.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"

namespace vigil::worker {

namespace {

using wire::Item;

constexpr std::size_t max_words = 400;  // of a fact's text, in bytes

class FactReader {
  public:
    void take(const std::string& name, const Item& item) {
        const auto& value = *item.value;
        if (name == "metrics") return take_metrics(item);
        if (name == "leak_bytes_per_iteration") return;  // the metric `leak` says it
        if (value.is_number()) {
            RunFact fact{.name = name};
            fact.value = wire::number_of(item);
            add(std::move(fact));
        } else if (value.is_string()) {
            add({.name = name, .text = text::one_line(wire::text_of(item), max_words)});
        } else if (value.is_boolean()) {
            add({.name = name, .text = value.get<bool>() ? "yes" : "no"});
        } else if (value.is_object() && name.find('.') == name.npos) {
            for (const auto& [key, one] : wire::members_of(item)) take(name + "." + key, one);
        }
    }

    std::vector<RunFact> facts() { return std::move(facts_); }

  private:
    /// {"value": 1, "unit": "ns", "interval": [0, 2], "verdict": "none"}, or {"absent": why}
    void take_metrics(const Item& metrics) {
        for (const auto& [name, item] : wire::members_of(metrics)) {
            wire::ObjectReader in(item);
            RunFact fact{.name = name};
            fact.unit = in.text_or("unit", "", wire::max_name_bytes);
            if (const auto value = in.find("value")) fact.value = wire::number_of(*value);
            const auto interval = in.items_or_none("interval", 2);
            if (interval.size() == 2) {
                fact.low = wire::number_of(interval[0]);
                fact.high = wire::number_of(interval[1]);
            }
            const auto why = in.find_text("absent");
            fact.text = text::one_line(why ? *why : in.text_or("verdict", ""), max_words);
            if (const auto alone = in.find("of_one_process")) {
                RunFact one{.name = name + "_of_one_process"};
                one.value = wire::number_of(*alone);
                one.unit = fact.unit;
                add(std::move(one));
            }
            add(std::move(fact));
        }
    }

    void add(RunFact fact) {
        const bool fits = !fact.name.empty() && fact.name.size() <= wire::max_name_bytes;
        if (fits && facts_.size() < wire::max_run_facts) facts_.push_back(std::move(fact));
    }

    std::vector<RunFact> facts_;
};

}  // namespace

std::vector<RunFact> read_facts(wire::ObjectReader& output) {
    if (!output.has("info")) return {};
    FactReader reader;
    try {
        for (const auto& [name, item] : output.members("info", wire::max_run_facts)) {
            reader.take(name, item);
        }
    } catch (const Error&) {  // its samples are what the run is about
        return {};
    }
    return reader.facts();
}

}  // namespace vigil::worker
