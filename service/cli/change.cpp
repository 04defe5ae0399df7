#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/error.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr int poll_s = 2;
constexpr long long default_timeout_s = 86'400;

/// Where a wish and its night stand, in one line.
struct Progress {
    std::string words;
    bool ended = false;
    bool failed = false;
    std::int64_t nightly = 0;
};

Progress look(const Session& session, std::int64_t trigger) {
    const auto wish = session.api.get("/api/v1/triggers/" + std::to_string(trigger));
    const std::string state = text_at(wish, "state");
    Progress progress;
    progress.words = "looking for a nightly";
    if (state == "failed") return {text_at(wish, "message"), true, true, 0};
    if (!is_set(wish, "nightly")) {
        if (state == "done") return {text_at(wish, "message"), true, false, 0};
        return progress;
    }
    progress.nightly = number_at(wish, "nightly");
    const auto night = session.api.get("/api/v1/nightlies/" + std::to_string(progress.nightly));
    const std::string now = text_at(night, "state");
    progress.words = fmt::format("nightly of {}: {}", night_name(night), now);
    progress.ended = now == "done" || now == "failed";
    progress.failed = now == "failed";
    if (progress.failed) progress.words += ": " + text_at(night, "message");
    return progress;
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// "16 series compared, 2 measured for the first time"; empty: nobody counted them.
std::string compared_words(const json& summary) {
    if (!is_set(summary, "compared")) return "";
    const std::int64_t compared = number_at(summary, "compared");
    const std::int64_t first = number_at(summary, "first");
    const std::int64_t rest = number_at(summary, "measured") - compared - first;
    std::string out = compared == 0 ? "" : fmt::format(", {} series compared", compared);
    if (first > 0) out += fmt::format(", {} measured for the first time", first);
    if (rest > 0) out += fmt::format(", {} with nothing to compare with", rest);
    return out.empty() ? "" : out.substr(2);
}

/// What asks for a person after the night: open regressions of its project, what is missing, what
/// waits; or that nothing does.
std::string summary_words(const json& summary, bool failed) {
    const std::string compared = compared_words(summary);
    if (flag_at(summary, "all_clear")) {
        return "all clear" + (compared.empty() ? "" : ": " + compared) + "\n";
    }
    const auto& night = object_at(summary, "nightly");
    const bool is_beside = is_set(night, "beside");
    const auto& open = array_at(summary, "open");
    const auto fresh = std::count_if(
        open.begin(), open.end(), [](const auto& one) { return flag_at(one, "new"); });
    std::string out = "nothing is open\n";
    if (is_set(summary, "compared") && number_at(summary, "compared") == 0) {
        out = "nothing was compared: " + compared + "\n";
    }
    if (is_beside) {
        out = fmt::format(
            "measured beside the nights: {}; nothing was judged\n",
            printable(text_at(night, "beside")));
    }
    if (!open.empty()) {
        out = counted(open.size(), "regression is open", "regressions are open");
        if (is_set(summary, "nightly")) {
            out += fmt::format(
                ", {} found by this night", fresh == 0 ? "none" : std::to_string(fresh));
        }
        out += ":\n";
    } else if (failed) {
        out.clear();
    }
    for (const auto& one : open) {
        out += fmt::format(
            "  {}: {} ({}{})\n",
            number_at(one, "id"),
            printable(text_at(one, "title")),
            printable(text_at(one, "state")),
            flag_at(one, "new")
                ? ""
                : ", since " + printable(
                                   is_set(one, "found_name") ? text_at(one, "found_name")
                                                             : text_at(one, "found_day")));
    }
    const auto& missing = array_at(summary, "missing");
    if (!missing.empty()) {
        out += counted(missing.size(), "thing is", "things are") + " missing:\n";
    }
    for (const auto& one : missing) {
        out += fmt::format(
            "  {}: {}\n", printable(text_at(one, "what")), printable(text_at(one, "why")));
    }
    const std::int64_t waiting = number_at(summary, "waiting");
    if (waiting > 0) {
        out += counted(static_cast<std::size_t>(waiting), "suspicion waits", "suspicions wait") +
               " for the next night's runs\n";
    }
    return out;
}

/// What a night's summary says, of a wish that found no nightly to measure.
json without_night(const Session& session, const Progress& progress) {
    json open = json::array();
    const std::map<std::string, std::string> filters{{"project", session.invocation.arguments[0]}};
    for (const auto& one : session.api.list("/api/v1/regressions", filters, max_lines)) {
        if (!is_open_state(text_at(one, "state"))) continue;
        open.push_back(
            {{"id", number_at(one, "id")},
             {"state", text_at(one, "state")},
             {"title", regression_words(one)},
             {"new", false},
             {"found_day", text::utc(number_at(one, "created_at_s")).substr(0, 10)}});
    }
    return {{"nightly", nullptr}, {"message", progress.words}, {"open", std::move(open)}};
}

ExitCode end_of_wait(const Session& session, const Progress& progress) {
    const auto summary =
        progress.nightly == 0
            ? without_night(session, progress)
            : session.api.get("/api/v1/nights/" + std::to_string(progress.nightly) + "/summary");
    if (session.json) {
        print_json(session, summary);
    } else {
        const auto& night = object_at(summary, "nightly");
        const auto withdrawn = withdrawn_words(array_at(night, "withdrawn"));
        if (!withdrawn.empty()) *session.world.out << printable(withdrawn) << "\n";
        *session.world.out << summary_words(summary, progress.failed);
    }
    const bool open = !array_at(summary, "open").empty();
    return progress.failed || open ? ExitCode::negative : ExitCode::ok;
}

ExitCode wait_for(const Session& session, std::int64_t trigger) {
    const long long timeout_s = session.invocation.number("timeout", default_timeout_s);
    const std::int64_t until_s = session.world.now_s() + timeout_s;
    std::string said;
    for (;;) {
        const Progress progress = look(session, trigger);
        if (!session.json && progress.words != said) {
            *session.world.out << printable(progress.words) << "\n" << std::flush;
            said = progress.words;
        }
        if (progress.ended) return end_of_wait(session, progress);
        if (session.world.now_s() >= until_s) {
            *session.world.err << "vigil: the night did not end in " << text::duration(timeout_s)
                               << "; it goes on without us\n";
            return ExitCode::negative;
        }
        session.world.pause_s(poll_s);
    }
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
                (there ? "; remove it or name another" : "") + "; no token was made");
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
                "; the token was made: revoke it and make it again");
    }

  private:
    std::string path_;
    int fd_ = -1;
    bool written_ = false;
};

}  // namespace

