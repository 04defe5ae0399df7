#include "service/watch/watch.hpp"

#include <functional>
#include <string>
#include <string_view>

#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/ids.hpp"
#include "service/store/machines/canary_checks.hpp"
#include "service/store/nights/backfills.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/records.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/imports.hpp"
#include "service/store/work/night_jobs.hpp"
#include "service/store/work/runs.hpp"
#include "service/watch/confirm/confirm.hpp"
#include "service/watch/confirm/unconfirmed.hpp"
#include "service/watch/health_checks.hpp"
#include "service/watch/machines/canary.hpp"
#include "service/watch/machines/storm.hpp"
#include "service/watch/night/directions.hpp"
#include "service/watch/night/drifts.hpp"
#include "service/watch/night/judge.hpp"
#include "service/watch/night/night_words.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/night/plan_changes.hpp"
#include "service/watch/night/withdraw.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/recover/level_today.hpp"
#include "service/watch/recover/recover.hpp"
#include "service/watch/recover/reverted.hpp"
#include "service/watch/requested/improvements.hpp"
#include "service/watch/search/bisect.hpp"
#include "service/watch/search/breakage.hpp"
#include "service/watch/search/fix_search.hpp"
#include "service/watch/search/regressions.hpp"

namespace vigil::service {

namespace {

// One step of one night. Each state's function says whether the night came to another state.
class NightStep {
  public:
    NightStep(
        Database& db,
        const Config& whole,
        const ProjectConfig& config,
        const NightlyRow& nightly,
        std::int64_t now_s)
        : db_(db),
          whole_(whole),
          config_(config),
          nightly_(nightly),
          now_s_(now_s),
          elsewhere_(is_external(config)) {}

    bool advance() {
        switch (nightly_.state) {
            case NightlyState::measuring: return nightly_.beside ? measure_beside() : measure();
            case NightlyState::confirming: return confirm();
            case NightlyState::searching: return search();
            case NightlyState::failed:
                advance_searches();  // for the commit that broke its build
                return false;
            case NightlyState::done:
                advance_searches();  // for what fixed
                return false;
        }
        return false;
    }

  private:
    bool measure() {
        end_unbuildable_jobs(db_, config_, nightly_, now_s_);
        if (has_open_jobs(db_, nightly_.id)) return false;
        if (const auto why = why_withdrawn(list_withdrawals(db_, nightly_.id))) {
            return move(NightlyState::failed, *why + "; it was not judged");
        }
        if (repeat_unbuilt_jobs(db_, config_, nightly_, now_s_) > 0) return true;
        // The verdicts of an earlier night move the baselines.
        if (has_unjudged_before(db_, nightly_)) return false;
        if (is_looking(db_, nightly_.project)) return false;  // its steps are levels, soon
        if (elsewhere_) {
            if (!is_closed(db_, nightly_.id, now_s_ - config_.source.settle_s)) return false;
            if (has_stale(db_, nightly_.project)) return false;  // years came, and are followed
        } else if (check_canaries(db_, whole_, nightly_.id, now_s_)) {
            return false;
        }
        const auto counts = judge();
        note_compared(db_, nightly_.id, counts.series - counts.first);
        if (counts.series + counts.silent > 0) {
            return move(NightlyState::confirming, judged_words(counts));
        }
        move(NightlyState::failed, why_unmeasured(load_unmeasured()));
        search_breakage(db_, config_, nightly_, now_s_);
        return true;
    }

    NightCounts judge() {
        part("looking at the build", [&] { note_build(db_, nightly_, now_s_); });
        part("determining better directions", [&] {
            settle_directions(db_, config_, nightly_, now_s_);
        });
        part("comparing the plan", [&] { note_plan_changes(db_, nightly_, now_s_); });
        auto counts = judge_nightly(db_, config_, nightly_, now_s_);
        part("looking for moved machines", [&] {
            if (!elsewhere_) find_storms(db_, config_, nightly_.id, counts.moves, now_s_);
        });
        part("looking for fixes", [&] {
            expect_recovered(db_, config_, nightly_.id);
            expect_reverts(db_, config_, nightly_.id);
        });
        part("looking for variants that no longer run", [&] {
            counts.silent = judge_outcomes(db_, config_, nightly_, now_s_);
        });
        part("looking for leaks", [&] { judge_leaks(db_, config_, nightly_, now_s_); });
        return counts;
    }

