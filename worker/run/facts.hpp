#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "schema/model/job.hpp"
#include "schema/wire/object_reader.hpp"
#include "worker/child/report.hpp"

namespace vigil::worker {

/// What vigil-bench says under `info`: each metric by its name, with its interval and its verdict,
/// or with why it is absent; everything else that is a number, a text, yes or no by its key
/// ("batch", "accuracy.unchecked", "batch_search.chosen"). At most wire::max_run_facts; lists are
/// left out. What cannot be read costs the run nothing: then there are none.
/// @param output  the document
std::vector<RunFact> read_facts(wire::ObjectReader& output);

/// How fast processors run, and how often heat held them back since the machine's start. What the
/// machine does not show is missing.
struct Clocks {
    std::optional<double> mhz;  ///< mean
    std::optional<double> throttles;
};

/// @param processors  of these; empty: of all that this process may use
/// @param root        "/"; tests put a made-up /sys below another folder
Clocks read_clocks(const std::vector<int>& processors, const std::filesystem::path& root = "/");

/// What can move the numbers of a run and is not what it measures: its page faults, how often it
/// had to leave its processor, and what became of the clocks. A report on a regression tells where
/// these differ (service/report/facts/fact_difference).
std::vector<RunFact> facts_of(const ChildReport& child, const Clocks& before, const Clocks& after);

/// All of them, each name once: the first counts. At most wire::max_run_facts.
std::vector<RunFact> joined_facts(std::vector<RunFact> first, std::vector<RunFact> second);

}  // namespace vigil::worker