ExitCode trigger(const Session& session) {
    json wish = {{"project", session.invocation.arguments[0]}};
    for (const char* name : {"revision", "version"}) {
        if (session.invocation.has(name)) wish[name] = session.invocation.get(name);
    }
    const std::string key =
        session.invocation.has("key") ? session.invocation.get("key") : session.world.random_key();
    const auto reply = session.api.post("/api/v1/triggers", wish, key);
    const std::int64_t id = number_at(reply, "trigger");
    if (session.invocation.has("wait")) return wait_for(session, id);
    if (session.json) {
        print_json(session, reply);
    } else {
        *session.world.out << fmt::format(
            "Asked for a nightly of {} (trigger {}); vigil status shows it.\n",
            printable(session.invocation.arguments[0]),
            id);
    }
    return ExitCode::ok;
}

ExitCode change_regression(const Session& session) {
    const std::string id = id_argument(session, 0);
    const std::string& command = session.invocation.command->name;
    const std::string state = command.ends_with("accept")   ? "accepted"
                              : command.ends_with("refute") ? "refuted"
                              : command.ends_with("reopen") ? "reported"
                                                            : "acknowledged";
    json body = {{"state", state}};
    if (session.invocation.has("reason")) body["reason"] = session.invocation.get("reason");
    const auto reply = session.api.post("/api/v1/regressions/" + id + "/state", body);
    if (session.json) return print_json(session, reply), ExitCode::ok;
    *session.world.out << fmt::format("Regression {} is {}.\n", id, state);
    return ExitCode::ok;
}

