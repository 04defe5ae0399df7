#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/findings/mending_records.hpp"

namespace vigil::service {

class Database;

/// How some series of a regression came back.
struct MendingFact {
    NightlyId nightly;      ///< measured as back
    NightlyId bad_nightly;  ///< the last that was measured as bad
    std::string night;      ///< their names
    std::string bad_night;
    Revision mended;  ///< their revisions
    Revision bad;
    std::optional<Mending> told;  ///< nullopt: the commits in between are not listed yet
};

/// Of a regression, oldest night first.
/// @param only  of this night alone
std::vector<MendingFact> load_mendings(
    Database& db, RegressionId regression, std::optional<NightlyId> only = std::nullopt);

/// An earlier regression of the same series, which recovered.
struct EarlierFact {
    RegressionId regression;
    std::optional<Revision> culprit;
    std::string subject;  ///< of the culprit; a stranger's text
    std::string issue;    ///< its address; empty: none is known
    std::string night;    ///< in which it recovered, its name
};

/// The newest first.
std::vector<EarlierFact> load_earlier(Database& db, RegressionId regression);

}  // namespace vigil::service
