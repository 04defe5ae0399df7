#include "service/fleet/slurm_rest.hpp"

#include <chrono>
#include <pwd.h>
#include <unistd.h>

#include "schema/model/error.hpp"
#include "service/config/secret.hpp"
#include "service/fleet/cluster_words.hpp"
#include "service/fleet/slurm_commands.hpp"

namespace vigil::service {

namespace {

constexpr std::chrono::seconds answer_within{60};
constexpr std::int64_t max_answer_bytes = std::int64_t{32} << 20;  // about 6,000 jobs
constexpr std::size_t max_made = 1000;
constexpr std::string_view unix_scheme = "unix:";

bool is_unix(const std::string& address) {
    return address.starts_with(unix_scheme);
}

/// slurmrestd says in JSON what it knows nothing of; where it knows no such path, it does not.
bool knows_no_path(const http::Response& answer) {
    return answer.status == 404 && answer.body.find('{') == std::string::npos;
}

/// What says nothing about the request, in words.
[[noreturn]] void fail_rest(const std::string& what, const std::string& why) {
    throw Error(Errc::unavailable, what + " with slurmrestd: " + why);
}

template <class Read>
auto read(const std::string& what, const Read& body) {
    try {
        return body();
    } catch (const Error& error) {
        if (error.code() != Errc::invalid_argument) throw;
        fail_rest(what, short_line(error.what()));
    }
}

std::string path_of(int version, const std::string& rest, const char* root = "/slurm/v0.0.") {
    return root + std::to_string(version) + rest;
}

}  // namespace

SlurmRest::SlurmRest(
    const std::string& address,
    std::string token_file,
    std::string user,
    const std::atomic<bool>& stop)
    : client_(is_unix(address) ? "http://localhost" : address),
      socket_(is_unix(address) ? address.substr(unix_scheme.size()) : ""),
      token_file_(std::move(token_file)),
      user_(std::move(user)),
      stop_(stop) {}

void SlurmRest::fail_denied() const {
    std::string why = "it takes requests with a token only: set fleet.slurmrestd_token_file";
    if (!token_file_.empty()) {
        why = "it does not take the token for user " + user_ +
              ": the token may be out of date (scontrol token), or slurmrestd lacks auth/jwt "
              "(Debian's package slurm-wlm-jwt-plugin; AuthAltTypes=auth/jwt in slurm.conf)";
    } else if (!socket_.empty()) {
        why = "it takes requests of its own user only: start it as user " + user_ +
              ", or set fleet.slurmrestd_token_file";
    }
    throw Error(Errc::unavailable, "slurmrestd refuses the daemon: " + why);
}

http::Response SlurmRest::send(
    const std::string& method, const std::string& path, const std::string& body) const {
    http::CallOptions options;
    options.timeout = answer_within;
    options.max_response_bytes = max_answer_bytes;
    options.unix_socket = socket_;
    options.stop = &stop_;
    http::Headers headers;
    if (!token_file_.empty()) {
        const auto token = read_secret_file(token_file_, "the token for slurmrestd");
        headers = {{"x-slurm-user-name", user_}, {"x-slurm-user-token", token}};
        options.secrets.push_back(token);
    }
    auto answer = client_.send(method, path, body, headers, options);
    if (answer.status == 401 || answer.status == 403) fail_denied();
    return answer;
}

int SlurmRest::find_version() const {
    for (int version = newest_rest_version; version >= oldest_rest_version; --version) {
        if (!knows_no_path(send("GET", path_of(version, "/ping")))) return version;
    }
    throw Error(
        Errc::unavailable,
        "slurmrestd has none of the versions v0.0." + std::to_string(oldest_rest_version) +
            " to v0.0." + std::to_string(newest_rest_version) +
            "; start it with one, e.g. -s openapi/v0.0.38 for Slurm 22.05");
}

// A path that is not known was acted upon by nobody.
http::Response SlurmRest::ask(
    const std::string& method, const std::string& path, const Body& body) {
    const bool fresh = version_ == 0;
    if (fresh) version_ = find_version();
    auto answer = send(method, path_of(version_, path), body(version_));
    if (!knows_no_path(answer)) return answer;
    version_ = 0;
    accounting_ = true;
    if (fresh) fail_rest(method + " " + path, "it does not know the path");
    return ask(method, path, body);
}

std::string SlurmRest::ask_all(const std::string& path) {
    const auto what = "listing " + path.substr(1);
    const auto answer = ask("GET", path);
    const auto errors = read(what, [&] { return parse_rest_errors(answer.body); });
    if (!errors.words.empty()) {
        const auto* hint = token_file_.empty() ? "" : "; the token may be out of date";
        fail_rest(what, errors.words + hint);
    }
    if (!answer.ok()) fail_rest(what, "status " + std::to_string(answer.status));
    return answer.body;
}

ClusterReply SlurmRest::request(const ClusterRequest& request) {
    http::Response answer;
    RestErrors errors;
    std::optional<std::int64_t> job;
    try {
        answer =
            ask("POST", "/job/submit", [&](int version) { return rest_request(request, version); });
        errors = parse_rest_errors(answer.body);
        job = parse_rest_submitted(answer.body);
    } catch (const Error&) {
        return {};  // it may have been taken: the next look finds it by its name
    }
    if (job) {
        if (made_.size() >= max_made) made_.erase(made_.begin());
        made_.insert(*job);
        return {job, std::nullopt};
    }
    if (errors.is_answer() && !is_no_answer(errors.words)) return {std::nullopt, errors.words};
    return {};
}

/// A job of ours that has another user waits for ever, whatever slurmrestd says.
ClusterJob SlurmRest::own_job(RestJob found) const {
    if (is_own(found)) return std::move(found.job);
    if (!is_over(found.job.state)) found.job.state = ClusterState::pending;
    found.job.reason = wrong_user;
    return std::move(found.job);
}

std::vector<ClusterJob> SlurmRest::list_jobs() {
    const auto body = ask_all("/jobs");
    std::vector<ClusterJob> jobs;
    for (auto& found : read("listing jobs", [&] { return parse_rest_jobs(body); })) {
        if (!is_own(found) && !made_.contains(found.job.id)) continue;
        jobs.push_back(own_job(std::move(found)));
    }
    return jobs;
}

std::optional<ClusterJob> SlurmRest::ask_accounting(std::int64_t job) {
    if (!accounting_ || version_ == 0) return std::nullopt;
    const auto answer =
        send("GET", path_of(version_, "/job/" + std::to_string(job), "/slurmdb/v0.0."));
    if (knows_no_path(answer)) accounting_ = false;
    if (!answer.ok()) return std::nullopt;  // accounting is off, or it does not know the job
    const auto jobs = read("asking the accounting", [&] { return parse_rest_jobs(answer.body); });
    if (jobs.empty()) return std::nullopt;
    return own_job(jobs.back());
}

std::optional<ClusterJob> SlurmRest::look_up(std::int64_t job) {
    if (auto found = ask_accounting(job)) return found;
    const auto what = "asking for job " + std::to_string(job);
    const auto answer = ask("GET", "/job/" + std::to_string(job));
    const auto errors = read(what, [&] { return parse_rest_errors(answer.body); });
    if (errors.no_such_job()) return std::nullopt;
    const auto jobs = read(what, [&] { return parse_rest_jobs(answer.body); });
    if (jobs.empty()) fail_rest(what, errors.words.empty() ? "it shows no job" : errors.words);
    return own_job(jobs.back());
}

std::set<std::string> SlurmRest::list_drained() {
    const auto body = ask_all("/nodes");
    return read("listing nodes", [&] { return parse_rest_drained(body); });
}

void SlurmRest::end(std::int64_t job, const std::string& query) {
    const auto what = "ending job " + std::to_string(job);
    const auto answer = ask("DELETE", "/job/" + std::to_string(job) + query);
    const auto errors = read(what, [&] { return parse_rest_errors(answer.body); });
    if (errors.no_such_job() || errors.is_over_already()) return;
    if (!errors.words.empty()) fail_rest(what, errors.words);
    if (!answer.ok()) fail_rest(what, "status " + std::to_string(answer.status));
}

void SlurmRest::cancel(std::int64_t job) {
    end(job, "");
}

void SlurmRest::dismiss(std::int64_t job) {
    end(job, std::string("?signal=") + dismissal_signal + "&flags=FULL_JOB");
}

std::optional<std::string> SlurmRest::drain(const std::string& node, const std::string& reason) {
    if (version_ == 0) version_ = find_version();
    if (version_ < oldest_draining_version) {
        return "slurmrestd v0.0." + std::to_string(version_) + " drains no nodes";
    }
    const auto what = "draining " + node;
    const auto answer = ask("POST", "/node/" + node, [&](int) { return rest_drain(reason); });
    const auto errors = read(what, [&] { return parse_rest_errors(answer.body); });
    if (errors.is_answer() && !is_no_answer(errors.words)) return errors.words;
    if (!errors.words.empty()) fail_rest(what, errors.words);
    if (!answer.ok()) fail_rest(what, "status " + std::to_string(answer.status));
    return std::nullopt;
}

std::unique_ptr<Cluster> make_cluster(const FleetConfig& fleet, const std::atomic<bool>& stop) {
    if (fleet.slurmrestd.empty()) return std::make_unique<SlurmCommands>(stop);
    const auto* own = ::getpwuid(::geteuid());
    const auto user = own == nullptr ? std::to_string(::geteuid()) : std::string(own->pw_name);
    return std::make_unique<SlurmRest>(fleet.slurmrestd, fleet.slurmrestd_token_file, user, stop);
}

}  // namespace vigil::service
