#include "service/store/named_states.hpp"

#include <map>

#include "schema/model/state_sets.hpp"

namespace vigil::service {

namespace {

template <NamedEnum State>
std::string sql_list(bool (*is_in_set)(State)) {
    std::string states;
    for (const auto& [state, name] : enum_names<State>) {
        if (is_in_set(state)) states += (states.empty() ? "'" : ", '") + std::string(name) + "'";
    }
    return "(" + states + ")";
}

const std::string& find_sql_list(std::string_view name) {
    static const std::map<std::string, std::string, std::less<>> lists{
        {"open_jobs", sql_list<JobState>(is_open)},
        {"undone_jobs", sql_list<JobState>(is_undone)},
        {"jobs_in_queue", sql_list<JobState>(is_in_queue)},
        {"failures", sql_list<Outcome>(is_failure)},
        {"open_nights", sql_list<NightlyState>(is_open)},
        {"ended_nights", sql_list<NightlyState>(is_over)},
        {"open_backfills", sql_list<BackfillState>(is_open)},
        {"open_suspicions", sql_list<SuspicionState>(is_open)},
        {"open_bisections", sql_list<BisectionState>(is_open)},
        {"open_requests", sql_list<RequestState>(is_open)},
        {"ended_requests", sql_list<RequestState>(is_over)},
        {"open_regressions", sql_list<RegressionState>(is_open)},
        {"unreported_regressions", sql_list<RegressionState>(is_unreported)},
        {"reported_regressions", sql_list<RegressionState>(is_reported)},
        {"pulls_under_way", sql_list<PullState>(is_under_way)},
        {"open_checks", sql_list<CanaryState>(is_open)},
        {"usual_checks", sql_list<CanaryState>(is_usual)},
        {"opening_verdicts", sql_list<Verdict>(opens_regression)},
        {"worse_verdicts", sql_list<Verdict>(is_worse)},
        {"better_verdicts", sql_list<Verdict>(is_better)},
        {"level_verdicts", sql_list<Verdict>(moves_level)},
        {"vain_verdicts", sql_list<Verdict>(finds_nothing)},
        {"refuted_verdicts", sql_list<Verdict>(is_refuted)},
        {"search_purposes", sql_list<Purpose>(is_of_search)},
        {"judgement_purposes", sql_list<Purpose>(is_of_judgement)}};
    const auto found = lists.find(name);
    if (found != lists.end()) return found->second;
    throw Error(Errc::internal, "there is no set of states " + std::string(name));
}

}  // namespace

std::string with_named_states(std::string_view sql) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";
    std::string text(sql);
    for (std::size_t at = 0; (at = text.find('{', at)) != text.npos;) {
        const auto end = text.find_first_not_of(letters, ++at);
        if (end == text.npos || end == at || text[end] != '}') continue;
        text.replace(at - 1, end - at + 2, find_sql_list(text.substr(at, end - at)));
    }
    return text;
}

}  // namespace vigil::service
