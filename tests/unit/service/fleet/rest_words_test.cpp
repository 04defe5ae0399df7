#include "service/fleet/rest_words.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/fleet/cluster_words.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A request for a job of two hours.
ClusterRequest full_request() {
    ClusterRequest request;
    request.name = "vigil-a100-0123456789abcdef";
    request.script = "/shared/it's/run-worker.sh";
    request.arguments = {"/shared/a b", "vigil-worker", "300"};
    request.output = "/shared/a b/worker.log";
    request.node = "node1";
    request.not_nodes = {"node2", "node3"};
    request.warned_s = 1800;
    request.with.time_limit_s = 7230;
    request.with.partition = "gpu";
    request.with.constraint = "rack1&intel";
    request.with.gres = "gpu:a100:1,nic:1";
    request.with.account = "tests";
    return request;
}

std::vector<RestJob> jobs_of(const std::string& job) {
    return parse_rest_jobs(R"({"errors": [], "jobs": [)" + job + "]}");
}

ClusterState state_of(const std::string& state) {
    return jobs_of(R"({"job_id": 1, "name": "n", "job_state": )" + state + "}").at(0).job.state;
}

}  // namespace

TEST_CASE("A job is asked for in the shape of each version", "[service][fleet]") {
    const auto old = json::parse(rest_request(full_request(), 38));
    const auto& job = old.at("job");
    CHECK(job.at("nodes") == 1);
    CHECK(job.at("exclusive") == "exclusive");
    CHECK(job.at("no_requeue") == true);
    CHECK(job.at("time_limit") == 121);
    CHECK(job.at("environment").at("PATH") == "/usr/local/bin:/usr/bin:/bin");
    CHECK(job.at("nodelist") == "node1");
    CHECK(job.at("exclude_nodes") == "node2,node3");
    CHECK(job.at("gres") == "gpu:a100:1,nic:1");
    CHECK(job.at("partition") == "gpu");
    CHECK(job.at("constraints") == "rack1&intel");
    CHECK(job.at("account") == "tests");
    for (const auto* never :
         {"argv", "signal", "requeue", "qos", "reservation", "script", "excluded_nodes"}) {
        CAPTURE(never);
        CHECK_FALSE(job.contains(never));
    }
    for (int version = 39; version <= newest_rest_version; ++version) {
        CAPTURE(version);
        const auto body = json::parse(rest_request(full_request(), version));
        const auto& later = body.at("job");
        CHECK(body.at("script") == old.at("script"));
        CHECK(later.at("nodes") == "1");
        CHECK(later.at("shared") == json::array({"none"}));
        CHECK(later.at("requeue") == false);
        CHECK(later.at("time_limit") == json{{"set", true}, {"infinite", false}, {"number", 121}});
        CHECK(later.at("environment") == json::array({"PATH=/usr/local/bin:/usr/bin:/bin"}));
        CHECK(later.at("required_nodes") == json::array({"node1"}));
        CHECK(later.at("excluded_nodes") == json::array({"node2", "node3"}));
        CHECK(later.at("open_mode") == json::array({"APPEND"}));
        const auto* gres =
            version == 39 ? "gres:gpu:a100:1,gres:nic:1" : "gres/gpu:a100:1,gres/nic:1";
        CHECK(later.at("tres_per_node") == gres);
        for (const auto* never :
             {"exclusive", "no_requeue", "gres", "nodelist", "argv", "exclude_nodes"}) {
            CAPTURE(never);
            CHECK_FALSE(later.contains(never));
        }
    }
    const auto bare = json::parse(rest_request(ClusterRequest{}, 38));
    CHECK(bare.at("job").contains("environment"));
    CHECK_FALSE(bare.at("job").contains("gres"));
    CHECK_FALSE(bare.at("job").contains("exclude_nodes"));
    CHECK_FALSE(
        json::parse(rest_request(ClusterRequest{}, 44)).at("job").contains("excluded_nodes"));
}

TEST_CASE("The script quotes, warns in time and ends its worker when told", "[service][fleet]") {
    const auto script = rest_script(full_request());
    CHECK_THAT(script, Catch::StartsWith("#!/bin/sh\n"));
    CHECK_THAT(script, Contains("pause=5430\n"));
    CHECK_THAT(script, Contains(R"('/shared/it'\''s/run-worker.sh' '/shared/a b' )"));
    CHECK_THAT(script, Contains("' URG\n"));
}