    // Nothing is made of it: neither a judgement nor a search.
    bool measure_beside() {
        end_unbuildable_jobs(db_, config_, nightly_, now_s_);
        if (has_open_jobs(db_, nightly_.id)) return false;
        if (repeat_unbuilt_jobs(db_, config_, nightly_, now_s_) > 0) return true;
        if (!has_values(db_, nightly_.id)) {
            return move(NightlyState::failed, why_unmeasured(load_unmeasured()));
        }
        const auto undone = list_undone_jobs(db_, nightly_.id);
        return move(
            NightlyState::done,
            nightly_.backfill ? past_words(*nightly_.backfill, undone)
                              : beside_words(*nightly_.beside, undone));
    }

    bool confirm() {
        if (!can_measure_again(config_)) {
            end_unconfirmed(db_, nightly_.id, now_s_);
        } else if (
            (!elsewhere_ && check_storms(db_, config_, whole_.jobs, nightly_.id, now_s_)) ||
            confirm_nightly(db_, config_, nightly_.id, now_s_)) {
            return false;
        }
        ConfirmedCounts counts;
        part("closing recovered regressions", [&] {
            counts.recovered = close_recovered(db_, whole_, config_, nightly_.id, now_s_);
            tell_reverts(db_, whole_, nightly_.id, now_s_);
            forget_unfixed(db_, nightly_.id);
        });
        part("storing the levels of today", [&] { tell_levels(db_, nightly_.id, now_s_); });
        counts.opened = open_regressions(db_, config_, whole_.jobs, nightly_, now_s_);
        part(
            "searching improvements", [&] { search_improvements(db_, config_, nightly_, now_s_); });
        part("listing drifts", [&] {
            counts.drifts = record_drifts(db_, config_, nightly_, now_s_);
        });
        return move(NightlyState::searching, confirmed_words(counts));
    }

    bool search() {
        advance_searches();
        for (const auto& open : list_open_bisections(db_, nightly_.id)) {
            if (open.kind != BisectionKind::mending) return false;
        }
        if (waits_for_fix(db_, nightly_.id)) return false;
        part("searching fixes", [&] {
            search_fixes(db_, config_, whole_.jobs, nightly_.id, now_s_);
        });
        const auto undone = list_undone_jobs(db_, nightly_.id);
        move(NightlyState::done, done_words(nightly_.compared_series, undone));
        end_earlier_quarantined(db_, nightly_, now_s_);
        return true;
    }

    void advance_searches() {
        for (const auto& open : list_open_bisections(db_, nightly_.id)) {
            if (open.state == BisectionState::listing) continue;  // the git lane has it
            const auto trouble =
                try_alone(db_, [&] { advance_bisection(db_, whole_, config_, open.id, now_s_); });
            if (!trouble) continue;
            quarantine_bisection(db_, open.id, "its step failed: " + *trouble, now_s_);
        }
    }

    Unmeasured load_unmeasured() {
        return {
            .build = find_build_failure(db_, nightly_.build),
            .canary = find_moved_canary(db_, nightly_.id),
            .value = find_unjudged_reason(db_, nightly_.id),
            .job = find_job_message(db_, nightly_.id)};
    }

    bool move(NightlyState to, const std::string& message) {
        move_nightly(db_, nightly_.id, to, message, now_s_);
        return true;
    }

    // What fails of it is left out, and the night goes on.
    void part(std::string_view what, const std::function<void()>& work) {
        try_part(db_, nightly_, what, work, now_s_);
    }

    Database& db_;
    const Config& whole_;
    const ProjectConfig& config_;
    const NightlyRow& nightly_;
    std::int64_t now_s_;
    bool elsewhere_;  // nothing of it is measured here
};

}  // namespace

bool advance_nightly(Database& db, const Config& config, NightlyId id, std::int64_t now_s) {
    const auto nightly = find_nightly(db, id);
    if (!nightly) return false;
    const auto project = config.projects.find(load_project_name(db, nightly->project));
    if (project == config.projects.end()) return false;  // no longer watched: its night waits
    return NightStep(db, config, project->second, *nightly, now_s).advance();
}

}  // namespace vigil::service
