#include "service/cli/run.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "schema/model/error.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/model/version.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/backtest.hpp"
#include "service/cli/detect_file.hpp"
#include "service/cli/display.hpp"
#include "service/cli/local.hpp"
#include "service/cli/summarize.hpp"

namespace vigil::cli {

namespace {

constexpr const char* default_server = "http://127.0.0.1:8321";

using Action = ExitCode (*)(const Session&);

const std::map<std::string, Action>& actions() {
    static const std::map<std::string, Action> all{
        {"status", show_status},
        {"nights", list_nights},
        {"regressions", list_regressions},
        {"suspicions", list_suspicions},
        {"drifts", list_drifts},
        {"precision", show_precision},
        {"reports", list_reports},
        {"report show", show_report},
        {"reproduce", reproduce},
        {"jobs", list_jobs},
        {"logs", show_logs},
        {"workers", list_workers},
        {"history", export_history},
        {"canaries", list_canaries},
        {"summarize", summarize_night},
        {"trigger", trigger},
        {"regression show", show_regression},
        {"regression acknowledge", change_regression},
        {"regression accept", change_regression},
        {"regression refute", change_regression},
        {"regression reopen", change_regression},
        {"night withdraw", withdraw_night},
        {"night restore", restore_night},
        {"job cancel", cancel_job},
        {"report retry", retry_report},
        {"worker release", release_worker},
        {"token add", add_token},
        {"token list", list_tokens},
        {"token revoke", revoke_token}};
    return all;
}

/// A command that needs no server.
struct LocalCommand {
    ExitCode (*run)(const Invocation&, const Surroundings&) = nullptr;
    /// Refuses options that make no sense together, before anything is read, built or measured.
    void (*check)(const Invocation&, const Surroundings&) = nullptr;
};

const std::map<std::string, LocalCommand>& local_commands_by_name() {
    static const std::map<std::string, LocalCommand> all{
        {"init", {init_repository, nullptr}},
        {"bisect plan", {plan_over_stdio, check_stdio}},
        {"bisect run", {bisect_commits, check_search}},
        {"bisect replay", {replay_log, check_report}},
        {"bisect explain", {explain_log, nullptr}},
        {"compare", {compare_commits, check_search}},
        {"confirm", {confirm_over_stdio, check_stdio}},
        {"detect", {detect, check_detect}},
        {"backtest", {backtest_file, check_history_files}},
        {"summarize", {summarize_files, nullptr}}};
    return all;
}

/// What this command line does without a server, if it can.
LocalCommand local_command_of(const Invocation& invocation) {
    const auto found = local_commands_by_name().find(invocation.command->name);
    const bool of_daemon = invocation.command->name == "summarize" && invocation.arguments.empty();
    return found == local_commands_by_name().end() || of_daemon ? LocalCommand{} : found->second;
}

std::string environment(const Surroundings& world, const std::string& name) {
    const auto found = world.environment.find(name);
    return found == world.environment.end() ? "" : found->second;
}

std::string read_token(const std::string& file) {
    if (file.empty()) return "";
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(Errc::invalid_argument, "cannot open the token file " + file);
    std::string token{std::istreambuf_iterator<char>(in), {}};
    const auto end = token.find_last_not_of(" \r\n\t");
    token.resize(end == token.npos ? 0 : end + 1);
    const bool plain =
        token.find_first_not_of(
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~+/=") == token.npos;
    if (token.empty() || !plain) {
        throw Error(Errc::invalid_argument, "the file " + file + " does not hold a token");
    }
    return token;
}

/// The person's own token, for a server on this machine: no other is shown it unasked. Empty when
/// there is none.
std::string own_token_file(const Surroundings& world, const std::string& server) {
    const auto address = http::parse_base_url(server).host;
    if (address != "localhost" && address != "127.0.0.1" && address != "::1") return "";
    auto folder = environment(world, "XDG_CONFIG_HOME");
    if (folder.empty()) folder = environment(world, "HOME") + "/.config";
    const auto file = folder + "/vigil/token";
    std::error_code hidden;  // a folder of another user: then there is none for us
    return std::filesystem::exists(file, hidden) ? file : "";
}

ExitCode exit_code_of(Errc code) {
    switch (code) {
        case Errc::unavailable: return ExitCode::unreachable;
        case Errc::invalid_argument:
        case Errc::denied:
        case Errc::not_found:
        case Errc::conflict:
        case Errc::internal: return ExitCode::refused;
    }
    return ExitCode::refused;
}

/// Arguments that must be numbers are.
void check_arguments(const Invocation& invocation) {
    for (std::size_t i = 0; i < invocation.arguments.size(); ++i) {
        const std::string& name = invocation.command->arguments[i];
        std::string text = invocation.arguments[i];
        if (name == "JOB" && (text.starts_with("run/") || text.starts_with("job/"))) {
            text = text.substr(4);
        }
        if (name == "ID" && invocation.command->name == "report show" && text == "latest") continue;
        if (name == "ID" || name == "JOB") parse_number(text, name, 1, max_id);
    }
}

/// The command with all it needs; wrong options are errors before anything is sent.
struct Prepared {
    Invocation invocation;
    std::string server;
    std::string token;
};

Prepared prepare(const std::vector<std::string>& args, const Surroundings& world) {
    Prepared prepared{parse_command_line(args), "", ""};
    const Invocation& invocation = prepared.invocation;
    if (invocation.help || invocation.version) return prepared;
    if (invocation.command->name == "summarize") summary_wishes(invocation);
    const LocalCommand local = local_command_of(invocation);
    if (local.check != nullptr) local.check(invocation, world);
    if (local.run != nullptr) return prepared;
    check_arguments(invocation);
    const std::string from_environment = environment(world, "VIGIL_SERVER");
    prepared.server =
        invocation.get("server", from_environment.empty() ? default_server : from_environment);
    http::parse_base_url(prepared.server);
    const auto named = invocation.get("token-file", environment(world, "VIGIL_TOKEN_FILE"));
    prepared.token = read_token(named.empty() ? own_token_file(world, prepared.server) : named);
    for (const char* day : {"since", "until"}) {
        if (invocation.has(day)) text::parse_day(invocation.get(day));
    }
    const std::string& name = invocation.command->name;
    const bool needs_reason = name == "regression accept" || name == "regression refute" ||
                              name == "regression reopen" || name == "night withdraw";
    if (needs_reason && invocation.get("reason").empty()) {
        throw Error(Errc::invalid_argument, "vigil " + name + " needs --reason 'why'");
    }
    if (invocation.has("revision")) static_cast<void>(Revision(invocation.get("revision")));
    if (invocation.has("revision") && invocation.has("version")) {
        throw Error(Errc::invalid_argument, "give --revision or --version, not both");
    }
    return prepared;
}

std::string asked_help(const Invocation& invocation) {
    if (invocation.command != nullptr) return help_text(*invocation.command);
    return invocation.group.empty() ? help_text() : group_help_text(invocation.group);
}

void complain(const Surroundings& world, const std::string& message) {
    *world.err << (message.starts_with("vigil ") ? "" : "vigil: ") << printable(message) << "\n";
}

std::string unavailable_words(const Prepared& prepared, const std::string& why) {
    if (prepared.server.empty()) return why;
    const std::string words = prepared.server + ": " + why;
    if (prepared.server != default_server) return words;
    return words + "; it is the default: is vigild running here? --server URL names another";
}

/// An answer that nobody could read is no answer: a full disk, a closed file.
int checked_output(const Surroundings& world, ExitCode code) {
    world.out->flush();
    if (*world.out) return static_cast<int>(code);
    complain(world, "writing the answer to standard output failed");
    return static_cast<int>(ExitCode::unreachable);
}

}  // namespace

int run(const std::vector<std::string>& args, const Surroundings& world) {
    Prepared prepared;
    try {
        prepared = prepare(args, world);
    } catch (const Error& error) {
        complain(world, error.what());
        return static_cast<int>(ExitCode::usage);
    } catch (const std::exception& error) {
        complain(world, error.what());
        return static_cast<int>(ExitCode::refused);
    }
    const Invocation& invocation = prepared.invocation;
    if (invocation.version) *world.out << "vigil " << program_version() << "\n";
    if (invocation.help) *world.out << asked_help(invocation);
    if (invocation.version || invocation.help) return checked_output(world, ExitCode::ok);
    try {
        if (const auto local = local_command_of(invocation); local.run != nullptr) {
            return checked_output(world, local.run(invocation, world));
        }
        const Api api(prepared.server, prepared.token);
        const bool colours = world.terminal && environment(world, "NO_COLOR").empty() &&
                             environment(world, "TERM") != "dumb";
        const Session session{invocation, world, api, invocation.has("json"), colours};
        return checked_output(world, actions().at(invocation.command->name)(session));
    } catch (const Error& error) {
        complain(
            world,
            error.code() == Errc::unavailable ? unavailable_words(prepared, error.what())
                                              : std::string(error.what()));
        return static_cast<int>(exit_code_of(error.code()));
    } catch (const std::exception& error) {  // a file or folder that cannot be read or made
        complain(world, error.what());
        return static_cast<int>(ExitCode::refused);
    }
}

}  // namespace vigil::cli
