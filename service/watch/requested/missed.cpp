#include "service/watch/requested/missed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/state_sets.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/missed.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/night_commits.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/levels.hpp"
#include "service/store/series/records.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/requested/ask.hpp"
#include "service/watch/requested/request_words.hpp"
#include "service/watch/requested/requests.hpp"
#include "service/watch/search/regressions.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t least_hash_digits = 4;
constexpr std::size_t most_hash_digits = 64;

std::string night_words(const NightlyRow& nightly) {
    return "nightly " + to_string(nightly.id) + " (" + nightly.name + ")";
}

/// What the series measured up to the night, which is the last of two or more.
std::vector<NightValues> load_nights_until(
    Database& db, const SeriesRow& series, const NightlyRow& nightly) {
    const auto what = "series " + to_string(series.id);
    auto nights = load_history(db, series.id, nightly.id, level_window);
    if (nights.empty() || nights.back().nightly != nightly.id) {
        throw Error(
            Errc::conflict,
            what + " has no value that counts in " + night_words(nightly) +
                "; name the first bad night that measured it");
    }
    if (nights.size() < 2) {
        throw Error(
            Errc::conflict,
            fmt::format(
                "{} has no value in the {} nights before {}, so there is nothing to compare it "
                "with",
                what,
                level_window,
                night_words(nightly)));
    }
    return nights;
}

void check_judged(const NightlyRow& nightly) {
    if (nightly.beside) {
        throw Error(
            Errc::conflict,
            night_words(nightly) + " is measured beside the nights, and not judged");
    }
    if (nightly.state == NightlyState::done || nightly.state == NightlyState::searching) return;
    throw Error(
        Errc::conflict,
        night_words(nightly) + " is " + std::string(to_string(nightly.state)) +
            (nightly.state == NightlyState::failed
                 ? ": nothing is judged by it"
                 : ": what it finds by itself is not known yet; tell it again when it is done"));
}

void check_uncovered(Database& db, SeriesId series, const NightlyRow& nightly) {
    const auto regression = find_covering(db, series, nightly.id);
    if (!regression) return;
    throw Error(
        Errc::conflict,
        fmt::format(
            "regression {} ({}) covers series {} in {}: it was found",
            regression->id.value,
            to_string(regression->state),
            series.value,
            night_words(nightly)));
}

/// The full hash of the one commit of the range that begins so.
std::string find_commit(
    Database& db, NightlyId good, const NightlyRow& nightly, const std::string& commit) {
    if (commit.size() < least_hash_digits || commit.size() > most_hash_digits ||
        !is_lower_hex(commit)) {
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "a commit is named by {} to {} lower-case hex digits",
                least_hash_digits,
                most_hash_digits));
    }
    std::vector<std::string> found;
    std::int64_t count = 0;
    std::string unknown;  // why not all of them are known
    for (const auto& night : list_nights_between(db, good, nightly.id)) {
        const auto known = load_known_commits(db, night.id);
        if (known.state != "listed") {
            unknown = known.state == "listing" ? "the commits of nightly " + to_string(night.id) +
                                                     " are still being listed"
                                               : known.none;
        }
        count += known.count;
        for (const auto& one : list_night_commits(db, night.id)) {
            if (one.revision.str().starts_with(commit)) found.push_back(one.revision.str());
        }
    }
    if (found.size() == 1) return found.front();
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "{} commits between nightly {} and nightly {} begin with {}; the range has {}{}",
            found.empty() ? "no" : std::to_string(found.size()),
            good.value,
            nightly.id.value,
            commit,
            count,
            unknown.empty() ? "" : " that are known (" + unknown + ")"));
}

