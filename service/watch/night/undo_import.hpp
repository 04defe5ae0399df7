#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/series.hpp"
#include "service/store/work/imports.hpp"
#include "service/store/work/jobs.hpp"

// A person takes back what was sent from elsewhere: it was wrong, or of another project.

namespace vigil::service {

/// What goes with an import.
struct ImportUndo {
    ImportRow import;
    NightlyRow nightly;
    JobRow job;
    std::int64_t readings = 0;
    std::vector<SeriesRow> series;  ///< that have no other value, and nothing was found of them
    bool worker = false;         ///< the one that stands for the machines stands for nothing else
    bool machine_class = false;  ///< nothing else is of it, and the config does not name it
    std::string refusal;         ///< why it cannot be undone now, and what to do; empty: it can
};

/// Reads only. Of a night that is not withdrawn nothing is undone on which a regression rests, or a
/// suspicion that is not decided.
/// @throws Error{not_found}
ImportUndo plan_undo(Database& db, const Config& config, ImportId import);

/// Removes what the plan says. The night stays, be it empty; its summary and the records of the
/// series that stay are made anew. What was sent may be sent again.
/// @throws Error{conflict} with the plan's refusal
void undo_import(
    Database& db,
    const ImportUndo& plan,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s);

}  // namespace vigil::service
