#include "service/watch/search/nights_between.hpp"

#include <algorithm>
#include <utility>

#include "service/source/versions.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/search/conclude.hpp"

namespace vigil::service {

namespace {

constexpr int days_apart = 2;

struct Positions {
    int good = 0, bad = 0;
};

// Every change that was found lies after the one and up to the other.
Positions left_of(const BisectionConclusion& conclusion, int last) {
    Positions left{last, 0};
    for (const auto* endings : {&conclusion.endings, &conclusion.further}) {
        for (const auto& ending : *endings) {
            if (ending.ending == search::Ending::not_reproduced) continue;
            left.good = std::min(left.good, ending.first - 1);
            left.bad = std::max(left.bad, ending.last);
        }
    }
    return left.good < left.bad ? left : Positions{0, last};
}

// The regression's search goes on among commits.
void search_commits(
    Database& db,
    const BisectionRow& nights,
    const Revision& good,
    const Revision& bad,
    std::int64_t now_s) {
    const auto regression = load_regression_of(db, nights.id);
    if (good == bad) {
        constexpr const char* why = "the archives differ, and both are of one revision";
        move_regression(db, regression, RegressionState::range, why, now_s);
        return;
    }
    const NewBisection commits{
        .project = nights.project,
        .nightly = nights.nightly,
        .good = good,
        .bad = bad,
        .settings = nights.settings};
    const auto begun = add_bisection(db, commits, now_s);
    go_on_with(db, nights.id, begun);
}

}  // namespace

bool may_have_between(const ProjectConfig& config, const NightEdge& good, const NightEdge& bad) {
    const auto kind = config.source.kind;
    if (kind == SourceKind::git || kind == SourceKind::elsewhere) return false;
    return is_day(good.day) && days_after(good.day, days_apart) <= bad.day;
}

void record_nights_between(
    Database& db, BisectionId id, std::span<const NightlyOffer> between, std::int64_t now_s) {
    const auto bisection = load_bisection(db, id);
    const auto ends = load_night_ends(db, id);
    if (between.empty()) {
        move_bisection(db, id, BisectionState::searching, now_s);
        return conclude_bisection(db, bisection, {"no nightly lies between", {}, {}}, now_s);
    }
    history::Range range;
    range.base = ends.good.revision;
    std::vector<BuildId> builds{ends.good_build};
    const auto add = [&](const Revision& revision, const std::string& version, BuildId build) {
        history::Commit night;
        night.revision = revision;
        night.parent = range.suspects.empty() ? range.base : range.suspects.back().revision;
        night.subject = version;
        range.suspects.push_back(std::move(night));
        builds.push_back(build);
    };
    for (const auto& offer : between) {
        const auto build = ensure_offered_build(db, bisection.project, offer, now_s);
        add(offer.revision, offer.version, build);
    }
    add(ends.bad.revision, ends.bad.version, ends.bad_build);
    move_bisection(db, id, BisectionState::searching, now_s);
    add_suspects(db, id, range);
    for (std::size_t i = 0; i < builds.size(); ++i) {
        note_suspect_build(db, id, static_cast<int>(i), builds[i]);
    }
    const auto words = std::to_string(between.size()) + " archives between are measured first";
    record_bisection_event(db, id, "searching", words, now_s);
}

void conclude_nights(
    Database& db,
    const BisectionRow& bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    const auto line = list_suspects(db, bisection.id);
    if (line.empty()) {  // it failed before they were listed
        const auto ends = load_night_ends(db, bisection.id);
        return search_commits(db, bisection, ends.good.revision, ends.bad.revision, now_s);
    }
    const auto left = left_of(conclusion, static_cast<int>(line.size()) - 1);
    const auto revision = [&](int at) { return line.at(static_cast<std::size_t>(at)).revision; };
    search_commits(db, bisection, revision(left.good), revision(left.bad), now_s);
}

}  // namespace vigil::service
