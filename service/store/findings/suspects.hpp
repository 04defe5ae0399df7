#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/history/history.hpp"
#include "bisect/search/breakage.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

// The rows of `suspect`: the commits that a bisection searches, by position.

namespace vigil::service {

struct SuspectRow {
    Revision revision;
    Revision first_parent;          ///< empty: it is the good end
    std::vector<Revision> brought;  ///< further parents; empty: it is no merge
    std::string subject;            ///< a stranger's text
    std::optional<BuildId> build;   ///< nullopt: no build row yet
};

/// By position, the good end first. Empty: they are not listed yet.
std::vector<SuspectRow> list_suspects(Database& db, BisectionId bisection);

/// Stores the suspects and what they follow, with what was built of them before; the range says
/// which commit is the good end.
void add_suspects(Database& db, BisectionId bisection, const history::Range& range);

/// The build of a suspect, made on its first probe.
BuildId ensure_suspect_build(
    Database& db, const BisectionRow& bisection, int position, std::int64_t now_s);

/// What one recipe made of every suspect, by position, whoever asked for it; failures are counted
/// on the toolchain that failed most.
std::vector<search::BuildTries> list_build_tries(
    Database& db, const BisectionRow& bisection, const Digest& recipe);

}  // namespace vigil::service