TEST_CASE("Jobs are read as each version shows them", "[service][fleet]") {
    // Recorded from 22.05.8 (v0.0.38), without the fields that are not read.
    const auto old = jobs_of(
        R"({"job_id": 7, "name": "vigil-any-0123456789abcdef", "job_state": "CANCELLED",
"state_reason": "None", "nodes": "node1", "exit_code": 36608, "nice": null, "time_limit": 2,
"array_task_id": null, "user_id": 0, "user_name": "root"})");
    REQUIRE(old.size() == 1);
    CHECK(old[0].job.id == 7);
    CHECK(old[0].job.name == "vigil-any-0123456789abcdef");
    CHECK(old[0].job.state == ClusterState::cancelled);
    CHECK(old[0].job.reason.empty());
    CHECK(old[0].job.node == "node1");
    CHECK(old[0].user == "root");
    // v0.0.39: numbers may be objects, states are one word, the exit code is a wait status.
    const auto v39 = jobs_of(
        R"({"job_id": 8, "name": "n", "job_state": "FAILED", "state_reason": "NonZeroExitCode",
"nodes": "node1", "exit_code": {"set": true, "infinite": false, "number": 19200},
"nice": {"set": false, "infinite": false, "number": 0}, "user_name": "ada"})");
    CHECK(v39.at(0).job.reason == "NonZeroExitCode: exit code 75");
    CHECK(v39.at(0).job.state == ClusterState::failed);
    // v0.0.40 to v0.0.44: states are lists, the exit code is taken apart.
    const auto v40 = jobs_of(
        R"({"job_id": 9, "name": "n", "job_state": ["FAILED"], "state_reason": "NonZeroExitCode",
"nodes": "", "exit_code": {"status": ["SIGNALED"], "return_code": {"set": false, "infinite": false,
"number": 0}, "signal": {"id": {"set": true, "infinite": false, "number": 9}, "name": "KILL"}},
"nice": 0, "user_name": "ada"})");
    CHECK(v40.at(0).job.reason == "NonZeroExitCode: signal 9");
    CHECK(v40.at(0).job.node.empty());
    const auto v44 = jobs_of(
        R"({"job_id": {"set": true, "infinite": false, "number": 10}, "name": "n",
"job_state": ["PENDING"], "state_reason": "Resources", "nodes": "", "user_name": "ada"})");
    CHECK(v44.at(0).job.id == 10);
    CHECK(v44.at(0).job.reason == "Resources");
}

TEST_CASE("Jobs are read as the accounting shows them", "[service][fleet]") {
    const auto old = jobs_of(
        R"({"job_id": 3, "name": "n", "state": {"current": "TIMEOUT", "reason": "None"},
"nodes": "node2", "exit_code": {"status": "SUCCESS", "return_code": 0}, "user": "ada"})");
    CHECK(old.at(0).job.state == ClusterState::timed_out);
    CHECK(old.at(0).job.node == "node2");
    CHECK(old.at(0).user == "ada");
    const auto later = jobs_of(
        R"({"job_id": 3, "name": "n", "state": {"current": ["FAILED"], "reason": "None"},
"nodes": "None assigned", "exit_code": {"status": "ERROR", "return_code": 1}, "user": "ada"})");
    CHECK(later.at(0).job.state == ClusterState::failed);
    CHECK(later.at(0).job.reason == "exit code 1");
    CHECK(later.at(0).job.node.empty());
}

TEST_CASE("Of several states that counts which squeue would show", "[service][fleet]") {
    CHECK(state_of(R"(["RUNNING"])") == ClusterState::running);
    CHECK(state_of(R"(["RUNNING", "CONFIGURING"])") == ClusterState::starting);
    CHECK(state_of(R"(["RUNNING", "CONFIGURING", "POWER_UP_NODE"])") == ClusterState::starting);
    CHECK(state_of(R"(["CANCELLED", "COMPLETING"])") == ClusterState::completing);
    CHECK(state_of(R"(["NODE_FAIL", "REQUEUED", "COMPLETING"])") == ClusterState::completing);
    CHECK(state_of(R"(["RUNNING", "STOPPED"])") == ClusterState::suspended);
    CHECK(state_of(R"(["PENDING", "REQUEUED"])") == ClusterState::pending);
    CHECK(state_of(R"(["COMPLETED", "A_FLAG_TO_COME"])") == ClusterState::completed);
    CHECK(state_of(R"(["DANCING"])") == ClusterState::unknown);
    CHECK(state_of("[]") == ClusterState::unknown);
    CHECK(state_of("17") == ClusterState::unknown);
    CHECK(state_of("null") == ClusterState::unknown);
}

