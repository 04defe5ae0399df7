#include "service/cli/run.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "schema/model/error.hpp"
#include "schema/model/scopes.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/model/version.hpp"
#include "service/cli/ask/context.hpp"
#include "service/cli/command_line.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/help.hpp"

namespace vigil::cli {

namespace {

constexpr const char* default_server = "http://127.0.0.1:8321";

bool works_here(const Invocation& invocation) {
    const CommandAction& action = invocation.command->action;
    return action.works != nullptr && (action.asks == nullptr || !invocation.arguments.empty());
}

std::string environment(const Surroundings& world, const std::string& name) {
    const auto found = world.environment.find(name);
    return found == world.environment.end() ? "" : found->second;
}

std::string read_token(const std::string& file) {
    if (file.empty()) return "";
    std::ifstream in(file, std::ios::binary);
    if (!in) refuse("cannot open the token file " + file);
    std::string token{std::istreambuf_iterator<char>(in), {}};
    const auto end = token.find_last_not_of(" \r\n\t");
    token.resize(end == token.npos ? 0 : end + 1);
    const bool plain =
        token.find_first_not_of(
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~+/=") == token.npos;
    if (token.empty() || !plain) {
        refuse("the file " + file + " does not hold a token");
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

/// Arguments that must be numbers are.
void check_arguments(const Invocation& invocation) {
    for (std::size_t i = 0; i < invocation.arguments.size(); ++i) {
        const auto& names = invocation.command->arguments;
        const std::string& name = names[std::min(i, names.size() - 1)];  // "[FILE...]" is several
        std::string text = invocation.arguments[i];
        if (name == "JOB" && (text.starts_with("run/") || text.starts_with("job/"))) {
            text = text.substr(4);
        }
        if (name == "ID" && invocation.command->name == "report show" && text == "latest") continue;
        if (name == "ID" || name == "JOB" || name == "SERIES") parse_number(text, name, 1, max_id);
    }
}

/// Days of lists, and ends of what people decide.
void check_times(const Invocation& invocation, const Surroundings& world) {
    const bool mutes = invocation.command->name.ends_with(" mute");
    if (mutes) coming_time(invocation.get("until"), "until", world.now_s());
    if (invocation.has("expires")) {
        coming_time(invocation.get("expires"), "expires", world.now_s());
    }
    for (const char* day : {"since", "until"}) {
        const auto& options = invocation.command->options;
        const bool is_time = std::ranges::any_of(
            options, [&](const Option& one) { return one.name == day && one.value == "DATE"; });
        if (is_time && !mutes && invocation.has(day)) {
            parse_when(invocation.get(day), world.now_s());
        }
    }
}

void check_reason(const Invocation& invocation) {
    static constexpr std::array<std::string_view, 8> all{
        "regression accept",
        "regression refute",
        "regression reopen",
        "regression mute",
        "series mute",
        "mute end",
        "night withdraw",
        "worker quarantine"};
    const std::string& name = invocation.command->name;
    const bool needs_reason = std::find(all.begin(), all.end(), name) != all.end();
    if (needs_reason && invocation.get("reason").empty()) {
        refuse("vigil " + name + " needs --reason 'why'");
    }
    if (name == "regression missed" && invocation.get("since").empty()) {
        refuse("vigil " + name + " needs --since NIGHT, the first bad night");
    }
    if (name == "regression assign" && invocation.has("to") == invocation.has("nobody")) {
        refuse("vigil " + name + " needs --to NAME, or --nobody");
    }
    if (name == "token add") parse_scopes(invocation.get("scope", "read"));
}

/// The command with all it needs; wrong options are errors before anything is sent.
struct Prepared {
    Invocation invocation;
    std::string server;
    std::string token;
};

Prepared prepare(
    const Program& program, const std::vector<std::string>& args, const Surroundings& world) {
    Prepared prepared{parse_command_line(program, args), "", ""};
    const Invocation& invocation = prepared.invocation;
    if (invocation.help || invocation.version) return prepared;
    const CommandAction& action = invocation.command->action;
    if (action.check != nullptr) action.check(invocation, world);
    if (works_here(invocation)) return prepared;
    check_arguments(invocation);
    const std::string from_environment = environment(world, "VIGIL_SERVER");
    prepared.server =
        invocation.get("server", from_environment.empty() ? default_server : from_environment);
    http::parse_base_url(prepared.server);
    const auto named = invocation.get("token-file", environment(world, "VIGIL_TOKEN_FILE"));
    prepared.token = read_token(named.empty() ? own_token_file(world, prepared.server) : named);
    check_times(invocation, world);
    check_reason(invocation);
    if (invocation.has("revision")) static_cast<void>(Revision(invocation.get("revision")));
    if (invocation.has("revision") && invocation.has("version")) {
        refuse("give --revision or --version, not both");
    }
    return prepared;
}

std::string requested_help(const Program& program, const Invocation& invocation) {
    if (invocation.command != nullptr) return help_text(program, *invocation.command);
    return invocation.group.empty() ? help_text(program)
                                    : group_help_text(program, invocation.group);
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
    complain(world, "writing to standard output failed");
    return static_cast<int>(ExitCode::unreachable);
}

}  // namespace

int run(const std::vector<std::string>& args, const Surroundings& world, const Program& program) {
    Prepared prepared;
    try {
        prepared = prepare(program, args, world);
    } catch (const Error& error) {
        complain(world, error.what());
        return static_cast<int>(ExitCode::usage);
    } catch (const std::exception& error) {
        complain(world, error.what());
        return static_cast<int>(ExitCode::refused);
    }
    const Invocation& invocation = prepared.invocation;
    if (invocation.version) *world.out << version_line(program.name) << "\n";
    if (invocation.help) *world.out << requested_help(program, invocation);
    if (invocation.version || invocation.help) return checked_output(world, ExitCode::ok);
    try {
        const CommandAction& action = invocation.command->action;
        if (works_here(invocation)) {
            return checked_output(world, action.works(invocation, world));
        }
        const Api api(prepared.server, prepared.token);
        const bool colours = world.terminal && environment(world, "NO_COLOR").empty() &&
                             environment(world, "TERM") != "dumb";
        const CommandContext context{invocation, world, api, invocation.has("json"), colours};
        return checked_output(world, action.asks(context));
    } catch (const Error& error) {
        const bool away = error.code() == Errc::unavailable;
        complain(world, away ? unavailable_words(prepared, error.what()) : error.what());
        return static_cast<int>(away ? ExitCode::unreachable : ExitCode::refused);
    } catch (const std::exception& error) {  // a file or folder that cannot be read or made
        complain(world, error.what());
        return static_cast<int>(ExitCode::refused);
    }
}

}  // namespace vigil::cli
