#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/store/reports/reports.hpp"

namespace vigil::service {

/// The kind of trouble that one night found very many regressions.
inline constexpr std::string_view many_causes = "night.many_causes";

/// The night that a trouble's subject names ("nightly/7"); nullopt: none, whoever wrote it.
std::optional<NightlyId> night_of_trouble(std::string_view subject);

/// What a report says of something that is wrong and lasts.
struct TroubleFacts : ReportedTrouble {
    Links links;
    std::string marker;                    ///< last line of the report, by which it is found again
    std::optional<BreakageFact> breakage;  ///< of a nightly that does not build
    std::vector<NightsRegression> gathered;  ///< of a night of many causes: all that it found
};

TroubleFacts load_trouble_facts(Database& db, TroubleId trouble, const Config& config);

/// A pure function. What changes while nothing happens (how long it lasts) is not in it, so that an
/// equal cause gives equal bytes.
Document render_trouble(const TroubleFacts& facts);

}  // namespace vigil::service
