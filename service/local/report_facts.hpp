#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"

// What both kinds of report say, as plain text: the kinds only mark it up.

namespace vigil::local {

struct ReportTable {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

using ReportFacts = std::vector<std::pair<std::string, std::string>>;

/// Name and text: commit, effect, how sure, cost, ...
ReportFacts main_facts(
    const Story& story, const search::Decision& decision, std::span<const Found> inside);

/// The same of a search inside of a merge, without what it shares with the outer one.
ReportFacts inside_facts(const Found& found);

/// The measured and the broken commits, oldest first.
ReportTable measured_commits(const Story& story, const search::Decision& decision);

/// The suspects that hold the change with 95 %, unless there is one culprit.
ReportTable suspects_left(const Story& story, const search::Decision& decision);

/// The probes in order.
ReportTable probes_made(const Story& story);

}  // namespace vigil::local
