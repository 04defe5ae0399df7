#include "service/store/nights/night_commits.hpp"

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/config/links.hpp"
#include "service/store/ids.hpp"

// The commits between a night and the one before it.

namespace vigil::service {

namespace {

using nlohmann::json;

/// Why there are none to tell; empty: they are listed, or will be.
std::string why_none(const KnownCommits& range, const ProjectConfig* project) {
    if (range.beside) return "it is measured beside the nights: no night comes before it";
    if (range.state != "listing") return range.none;
    if (project == nullptr) return "its project is no longer in the config";
    if (project->source.repository.empty()) {
        return "its project has no git history: its source names no repository";
    }
    return "";
}

json commit_rows(const std::vector<NightCommit>& commits, const Links& links) {
    auto rows = json::array();
    for (const auto& one : commits) {
        rows.push_back(
            {{"revision", one.revision.str()},
             {"subject", one.subject},
             {"author", one.author},
             {"authored_at_s", one.authored_at_s},
             {"url", text_or_null(commit_url(links, one.revision))}});
    }
    return rows;
}

}  // namespace

http::Response get_night_commits(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const NightlyId id{id_parameter(request)};
    const auto range = load_known_commits(db, id);
    const auto name = load_project_name(db, range.project);
    const auto known = context.config.projects.find(name);
    const bool is_known = known != context.config.projects.end();
    const auto links = links_of(context.config, name);
    const auto why = why_none(range, is_known ? &known->second : nullptr);
    json answer = {
        {"nightly", id.value},
        {"revision", range.revision.str()},
        {"state", why.empty() ? range.state : "none"},
        {"why", why},
        {"since", nullptr},
        {"range", nullptr},
        {"count", 0},
        {"left_out", 0},
        {"commits", json::array()}};
    if (range.since) {
        answer["since"] = {
            {"nightly", range.since->id.value},
            {"name", range.since->name},
            {"revision", range.since->revision.str()}};
    }
    if (answer.at("state") != "listed") return object_response(std::move(answer));
    auto rows = commit_rows(list_night_commits(db, id), links);
    answer["count"] = range.count;
    answer["left_out"] = range.count - std::ssize(rows);
    answer["commits"] = std::move(rows);
    if (range.since && range.count > 0) {
        answer["range"] = text_or_null(range_url(links, range.since->revision, range.revision));
    }
    return object_response(std::move(answer));
}

}  // namespace vigil::service
