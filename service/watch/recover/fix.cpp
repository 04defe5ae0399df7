#include "service/watch/recover/fix.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/text/characters.hpp"
#include "service/config/links.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/ids.hpp"
#include "service/store/reports/reports.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/series/values.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_suspects_left = 200;

using Subjects = std::map<Revision, std::string>;

Subjects load_subjects(Database& db, BisectionId bisection) {
    Subjects subjects;
    const auto line = list_suspects(db, bisection);
    for (std::size_t i = 1; i < line.size(); ++i) {
        subjects.emplace(line[i].revision, line[i].subject);
    }
    return subjects;
}

// What these commits are called in a revert: each by itself, or by the merges that brought it.
std::vector<history::RevertTarget> list_targets(
    Database& db, std::optional<BisectionId> bisection, const std::vector<Revision>& commits) {
    std::vector<history::RevertTarget> targets;
    for (const auto& commit : commits) targets.push_back({{commit}, {}});
    if (!bisection) return targets;
    const auto name = [&](history::RevertTarget& target, const Subjects& of) {
        const auto known = of.find(target.revisions.back());
        target.subjects.push_back(known == of.end() ? "" : known->second);
    };
    const auto own = load_subjects(db, *bisection);
    for (auto& target : targets) name(target, own);
    for (const auto& inside : list_way_in(db, *bisection)) {
        const auto outer = load_subjects(db, inside.outer);
        for (auto& target : targets) {
            target.revisions.push_back(inside.merge);
            name(target, outer);
        }
    }
    return targets;
}

/// What the culprit brought, where it is a merge that was searched inside.
void add_brought(
    Database& db,
    BisectionId bisection,
    const Revision& culprit,
    std::vector<history::RevertTarget>& targets) {
    std::vector<history::RevertTarget> brought;
    for (const auto inside : list_inside(db, bisection, culprit)) {
        const auto line = list_suspects(db, inside);
        for (std::size_t i = 1; i < line.size(); ++i) {
            brought.push_back({{line[i].revision}, {line[i].subject}});
        }
    }
    if (brought.size() > most_suspects_left) return;
    for (auto& one : brought) targets.push_back(std::move(one));
}

/// What stands behind the scheme of an address; empty: it has none.
std::string behind_scheme(std::string_view url) {
    const auto at = url.find("://");
    return at == url.npos ? "" : text::lower_case(url.substr(at + 3));
}

std::vector<history::FiledIssue> list_issues(
    Database& db, RegressionId regression, const std::string& commit_url) {
    std::vector<history::FiledIssue> issues;
    for (const auto& address : list_filed_addresses(db, regression)) {
        if (auto issue = issue_of(address, commit_url)) issues.push_back(std::move(*issue));
    }
    return issues;
}

// What is asked about these commits: whether they revert the regression's culprit, or the merges
// that brought it, or one of the suspects left, or of the commits that it brought itself, or say
// that they fix its issue.
history::FixQuestion fix_question(
    Database& db,
    const Config& config,
    const RegressionRow& regression,
    const history::ClaimedRange& range) {
    history::FixQuestion asked;
    asked.commits = range.commits;
    asked.line_commits = range.line_commits;
    asked.rewritten = range.rewritten;
    const auto& bisection = regression.bisection;
    if (const auto& culprit = regression.culprit) {
        asked.targets = list_targets(db, bisection, {*culprit});
        if (bisection) add_brought(db, *bisection, *culprit, asked.targets);
    } else if (regression.left.size() <= most_suspects_left) {
        asked.targets = list_targets(db, bisection, regression.left);
    }
    const auto links = links_of(config, load_project_name(db, regression.project));
    asked.issues = list_issues(db, regression.id, links.templates.commit_url);
    return asked;
}

// The answer with what is to be said of it.
Fix fix_of(const history::FixQuestion& asked, const history::FixWord& word) {
    Fix told;
    told.by = word.by;
    told.others = static_cast<std::int64_t>(word.others);
    told.only = word.only;
    told.line_commits = asked.line_commits;
    told.rewritten = asked.rewritten;
    if (word.target) told.reverts = asked.targets[*word.target].revisions.front();
    told.of_suspects = word.target.value_or(0) > 0;
    if (!word.commit) return told;
    const auto& commit = asked.commits[*word.commit];
    told.revision = commit.revision;
    told.subject = commit.subject;
    told.author = commit.author;
    told.merge = commit.merge;
    const auto merge =
        std::find_if(asked.commits.begin(), asked.commits.end(), [&](const auto& one) {
            return one.revision == commit.merge;
        });
    if (merge != asked.commits.end()) told.merge_subject = merge->subject;
    return told;
}

// What the sessions about the series' recovery said. That it is not back ends one early: by itself
// this is no proof that it was still bad.
void read_sessions(
    Database& db, SeriesId series, NightlyId found, std::vector<LaterNight>& nights) {
    constexpr double surely = 0.98;
    for (const auto& answer : list_recovery_answers(db, series, found)) {
        const auto night = std::find_if(nights.begin(), nights.end(), [&](const auto& one) {
            return one.id == answer.nightly;
        });
        if (night == nights.end()) continue;
        night->was_requested = true;
        if (answer.verdict == Verdict::noise && answer.confirmed.above >= surely)
            night->still_bad = true;
    }
}

