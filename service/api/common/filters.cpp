#include "service/api/common/filters.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "schema/model/text_ids.hpp"
#include "schema/text/nearest.hpp"
#include "service/api/common/event_kinds.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

namespace {

constexpr int max_names = 500;
constexpr int max_shown = 5;
constexpr std::size_t min_hash_digits = 4;
constexpr std::size_t full_hash_digits = 40;
constexpr std::size_t longest_hash_digits = 64;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw Error(Errc::invalid_argument, fmt::format("query parameter {}: {}", name, why));
}

/// What a filter may name: a column of a table, and what the config has.
struct Names {
    std::string_view noun;
    std::string_view table;
    std::string_view column;
    std::vector<std::string> configured;
};

template <class Value>
std::vector<std::string> keys_of(const std::map<std::string, Value>& map) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map) keys.push_back(key);
    return keys;
}

std::vector<std::string> planned(const Config& config, std::string BenchmarkPlan::*part) {
    std::vector<std::string> names;
    for (const auto& [project, settings] : config.projects) {
        for (const auto& [suite, plans] : settings.suites) {
            for (const auto& plan : plans) names.push_back(plan.*part);
        }
    }
    return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::string> known(
    const http::Request& request, Database& db, const std::string& name, Names names) {
    auto text = text_filter(request, name);
    if (!text || contains(names.configured, *text)) return text;
    const auto found = db.find<int>(
        fmt::format("SELECT 1 FROM {} WHERE {} = ?1 LIMIT 1", names.table, names.column), *text);
    if (found) return text;
    auto rows = db.query(
        fmt::format(
            "SELECT {1} FROM {0} GROUP BY {1} ORDER BY max(id) DESC LIMIT ?1",
            names.table,
            names.column),
        max_names);
    while (rows.next()) names.configured.push_back(rows.get<std::string>(0));
    refuse(
        name,
        fmt::format(
            "there is no {} \"{}\"{}",
            names.noun,
            *text,
            text::did_you_mean(*text, names.configured)));
}

}  // namespace

std::optional<std::string> Filters::project() const {
    return known(
        request_, db_, "project", {"project", "project", "name", keys_of(config_.projects)});
}

std::optional<std::string> Filters::benchmark() const {
    return known(
        request_,
        db_,
        "benchmark",
        {"benchmark", "series", "benchmark", planned(config_, &BenchmarkPlan::benchmark)});
}

std::optional<std::string> Filters::variant() const {
    return known(
        request_,
        db_,
        "variant",
        {"variant", "series", "variant", planned(config_, &BenchmarkPlan::variant)});
}

std::optional<std::string> Filters::machine_class() const {
    return known(
        request_,
        db_,
        "machine_class",
        {"machine class", "machine_class", "name", keys_of(config_.machine_classes)});
}

std::optional<std::string> Filters::worker() const {
    return known(request_, db_, "worker", {"worker", "worker", "name", keys_of(config_.workers)});
}

std::optional<std::string> Filters::version() const {
    return known(request_, db_, "version", {"nightly of version", "nightly", "version", {}});
}

std::optional<std::string> Filters::event_kind() const {
    return known(request_, db_, "kind", {"kind of event", "event", "kind", event_kinds()});
}

std::optional<std::string> Filters::trouble_kind() const {
    // A trouble begins with an event of its kind.
    return known(request_, db_, "kind", {"kind of trouble", "trouble", "kind", event_kinds()});
}

std::optional<std::string> Filters::subject() const {
    auto text = text_filter(request_, "subject");
    if (!text) return text;
    const auto slash = text->find('/');
    if (slash == text->npos || slash == 0 || slash + 1 == text->size()) {
        refuse("subject", "it looks like regression/12");
    }
    return text;
}

