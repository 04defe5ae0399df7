#include "worker/run/facts.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "worker/run/launch.hpp"
#include "worker/run/text_file.hpp"

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

/// nullopt: the file is not there, or holds no number.
std::optional<double> number_in(const std::filesystem::path& file) {
    const auto line = first_line(file);
    double value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    return value;
}

RunFact count_of(const char* name, double value) {
    return {.name = name, .value = value};
}

}  // namespace

Clocks read_clocks(const std::vector<int>& processors, const std::filesystem::path& root) {
    constexpr double khz = 1e-3;
    Clocks clocks;
    double mhz = 0;
    int shown = 0;
    double package = 0;  // each processor shows the same of its socket: the largest counts
    double cores = 0;
    bool counts = false;
    for (const int processor : processors.empty() ? own_processors() : processors) {
        const auto folder = root / "sys/devices/system/cpu" / fmt::format("cpu{}", processor);
        if (const auto now = number_in(folder / "cpufreq/scaling_cur_freq")) {
            mhz += *now * khz;
            ++shown;
        }
        const auto core = number_in(folder / "thermal_throttle/core_throttle_count");
        const auto all = number_in(folder / "thermal_throttle/package_throttle_count");
        counts = counts || core || all;
        cores += core.value_or(0);
        package = std::max(package, all.value_or(0));
    }
    if (shown > 0) clocks.mhz = mhz / shown;
    if (counts) clocks.throttles = cores + package;
    return clocks;
}

std::vector<RunFact> facts_of(const ChildReport& child, const Clocks& before, const Clocks& after) {
    std::vector<RunFact> facts{
        count_of("involuntary_switches", static_cast<double>(child.involuntary_switches)),
        count_of("major_faults", static_cast<double>(child.major_faults)),
        count_of("minor_faults", static_cast<double>(child.minor_faults))};
    if (before.throttles && after.throttles) {
        facts.push_back(count_of("throttles", std::max(0.0, *after.throttles - *before.throttles)));
    }
    for (const auto& [name, mhz] :
         {std::pair{"cpu_mhz_before", before.mhz}, std::pair{"cpu_mhz_after", after.mhz}}) {
        if (mhz) facts.push_back({.name = name, .value = *mhz, .unit = "MHz"});
    }
    return facts;
}

std::vector<RunFact> joined_facts(std::vector<RunFact> first, std::vector<RunFact> second) {
    std::vector<RunFact> joined;
    std::set<std::string> names;
    for (auto* facts : {&first, &second}) {
        for (auto& fact : *facts) {
            if (joined.size() == wire::max_run_facts || !names.insert(fact.name).second) continue;
            joined.push_back(std::move(fact));
        }
    }
    return joined;
}

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
