#include "tests/bench/nights/supply.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "service/store/content_index.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/recover/fix.hpp"
#include "service/watch/search/bisect.hpp"

namespace vigil::nights {

using namespace vigil::service;

Config make_config(const World& world) {
    nlohmann::json suite = nlohmann::json::object();
    for (const auto& name : world.benchmarks()) {
        suite[name] = {
            {"command", {"./bench"}},
            {"samples",
             {{"format", "lines"},
              {"printed", "reported_value"},
              {"unit", "items/s"},
              {"direction", "higher_is_better"}}}};
    }
    nlohmann::json classes = nlohmann::json::object();
    for (const auto& name : world.classes()) classes[name] = nlohmann::json::object();
    nlohmann::json workers = nlohmann::json::object();
    for (const auto& [name, of] : world.workers()) workers[name] = {{"machine_class", of}};
    std::vector<std::string> judged;
    for (const auto& one : world.series()) {
        if (one.benchmark == "b000" && one.machine_class == "m1") {
            judged.emplace_back(to_string(one.metric));
        }
    }
    nlohmann::json project = {
        {"source", {{"kind", "git"}, {"repository", "/nowhere"}, {"branch", "main"}}},
        {"recipe", {{"commands", {"true"}}, {"outputs", {"number"}}}},
        {"suites", {{"s", suite}}},
        {"matrix", {{{"suite", "s"}, {"machine_classes", world.classes()}}}},
        {"judged", judged},
        {"reports", {"folder"}}};
    nlohmann::json config = {
        {"state_dir", "/nowhere"},
        {"machine_classes", classes},
        {"workers", workers},
        {"report_targets", {{"folder", {{"kind", "folder"}, {"path", "/nowhere"}}}}},
        {"projects", {{project_name, project}}}};
    return parse_config(config.dump(), "simulated");
}

namespace {

bool supply_suspects(
    Database& db, const Config& config, const Commits& commits, std::int64_t now_s) {
    const auto all = list_missing_suspects(db, 100);
    for (const auto& missing : all) {
        if (!missing.unreadable.empty()) {
            quarantine_bisection(db, missing.bisection, missing.unreadable, now_s);
            continue;
        }
        const auto range = commits.range(missing.good, missing.bad);
        record_suspects(db, config.projects.at(project_name), missing.bisection, range, now_s);
    }
    return !all.empty();
}

bool supply_fixes(Database& db, const Config& config, const Commits& commits, std::int64_t now_s) {
    const auto fixes = list_missing_fixes(db, 100);
    for (const auto& missing : fixes) {
        FixCommits of_fix;
        const auto range = commits.range(missing.bad, missing.fixed);
        of_fix.range.line_commits = static_cast<std::int64_t>(range.suspects.size());
        record_fix(db, config, missing.fix, of_fix, now_s);
    }
    return !fixes.empty();
}

bool supply_trees(Database& db, std::int64_t now_s) {
    const auto all = list_missing_sources(db, 100, find_project(db, project_name).value());
    for (const auto& missing : all) {
        const auto tree = wire::sha256("tree " + missing.revision.str());
        record_content(db, tree, content_bytes, ContentKind::source, now_s);
        record_source(db, missing.build, {.tree = tree, .describe = {}, .notes = {}});
    }
    return !all.empty();
}

}  // namespace

bool supply(Database& db, const Config& config, const Commits& commits, std::int64_t now_s) {
    const bool suspects = supply_suspects(db, config, commits, now_s);
    const bool fixes = supply_fixes(db, config, commits, now_s);
    const bool trees = supply_trees(db, now_s);
    return suspects || fixes || trees;
}

}  // namespace vigil::nights