TEST_CASE("What shows no job is left out", "[service][fleet]") {
    for (const auto* body :
         {"{}",
          "[]",
          "null",
          "7",
          R"({"jobs": null})",
          R"({"jobs": {"job_id": 1}})",
          R"({"jobs": [null, 1, "x", [], {}]})",
          R"({"jobs": [{"job_id": 0, "name": "a"}]})",
          R"({"jobs": [{"job_id": -4}, {"job_id": "5"}, {"job_id": 1.5}]})",
          R"({"jobs": [{"job_id": {"set": false, "number": 5}}]})",
          R"({"jobs": [{"job_id": {"set": true, "infinite": true, "number": 5}}]})"}) {
        CAPTURE(body);
        CHECK(parse_rest_jobs(body).empty());
        CHECK(parse_rest_errors(body).words.empty());
        CHECK_FALSE(parse_rest_submitted(body));
        CHECK(parse_rest_drained(body).empty());
    }
    for (const auto* body : {"", "Authentication failure", "{\"jobs\": [", "<html></html>"}) {
        CAPTURE(body);
        CHECK_THROWS_AS(parse_rest_jobs(body), Error);
    }
    const auto odd = jobs_of(
        R"({"job_id": 1, "name": "a\u001b[31m", "job_state": "RUNNING", "nodes": "../n1",
"state_reason": ")" +
        std::string(10'000, 'x') + "\"}");
    CHECK(odd.at(0).job.name.find('\x1b') == std::string::npos);
    CHECK(odd.at(0).job.node.empty());
    CHECK(odd.at(0).job.reason.size() < 400);
}

TEST_CASE("What slurmrestd took, and what it refused", "[service][fleet]") {
    CHECK(parse_rest_submitted(R"({"errors": [], "job_id": 4, "step_id": "BATCH"})") == 4);
    CHECK(parse_rest_submitted(R"({"result": {"job_id": 4, "step_id": "batch"}})") == 4);
    // It was taken, and says why it waits.
    CHECK(
        parse_rest_submitted(R"({"errors": [{"error_code": 2015, "error": "x"}], "job_id": 5})") ==
        5);
    CHECK_FALSE(parse_rest_submitted(R"({"errors": [], "job_id": 0})"));
    // Recorded from 22.05.8.
    const auto refused = parse_rest_errors(
        R"({"errors": [{"error_code": 2029, "error": "Invalid feature specification"}]})");
    CHECK(refused.words == "Invalid feature specification");
    CHECK(refused.is_answer());
    const auto unreadable = parse_rest_errors(
        R"({"errors": [{"error": "environment must be set", "error_code": 2127},
{"error_code": 9001, "error": "Failure during parsing"}]})");
    CHECK(unreadable.words == "environment must be set; Failure during parsing");
    CHECK(unreadable.is_answer());
    const auto missing = parse_rest_errors(
        R"({"errors": [{"description": "Unable to find JobId=7", "error_number": 2017,
"error": "Invalid job id specified", "source": "slurm_load_job"}], "jobs": []})");
    CHECK(missing.no_such_job());
    CHECK_FALSE(missing.is_over_already());
    const auto denied = parse_rest_errors(
        R"({"errors": [{"description": "Failed while looking for jobs", "error_number": -1,
"error": "Unspecified error", "source": "slurm_load_jobs"}], "jobs": []})");
    CHECK(denied.words == "Failed while looking for jobs");
    CHECK_FALSE(denied.is_answer());
    const auto away = parse_rest_errors(
        R"({"errors": [{"error_number": {"set": true, "number": 1800}, "error": "x"}]})");
    CHECK(away.numbers == std::set<std::int64_t>{1800});
    CHECK_FALSE(away.is_answer());
    CHECK(parse_rest_errors(R"({"errors": [{}]})").words == "error 0");
    CHECK(parse_rest_errors(R"({"errors": []})").words.empty());
    CHECK(parse_rest_errors(R"({"errors": [], "warnings": [{"description": "x"}]})").words.empty());
}

TEST_CASE("Nodes that take no more jobs are read as each version shows them", "[service][fleet]") {
    const auto old = parse_rest_drained(
        R"({"nodes": [{"name": "node1", "state": "allocated", "state_flags": []},
{"name": "node2", "state": "idle", "state_flags": ["DRAIN"]}, {"name": "node3", "state": "down"},
{"name": "node4", "state": "idle", "state_flags": ["POWERED_DOWN", "CLOUD"]},
{"name": "../x", "state": "down"}, {"state": "down"}]})");
    CHECK(old == std::set<std::string>{"node2", "node3"});
    const auto later = parse_rest_drained(
        R"({"nodes": [{"name": "node1", "state": ["IDLE"]}, {"name": "node2",
"state": ["MIXED", "DRAIN"]}, {"name": "node3", "state": ["IDLE", "MAINTENANCE", "RESERVED"]},
{"name": "node4", "state": ["ALLOCATED", "UNDRAIN"]}, {"name": "node5", "state": ["IDLE", "FAIL"]}
]})");
    CHECK(later == std::set<std::string>{"node2", "node3", "node5"});
}

TEST_CASE("A node is drained as the versions from v0.0.39 on have it", "[service][fleet]") {
    const auto body = json::parse(rest_drain("vigil: its machine differs"));
    CHECK(body == json{{"state", {"DRAIN"}}, {"reason", "vigil: its machine differs"}});
}

TEST_CASE("A job that slurmrestd made for another user waits for ever", "[service][fleet]") {
    CHECK(waits_for_ever(wrong_user));
    CHECK_THAT(reason_words(wrong_user), Contains("start slurmrestd as vigild's user"));
}
