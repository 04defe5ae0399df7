#include "service/fleet/slurm_commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/fleet/cluster_words.hpp"

namespace vigil::service {

namespace {

constexpr int client_timeout_s = 60;
constexpr std::size_t max_jobs = 20'000;
constexpr const char* job_format = "%A|%T|%N|%j|%r";

/// Up to the next bar, which goes too; the rest stays in `line`.
std::string_view take_field(std::string_view& line) {
    const auto bar = line.find('|');
    const auto field = line.substr(0, bar);
    line = bar == line.npos ? std::string_view{} : line.substr(bar + 1);
    return field;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return whole && number > 0 ? std::optional(number) : std::nullopt;
}

[[noreturn]] void fail(const std::string& what, const ChildResult& result) {
    throw Error(
        Errc::unavailable,
        what + ": " +
            (result.signal != 0 ? "ended by signal " + std::to_string(result.signal)
                                : short_line(result.errors)));
}

}  // namespace

Command sbatch_arguments(const ClusterRequest& request) {
    const auto& with = request.with;
    Command arguments{
        "--parsable",
        "--job-name=" + request.name,
        "--nodes=1",
        "--exclusive",
        "--no-requeue",
        "--open-mode=append",
        "--output=" + request.output,
        "--chdir=/",
        "--export=PATH=/usr/local/bin:/usr/bin:/bin",
        // Minutes, rounded up: Slurm takes no seconds here.
        "--time=" + std::to_string((with.time_limit_s + 59) / 60),
        "--signal=B:TERM@" + std::to_string(request.warned_s)};
    const auto not_nodes = listed(request.not_nodes);
    const std::array<std::pair<const char*, const std::string*>, 8> chosen{
        {{"--partition=", &with.partition},
         {"--constraint=", &with.constraint},
         {"--gres=", &with.gres},
         {"--account=", &with.account},
         {"--qos=", &with.qos},
         {"--reservation=", &with.reservation},
         {"--nodelist=", &request.node},
         {"--exclude=", &not_nodes}}};
    for (const auto& [option, value] : chosen) {
        if (!value->empty()) arguments.push_back(option + *value);
    }
    arguments.push_back(request.script);
    arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
    return arguments;
}

std::optional<std::int64_t> parse_submitted(std::string_view output) {
    output = output.substr(0, output.find_first_of(";\n"));  // "12;cluster"
    return parse_number(output);
}

std::vector<ClusterJob> parse_jobs(std::string_view output) {
    std::vector<ClusterJob> jobs;
    text::for_each_line(output, [&](std::string_view line) {
        const auto id = parse_number(take_field(line));
        const auto state = parse_cluster_state(take_field(line));
        const auto node = take_field(line);
        const auto name = take_field(line);
        if (!id || name.empty() || jobs.size() >= max_jobs) return;
        jobs.push_back({*id, short_line(name), state, reason_of(line), one_node(node)});
    });
    return jobs;
}

std::optional<ClusterJob> parse_shown_job(std::string_view output) {
    const auto value = [&](std::string_view key) {
        const auto begin = output.find(key);
        if (begin == output.npos) return std::string_view{};
        const auto rest = output.substr(begin + key.size());
        return rest.substr(0, rest.find_first_of(" \n"));
    };
    const auto id = parse_number(value("JobId="));
    if (!id) return std::nullopt;
    return ClusterJob{
        *id,
        short_line(value(" JobName=")),
        parse_cluster_state(value(" JobState=")),
        reason_of(value(" Reason=")),
        one_node(value(" NodeList="))};
}

std::set<std::string> parse_drained(std::string_view output) {
    std::set<std::string> drained;
    text::for_each_line(output, [&](std::string_view line) {
        const auto node = one_node(take_field(line));
        if (!node.empty() && takes_no_jobs(line)) drained.insert(node);
    });
    return drained;
}

ChildResult SlurmCommands::run(const std::string& program, Command arguments) const {
    const auto path = find_program(program);
    if (!path) throw Error(Errc::unavailable, program + " is not installed (package slurm-client)");
    arguments.insert(arguments.begin(), *path);
    ChildLimits limits;
    limits.timeout_s = client_timeout_s;
    limits.stop = &stop_;
    return run_child(arguments, "/", {{"LC_ALL", "C"}}, limits);
}

ClusterReply SlurmCommands::request(const ClusterRequest& request) {
    ChildResult result;
    try {
        result = run("sbatch", sbatch_arguments(request));
    } catch (const Error&) {
        // Without the client nothing was asked; one that was stopped may have asked.
        if (!find_program("sbatch")) throw;
        return {};
    }
    if (result.exit_code == 0) return {parse_submitted(result.output), std::nullopt};
    if (result.exit_code < 0 || is_no_answer(result.errors)) return {};
    auto why = text::first_bytes(result.errors, max_cluster_line_bytes);
    constexpr std::string_view failure = "Batch job submission failed: ";
    if (const auto at = why.rfind(failure); at != why.npos) why = why.substr(at + failure.size());
    return {std::nullopt, short_line(why)};
}

std::vector<ClusterJob> SlurmCommands::list_jobs() {
    const auto result = run(
        "squeue", {"--me", "--noheader", "--states=all", std::string("--format=") + job_format});
    if (result.exit_code != 0) fail("listing jobs with squeue", result);
    return parse_jobs(result.output);
}

std::optional<ClusterJob> SlurmCommands::ask_accounting(std::int64_t job) const {
    if (!find_program("sacct")) return std::nullopt;
    const auto result =
        run("sacct",
            {"--noheader",
             "--allocations",
             "--parsable2",
             "--jobs=" + std::to_string(job),
             "--format=JobIDRaw,State,NodeList,JobName,Reason"});
    if (result.exit_code != 0) return std::nullopt;  // accounting is off
    const auto jobs = parse_jobs(result.output);
    return jobs.empty() ? std::nullopt : std::optional(jobs.back());
}

std::optional<ClusterJob> SlurmCommands::look_up(std::int64_t job) {
    if (auto found = ask_accounting(job)) return found;
    const auto result = run("scontrol", {"--oneliner", "show", "job", std::to_string(job)});
    if (result.exit_code == 0) return parse_shown_job(result.output);
    if (result.errors.find("Invalid job id") != std::string::npos) return std::nullopt;
    fail("asking scontrol for job " + std::to_string(job), result);
}

std::set<std::string> SlurmCommands::list_drained() {
    const auto result = run("sinfo", {"--noheader", "--Node", "--format=%N|%T"});
    if (result.exit_code != 0) fail("listing nodes with sinfo", result);
    return parse_drained(result.output);
}

void SlurmCommands::cancel(std::int64_t job) {
    const auto result = run("scancel", {std::to_string(job)});
    if (result.exit_code != 0) fail("cancelling job " + std::to_string(job), result);
}

void SlurmCommands::dismiss(std::int64_t job) {
    const auto result = run("scancel", {"--signal=TERM", "--batch", std::to_string(job)});
    if (result.exit_code != 0) fail("signalling job " + std::to_string(job), result);
}

std::optional<std::string> SlurmCommands::drain(
    const std::string& node, const std::string& reason) {
    const auto result =
        run("scontrol", {"update", "NodeName=" + node, "State=DRAIN", "Reason=" + reason});
    if (result.exit_code == 0) return std::nullopt;
    if (result.exit_code < 0 || is_no_answer(result.errors)) fail("draining " + node, result);
    return short_line(result.errors);
}

}  // namespace vigil::service
