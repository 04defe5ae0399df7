#include <algorithm>

#include "service/report/facts/search_facts.hpp"
#include "service/source/words.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

namespace {

/// How a search ended for the first of the regression's series that it had; nullptr: for none.
const search::SeriesEnding* find_first_ending(
    const RegressionFacts& facts,
    const BisectionSettings& settings,
    const BisectionConclusion& conclusion,
    const std::vector<Revision>& line,
    const Revision& wanted) {
    for (std::size_t index = 0; index < settings.series.size(); ++index) {
        if (find_series(facts, settings.series[index]) < 0) continue;
        const auto* ending = find_ending(conclusion, int(index), line, wanted);
        if (ending != nullptr) return ending;
    }
    return nullptr;
}

std::vector<Revision> list_suspects(Database& db, BisectionId bisection) {
    std::vector<Revision> revisions;
    Query row = db.query(
        "SELECT revision FROM suspect WHERE bisection_id = ?1 ORDER BY position", bisection);
    while (row.next()) revisions.push_back(row.get<Revision>(0));
    return revisions;
}

/// @param named  what it named for the regression; empty: nothing
void describe_ending(
    Database& db,
    BisectionId bisection,
    const Revision& named,
    RegressionFacts& facts,
    InsideFact& in) {
    Query row = db.query("SELECT settings, conclusion FROM bisection WHERE id = ?1", bisection);
    VIGIL_ASSERT(row.next());
    const auto conclusion = parse_conclusion(row.get<std::string>(1));
    const auto line = list_suspects(db, bisection);
    const auto settings = parse_settings(row.get<std::string>(0));
    const auto* ending = find_first_ending(facts, settings, conclusion, line, named);
    in.said = without_paths(conclusion.summary);  // of one that failed: why
    if (ending == nullptr) return;
    in.said = ending->reason;
    if (ending->ending == search::Ending::range) {
        for (int i = ending->first; i <= ending->last; ++i)
            in.left.push_back(line.at(std::size_t(i)));
    } else if (ending->ending == search::Ending::not_reproduced) {
        in.said = "its commits do not show the change alone: " + ending->reason;
    }
}

/// Bisections inside of one merge, up to the parent that led on.
/// @param named  by the one that led on
void load_merge(
    Database& db,
    BisectionId outer,
    const Revision& merge,
    std::optional<BisectionId> led,
    const Revision& named,
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
        describe_ending(db, bisection, in.led ? named : Revision{}, facts, in);
        facts.insides.push_back(std::move(in));
    }
}

}  // namespace

const search::SeriesEnding* find_ending(
    const BisectionConclusion& conclusion,
    int series,
    const std::vector<Revision>& line,
    const Revision& wanted) {
    const search::SeriesEnding* first = nullptr;
    for (const auto* endings : {&conclusion.endings, &conclusion.further}) {
        for (const auto& ending : *endings) {
            if (ending.series != series) continue;
            if (first == nullptr) first = &ending;
            const auto at = static_cast<std::size_t>(ending.first);
            if (ending.first >= 0 && at < line.size() && line[at] == wanted) return &ending;
        }
    }
    return first;
}

void load_insides(Database& db, BisectionId answering, RegressionFacts& facts) {
    std::vector<std::pair<BisectionId, InsideOf>> way;  // innermost first
    BisectionId outermost = answering;
    while (const auto inside = find_inside(db, outermost)) {
        way.emplace_back(outermost, *inside);
        outermost = inside->outer;
    }
    std::reverse(way.begin(), way.end());
    for (std::size_t i = 0; i < way.size(); ++i) {
        const auto& [bisection, inside] = way[i];
        const Revision named =
            i + 1 < way.size() ? way[i + 1].second.merge : facts.culprit.value_or(Revision{});
        load_merge(db, inside.outer, inside.merge, bisection, named, facts);
    }
    if (facts.culprit) load_merge(db, answering, *facts.culprit, std::nullopt, {}, facts);
    const auto begins = db.find<Revision>(
        "SELECT good_revision FROM bisection WHERE id = ?1 AND state <> 'listing'", outermost);
    if (begins && *begins != facts.good.revision) facts.parted_at = begins;
    facts.line_commits =
        db.find<std::int64_t>(
              "SELECT count(*) FROM suspect WHERE bisection_id = ?1 AND position > 0", outermost)
            .value_or(0);
}

}  // namespace vigil::service
