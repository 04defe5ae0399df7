#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"

// What a search found, in words and as JSON. Pure functions of its log.

namespace vigil::local {

/// "culprit found", "range left", "not reproduced", "stopped".
std::string verdict_text(const search::Decision& decision);

/// Several lines for a person: verdict, culprit or what is left, effect, evidence, and the commands
/// that show it again.
std::string answer_text(const Story& story, const search::Decision& decision);

nlohmann::json answer_json(const Story& story, const search::Decision& decision);

/// The commands that show it again, whole lines; none when nothing was found.
std::vector<std::string> commands_to_see(const Story& story, const search::Decision& decision);

/// "+12.1 % wall time, 90 % interval +11 % to +13 %: 10.2 ms to 11.4 ms"; empty when nothing was
/// verified.
std::string effect_text(const Story& story, const search::SeriesEnding& ending);

/// "34 runs, 7 builds (1 failed), 2 min 10 s of building and measuring".
std::string cost_text(const Story& story);

/// "what the measure is called in a sentence".
std::string measure_text(Measure measure);

}  // namespace vigil::local
