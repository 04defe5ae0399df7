#include "service/watch/confirm/confirm.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "service/store/alone.hpp"
#include "service/watch/confirm/night_budget.hpp"
#include "service/watch/confirm/session.hpp"
#include "service/watch/confirm/unconfirmed.hpp"
#include "service/watch/series/case_runs.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

// A session whose blocks keep failing says nothing; it is given up, and tomorrow is another night.
constexpr int max_empty_blocks = 3;

constexpr const char* not_answered =
    "not confirmed: who measures it elsewhere was asked, and gave no pair of values";

std::string words_of(const OutcomeCounts& counts) {
    return "old build passed " + std::to_string(counts.a_passed) + " of " +
           std::to_string(counts.a_runs) + " runs, new build " + std::to_string(counts.b_passed) +
           " of " + std::to_string(counts.b_runs);
}

// One old build against the new one, as long as it may take.
detect::Question plain_question(const OpenSuspicion& suspicion) {
    detect::Question question;
    question.old_nights = {suspicion.good_nightly.value};
    return question;
}

// Judges what stands on one session whose jobs have ended.
class SessionJudge {
  public:
    SessionJudge(
        Database& db,
        const ProjectConfig& config,
        const SessionRow& session,
        std::span<const SessionJob> jobs,
        const detect::RunBudget& budget,
        std::int64_t now_s)
        : db_(db),
          config_(config),
          session_(session),
          jobs_(jobs),
          state_(state_of(jobs)),
          budget_(budget),
          now_s_(now_s) {}

    /// @return  the runs it wants; none: it is over
    std::vector<detect::WantedRun> judge(std::span<const OpenSuspicion> suspicions) {
        std::vector<detect::WantedRun> wanted;
        for (const auto& suspicion : suspicions) {
            const auto trouble = try_alone(db_, [&] {
                if (is_unanswered()) return end_unconfirmed(db_, suspicion, not_answered, now_s_);
                const auto runs =
                    suspicion.by_outcome ? judge_outcome(suspicion) : judge_question(suspicion);
                if (runs.size() > wanted.size()) wanted = runs;
            });
            if (!trouble) continue;
            // What cannot even be judged says nothing; the other sessions go on.
            leave_suspicion(db_, suspicion, "its session cannot be judged: " + *trouble, now_s_);
        }
        return wanted;
    }

  private:
    // Who measures elsewhere was asked as often as a worker would have been.
    bool is_unanswered() const {
        return is_external(config_) && state_.runs == 0 && state_.empty_jobs > 0;
    }

    std::vector<detect::WantedRun> judge_outcome(const OpenSuspicion& suspicion) {
        const auto counts = count_outcomes(db_, session_.id, suspicion.series.case_name);
        const auto verdict = verdict_of(counts);
        if (!verdict && state_.empty_jobs < max_empty_blocks) {
            return detect::next_runs(plain_question(suspicion), 0);
        }
        SuspicionEnd end{.reason = words_of(counts)};
        if (verdict) {
            end.verdict = *verdict;
            end.comparison.runs_before = counts.a_runs;
            end.comparison.runs_after = counts.b_runs;
        } else {
            end.reason = "given up: " + end.reason;
        }
        end_suspicion(db_, suspicion, end, now_s_);
        return {};
    }

