#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "service/report/night_facts.hpp"
#include "service/report/render_regression.hpp"

namespace vigil::service {

class Database;

/// What a report says of something that is wrong and lasts.
struct TroubleFacts {
    Links links;
    std::string marker;  ///< last line of the report, by which it is found again
    TroubleId id;
    std::string kind;  ///< our own word: "source.failed"
    std::string subject;
    std::string project;
    std::string message;  ///< may hold a stranger's text
    std::int64_t since_s = 0;
    std::optional<std::int64_t> ended_s;
    std::optional<BreakageFact> breakage;  ///< of a nightly that does not build
};

/// @throws Error{not_found}
TroubleFacts load_trouble_facts(Database& db, TroubleId trouble, const Config& config);

/// A pure function. What changes while nothing happens (how long it lasts) is not in it, so that an
/// equal cause gives equal bytes.
Document render_trouble(const TroubleFacts& facts);

}  // namespace vigil::service