/// What is to be told from nothing: half of what the nights show, and no more than the config's.
/// A smaller one would take many runs where the series is noisy.
double told_threshold(
    const ProjectConfig& config, const SeriesRow& series, const std::vector<NightValues>& nights) {
    constexpr double least_share = 0.25;
    constexpr std::size_t newest = 14;  // nights, as a baseline has
    const double usual = threshold_of(config, series);
    std::vector<double> before;
    for (const auto& night : nights)
        before.push_back(detect::badness(night.value, series.direction));
    const double now = before.back();
    before.pop_back();
    const auto known = std::span(before).last(std::min(before.size(), newest));
    const double seen = std::expm1(now - stats::median(known));
    return std::clamp(seen / 2, least_share * usual, usual);
}

const ProjectConfig& project_of(Database& db, const Config& config, ProjectId project) {
    const auto name = load_project_name(db, project);
    const auto found = config.projects.find(name);
    if (found != config.projects.end()) return found->second;
    throw Error(Errc::conflict, "the config has no project " + name + " any more");
}

RequestedVariant measured_variant(Database& db, const Config& config, const SeriesRow& series) {
    const RequestedVariant variant{
        series.benchmark, series.variant, load_machine_class_name(db, series.machine_class)};
    const auto measured = list_measured_variants(project_of(db, config, series.project));
    if (std::ranges::count(measured, variant) > 0) return variant;
    throw Error(
        Errc::conflict,
        fmt::format(
            "{} ({}) on {} is not measured here any more (the matrix is in the config), so it "
            "cannot be confirmed",
            variant.benchmark,
            variant.variant,
            variant.machine_class));
}

void check_build(Database& db, BuildId build, const std::string& night) {
    const auto facts = load_build_facts(db, build);
    if (facts.built || !facts.no_input) return;
    throw Error(
        Errc::conflict, "the source of " + night + " cannot be had, so it is not measured again");
}

/// What the runs of its request said of the series.
struct Measured {
    SessionId session;
    SessionVerdict verdict;
};

std::optional<Measured> find_measured(Database& db, const MissedRow& missed) {
    for (const auto& session : list_request_sessions(db, missed.request)) {
        for (auto& one : list_session_verdicts(db, session.id)) {
            if (one.series == missed.series && one.verdict) return Measured{session.id, one};
        }
    }
    return std::nullopt;
}

class Settling {
  public:
    Settling(Database& db, const Config& config, MissedId id, std::int64_t now_s)
        : db_(db), config_(config), missed_(load_missed(db, id)), now_s_(now_s) {}

    void settle() {
        if (const auto found = find_covering(db_, missed_.series, missed_.nightly)) {
            return move(
                MissedState::taken_back,
                "regression " + to_string(found->id) + " was found meanwhile");
        }
        const auto measured = find_measured(db_, missed_);
        if (!measured || *measured->verdict.verdict == Verdict::watch) {
            return move(
                MissedState::undecided,
                measured ? measured->verdict.reason : find_request_message(db_, missed_.request));
        }
        const auto words = ends_words(measured->verdict);
        // A person's word makes a change matter that lies below the threshold.
        if (!is_surely_worse(*measured->verdict.verdict))
            return move(MissedState::not_confirmed, words);
        confirm(*measured, words);
    }

  private:
    void move(MissedState to, const std::string& message) {
        move_missed(db_, missed_.id, to, message, now_s_);
    }

    void confirm(const Measured& measured, const std::string& words) {
        const auto series = load_series(db_, missed_.series);
        const auto nightly = load_nightly(db_, missed_.nightly);
        ToldChange told;
        told.series = series.id;
        told.nightly = nightly.id;
        told.good_nightly = missed_.good_nightly;
        told.session = measured.session;
        told.base = find_night_value(db_, series.id, told.good_nightly).value_or(0);
        told.value = find_night_value(db_, series.id, told.nightly).value_or(0);
        told.confirmed = measured.verdict.comparison;
        told.change_ratio = told.confirmed.change_ratio;
        told.reason = missed_.token + " told it as missed; " + words;
        const auto suspicion = add_told_suspicion(db_, told, now_s_);
        if (!suspicion) return;  // the night was given back, and asks by itself
        note_told_suspicion(db_, missed_.id, *suspicion);
        begin_told_level(series.id, nightly.id);
        const auto& project = project_of(db_, config_, series.project);
        const ConfirmedChange change{
            .suspicion = *suspicion,
            .series = series.id,
            .good_nightly = told.good_nightly,
            .session = told.session,
            .confirmed = told.confirmed,
            .threshold = load_request(db_, missed_.request).asked.threshold};
        const auto regression =
            open_regression(db_, project, config_.jobs, nightly, {change}, now_s_);
        move(MissedState::confirmed, "regression " + to_string(regression) + "; " + words);
    }

