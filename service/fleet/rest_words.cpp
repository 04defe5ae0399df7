#include "service/fleet/rest_words.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "schema/text/escape.hpp"
#include "schema/wire/json.hpp"
#include "service/fleet/cluster_words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t max_rest_jobs = 20'000;
constexpr std::size_t max_errors = 20;

json parse(std::string_view body) {
    return wire::parse_json(body, "the answer of slurmrestd");
}

/// The member of an object; null: there is none.
const json& member(const json& from, const char* key) {
    static const json none;
    if (!from.is_object()) return none;
    const auto found = from.find(key);
    return found == from.end() ? none : *found;
}

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : "";
}

/// Plain, or {"set", "infinite", "number"} as later versions have it.
std::optional<std::int64_t> number_of(const json& value) {
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_object() || member(value, "set") == json(false)) return std::nullopt;
    if (member(value, "infinite") == json(true)) return std::nullopt;
    const auto& number = member(value, "number");
    return number.is_number_integer() ? std::optional(number.get<std::int64_t>()) : std::nullopt;
}

/// A word, or a list of words.
std::vector<std::string> words_of(const json& value) {
    std::vector<std::string> words;
    if (value.is_string()) words.push_back(value.get<std::string>());
    if (!value.is_array()) return words;
    for (const auto& one : value) {
        if (one.is_string()) words.push_back(one.get<std::string>());
    }
    return words;
}

/// Of a base state and its flags the one that says most, as squeue shows it.
ClusterState state_of(const json& value) {
    constexpr std::array first{ClusterState::completing, ClusterState::starting};
    std::vector<ClusterState> known;
    for (const auto& word : words_of(value)) {
        const auto state = parse_cluster_state(word);
        if (state != ClusterState::unknown) known.push_back(state);
    }
    if (known.empty()) return ClusterState::unknown;
    for (const auto wanted : first) {
        if (std::find(known.begin(), known.end(), wanted) != known.end()) return wanted;
    }
    return known.back();  // a flag comes after the base state
}

/// "exit code 75", "signal 9", or empty. As a wait status, or taken apart.
std::string exit_words(const json& value) {
    const auto code = number_of(member(value, "return_code"));
    const auto& signal = member(value, "signal");
    auto by = number_of(member(signal, "id"));
    if (!by) by = number_of(member(signal, "signal_id"));
    if (by && *by > 0) return "signal " + std::to_string(*by);
    if (code) return *code > 0 ? "exit code " + std::to_string(*code) : "";
    const auto status = number_of(value).value_or(0);
    if (const auto caught = status & 0x7f; caught != 0) return "signal " + std::to_string(caught);
    return status >> 8 > 0 ? "exit code " + std::to_string(status >> 8) : "";
}

std::optional<RestJob> read_job(const json& one) {
    const auto id = number_of(member(one, "job_id"));
    if (!id || *id <= 0) return std::nullopt;
    // The accounting has both in an object.
    const auto& state = member(one, "state");
    const bool live = !state.is_object();
    RestJob read;
    auto& job = read.job;
    job.id = *id;
    job.name = short_line(text_of(member(one, "name")));
    job.state = state_of(live ? member(one, "job_state") : member(state, "current"));
    job.reason = reason_of(text_of(live ? member(one, "state_reason") : member(state, "reason")));
    job.node = one_node(text_of(member(one, "nodes")));
    if (job.state == ClusterState::failed) {
        if (const auto words = exit_words(member(one, "exit_code")); !words.empty()) {
            job.reason += (job.reason.empty() ? "" : ": ") + words;
        }
    }
    read.user = text_of(member(one, live ? "user_name" : "user"));
    return read;
}

/// "gpu:a100:1,nic:1" as trackable resources: each with its kind in front.
std::string tracked(const std::string& gres, const char* kind) {
    std::string all = kind + gres;
    for (auto at = all.find(','); at != all.npos; at = all.find(',', at + 1)) {
        all.insert(at + 1, kind);
    }
    return all;
}

void put(json& job, const char* key, const std::string& value) {
    if (!value.empty()) job[key] = value;
}

constexpr const char* path_value = "/usr/local/bin:/usr/bin:/bin";

// No "argv": slurmrestd 22.05 dies of it. No "signal": it does not take one for the script.
void shape_old(json& job, const ClusterRequest& request, std::int64_t minutes) {
    job["nodes"] = 1;
    job["exclusive"] = "exclusive";
    job["no_requeue"] = true;  // it reads "requeue": false as true
    job["open_mode"] = "append";
    job["time_limit"] = minutes;
    job["environment"] = json::object({{"PATH", path_value}});
    put(job, "gres", request.with.gres);
    put(job, "nodelist", request.node);
    // An option of sbatch; "excluded_nodes" is refused.
    put(job, "exclude_nodes", listed(request.not_nodes));
}

