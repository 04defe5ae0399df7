#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/results/night_summary.hpp"
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

NightCommitRange load_night_range(Database& db, const HandlerContext& context, NightlyId id) {
    const Snapshot snapshot(db);
    NightCommitRange range{load_known_commits(db, id), id, {}, {}, {}};
    const auto name = load_project_name(db, range.project);
    const auto known = context.config.projects.find(name);
    range.none = why_none(range, known == context.config.projects.end() ? nullptr : &known->second);
    if (!range.none.empty()) range.state = "none";
    range.links = links_of(context.config, name);
    if (!range.is_listed()) {
        range.count = 0;
        return range;
    }
    range.commits = list_night_commits(db, id);
    if (range.since && range.count > 0) {
        range.url = range_url(range.links, range.since->revision, range.revision);
    }
    return range;
}

http::Response get_night_commits(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto range = load_night_range(db, context, NightlyId{id_parameter(request)});
    json answer = {
        {"nightly", range.nightly.value},
        {"revision", range.revision.str()},
        {"state", range.state},
        {"why", range.none},
        {"since", nullptr},
        {"range", text_or_null(range.url)},
        {"count", range.count},
        {"left_out", range.left_out()},
        {"commits", commit_rows(range.commits, range.links)}};
    if (range.since) {
        answer["since"] = {
            {"nightly", range.since->id.value},
            {"name", range.since->name},
            {"revision", range.since->revision.str()}};
    }
    return object_response(std::move(answer));
}

}  // namespace vigil::service
