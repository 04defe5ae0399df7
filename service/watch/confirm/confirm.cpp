#include "service/watch/confirm/confirm.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "service/store/alone.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/confirm/night_budget.hpp"
#include "service/watch/confirm/session.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

// A session whose blocks keep failing says nothing; it is given up, and tomorrow is another night.
constexpr int max_empty_blocks = 3;

std::vector<OpenSuspicion> list_confirming(Database& db, NightlyId nightly) {
    auto confirming = list_unended(db, nightly);
    std::erase_if(confirming, [](const auto& one) { return !one.session; });
    return confirming;
}

// What cannot even be judged says nothing; the other sessions go on.
void give_up(
    Database& db, const OpenSuspicion& suspicion, const std::string& why, std::int64_t now_s) {
    if (suspicion.by_outcome) {
        end_outcome(db, suspicion, Verdict::watch, {}, why, now_s);
        return;
    }
    std::optional<detect::Answer> answer;
    try_alone(db, [&] { answer = answer_unasked(db, suspicion, Verdict::watch); });
    end_suspicion(db, suspicion, answer.value_or(detect::Answer{}), {}, why, now_s);
}

struct OutcomeCounts {
    int a_runs = 0, a_passed = 0, b_runs = 0, b_passed = 0;
};

OutcomeCounts count_outcomes(Database& db, SessionId session) {
    OutcomeCounts counts;
    auto rows = db.query(
        "SELECT r.build_id <> x.b_build_id, r.outcome = 'passed' FROM session x "
        "JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE x.id = ?1",
        session);
    while (rows.next()) {
        const bool passed = rows.get<bool>(1);
        if (rows.get<bool>(0)) {
            ++counts.a_runs;
            counts.a_passed += passed ? 1 : 0;
        } else {
            ++counts.b_runs;
            counts.b_passed += passed ? 1 : 0;
        }
    }
    return counts;
}

// Does it still not run, where the old build does? One block tells.
bool judge_outcome(
    Database& db, const OpenSuspicion& suspicion, int empty_blocks, std::int64_t now_s) {
    const auto counts = count_outcomes(db, *suspicion.session);
    const std::string figures = "old build passed " + std::to_string(counts.a_passed) + " of " +
                                std::to_string(counts.a_runs) + " runs, new build " +
                                std::to_string(counts.b_passed) + " of " +
                                std::to_string(counts.b_runs);
    if (counts.a_runs < 2 || counts.b_runs < 2) {
        if (empty_blocks < max_empty_blocks) return true;
        end_outcome(db, suspicion, Verdict::watch, {}, "given up: " + figures, now_s);
        return false;
    }
    const Verdict verdict = counts.b_passed > 0   ? Verdict::noise
                            : counts.a_passed > 0 ? Verdict::broken
                                                  : Verdict::environment;
    Comparison comparison;
    comparison.runs_before = counts.a_runs;
    comparison.runs_after = counts.b_runs;
    end_outcome(db, suspicion, verdict, comparison, figures, now_s);
    return false;
}

class SessionJudge {
  public:
    SessionJudge(
        Database& db,
        const ProjectConfig& config,
        NightlyId nightly,
        detect::RunBudget& budget,
        std::int64_t now_s)
        : db_(db), config_(config), nightly_(nightly), budget_(budget), now_s_(now_s) {}

    /// Judges what stands on one session whose jobs have ended.
    /// @return  the runs it wants; none: it is over
    std::vector<detect::WantedRun> judge(
        const std::vector<OpenSuspicion>& suspicions, const SessionState& state) {
        std::vector<detect::WantedRun> wanted;
        for (const auto& suspicion : suspicions) {
            const auto trouble = try_alone(db_, [&] {
                const auto runs = suspicion.by_outcome ? judge_block(suspicion, state)
                                                       : judge_one(suspicion, state);
                if (runs.size() > wanted.size()) wanted = runs;
            });
            if (!trouble) continue;
            give_up(db_, suspicion, "its session cannot be judged: " + *trouble, now_s_);
        }
        return wanted;
    }

  private:
    std::vector<detect::WantedRun> judge_block(
        const OpenSuspicion& suspicion, const SessionState& state) {
        if (!judge_outcome(db_, suspicion, state.empty_jobs, now_s_)) return {};
        detect::Question whole;
        whole.old_nights = {suspicion.good_nightly.value};
        return detect::next_runs(whole, 0);
    }

