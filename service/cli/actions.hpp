#pragma once

#include <functional>
#include <map>
#include <string>

#include "service/cli/api.hpp"
#include "service/cli/options.hpp"
#include "service/cli/run.hpp"

// What each command does: asks the server, prints, and says how the program ends.

namespace vigil::cli {

class Table;

struct Session {
    const Invocation& invocation;
    const Surroundings& world;
    const Api& api;
    bool json = false;
    bool colours = false;
};

/// Without a server.
/// @throws Error{invalid_argument} without --stdio, or with a --trigger that is none
void check_stdio(const Invocation& invocation, const Surroundings& world);
ExitCode init_repository(const Invocation& invocation, const Surroundings& world);
ExitCode plan_over_stdio(const Invocation& invocation, const Surroundings& world);
ExitCode confirm_over_stdio(const Invocation& invocation, const Surroundings& world);
ExitCode detect_over_stdio(const Invocation& invocation, const Surroundings& world);
ExitCode detect(const Invocation& invocation, const Surroundings& world);

ExitCode show_status(const Session& session);
ExitCode list_nights(const Session& session);
ExitCode list_regressions(const Session& session);
ExitCode list_suspicions(const Session& session);
ExitCode list_drifts(const Session& session);
ExitCode show_precision(const Session& session);
ExitCode list_reports(const Session& session);
ExitCode show_report(const Session& session);
ExitCode show_regression(const Session& session);
ExitCode reproduce(const Session& session);
ExitCode list_jobs(const Session& session);
ExitCode show_logs(const Session& session);
ExitCode export_history(const Session& session);
ExitCode list_workers(const Session& session);
ExitCode list_canaries(const Session& session);
ExitCode summarize_night(const Session& session);
ExitCode trigger(const Session& session);
ExitCode change_regression(const Session& session);
ExitCode withdraw_night(const Session& session);
ExitCode restore_night(const Session& session);
ExitCode cancel_job(const Session& session);
ExitCode release_worker(const Session& session);
ExitCode retry_report(const Session& session);
ExitCode add_token(const Session& session);
ExitCode list_tokens(const Session& session);
ExitCode revoke_token(const Session& session);

/// Whether a regression in this state asks somebody for something.
bool is_open_state(const std::string& state);
/// How much worse one series of a regression is: "+18.3 %", "broken".
std::string change_words(const nlohmann::json& series);
/// "mlp (train) on xeon, cpu_time_ns +18.3 %, and 2 more".
std::string regression_words(const nlohmann::json& regression);
/// "active", "not seen for 4 min 00 s", "quarantined, not seen for 2 h 05 min".
std::string worker_words(const nlohmann::json& worker);
/// What of a night is withdrawn: "withdrawn by ada: hot"; empty: nothing.
std::string withdrawn_words(const nlohmann::json& withdrawn);
/// A number of an item as text; empty where it has none.
std::string id_at(const nlohmann::json& item, const char* key);
/// The table, or `none` where it has no rows.
/// @param toned_column  whose words have colours; -1: no column's
ExitCode print_table(
    const Session& session, const Table& table, const std::string& none, int toned_column);
/// Prints as JSON that is safe on a terminal.
void print_json(const Session& session, const nlohmann::json& value);
/// The number in argument `index`. @throws Error{invalid_argument}
std::string id_argument(const Session& session, std::size_t index);
std::int64_t limit_of(const Session& session);
/// The filters since_s and until_s from the days that --since and --until name.
std::map<std::string, std::string> with_days(
    const Session& session, std::map<std::string, std::string> filters);
/// The items of a list. Nothing found may be a slip in a name: then the names are looked up.
/// @throws Error{not_found} when the daemon has no such project, benchmark or worker; as Api::list
nlohmann::json list_known(
    const Session& session,
    const std::string& path,
    const std::map<std::string, std::string>& filters,
    std::int64_t limit);
/// Filters for the server from options of the same names.
std::map<std::string, std::string> filters_of(
    const Session& session, const std::vector<std::string>& names);

}  // namespace vigil::cli