    /// As where the loop had asked: the series is at a new level from that night on.
    void begin_told_level(SeriesId series, NightlyId night) {
        constexpr NightlyId newest{std::numeric_limits<std::int64_t>::max()};
        if (find_level_start(db_, series, newest) < night) {
            add_level(db_, series, {night, night, false, true}, "regression confirmed", now_s_);
        }
        mark_stale(db_, series);
    }

    Database& db_;
    const Config& config_;
    MissedRow missed_;
    std::int64_t now_s_;
};

}  // namespace

MissedId tell_missed(
    Database& db, const Config& config, const ToldMissed& told, std::int64_t now_s) {
    const auto series = load_series(db, told.series);
    const auto nightly = load_nightly(db, told.nightly);
    if (nightly.project != series.project) {
        throw Error(
            Errc::invalid_argument,
            night_words(nightly) + " is of another project than series " + to_string(series.id));
    }
    if (series.judging == Judging::no_direction) {
        throw Error(
            Errc::conflict,
            "nothing says which way of series " + to_string(series.id) + " is better");
    }
    check_judged(nightly);
    check_uncovered(db, series.id, nightly);
    const auto nights = load_nights_until(db, series, nightly);
    const auto& good = nights[nights.size() - 2];
    const auto& bad = nights.back();
    NewMissed missed;
    missed.project = series.project;
    missed.series = series.id;
    missed.nightly = nightly.id;
    missed.good_nightly = good.nightly;
    if (!told.commit.empty()) missed.believed = find_commit(db, good.nightly, nightly, told.commit);
    missed.reason = told.reason;
    missed.token = told.by;
    NewRequest wanted;
    wanted.project = series.project;
    wanted.kind = RequestKind::comparison;
    wanted.a = "build/" + to_string(good.build);
    wanted.b = "build/" + to_string(bad.build);
    wanted.a_build = good.build;
    wanted.b_build = bad.build;
    wanted.asked.variants = {measured_variant(db, config, series)};
    wanted.asked.metric = series.metric;
    wanted.asked.series = series.id;
    const auto& project = project_of(db, config, series.project);
    wanted.asked.threshold = told_threshold(project, series, nights);
    wanted.token = told.by;
    check_build(db, good.build, "the night before");
    check_build(db, bad.build, night_words(nightly));
    missed.request = ask(db, wanted, now_s);
    return add_missed(db, missed, now_s);
}

void take_back_missed(Database& db, MissedId missed, const std::string& by, std::int64_t now_s) {
    const auto row = load_missed(db, missed);
    if (row.state == MissedState::confirmed) {
        throw Error(
            Errc::conflict,
            "missed " + to_string(missed) +
                " is a regression by now; where it is none, refute that");
    }
    const auto why = "taken back by " + by;
    move_missed(db, missed, MissedState::taken_back, why, now_s);
    if (!is_over(load_request(db, row.request).state)) {
        end_request(db, row.request, RequestState::cancelled, why, now_s);
    }
}

void settle_missed(Database& db, const Config& config, std::int64_t now_s) {
    constexpr int most = 20;  // the next call goes on
    for (const auto id : list_measured_missed(db, most)) {
        const auto trouble = try_alone(db, [&] { Settling(db, config, id, now_s).settle(); });
        if (!trouble) continue;
        move_missed(db, id, MissedState::undecided, "it cannot be judged: " + *trouble, now_s);
    }
}

}  // namespace vigil::service
