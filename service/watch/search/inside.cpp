#include "service/watch/search/inside.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "bisect/search/inside.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

struct Merge {
    Revision revision;
    Revision first_parent;
    std::vector<Revision> brought;  ///< its further parents; empty: no merge
};

Merge read_merge(const Query& row) {
    Merge merge;
    merge.revision = row.get<Revision>(0);
    merge.first_parent = row.get<std::optional<Revision>>(1).value_or(Revision{});
    const auto brought = wire::parse_json(row.get<std::string>(2), "suspect.brought");
    for (const auto& parent : brought) merge.brought.emplace_back(parent.get<std::string>());
    return merge;
}

// Suspects by position, newest first.
std::vector<Merge> load_suspects(Database& db, BisectionId bisection, int first, int last) {
    std::vector<Merge> suspects;
    auto rows = db.query(
        "SELECT revision, parent, brought FROM suspect WHERE bisection_id = ?1 "
        "AND position BETWEEN ?2 AND ?3 ORDER BY position DESC",
        bisection,
        first,
        last);
    while (rows.next()) suspects.push_back(read_merge(rows));
    return suspects;
}

// What the search that led inside answered, newest first: the merge that it named, or the range
// that the regression is left with.
std::vector<Merge> load_outer_answer(Database& db, const InsideOf& inside) {
    std::vector<Merge> answer;
    auto rows = db.query(
        "SELECT s.revision, s.parent, s.brought FROM suspect s JOIN regression r ON r.id = ?3 "
        "WHERE s.bisection_id = ?1 AND s.position > 0 AND (s.revision = ?2 OR (r.culprit IS NULL "
        "AND s.revision IN (SELECT value FROM json_each(r.suspects)))) ORDER BY s.position DESC",
        inside.outer,
        inside.merge,
        inside.regression);
    while (rows.next()) answer.push_back(read_merge(rows));
    return answer;
}

std::vector<int> parents_of(const std::vector<Merge>& commits) {
    std::vector<int> parents;
    for (const auto& commit : commits) {
        parents.push_back(1 + static_cast<int>(commit.brought.size()));
    }
    return parents;
}

// Searches on the way to this one, itself counted: merges inside of merges.
int depth_of(Database& db, BisectionId bisection) {
    int depth = 0;
    for (std::optional<BisectionId> at = bisection; at; ++depth) {
        at = db.find<BisectionId>("SELECT outer_id FROM bisection WHERE id = ?1", *at);
    }
    return depth;
}

// All searches of one regression share one budget.
search::Budget budget_left(Database& db, BisectionId ended, search::Budget budget) {
    const auto count = [&](const char* sql) { return db.find<int>(sql, ended).value_or(0); };
    budget.max_probes -= count("SELECT COUNT(*) FROM probe WHERE bisection_id = ?1");
    budget.max_builds -= count(
        "SELECT COUNT(*) FROM suspect WHERE bisection_id = ?1 AND build_id IS NOT NULL "
        "AND position > 0 AND position < "
        "(SELECT MAX(position) FROM suspect WHERE bisection_id = ?1)");
    return budget;
}

void begin(
    Database& db,
    BisectionId ended,
    const InsideOf& inside,
    const Merge& merge,
    const BisectionSettings& settings,
    std::int64_t now_s) {
    const auto& brought = merge.brought.at(static_cast<std::size_t>(inside.parent) - 2);
    db.execute(
        "INSERT INTO bisection(project_id, nightly_id, good_revision, bad_revision, state, "
        "planner, settings, created_at_s, outer_id, merge, parent, regression_id) "
        "SELECT project_id, nightly_id, ?2, ?3, 'listing', ?4, ?5, ?6, ?7, ?8, ?9, ?10 "
        "FROM bisection WHERE id = ?1",
        ended,
        merge.first_parent,
        brought,
        search::planner_version,
        to_text(settings),
        now_s,
        inside.outer,
        merge.revision,
        inside.parent,
        inside.regression);
    const BisectionId begun{db.last_insert_id()};
    record_event(
        db,
        now_s,
        "bisection.inside",
        db.find<ProjectId>("SELECT project_id FROM bisection WHERE id = ?1", begun),
        "bisection/" + to_string(begun),
        "what parent " + std::to_string(inside.parent) + " of the merge " + merge.revision.brief() +
            " brought, for regression " + to_string(inside.regression));
}

