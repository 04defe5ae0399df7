#include "service/cli/ask/change.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/error.hpp"
#include "schema/model/scopes.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

/// The options of these names that are given.
json body_of(const CommandContext& context, std::initializer_list<const char*> names) {
    auto body = json::object();
    for (const char* name : names) {
        if (context.invocation.has(name)) body[name] = context.invocation.get(name);
    }
    return body;
}

/// The last word of the command.
std::string verb_of(const CommandContext& context) {
    const std::string& name = context.invocation.command->name;
    return name.substr(name.find(' ') + 1);
}

/// The number of the night in the first argument, which may be its name.
std::string night_argument(const CommandContext& context) {
    const std::string& night = context.invocation.arguments[0];
    if (night.find_first_not_of("0123456789") == night.npos) return id_argument(context);
    auto filters = filters_of(context, {"project"});
    filters["nightly"] = night;
    const auto found = context.api.list("/api/v1/nightlies", filters, 1);
    if (found.empty()) throw Error(Errc::not_found, "there is no nightly " + night);
    return std::to_string(number_at(found.front(), "id"));
}

/// The number of what was told of the series since this night, and stands.
std::string standing_missed(
    const CommandContext& context, const std::string& series, const std::string& since) {
    const auto name = since.ends_with(".1") ? since.substr(0, since.size() - 2) : since;
    for (const auto& one : context.api.list("/api/v1/missed", {{"series", series}}, max_lines)) {
        const bool is_night = words_at(one, "nightly") == since || text_at(one, "night") == name;
        if (is_night && text_at(one, "state") != "taken_back") return words_at(one, "id");
    }
    throw Error(
        Errc::not_found,
        "no missed regression is reported for series " + series + " since " + since +
            "; `vigil missed` lists the reported ones");
}

/// A file that is there, for its owner only, before the secret is made: one that could not be
/// written would be lost. Gone again when it was not written.
class SecretFile {
  public:
    explicit SecretFile(std::string path) : path_(std::move(path)) {
        fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd_ >= 0) return;
        const bool there = errno == EEXIST;
        throw Error(
            there ? Errc::conflict : Errc::unavailable,
            "making the file " + path_ + ": " + std::strerror(errno) +
                (there ? "; remove it or name another" : "") + "; no token was created");
    }
    ~SecretFile() {
        ::close(fd_);
        if (!written_) ::unlink(path_.c_str());
    }
    SecretFile(const SecretFile&) = delete;
    SecretFile& operator=(const SecretFile&) = delete;

    void write(const std::string& secret) {
        const std::string line = secret + "\n";
        written_ = ::write(fd_, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                   ::fsync(fd_) == 0;
        if (written_) return;
        throw Error(
            Errc::unavailable,
            "writing " + path_ + ": " + std::strerror(errno) +
                "; the token exists: revoke it and create it again");
    }

  private:
    std::string path_;
    int fd_ = -1;
    bool written_ = false;
};

}  // namespace

ExitCode move_regression(const CommandContext& context) {
    static const std::map<std::string, std::string> states{
        {"ack", "acknowledged"},
        {"acknowledge", "acknowledged"},
        {"accept", "accepted"},
        {"refute", "refuted"},
        {"reopen", "reported"}};
    const std::string id = id_argument(context);
    json body = body_of(context, {"reason"});
    const std::string& state = states.at(verb_of(context));
    body["state"] = state;
    return print_reply(
        context,
        context.api.post("/api/v1/regressions/" + id + "/state", body),
        fmt::format("Regression {} is {}.\n", id, state));
}

ExitCode assign_regression(const CommandContext& context) {
    const std::string id = id_argument(context);
    const bool nobody = context.invocation.has("nobody");
    json body = body_of(context, {"to", "reason"});
    if (nobody) body["to"] = "";
    return print_reply(
        context,
        context.api.post("/api/v1/regressions/" + id + "/assign", body),
        fmt::format(
            "Regression {} is {}.\n",
            id,
            nobody ? "nobody's" : "assigned to " + printable(context.invocation.get("to"))));
}

ExitCode mute_thing(const CommandContext& context) {
    const std::string id = id_argument(context);
    const bool series = context.invocation.command->name == "series mute";
    json body = body_of(context, {"reason", "owner"});
    body["until_s"] = coming_time(context.invocation.get("until"), "until", context.world.now_s());
    const auto reply = context.api.post(
        (series ? "/api/v1/series/" : "/api/v1/regressions/") + id + "/mute", body);
    return print_reply(
        context,
        reply,
        fmt::format(
            "{} {} is muted until {} (mute {}).\n",
            series ? "Series" : "Regression",
            id,
            text::utc(number_at(reply, "until_s")),
            number_at(reply, "id")));
}

