#include "service/fleet/slurm_commands.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/fleet/cluster_words.hpp"
#include "service/fleet/worker_places.hpp"

using namespace vigil;
using namespace vigil::service;

// Texts as Slurm 22.05.8 of Debian 12 printed them.

TEST_CASE("Jobs are read as squeue prints them", "[service][fleet]") {
    const auto jobs = parse_jobs(
        "4|PENDING||vigil-cpu-0123456789abcdef|Resources\n"
        "6|PENDING||vigil-x-2|PartitionTimeLimit\n"
        "1|RUNNING|node1|vigil-x-1|None\n"
        "7|CANCELLED by 1000|node2|vigil-x-3|None\n"
        "8|OUT_OF_MEMORY|node[1-2]|vigil-x-4|OutOfMemory\n"
        "9|PENDING||vigil-x-5|ReqNodeNotAvail, UnavailableNodes:node2\n");
    REQUIRE(jobs.size() == 6);
    CHECK(jobs[0].id == 4);
    CHECK(jobs[0].name == "vigil-cpu-0123456789abcdef");
    CHECK(jobs[0].state == ClusterState::pending);
    CHECK(jobs[0].reason == "Resources");
    CHECK(jobs[0].node.empty());
    CHECK(jobs[2].node == "node1");
    CHECK(jobs[2].reason.empty());
    CHECK(jobs[3].state == ClusterState::cancelled);
    CHECK(jobs[4].node.empty());  // several are none of ours
    CHECK(jobs[5].reason == "ReqNodeNotAvail, UnavailableNodes:node2");
}

TEST_CASE("A line that shows no job is left out", "[service][fleet]") {
    CHECK(parse_jobs("").empty());
    CHECK(parse_jobs("\n\n|||\n").empty());
    CHECK(parse_jobs("slurm_load_jobs error: Unable to contact slurm controller\n").empty());
    CHECK(parse_jobs("0|RUNNING|n|a|\n-1|RUNNING|n|a|\n1x|RUNNING|n|a|\n").empty());
    CHECK(parse_jobs("99999999999999999999|RUNNING|n|a|\n").empty());
    CHECK(parse_jobs("12|RUNNING|n1\n").empty());
    const auto odd = parse_jobs("12|DANCING|../n1|a\x1b[31m|b\x07 c\n");
    REQUIRE(odd.size() == 1);
    CHECK(odd[0].state == ClusterState::unknown);
    CHECK(odd[0].node.empty());
    CHECK(odd[0].name.find('\x1b') == std::string::npos);
    CHECK(odd[0].reason == "b c");
    CHECK(parse_jobs("1|RUNNING|n1|a|" + std::string(10'000, 'x')).at(0).reason.size() < 400);
}

TEST_CASE("A job is read as scontrol shows it", "[service][fleet]") {
    const auto job = parse_shown_job(
        "JobId=1 JobName=j.sh UserId=root(0) GroupId=root(0) MCS_label=N/A JobState=FAILED "
        "Reason=JobLaunchFailure Dependency=(null) Requeue=1 ReqNodeList=(null) "
        "ExcNodeList=(null) NodeList=node1 BatchHost=node1 NumNodes=1\n");
    REQUIRE(job);
    CHECK(job->id == 1);
    CHECK(job->state == ClusterState::failed);
    CHECK(job->node == "node1");
    CHECK(job->reason == "JobLaunchFailure");
    CHECK_FALSE(parse_shown_job("No jobs in the system\n"));
    CHECK_FALSE(parse_shown_job(""));
}

TEST_CASE("Nodes that take no more jobs are read as sinfo prints them", "[service][fleet]") {
    const auto drained = parse_drained(
        "node1|allocated\nnode2|draining\nnode3|drained*\nnode4|down*\nnode5|idle\nnode6|mixed\n"
        "node7|maint\nno de|drained\n");
    CHECK(drained == std::set<std::string>{"node2", "node3", "node4", "node7"});
}

TEST_CASE("The number of a submitted job is read", "[service][fleet]") {
    CHECK(parse_submitted("12\n") == 12);
    CHECK(parse_submitted("12;cluster\n") == 12);
    CHECK_FALSE(parse_submitted("Submitted batch job 12\n"));
    CHECK_FALSE(parse_submitted(""));
}

TEST_CASE("A request is one exclusive node with the options of its class", "[service][fleet]") {
    ClusterRequest request;
    request.name = "vigil-cpu-0123456789abcdef";
    request.script = "/shared/run-worker.sh";
    request.arguments = {"/shared/a b", "vigil-worker", "300"};
    request.output = "/shared/a b/worker.log";
    request.with.gres = "gpu:a100:1";
    request.with.time_limit_s = 3601;
    const auto has = [](const Command& command, const std::string& argument) {
        return std::find(command.begin(), command.end(), argument) != command.end();
    };
    const auto arguments = sbatch_arguments(request);
    for (const auto* one :
         {"--job-name=vigil-cpu-0123456789abcdef",
          "--exclusive",
          "--nodes=1",
          "--no-requeue",
          "--time=61",
          "--signal=B:TERM@60",
          "--gres=gpu:a100:1",
          "/shared/a b"}) {
        CAPTURE(one);
        CHECK(has(arguments, one));
    }
    CHECK(std::none_of(arguments.begin(), arguments.end(), [](const std::string& one) {
        return one.starts_with("--partition") || one.starts_with("--nodelist");
    }));
    // Nothing of the daemon's own environment goes along.
    CHECK(has(arguments, "--export=PATH=/usr/local/bin:/usr/bin:/bin"));
    request.node = "node2";
    CHECK(has(sbatch_arguments(request), "--nodelist=node2"));
    request.node.clear();
    request.not_nodes = {"node3", "node4"};
    CHECK(has(sbatch_arguments(request), "--exclude=node3,node4"));
}

TEST_CASE("No answer is told from a refusal", "[service][fleet]") {
    CHECK(
        is_no_answer("sbatch: error: Batch job submission failed: Unable to contact slurm "
                     "controller (connect failure)\n"));
    CHECK(is_no_answer("slurm_load_jobs error: Socket timed out on send/recv operation\n"));
    CHECK_FALSE(
        is_no_answer("sbatch: error: Batch job submission failed: Invalid account or "
                     "account/partition combination specified\n"));
}

TEST_CASE("A worker's settings are the operator's, with its name and token", "[service][fleet]") {
    const auto text = worker_settings(
        R"({"server": "http://a", /* all */ "name": "x", "labels": {"pool": "night"}})",
        "cpu@n1",
        "/shared/a/token");
    CHECK(
        text == R"({"labels":{"pool":"night"},"name":"cpu@n1","server":"http://a",)"
                R"("token_file":"/shared/a/token"})"
                "\n");
    CHECK_THROWS_AS(worker_settings("[1]", "a", "b"), Error);
    CHECK_THROWS_AS(worker_settings("{", "a", "b"), Error);
}