std::optional<std::string> Filters::full_hash(
    const std::string& name, std::string_view table) const {
    auto text = text_filter(request_, name);
    if (!text) return text;
    std::transform(text->begin(), text->end(), text->begin(), [](char c) {
        return c >= 'A' && c <= 'F' ? char(c - 'A' + 'a') : c;
    });
    if (text->size() < min_hash_digits || text->size() > longest_hash_digits ||
        !is_lower_hex(*text)) {
        refuse(
            name,
            fmt::format("a commit is {} to {} hex digits", min_hash_digits, longest_hash_digits));
    }
    if (text->size() == full_hash_digits || text->size() == longest_hash_digits) return text;
    std::vector<std::string> found;
    auto rows = db_.query(
        fmt::format(
            "SELECT DISTINCT {} WHERE revision >= ?1 AND revision < ?2 ORDER BY 1 LIMIT ?3", table),
        *text,
        *text + "g",
        max_shown + 1);
    while (rows.next()) found.push_back(rows.get<std::string>(0));
    if (found.size() == 1) return found.front();
    if (found.empty()) refuse(name, "no commit that is known here begins with " + *text);
    const bool more = found.size() > max_shown;
    if (more) found.pop_back();
    refuse(
        name,
        fmt::format(
            "{} begins several commits: {}{}",
            *text,
            text::joined(found),
            more ? " and more" : ""));
}

std::optional<std::string> Filters::revision() const {
    return full_hash(
        "revision",
        "revision FROM (SELECT revision FROM build UNION ALL SELECT revision FROM nightly)");
}

std::optional<std::string> Filters::culprit() const {
    return full_hash("culprit", "revision FROM (SELECT culprit AS revision FROM regression)");
}

std::optional<std::int64_t> Filters::id(const std::string& name) const {
    static constexpr std::array<std::string_view, 8> tables{
        "bisection", "build", "job", "nightly", "probe", "regression", "series", "session"};
    const auto value = number_filter(request_, name);
    if (!value) return value;
    const auto table = std::find(tables.begin(), tables.end(), name);
    VIGIL_ASSERT(table != tables.end());
    if (db_.find<int>(fmt::format("SELECT 1 FROM {} WHERE id = ?1", *table), *value)) return value;
    refuse(name, fmt::format("there is no {} {}", name, *value));
}

std::optional<std::int64_t> Filters::nightly() const {
    const auto text = text_filter(request_, "nightly");
    const bool is_number =
        text && text->find_first_not_of("0123456789") == text->npos && !text->empty();
    if (!text || is_number) return id("nightly");
    // All that it may mean begins with the day: these are found by the names' index.
    const std::string begin = text->ends_with(".1") ? text->substr(0, text->size() - 2) : *text;
    std::vector<std::int64_t> found;
    std::vector<std::string> words;
    auto rows = db_.query(
        "SELECT n.id, n.id || ' (' || p.name || ' ' || n.name || "
        "CASE WHEN n.name = n.day THEN '.1)' ELSE ')' END FROM project p CROSS JOIN nightly n "
        "WHERE (?2 IS NULL OR p.name = ?2) AND n.project_id = p.id "
        "AND n.name >= ?4 AND n.name < ?4 || '/' "
        "AND ?1 IN (n.name, n.day, n.day || CASE WHEN n.name = n.day THEN '.1' ELSE '' END) "
        "ORDER BY n.id LIMIT ?3",
        *text,
        project(),
        max_shown + 1,
        begin);
    while (rows.next()) {
        found.push_back(rows.get<std::int64_t>(0));
        words.push_back(rows.get<std::string>(1));
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        refuse(
            "nightly",
            fmt::format("there is no nightly \"{}\"; /api/v1/nightlies lists their names", *text));
    }
    const bool more = words.size() > max_shown;
    if (more) words.pop_back();
    refuse(
        "nightly",
        fmt::format(
            "\"{}\" is several nightlies: {}{}",
            *text,
            text::joined(words),
            more ? " and more" : ""));
}

std::optional<std::string> Filters::one_of(
    const std::string& name, const std::vector<std::string>& words) const {
    auto text = text_filter(request_, name);
    if (!text || contains(words, *text)) return text;
    refuse(name, "the choices are " + text::joined(words));
}

std::optional<std::int64_t> Filters::flag(const std::string& name) const {
    const auto value = number_filter(request_, name);
    if (value && *value > 1) refuse(name, "must be 0 or 1");
    return value;
}

std::optional<std::int64_t> Filters::since_s() const {
    return number_filter(request_, "since_s");
}

std::optional<std::int64_t> Filters::until_s() const {
    const auto until = number_filter(request_, "until_s");
    const auto since = since_s();
    if (since && until && *until < *since) refuse("until_s", "it lies before since_s");
    return until;
}

}  // namespace vigil::service
