#include <algorithm>

#include "service/report/load_parts.hpp"
#include "service/store/database.hpp"
#include "service/watch/bisection_records.hpp"
#include "service/watch/inside.hpp"

namespace vigil::service {

namespace {

/// The ending of one of the regression's series; nullptr: it was not searched here.
const search::SeriesEnding* find_ending(
    const RegressionFacts& facts,
    const BisectionSettings& settings,
    const BisectionConclusion& conclusion) {
    for (const auto& ending : conclusion.endings) {
        if (find_series(facts, settings.series.at(std::size_t(ending.series))) >= 0) {
            return &ending;
        }
    }
    return nullptr;
}

std::vector<Revision> list_suspects(Database& db, BisectionId bisection, int first, int last) {
    std::vector<Revision> revisions;
    Query row = db.query(
        "SELECT revision FROM suspect WHERE bisection_id = ?1 AND position BETWEEN ?2 AND ?3 "
        "ORDER BY position",
        bisection,
        first,
        last);
    while (row.next()) revisions.push_back(row.get<Revision>(0));
    return revisions;
}

void describe_ending(Database& db, BisectionId bisection, RegressionFacts& facts, InsideFact& in) {
    Query row = db.query("SELECT settings, conclusion FROM bisection WHERE id = ?1", bisection);
    VIGIL_ASSERT(row.next());
    const auto conclusion = parse_conclusion(row.get<std::string>(1));
    const auto* ending = find_ending(facts, parse_settings(row.get<std::string>(0)), conclusion);
    in.said = conclusion.summary;  // of one that failed: why
    if (ending == nullptr) return;
    in.said = ending->reason;
    if (ending->ending == search::Ending::range) {
        in.left = list_suspects(db, bisection, ending->first, ending->last);
    } else if (ending->ending == search::Ending::not_reproduced) {
        in.said = "its commits do not show the change alone: " + ending->reason;
    }
}

/// Bisections inside of one merge, up to the parent that led on.
void load_merge(
    Database& db,
    BisectionId outer,
    const Revision& merge,
    std::optional<BisectionId> led,
    RegressionFacts& facts) {
    std::vector<std::pair<BisectionId, InsideFact>> found;
    {
        Query row = db.query(
            "SELECT b.id, b.parent, b.good_revision, b.bad_revision, (SELECT count(*) FROM suspect "
            "s WHERE s.bisection_id = b.id AND s.position > 0), (SELECT s.subject FROM suspect s "
            "WHERE s.bisection_id = b.outer_id AND s.revision = b.merge) FROM bisection b "
            "WHERE b.outer_id = ?1 AND b.merge = ?2 AND (?3 IS NULL OR b.id <= ?3) ORDER BY b.id",
            outer,
            merge,
            led);
        while (row.next()) {
            InsideFact in;
            in.merge = merge;
            in.parent = row.get<int>(1);
            in.base = row.get<Revision>(2);
            in.tip = row.get<Revision>(3);
            in.commits = row.get<std::int64_t>(4);
            in.subject = row.get<std::optional<std::string>>(5).value_or("");
            in.led = led && row.get<BisectionId>(0) == *led;
            found.emplace_back(row.get<BisectionId>(0), std::move(in));
        }
    }
    for (auto& [bisection, in] : found) {
        describe_ending(db, bisection, facts, in);
        facts.insides.push_back(std::move(in));
    }
}

}  // namespace

void load_insides(Database& db, BisectionId answering, RegressionFacts& facts) {
    std::vector<std::pair<BisectionId, InsideOf>> way;  // innermost first
    BisectionId outermost = answering;
    while (const auto inside = find_inside(db, outermost)) {
        way.emplace_back(outermost, *inside);
        outermost = inside->outer;
    }
    std::reverse(way.begin(), way.end());
    for (const auto& [bisection, inside] : way) {
        load_merge(db, inside.outer, inside.merge, bisection, facts);
    }
    if (facts.culprit) load_merge(db, answering, *facts.culprit, std::nullopt, facts);
    const auto begins = db.find<Revision>(
        "SELECT good_revision FROM bisection WHERE id = ?1 AND state <> 'listing'", outermost);
    if (begins && *begins != facts.good.revision) facts.parted_at = begins;
    facts.line_commits =
        db.find<std::int64_t>(
              "SELECT count(*) FROM suspect WHERE bisection_id = ?1 AND position > 0", outermost)
            .value_or(0);
}

}  // namespace vigil::service
