#include "service/watch/requested/pulls.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/model/state_sets.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/ids.hpp"
#include "service/store/reports/commands.hpp"
#include "service/watch/requested/ask.hpp"
#include "service/watch/requested/requests.hpp"

namespace vigil::service {

namespace {

constexpr const char* by_label = "label";
constexpr const char* by_fix = "its claim to fix a regression";
constexpr int max_ended_pulls = 20;  // the tick comes again

std::string name_of(const PullFacts& facts) {
    return fmt::format("pull request {} at {}", facts.number, facts.head.brief());
}

void stop_pull(Database& db, const PullRow& pull, const std::string& why, std::int64_t now_s) {
    if (pull.request) {
        // It may be over already.
        try_alone(db, [&] { end_request(db, *pull.request, RequestState::cancelled, why, now_s); });
    }
    move_pull(db, pull.id, PullState::stopped, why, now_s);
}

/// @param but  this commit goes on; empty: none
/// @return  how many were stopped
int stop_pulls(
    Database& db,
    const std::vector<PullRow>& pulls,
    const Revision& but,
    const std::string& why,
    std::int64_t now_s) {
    int count = 0;
    for (const auto& pull : pulls) {
        const bool waits = is_under_way(pull.state) || pull.state == PullState::held;
        if (!waits || pull.head == but) continue;
        stop_pull(db, pull, why, now_s);
        ++count;
    }
    return count;
}

std::int64_t newest_seen_s(const std::vector<PullRow>& pulls) {
    std::int64_t newest = 0;
    for (const auto& pull : pulls) newest = std::max(newest, pull.seen_at_s);
    return newest;
}

const PullRow* find_head(const std::vector<PullRow>& pulls, const Revision& head) {
    const auto found = std::find_if(
        pulls.begin(), pulls.end(), [&](const PullRow& pull) { return pull.head == head; });
    return found == pulls.end() ? nullptr : &*found;
}

NewPull new_pull(
    ProjectId project,
    const std::string& target,
    const PullFacts& facts,
    const std::string& by,
    PullState state) {
    return {
        project,
        target,
        facts.number,
        facts.head,
        facts.base,
        facts.is_fork,
        by,
        state,
        facts.at_s};
}

std::string superseded_words(const PullFacts& facts) {
    return "a newer commit came: " + facts.head.brief();
}

/// The regression whose issue it says that it fixes.
std::optional<RegressionId> find_fixed(
    Database& db, const std::string& target, const PullFacts& facts) {
    for (const auto& address : facts.fixes) {
        if (const auto found = find_regression_at(db, target, address)) return found;
    }
    return std::nullopt;
}

/// Of one that is to be measured: its commit is, or is held.
PullAnswer take_wanted(
    Database& db,
    ProjectId project,
    const std::string& target,
    const PullFacts& facts,
    const char* by,
    std::optional<RegressionId> fixes,
    const std::vector<PullRow>& known,
    std::int64_t now_s) {
    const auto to = facts.is_fork ? PullState::held : PullState::listing;
    const auto words = name_of(facts) + (facts.is_fork ? " is a fork's and waits for a person"
                                                       : " is to be measured");
    const auto* row = find_head(known, facts.head);
    if (row == nullptr) {
        auto fresh = new_pull(project, target, facts, by, to);
        fresh.fixes = fixes;
        add_pull(db, fresh, now_s);
        return {true, words};
    }
    note_seen(db, row->id, facts.at_s);
    if (fixes) note_fixes(db, row->id, *fixes);
    if (row->state != PullState::stopped) return {true, name_of(facts) + " is known already"};
    note_requested(db, row->id, by, facts.base);
    move_pull(db, row->id, to, "", now_s);
    return {true, words};
}

/// The one that is asked for, where a person may ask for it.
void check_requested(const PullFacts& facts, const std::string& named) {
    const auto refuse = [](const std::string& why) { throw Error(Errc::conflict, why); };
    if (!facts.is_open) refuse(fmt::format("pull request {} is closed", facts.number));
    if (!named.empty() && named != facts.head.str()) {
        refuse(fmt::format(
            "its newest commit is {}; look at that one and comment /vigil bench {}",
            facts.head.str(),
            facts.head.str()));
    }
    if (named.empty() && facts.is_fork) {
        refuse(fmt::format(
            "it comes from a fork, of which nothing is built before somebody has looked at it; "
            "where {} may be built and run, comment /vigil bench {}",
            facts.head.brief(),
            facts.head.str()));
    }
}

/// Leaves the variants of a regression's series.
void keep_series_of(
    Database& db, RegressionId regression, std::vector<RequestedVariant>& variants) {
    const auto series = list_reported_series(db, regression);
    std::erase_if(variants, [&](const RequestedVariant& variant) {
        return std::none_of(series.begin(), series.end(), [&](const ReportedSeries& one) {
            return variant == variant_of(one);
        });
    });
    if (!variants.empty()) return;
    throw Error(
        Errc::conflict,
        "the project measures none of the series of regression " + to_string(regression));
}

}  // namespace

PullAnswer take_pull(
    Database& db,
    ProjectId project,
    const std::string& target,
    const PullFacts& facts,
    PullNews news,
    std::int64_t now_s) {
    const auto known = list_pulls_of(db, target, facts.number);
    if (facts.at_s < newest_seen_s(known)) {
        return {false, name_of(facts) + " was so before what is known of it"};
    }
    const bool ends = news == PullNews::closed || news == PullNews::unlabelled;
    const auto why = news == PullNews::closed       ? std::string("the pull request was closed")
                     : news == PullNews::unlabelled ? std::string("the label was taken off")
                                                    : superseded_words(facts);
    const int stopped = stop_pulls(db, known, ends ? Revision() : facts.head, why, now_s);
    if (!known.empty()) note_seen(db, known.back().id, facts.at_s);
    const auto fixes = find_fixed(db, target, facts);
    if (news == PullNews::labelled || (news == PullNews::fixing && fixes)) {
        const auto* by = news == PullNews::labelled ? by_label : by_fix;
        return take_wanted(db, project, target, facts, by, fixes, known, now_s);
    }
    if (stopped == 0) return {false, "nothing of it waits"};
    return {true, fmt::format("{}: what waited is stopped, {}", name_of(facts), why)};
}

PullId ask_for_pull(
    Database& db,
    ProjectId project,
    const std::string& target,
    const PullFacts& facts,
    const std::string& named,
    const std::string& by,
    std::int64_t now_s) {
    check_requested(facts, named);
    const auto known = list_pulls_of(db, target, facts.number);
    const auto* row = find_head(known, facts.head);
    if (row != nullptr && is_under_way(row->state)) {
        throw Error(Errc::conflict, name_of(facts) + " is measured already");
    }
    stop_pulls(db, known, facts.head, superseded_words(facts), now_s);
    if (row == nullptr) {
        return add_pull(db, new_pull(project, target, facts, by, PullState::listing), now_s);
    }
    note_requested(db, row->id, by, facts.base);
    move_pull(db, row->id, PullState::listing, "", now_s);
    return row->id;
}

void record_merge_base(
    Database& db, const Config& config, PullId id, const Revision& base, std::int64_t now_s) {
    const auto pull = load_pull(db, id);
    if (pull.state != PullState::listing) return;  // stopped meanwhile
    const auto refused = try_alone(db, [&] {
        if (base == pull.head) {
            throw Error(Errc::conflict, "it has no commit that its branch has not");
        }
        const auto project = config.projects.find(load_project_name(db, pull.project));
        if (project == config.projects.end()) {
            throw Error(Errc::conflict, "the config no longer has its project");
        }
        NewRequest wanted;
        wanted.project = pull.project;
        wanted.kind = RequestKind::comparison;
        wanted.a = base.str();
        wanted.b = pull.head.str();
        wanted.asked.variants = list_measured_variants(project->second);
        if (pull.requested_by == by_fix && pull.fixes) {
            keep_series_of(db, *pull.fixes, wanted.asked.variants);
        }
        wanted.asked.runs = runs_that_fit(wanted.kind, wanted.asked.variants.size());
        wanted.token = fmt::format("{} of pull request {}", pull.requested_by, pull.number);
        note_request(db, id, ask(db, wanted, now_s));
        move_pull(db, id, PullState::measuring, "", now_s);
    });
    if (refused) fail_pull(db, id, *refused, now_s);
}

void fail_pull(Database& db, PullId id, const std::string& why, std::int64_t now_s) {
    if (!is_under_way(load_pull(db, id).state)) return;
    move_pull(db, id, PullState::failed, why, now_s);
}

int advance_pulls(Database& db, std::int64_t now_s) {
    const auto ended = list_ended_pulls(db, max_ended_pulls);
    for (const auto& pull : ended) {
        const auto to = pull.state == RequestState::done     ? PullState::done
                        : pull.state == RequestState::failed ? PullState::failed
                                                             : PullState::stopped;
        move_pull(db, pull.id, to, pull.message, now_s);
    }
    return int(ended.size());
}

}  // namespace vigil::service
