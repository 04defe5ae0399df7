#include "service/watch/requested/requests.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/session.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/confirm/session.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/requested/request_words.hpp"
#include "service/watch/requested/requested_search.hpp"
#include "service/watch/series/case_runs.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int max_request_tries = 5;
constexpr int max_vain_blocks = 2;  // without a passed run of each side

// One step of one request.
class RequestStep {
  public:
    RequestStep(
        Database& db,
        const Config& whole,
        const ProjectConfig& config,
        const RequestRow& request,
        std::int64_t now_s)
        : db_(db), whole_(whole), config_(config), request_(request), now_s_(now_s) {}

    void advance() {
        switch (request_.state) {
            case RequestState::naming: return begin();
            case RequestState::measuring: return measure();
            case RequestState::searching: return search();
            case RequestState::done:
            case RequestState::failed:
            case RequestState::cancelled: return;
        }
    }

  private:
    bool is_run() const { return request_.kind == RequestKind::run; }

    // So many blocks at most; as many, where somebody said how many runs.
    int most_blocks() const {
        return request_.asked.runs > 0 ? (request_.asked.runs + 1) / 2 : most_requested_blocks;
    }

    void move(RequestState to, const std::string& message) {
        move_request(db_, request_.id, to, message, now_s_);
    }

    void begin() {
        if (!request_.a_build || !request_.b_build) return;  // the git lane has it
        const bool same = *request_.a_build == *request_.b_build;
        if (!is_run() && same) {
            return move(
                RequestState::failed,
                "both names mean build " + to_string(*request_.a_build) +
                    ": there is nothing to compare");
        }
        const auto& asked = request_.asked;
        const auto wanted =
            asked.series ? load_series(db_, *asked.series).case_name : asked.case_name;
        for (const auto& variant : asked.variants) {
            const auto machine_class = ensure_machine_class(db_, variant.machine_class);
            SeriesRow series;
            series.project = request_.project;
            series.benchmark = variant.benchmark;
            series.variant = variant.variant;
            series.machine_class = machine_class;
            series.case_name = wanted;
            const bool alone = can_run_alone(db_, config_, series);
            const auto id = add_request_session(
                db_, request_, variant, machine_class, alone ? wanted : "", now_s_);
            ask(load_session(db_, id), 0);
        }
        move(RequestState::measuring, "");
    }

    void ask(const SessionRow& session, int blocks) {
        std::vector<detect::WantedRun> wanted;
        if (is_run()) {
            wanted.assign(static_cast<std::size_t>(request_.asked.runs), {.side = detect::Side::b});
        } else {
            for (const auto side : detect::block_order(blocks)) wanted.push_back({.side = side});
        }
        add_runs(db_, config_, session, wanted, request_.asked.priority(), now_s_);
    }

    void measure() {
        bool waits = false;
        for (const auto& session : list_request_sessions(db_, request_.id)) {
            if (session.is_open) waits |= go_on(session.id);
        }
        if (!waits) conclude();
    }

    /// @return  whether it goes on
    bool go_on(SessionId id) {
        const auto jobs = list_session_jobs(db_, id);
        const auto state = state_of(jobs);
        if (state.open_jobs > 0) return true;
        const auto session = load_session(db_, id);
        if (is_run()) {
            end_request_session(db_, id, run_words(session));
            return false;
        }
        const int blocks = static_cast<int>(state.runs / block_runs);
        const bool decided = judge(session, jobs);
        const bool enough = decided && (request_.asked.runs == 0 || blocks >= most_blocks());
        const bool vain = state.empty_jobs >= max_vain_blocks;
        if (enough || vain || blocks >= most_blocks()) {
            end_request_session(db_, id, vain ? vain_words(session) : "");
            return false;
        }
        ask(session, blocks);
        return true;
    }

    bool is_requested(const SeriesRow& series) const {
        const auto& metric = request_.asked.metric;
        if (series.judging == Judging::no_direction) return false;
        if (request_.asked.series) return series.id == *request_.asked.series;
        const auto& case_name = request_.asked.case_name;
        if (!case_name.empty() && series.case_name != case_name) return false;
        return metric ? series.metric == *metric : is_judged(config_, series);
    }

    /// @return  whether all that was measured has its verdict
    bool judge(const SessionRow& session, const std::vector<SessionJob>& jobs) {
        const ClassVariant variant{session.benchmark, session.variant, session.machine_class};
        const bool same = same_product(db_, session.old_build, session.new_build);
        bool all = true;
        int judged = 0;
        for (const auto id : list_series(db_, session.project, variant)) {
            const auto series = load_series(db_, id);
            if (!is_requested(series)) continue;
            const auto runs = runs_in_blocks(jobs, list_session_values(db_, session.id, id));
            if (runs.empty()) continue;
            ++judged;
            detect::SessionRules rules;
            rules.direction = series.direction;
            rules.threshold = request_.asked.threshold.value_or(threshold_of(config_, series));
            rules.kind = kind_of(series.metric);
            rules.max_blocks = most_blocks();
            auto said = detect::judge_session(runs, rules);
            if (same) {
                said.decided = true;
                said.verdict = Verdict::noise;
                said.reason = "both builds made the same bytes: there is nothing to measure";
            }
            const auto verdict = said.decided ? std::optional(said.verdict) : std::nullopt;
            note_verdict(db_, session.id, {id, verdict, said.comparison, said.reason});
            all = all && said.decided;
        }
        return judged > 0 && all;
    }

