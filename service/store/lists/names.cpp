#include "service/store/lists/names.hpp"

#include <fmt/format.h>

namespace vigil::service {

bool has_name(Database& db, const NameColumn& where, const std::string& name) {
    const auto [table, column] = where;
    return db.has(fmt::format("SELECT 1 FROM {} WHERE {} = ?1 LIMIT 1", table, column), name);
}

std::vector<std::string> list_names(Database& db, const NameColumn& where, int limit) {
    return db.all<std::string>(
        fmt::format(
            "SELECT {1} FROM {0} GROUP BY {1} ORDER BY max(id) DESC LIMIT ?1",
            where.table,
            where.column),
        limit);
}

bool has_id(Database& db, std::string_view table, std::int64_t id) {
    return db.has(fmt::format("SELECT 1 FROM {} WHERE id = ?1", table), id);
}

std::vector<std::string> list_revisions(Database& db, const std::string& begin, int limit) {
    return db.all<std::string>(
        "SELECT revision FROM build WHERE revision >= ?1 AND revision < ?1 || 'g'"
        " UNION SELECT revision FROM nightly WHERE revision >= ?1 AND revision < ?1 || 'g'"
        " ORDER BY 1 LIMIT ?2",
        begin,
        limit);
}

std::vector<std::string> list_culprits(Database& db, const std::string& begin, int limit) {
    return db.all<std::string>(
        "SELECT DISTINCT culprit FROM regression WHERE culprit >= ?1 AND culprit < ?1 || 'g'"
        " ORDER BY 1 LIMIT ?2",
        begin,
        limit);
}

std::vector<NamedNightly> list_nightlies_named(
    Database& db, const std::string& name, const std::optional<std::string>& project, int limit) {
    // All that it may mean begins with the day: these are found by the names' index.
    const std::string begin = name.ends_with(".1") ? name.substr(0, name.size() - 2) : name;
    return db.all<NamedNightly>(
        "SELECT n.id, n.id || ' (' || p.name || ' ' || n.name || "
        "CASE WHEN n.name = n.day THEN '.1)' ELSE ')' END FROM project p CROSS JOIN nightly n "
        "WHERE (?2 IS NULL OR p.name = ?2) AND n.project_id = p.id "
        "AND n.name >= ?4 AND n.name < ?4 || '/' "
        "AND ?1 IN (n.name, n.day, n.day || CASE WHEN n.name = n.day THEN '.1' ELSE '' END) "
        "ORDER BY n.id LIMIT ?3",
        name,
        project,
        limit,
        begin);
}

}  // namespace vigil::service