namespace {

/// The number of the night in the first argument, which may be its name.
std::string night_argument(const Session& session) {
    const std::string& night = session.invocation.arguments[0];
    if (night.find_first_not_of("0123456789") == night.npos) return id_argument(session, 0);
    auto filters = filters_of(session, {"project"});
    filters["nightly"] = night;
    const auto found = session.api.list("/api/v1/nightlies", filters, 1);
    if (found.empty()) throw Error(Errc::not_found, "there is no nightly " + night);
    return std::to_string(number_at(found.front(), "id"));
}

ExitCode change_night(const Session& session, const std::string& verb, const std::string& done) {
    const std::string id = night_argument(session);
    auto body = json::object();
    for (const char* name : {"reason", "worker"}) {
        if (session.invocation.has(name)) body[name] = session.invocation.get(name);
    }
    const auto reply = session.api.post("/api/v1/nights/" + id + "/" + verb, body);
    if (session.json) return print_json(session, reply), ExitCode::ok;
    const auto stands = withdrawn_words(array_at(reply, "withdrawn"));
    *session.world.out << fmt::format(
        "Night {} {}.\n", id, stands.empty() ? done : "is " + printable(stands));
    return ExitCode::ok;
}

}  // namespace

ExitCode withdraw_night(const Session& session) {
    return change_night(session, "withdraw", "is not withdrawn");
}

ExitCode restore_night(const Session& session) {
    return change_night(session, "restore", "counts");
}

ExitCode cancel_job(const Session& session) {
    const std::string id = id_argument(session, 0);
    const auto reply = session.api.post("/api/v1/jobs/" + id + "/cancel", json::object());
    if (session.json) return print_json(session, reply), ExitCode::ok;
    *session.world.out << fmt::format("Job {} is cancelled.\n", id);
    return ExitCode::ok;
}

ExitCode retry_report(const Session& session) {
    const std::string id = id_argument(session, 0);
    const auto reply = session.api.post("/api/v1/reports/" + id + "/retry", json::object());
    if (session.json) return print_json(session, reply), ExitCode::ok;
    const auto& targets = array_at(reply, "targets");
    if (targets.empty()) {
        *session.world.out << fmt::format("Nothing of report {} was given up.\n", id);
    }
    for (const auto& target : targets) {
        *session.world.out << fmt::format(
            "Report {} will be sent to {} again.\n", id, printable(target.get<std::string>()));
    }
    return ExitCode::ok;
}

ExitCode release_worker(const Session& session) {
    const std::string& name = session.invocation.arguments[0];
    const auto reply = session.api.post(
        "/api/v1/workers/" + http::percent_encode(name) + "/release", json::object());
    if (session.json) return print_json(session, reply), ExitCode::ok;
    *session.world.out << fmt::format("Worker {} may measure again.\n", printable(name));
    return ExitCode::ok;
}

ExitCode add_token(const Session& session) {
    const json wish = {
        {"name", session.invocation.arguments[0]},
        {"scope", session.invocation.get("scope", "read")}};
    std::optional<SecretFile> file;
    if (session.invocation.has("secret-file")) file.emplace(session.invocation.get("secret-file"));
    auto reply = session.api.post("/api/v1/tokens", wish);
    if (file) {
        file->write(text_at(reply, "secret"));
        reply["secret"] = nullptr;
        if (session.json) return print_json(session, reply), ExitCode::ok;
        *session.world.out << "The secret of " << printable(session.invocation.arguments[0])
                           << " is in " << printable(session.invocation.get("secret-file"))
                           << ".\n";
        return ExitCode::ok;
    }
    if (session.json) return print_json(session, reply), ExitCode::ok;
    // The secret alone on standard output, so that it can go into a file as it is.
    *session.world.out << printable(text_at(reply, "secret")) << "\n";
    *session.world.err << "vigil: keep it in a file of mode 0600; it is not shown again\n";
    return ExitCode::ok;
}

ExitCode revoke_token(const Session& session) {
    const std::string& name = session.invocation.arguments[0];
    session.api.remove("/api/v1/tokens/" + http::percent_encode(name));
    if (session.json) return print_json(session, {{"revoked", name}}), ExitCode::ok;
    *session.world.out << "Token " << printable(name) << " is revoked.\n";
    return ExitCode::ok;
}

}  // namespace vigil::cli