    std::string run_words(const SessionRow& session) {
        const auto counts = count_outcomes(db_, session.id);
        if (counts.b_runs == 0) return why_nothing(session);
        return fmt::format("{} of {} runs passed", counts.b_passed, counts.b_runs);
    }

    std::string vain_words(const SessionRow& session) {
        const auto counts = count_outcomes(db_, session.id);
        if (counts.a_runs == 0 || counts.b_runs == 0) return why_nothing(session);
        return fmt::format(
            "{} of {} runs of a passed, {} of {} of b",
            counts.a_passed,
            counts.a_runs,
            counts.b_passed,
            counts.b_runs);
    }

    std::string why_nothing(const SessionRow& session) {
        for (const auto build : {session.old_build, session.new_build}) {
            const auto facts = load_build_facts(db_, build);
            if (facts.built) continue;
            const auto which =
                "build " + to_string(build) + " (" + load_revision(db_, build).brief() + ")";
            if (facts.no_input) return "the source of " + which + " cannot be had";
            if (const auto why = find_build_failure(db_, build)) {
                return which + " was not built: " + *why;
            }
        }
        return find_session_message(db_, session.id).value_or("nothing was run");
    }

    void conclude() {
        std::vector<SessionVerdict> verdicts;
        std::string empty;  // why one of them says nothing
        bool ran = false;
        SessionId first;
        for (const auto& session : list_request_sessions(db_, request_.id)) {
            const auto counts = count_outcomes(db_, session.id);
            ran = ran || counts.b_passed > 0;
            if (first.value == 0) first = session.id;
            const auto own = list_session_verdicts(db_, session.id);
            if (empty.empty() && (own.empty() || is_run())) empty = session.message;
            verdicts.insert(verdicts.end(), own.begin(), own.end());
        }
        if (is_run()) return move(ran ? RequestState::done : RequestState::failed, empty);
        if (verdicts.empty()) {
            return move(
                RequestState::failed,
                empty.empty() ? "no run gave a value that is judged"
                              : "nothing to judge: " + empty);
        }
        if (request_.kind == RequestKind::comparison) {
            return move(RequestState::done, verdict_words(verdicts));
        }
        const auto& ends = verdicts.front();
        if (!is_apart(ends)) return move(RequestState::done, "not searched: " + ends_words(ends));
        const auto search =
            begin_requested_search(db_, whole_, config_, request_, first, ends, now_s_);
        note_bisection(db_, request_.id, search);
        move(RequestState::searching, ends_words(ends));
    }

    void search() {
        const auto ended =
            advance_requested_search(db_, whole_, config_, *request_.bisection, now_s_);
        if (!ended) return;
        move(ended->is_done ? RequestState::done : RequestState::failed, ended->words);
    }

    Database& db_;
    const Config& whole_;
    const ProjectConfig& config_;
    const RequestRow& request_;
    std::int64_t now_s_;
};

}  // namespace

bool begin_try(Database& db, RequestId request, std::int64_t now_s) {
    if (add_try(db, request) < max_request_tries) return true;
    const auto why = fmt::format("the daemon ended during its step ({} tries)", max_request_tries);
    end_request(db, request, RequestState::failed, why, now_s);
    return false;
}

void advance_request(Database& db, const Config& config, RequestId id, std::int64_t now_s) {
    const auto trouble = try_alone(db, [&] {
        const auto request = load_request(db, id);
        const auto project = config.projects.find(load_project_name(db, request.project));
        if (project == config.projects.end()) return;  // no longer watched: it waits
        RequestStep(db, config, project->second, request, now_s).advance();
    });
    // Nobody waits for it, so it is not tried again.
    if (trouble) {
        end_request(db, id, RequestState::failed, "its step failed: " + *trouble, now_s);
    }
}

void record_named(
    Database& db, const MissingName& missing, const NightlyOffer& offer, std::int64_t now_s) {
    const auto request = load_request(db, missing.request);
    const auto build = ensure_offered_build(db, request.project, offer, now_s);
    note_build(db, request.id, missing.name, build);
}

void record_unnamed(
    Database& db, const MissingName& missing, const std::string& why, std::int64_t now_s) {
    const auto words = "there is no \"" + missing.name + "\": " + why;
    try_alone(db, [&] { end_request(db, missing.request, RequestState::failed, words, now_s); });
}

void end_request(
    Database& db, RequestId id, RequestState to, const std::string& why, std::int64_t now_s) {
    move_request(db, id, to, why, now_s);
    for (const auto job : list_open_jobs(db, id)) cancel_job(db, job, now_s);
    for (const auto& session : list_request_sessions(db, id)) {
        if (session.is_open) end_request_session(db, session.id, why);
    }
    if (const auto search = find_bisection_of(db, id))
        end_requested_search(db, *search, why, now_s);
}

}  // namespace vigil::service