    std::vector<detect::WantedRun> judge_question(const OpenSuspicion& suspicion) {
        const auto record = load_asking(db_, suspicion);
        if (!record) {
            const auto* why = "an earlier version of the service asked, and its question is lost";
            end_suspicion(db_, suspicion, {.reason = why}, now_s_);
            return {};
        }
        const auto& series = suspicion.series;
        const auto runs = runs_in_blocks(jobs_, list_session_values(db_, session_.id, series.id));
        auto word = detect::judge_question(
            *record, loop_rules(db_, config_, series), runs, session_.same_source);
        if (word.decided) {
            answer_suspicion(db_, suspicion, *record, word, now_s_);
            return {};
        }
        // Runs may pass and yet hold no value of this series.
        const int valued = runs.empty() ? 0 : runs.back().block + 1;
        const int blocks = static_cast<int>(state_.runs / block_runs);
        const int empty_blocks = std::max(state_.empty_jobs, blocks - valued);
        if (empty_blocks >= max_empty_blocks) {
            word.reason =
                "given up: " + std::to_string(empty_blocks) + " blocks gave no pair of values";
            answer_suspicion(db_, suspicion, *record, word, now_s_);
            return {};
        }
        auto wanted = detect::next_runs(*record->question, state_.runs);
        const int asked = static_cast<int>(state_.runs);
        if (budget_.may_go_on(asked, static_cast<int>(wanted.size()))) return wanted;
        word.answer.is_measured = false;  // what it has found so far counts tomorrow
        word.reason = runs_are_spent(budget_);
        answer_suspicion(db_, suspicion, *record, word, now_s_, word.reason);
        return {};
    }

    Database& db_;
    const ProjectConfig& config_;
    const SessionRow& session_;
    std::span<const SessionJob> jobs_;
    SessionState state_;
    const detect::RunBudget& budget_;
    std::int64_t now_s_;
};

// The first runs of a session: what the most patient question on it asks for.
std::vector<detect::WantedRun> first_runs(
    Database& db, const std::vector<OpenSuspicion>& suspicions) {
    std::vector<detect::WantedRun> wanted;
    for (const auto& suspicion : suspicions) {
        const auto record = load_asking(db, suspicion);
        const auto runs =
            detect::next_runs(record ? *record->question : plain_question(suspicion), 0);
        if (runs.size() > wanted.size()) wanted = runs;
    }
    return wanted;
}

void begin_session(
    Database& db,
    const ProjectConfig& config,
    const SessionSuspicions& chosen,
    std::int64_t now_s) {
    const auto& suspicions = chosen.suspicions;
    const auto session = ensure_session(db, suspicions.front(), chosen.case_name, now_s);
    for (const auto& one : suspicions) join_session(db, one, session);
    const auto wanted = first_runs(db, suspicions);
    add_runs(db, config, load_session(db, session), wanted, Priority::confirm, now_s);
}

// @return  whether it goes on
bool continue_session(
    Database& db,
    const ProjectConfig& config,
    std::span<const OpenSuspicion> suspicions,
    detect::RunBudget& budget,
    std::int64_t now_s) {
    const auto id = *suspicions.front().session;
    const auto jobs = list_session_jobs(db, id);
    const auto state = state_of(jobs);
    if (state.open_jobs > 0) return true;
    const auto session = load_session(db, id);
    SessionJudge judge(db, config, session, jobs, budget, now_s);
    const auto wanted = judge.judge(suspicions);
    if (wanted.empty()) {
        end_session(db, id);
        return false;
    }
    budget.go_on(static_cast<int>(state.runs), static_cast<int>(wanted.size()));
    add_runs(db, config, session, wanted, Priority::confirm, now_s);
    return true;
}

}  // namespace

bool confirm_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    const auto unended = list_unended(db, nightly);
    auto from = std::find_if(
        unended.begin(), unended.end(), [](const auto& one) { return one.session.has_value(); });
    const std::vector<OpenSuspicion> open(unended.begin(), from);
    bool waiting = false;
    auto budget = load_budget(db, config, nightly);
    while (from != unended.end()) {
        const auto to = std::find_if(
            from, unended.end(), [&](const auto& one) { return one.session != from->session; });
        waiting |= continue_session(db, config, {from, to}, budget, now_s);
        from = to;
    }
    // What has ended gives back what it held.
    budget = load_budget(db, config, nightly);
    const auto alone = choose_cases_alone(db, config, open);
    for (const auto& chosen : choose_sessions(open, alone, budget)) {
        begin_session(db, config, chosen, now_s);
        waiting = true;
    }
    if (!waiting) let_wait(db, open, budget, now_s);
    return waiting;
}

}  // namespace vigil::service