ExitCode tell_missed(const CommandContext& context) {
    const std::string id = id_argument(context);
    const std::string& since = context.invocation.get("since");
    if (context.invocation.has("take-back")) {
        const auto missed = standing_missed(context, id, since);
        context.api.remove("/api/v1/missed/" + missed);
        return print_reply(
            context,
            {{"taken_back", missed}},
            fmt::format("Report {} of a missed regression is withdrawn.\n", missed));
    }
    const auto reply = context.api.post(
        "/api/v1/series/" + id + "/missed", body_of(context, {"since", "commit", "reason"}));
    return print_reply(
        context,
        reply,
        fmt::format(
            "Missed regression {}: night {} is compared with night {} (request {}).\n",
            number_at(reply, "id"),
            number_at(reply, "nightly"),
            number_at(reply, "good_nightly"),
            number_at(reply, "request")));
}

ExitCode end_mute(const CommandContext& context) {
    const std::string id = id_argument(context);
    return print_reply(
        context,
        context.api.post("/api/v1/mutes/" + id + "/end", body_of(context, {"reason"})),
        fmt::format("Mute {} has ended.\n", id));
}

ExitCode change_night(const CommandContext& context) {
    const std::string id = night_argument(context);
    const std::string verb = verb_of(context);
    const auto reply = context.api.post(
        "/api/v1/nights/" + id + "/" + verb, body_of(context, {"reason", "worker"}));
    const auto stands = withdrawn_words(array_at(reply, "withdrawn"));
    const std::string done = verb == "restore" ? "counts" : "is not withdrawn";
    return print_reply(
        context,
        reply,
        fmt::format("Night {} {}.\n", id, stands.empty() ? done : "is " + printable(stands)));
}

ExitCode retry_job(const CommandContext& context) {
    const std::string id = id_argument(context);
    const auto reply = context.api.post("/api/v1/jobs/" + id + "/retry", json::object());
    return print_reply(
        context,
        reply,
        fmt::format("Job {} is queued again as job {}.\n", id, number_at(reply, "job")));
}

ExitCode cancel_job(const CommandContext& context) {
    const std::string id = id_argument(context);
    return print_reply(
        context,
        context.api.post("/api/v1/jobs/" + id + "/cancel", json::object()),
        fmt::format("Job {} is cancelled.\n", id));
}

ExitCode retry_report(const CommandContext& context) {
    const std::string id = id_argument(context);
    const auto reply = context.api.post("/api/v1/reports/" + id + "/retry", json::object());
    std::string said;
    for (const auto& target : array_at(reply, "targets")) {
        said += fmt::format(
            "Report {} will be sent to {} again.\n", id, printable(target.get<std::string>()));
    }
    if (said.empty()) said = fmt::format("Report {} has no failed delivery.\n", id);
    return print_reply(context, reply, said);
}

ExitCode retry_message(const CommandContext& context) {
    const std::string id = id_argument(context);
    const bool notice = context.invocation.command->name == "notices retry";
    const auto reply = context.api.post(
        (notice ? "/api/v1/notices/" : "/api/v1/outbox/") + id + "/retry", json::object());
    return print_reply(
        context,
        reply,
        fmt::format(
            "{} {} will be sent to {} again.\n",
            notice ? "Notice" : "Message",
            id,
            printable(text_at(reply, "target"))));
}

ExitCode change_worker(const CommandContext& context) {
    const std::string& name = context.invocation.arguments[0];
    const std::string verb = verb_of(context);
    return print_reply(
        context,
        context.api.post(
            "/api/v1/workers/" + http::percent_encode(name) + "/" + verb,
            body_of(context, {"reason"})),
        fmt::format(
            "Worker {} {}.\n",
            printable(name),
            verb == "release" ? "may measure again" : "gets no jobs"));
}

ExitCode add_token(const CommandContext& context) {
    const Invocation& asked = context.invocation;
    json wish = {
        {"name", asked.arguments[0]},
        {"scope", to_string(parse_scopes(asked.get("scope", "read")))}};
    if (asked.has("expires")) {
        wish["expires_at_s"] = coming_time(asked.get("expires"), "expires", context.world.now_s());
    }
    if (asked.has("projects")) {
        wish["projects"] = split_by_comma(asked.get("projects"));
    }
    std::optional<SecretFile> file;
    if (asked.has("secret-file")) file.emplace(asked.get("secret-file"));
    auto reply = context.api.post("/api/v1/tokens", wish);
    const std::string secret = text_at(reply, "secret");
    if (file) {
        file->write(secret);
        reply["secret"] = nullptr;
        return print_reply(
            context,
            reply,
            "The secret of " + printable(asked.arguments[0]) + " is in " +
                printable(asked.get("secret-file")) + ".\n");
    }
    // The secret alone on standard output, so that it can go into a file as it is.
    print_reply(context, reply, printable(secret) + "\n");
    if (!context.json) {
        *context.world.err << "vigil: keep it in a file of mode 0600; it is not shown again\n";
    }
    return ExitCode::ok;
}

ExitCode revoke_token(const CommandContext& context) {
    const std::string& name = context.invocation.arguments[0];
    context.api.remove("/api/v1/tokens/" + http::percent_encode(name));
    return print_reply(context, {{"revoked", name}}, "Token " + printable(name) + " is revoked.\n");
}

}  // namespace vigil::cli