void shape_new(json& job, const ClusterRequest& request, std::int64_t minutes, int version) {
    job["nodes"] = "1";
    job["shared"] = json::array({"none"});
    job["requeue"] = false;
    job["open_mode"] = json::array({"APPEND"});
    job["time_limit"] = {{"set", true}, {"infinite", false}, {"number", minutes}};
    job["environment"] = json::array({std::string("PATH=") + path_value});
    if (!request.with.gres.empty()) {
        job["tres_per_node"] = tracked(request.with.gres, version == 39 ? "gres:" : "gres/");
    }
    if (!request.node.empty()) job["required_nodes"] = json::array({request.node});
    if (!request.not_nodes.empty()) job["excluded_nodes"] = request.not_nodes;
}

// SIGTERM comes from Slurm to every process of a job, to the worker too: it is not passed on, for a
// second one would end the job at hand.
constexpr const char* script_end = R"(worker=$!
(
    trap 'kill "$sleeping"; exit' TERM
    sleep "$pause" &
    sleeping=$!
    wait "$sleeping" && kill -TERM "$worker"
) &
timer=$!
trap : TERM
trap 'kill -TERM "$worker"' URG
# A signal ends a wait, not the worker.
while kill -0 "$worker" 2>/dev/null; do
    wait "$worker"
done
wait "$worker"
code=$?
kill "$timer" 2>/dev/null
exit "$code"
)";

}  // namespace

std::string rest_script(const ClusterRequest& request) {
    std::string command = text::shell_word(request.script);
    for (const auto& argument : request.arguments) command += " " + text::shell_word(argument);
    const auto ends_s = std::max<std::int64_t>(1, request.with.time_limit_s - request.warned_s);
    const auto timer = "pause=" + std::to_string(ends_s) + "\n";
    return "#!/bin/sh\n" + timer + command + " &\n" + script_end;
}

std::string rest_request(const ClusterRequest& request, int version) {
    const auto& with = request.with;
    json job{
        {"name", request.name},
        {"current_working_directory", "/"},
        {"standard_output", request.output}};
    const auto minutes = (with.time_limit_s + 59) / 60;  // Slurm takes no seconds here
    if (version < 39) {
        shape_old(job, request, minutes);
    } else {
        shape_new(job, request, minutes, version);
    }
    put(job, "partition", with.partition);
    put(job, "constraints", with.constraint);
    put(job, "account", with.account);
    put(job, "qos", with.qos);
    put(job, "reservation", with.reservation);
    return wire::write_json({{"script", rest_script(request)}, {"job", std::move(job)}});
}

std::string rest_drain(const std::string& reason) {
    return wire::write_json({{"state", json::array({"DRAIN"})}, {"reason", reason}});
}

bool RestErrors::is_answer() const {
    // 2000 and up: the controller's own; 9000 and up: slurmrestd's about the request.
    return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t number) {
        return (number >= 2000 && number < 3000) || (number >= 9000 && number < 10'000);
    });
}

RestErrors parse_rest_errors(std::string_view body) {
    RestErrors errors;
    const auto answer = parse(body);
    const auto& listed = member(answer, "errors");
    if (!listed.is_array()) return errors;
    for (std::size_t i = 0; i < std::min(listed.size(), max_errors); ++i) {
        const auto& one = listed[i];
        auto number = number_of(member(one, "error_number"));
        if (!number) number = number_of(member(one, "error_code"));
        if (number) errors.numbers.insert(*number);
        auto words = text_of(member(one, "error"));
        const auto more = text_of(member(one, "description"));
        if ((words.empty() || words == "Unspecified error") && !more.empty()) words = more;
        if (words.empty()) words = "error " + std::to_string(number.value_or(0));
        errors.words += (errors.words.empty() ? "" : "; ") + words;
    }
    errors.words = short_line(errors.words);
    return errors;
}

std::optional<std::int64_t> parse_rest_submitted(std::string_view body) {
    const auto answer = parse(body);
    auto number = number_of(member(answer, "job_id"));
    if (!number) number = number_of(member(member(answer, "result"), "job_id"));
    return number && *number > 0 ? number : std::nullopt;
}

std::vector<RestJob> parse_rest_jobs(std::string_view body) {
    std::vector<RestJob> jobs;
    const auto answer = parse(body);
    const auto& listed = member(answer, "jobs");
    if (!listed.is_array()) return jobs;
    for (const auto& one : listed) {
        if (jobs.size() >= max_rest_jobs) break;
        if (auto job = read_job(one)) jobs.push_back(std::move(*job));
    }
    return jobs;
}

std::set<std::string> parse_rest_drained(std::string_view body) {
    std::set<std::string> drained;
    const auto answer = parse(body);
    const auto& listed = member(answer, "nodes");
    if (!listed.is_array()) return drained;
    for (const auto& one : listed) {
        auto words = words_of(member(one, "state"));
        const auto flags = words_of(member(one, "state_flags"));
        words.insert(words.end(), flags.begin(), flags.end());
        const auto node = one_node(text_of(member(one, "name")));
        const bool leaves = std::any_of(
            words.begin(), words.end(), [](const auto& word) { return takes_no_jobs(word); });
        if (!node.empty() && leaves) drained.insert(node);
    }
    return drained;
}

}  // namespace vigil::service