bool is_closed(Database& db, RegressionId regression) {
    return db
        .find<int>(
            "SELECT 1 FROM regression WHERE id = ?1 AND state IN ('recovered', 'closed')",
            regression)
        .has_value();
}

bool is_by_outcome(const BisectionSettings& settings, int series) {
    const auto& all = settings.by_outcome;
    return std::find(all.begin(), all.end(), series) != all.end();
}

}  // namespace

BisectionSettings settings_inside(
    const BisectionSettings& outer,
    const std::vector<search::SeriesEnding>& endings,
    const search::Budget& left) {
    BisectionSettings settings;
    settings.costs = outer.costs;
    settings.workers = outer.workers;
    settings.budget = left;
    settings.named = outer.named;
    for (const auto& ending : endings) {
        const auto index = static_cast<std::size_t>(ending.series);
        const auto machine_class =
            outer.groups.at(static_cast<std::size_t>(outer.specs.at(index).group));
        auto group = std::find(settings.groups.begin(), settings.groups.end(), machine_class);
        if (group == settings.groups.end()) {
            settings.groups.push_back(machine_class);
            group = std::prev(settings.groups.end());
        }
        auto spec = outer.specs.at(index);
        spec.group = static_cast<int>(group - settings.groups.begin());
        if (is_by_outcome(outer, ending.series)) {
            settings.by_outcome.push_back(static_cast<int>(settings.specs.size()));
        } else if (ending.ending == search::Ending::culprit) {
            spec.expected_ratio = ending.verified.change_ratio;
        }
        settings.series.push_back(outer.series.at(index));
        settings.specs.push_back(spec);
    }
    return settings;
}

Going go_inside(
    Database& db,
    BisectionId ended,
    RegressionId regression,
    const BisectionSettings& settings,
    const std::vector<search::SeriesEnding>& endings,
    std::int64_t now_s) {
    if (is_closed(db, regression)) return {};  // it recovered while it was searched
    const auto& ending = endings.front();
    const auto answer = load_suspects(db, ended, ending.first, ending.last);
    search::EndedSearch seen{
        .ending = ending.ending,
        .verified = ending.verified.runs_after > 0,
        .answer = parents_of(answer),
        .depth = depth_of(db, ended)};
    std::vector<Merge> outer;
    const auto inside = find_inside(db, ended);
    if (inside) {
        outer = load_outer_answer(db, *inside);
        seen.outer = parents_of(outer);
        const auto merge = std::find_if(outer.begin(), outer.end(), [&](const auto& one) {
            return one.revision == inside->merge;
        });
        seen.door = {static_cast<int>(merge - outer.begin()), inside->parent};
        // Series that are searched together go on together.
        for (const auto& one : endings) {
            if (one.ending == search::Ending::not_reproduced) seen.ending = one.ending;
        }
    }
    const auto onward = search::onward(seen);
    if (!onward) return {};
    const auto left = budget_left(db, ended, settings.budget);
    if (left.max_probes <= 0 || left.max_builds <= 0) return {false, "the budget is spent"};
    const auto& merges = onward->deeper ? answer : outer;
    const auto& merge = merges.at(static_cast<std::size_t>(onward->door.merge));
    const InsideOf next{
        onward->deeper ? ended : inside->outer, merge.revision, onward->door.parent, regression};
    begin(db, ended, next, merge, settings_inside(settings, endings, left), now_s);
    return {true, ""};
}

}  // namespace vigil::service