    std::vector<detect::WantedRun> judge_one(
        const OpenSuspicion& suspicion, const SessionState& state) {
        const auto record = load_record(db_, suspicion.series, nightly_);
        if (!record || !record->question) {
            const auto why = "an earlier version of the service asked, and its question is lost";
            end_suspicion(db_, suspicion, {}, {}, why, now_s_);
            return {};
        }
        const auto series = load_series(db_, suspicion.series);
        const auto runs = load_runs(db_, *suspicion.session, suspicion.series);
        const auto word = detect::judge_question(
            *record, loop_rules(db_, config_, series), runs, is_same_source(suspicion));
        if (word.decided) {
            end_suspicion(db_, suspicion, word.answer, word.comparison, word.reason, now_s_);
            return {};
        }
        // Runs may pass and yet hold no value of this series.
        const int valued = runs.empty() ? 0 : runs.back().block + 1;
        const int blocks = static_cast<int>(state.runs / block_runs);
        const int empty_blocks = std::max(state.empty_jobs, blocks - valued);
        if (empty_blocks >= max_empty_blocks) {
            const auto why =
                "given up: " + std::to_string(empty_blocks) + " blocks gave no pair of values";
            end_suspicion(db_, suspicion, word.answer, word.comparison, why, now_s_);
            return {};
        }
        auto wanted = detect::next_runs(*record->question, state.runs);
        const int size = static_cast<int>(wanted.size());
        if (budget_.may_go_on(static_cast<int>(state.runs), size)) return wanted;
        auto answer = word.answer;
        answer.is_measured = false;  // what it has found so far counts tomorrow
        const auto why = runs_are_spent(config_);
        end_suspicion(db_, suspicion, answer, word.comparison, why, now_s_, why);
        return {};
    }

    // Two builds of one revision cannot hold a culprit: what differs is around them.
    bool is_same_source(const OpenSuspicion& suspicion) const {
        return load_revision(db_, build_of(db_, suspicion.good_nightly)) ==
               load_revision(db_, build_of(db_, nightly_));
    }

    static constexpr std::size_t block_runs = 4;

    Database& db_;
    const ProjectConfig& config_;
    NightlyId nightly_;
    detect::RunBudget& budget_;
    std::int64_t now_s_;
};

// The first runs of a session: what the most patient question on it asks for.
std::vector<detect::WantedRun> first_runs(Database& db, SessionId session, NightlyId nightly) {
    std::vector<detect::WantedRun> wanted;
    for (const auto& suspicion : list_confirming(db, nightly)) {
        if (suspicion.session != session) continue;
        detect::Question question;
        question.old_nights = {suspicion.good_nightly.value};
        const auto record = load_record(db, suspicion.series, nightly);
        if (!suspicion.by_outcome && record && record->question) question = *record->question;
        const auto runs = detect::next_runs(question, 0);
        if (runs.size() > wanted.size()) wanted = runs;
    }
    return wanted;
}

}  // namespace

bool confirm_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    const auto confirming = list_confirming(db, nightly);
    auto budget = load_budget(db, config, nightly);
    SessionJudge judge(db, config, nightly, budget, now_s);
    bool waiting = false;
    for (std::size_t from = 0, to = 0; from < confirming.size(); from = to) {
        const auto session = *confirming[from].session;
        while (to < confirming.size() && confirming[to].session == session) ++to;
        const auto state = load_state(db, session);
        if (state.open_jobs > 0) {
            waiting = true;
            continue;
        }
        const auto wanted =
            judge.judge({confirming.begin() + from, confirming.begin() + to}, state);
        if (wanted.empty()) {
            db.execute("UPDATE session SET state = 'done' WHERE id = ?1", session);
            continue;
        }
        budget.go_on(static_cast<int>(state.runs), static_cast<int>(wanted.size()));
        add_runs(db, config, session, wanted, now_s);
        waiting = true;
    }
    // What has ended gives back what it held.
    for (const auto session : begin_sessions(db, config, nightly, now_s)) {
        add_runs(db, config, session, first_runs(db, session, nightly), now_s);
        waiting = true;
    }
    if (!waiting) let_wait(db, config, nightly, now_s);
    return waiting;
}

}  // namespace vigil::service
