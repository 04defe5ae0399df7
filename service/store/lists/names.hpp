#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What the filters of lists may name.

namespace vigil::service {

struct NameColumn {
    std::string_view table;
    std::string_view column;
};

bool has_name(Database& db, const NameColumn& where, const std::string& name);
/// The newest first.
std::vector<std::string> list_names(Database& db, const NameColumn& where, int limit);

bool has_id(Database& db, std::string_view table, std::int64_t id);

/// Revisions of builds and nightlies that begin with these digits.
std::vector<std::string> list_revisions(Database& db, const std::string& begin, int limit);
/// The same of culprits of regressions.
std::vector<std::string> list_culprits(Database& db, const std::string& begin, int limit);

struct NamedNightly {
    NightlyId id;
    std::string words;  ///< for a person: 12 (demo 2026-11-22.2)
};
/// What a name may mean: a nightly's own, its day, and its day with .1 for the first.
std::vector<NamedNightly> list_nightlies_named(
    Database& db, const std::string& name, const std::optional<std::string>& project, int limit);

}  // namespace vigil::service