// The night that found it was measured as bad by a session; one after it may have been, too.
NightlyId last_bad_night(
    Database& db, RegressionId regression, SeriesId series, NightlyId nightly) {
    const auto change = find_change(db, regression, series);
    VIGIL_ASSERT(change);
    const auto found = change->nightly;
    if (change->by_outcome) {
        return find_silent_night(db, series, found, nightly, level_window).value_or(found);
    }
    const double ratio = change->confirmed.change_ratio;
    if (!(change->base >= 0) || !(ratio > 0)) return found;
    const auto direction = change->direction;
    std::vector<LaterNight> nights;
    const auto history = load_history(db, series, nightly, level_window);
    for (const auto& night : history) {
        if (night.nightly <= found) continue;
        nights.push_back({night.nightly, detect::badness(night.value, direction), {}, false});
    }
    if (nights.empty() || nights.back().id != nightly) return found;
    read_sessions(db, series, found, nights);
    const double before = detect::badness(change->base, direction);
    const double spread = spread_between(history, direction);
    return newest_bad(nights, before, before + log_of_change(ratio), spread).value_or(found);
}

// @return  in words. What cannot be read is no reason to keep a regression open.
std::string tell(Database& db, const Config& config, const FixRow& fix) {
    Fix told;
    const auto trouble = try_alone(db, [&] { told = decide_fix(db, config, fix); });
    if (trouble) told = {.by = {}, .unlisted = "the rows about it cannot be read: " + *trouble};
    mark_reported(db, fix.id, told);
    return words_of(told, fix.bad, fix.fixed);
}

void tell_anew(Database& db, const FixRow& fix, const std::string& words, std::int64_t now_s) {
    touch_regression(db, fix.regression, now_s);
    record_regression_event(db, fix.regression, "mended", "back at its level: " + words, now_s);
}

}  // namespace

Fix decide_fix(Database& db, const Config& config, const FixRow& fix) {
    const auto commits = load_commits(db, fix.id);
    Fix told;
    told.unlisted = commits.unlisted;
    if (!commits.unlisted.empty()) return told;
    const auto regression = load_regression(db, fix.regression);
    const auto asked = fix_question(db, config, regression, commits.range);
    told = fix_of(asked, history::find_fix(asked));
    told.unread_commits = commits.range.unread_commits;
    // Of what was narrowed only, each is a suspect.
    told.of_suspects |= !told.reverts.empty() && !regression.culprit;
    return told;
}

bool came_back(Database& db, RegressionId regression, NightlyId nightly) {
    const auto held = list_held_series(db, regression);
    return std::any_of(
        held.begin(), held.end(), [&](const auto& one) { return one.recovered == nightly; });
}

double spread_between(const std::vector<NightValues>& nights, Direction direction) {
    constexpr std::size_t least_nights = 8;
    if (nights.size() < least_nights) return 0;
    std::vector<double> levels;
    for (const auto& night : nights) levels.push_back(detect::badness(night.value, direction));
    return stats::spread_of_steps(levels);
}

std::optional<NightlyId> newest_bad(
    std::span<const LaterNight> nights, double before, double after, double spread) {
    if (nights.empty()) return std::nullopt;
    const double half = (after - before) / 2;
    const double margin = std::max(half / 2, 2 * spread);
    // Where the machine moved since, what is back lies higher than it did.
    const double bad = std::max(before, nights.back().level) + half + margin;
    for (auto night = std::next(nights.rbegin()); night != nights.rend(); ++night) {
        if (night->still_bad.value_or(!night->was_requested && night->level >= bad))
            return night->id;
    }
    return std::nullopt;
}

void ask_for_fix(
    Database& db,
    const ProjectConfig& config,
    RegressionId regression,
    NightlyId nightly,
    const std::vector<SeriesId>& series) {
    // What is true of all of them: each came back after its own last bad night.
    std::optional<NightlyId> bad;
    for (const auto one : series) {
        const auto last = last_bad_night(db, regression, one, nightly);
        bad = bad ? std::min(*bad, last) : last;
    }
    if (!bad) return;
    const auto known = find_fix(db, regression, nightly);
    if (known && known->bad_nightly == *bad) return;
    if (known) remove_fix(db, known->id);
    const auto fix = add_fix(db, regression, nightly, *bad);
    if (has_history(config)) return;
    FixCommits none;
    none.unlisted = is_external(config)
                        ? "the project is measured elsewhere; its commits are not known"
                        : why_no_revisions(config).value_or("");
    note_commits(db, fix, none);
}

std::string tell_fix(
    Database& db, const Config& config, RegressionId regression, NightlyId nightly) {
    const auto fix = find_fix(db, regression, nightly);
    if (!fix) return "";
    if (fix->state != FixState::listed) return "the commits in between are not listed yet";
    return tell(db, config, *fix);
}

void record_fix(
    Database& db, const Config& config, FixId fix, const FixCommits& commits, std::int64_t now_s) {
    if (!note_commits(db, fix, commits)) return;  // nobody asks any more
    const auto row = load_fix(db, fix);
    if (!came_back(db, row.regression, row.nightly)) return;
    tell_anew(db, row, tell(db, config, row), now_s);
}

void tell_measured(Database& db, const FixRow& fix, const Fix& told, std::int64_t now_s) {
    mark_reported(db, fix.id, told);
    if (!came_back(db, fix.regression, fix.nightly)) return;
    tell_anew(db, fix, words_of(told, fix.bad, fix.fixed), now_s);
}

std::optional<history::FiledIssue> issue_of(std::string_view ref, std::string_view commit_url) {
    static constexpr std::string_view issues = "/issues/";
    const auto url = behind_scheme(ref);
    const auto at = url.rfind(issues);
    if (at == url.npos || at == 0) return std::nullopt;
    history::FiledIssue issue;
    issue.place = url.substr(0, at);
    const char* end = url.data() + url.size();
    const auto read = std::from_chars(url.data() + at + issues.size(), end, issue.number);
    if (read.ec != std::errc{} || read.ptr != end || issue.number <= 0) return std::nullopt;
    issue.own = behind_scheme(commit_url).starts_with(issue.place + "/");
    return issue;
}

}  // namespace vigil::service
