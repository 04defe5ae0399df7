#include "service/fleet/slurm_rest.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/fleet/slurm_commands.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

using Catch::Contains;
using test::CannedReply;
using test::CannedRequest;

CannedReply answer_of(
    const std::string& body, int status = 200, test::Fault fault = test::Fault::none) {
    CannedReply reply;
    reply.status = status;
    reply.body = body;
    reply.fault = fault;
    return reply;
}

/// A slurmrestd of one version, whose answers a test may replace.
struct FakeRest {
    FakeRest() {
        std::ofstream(token_file) << "first\n";
        cluster.emplace(server.url(), token_file, "ada", stop);
    }

    CannedReply answer(const CannedRequest& request) {
        const std::lock_guard lock(mutex);
        asked.push_back(request.method + " " + request.target);
        last = request;
        if (request.target.find("/v0.0." + std::to_string(version.load()) + "/") ==
            std::string::npos) {
            return answer_of("Unable find requested URL.", 404);
        }
        if (request.target.ends_with("/ping") && !denies) return answer_of(R"({"pings": []})");
        const bool accounting = request.target.starts_with("/slurmdb/");
        return accounting ? of_accounting : reply;
    }

    std::string failure() {
        try {
            cluster->list_jobs();
        } catch (const Error& error) {
            CHECK(error.code() == Errc::unavailable);
            return error.what();
        }
        return "none";
    }

    test::ScratchFolder folder;
    std::string token_file = (folder.path() / "jwt").string();
    std::mutex mutex;
    std::vector<std::string> asked;
    CannedRequest last;
    std::atomic<int> version = 38;
    bool denies = false;
    CannedReply reply = answer_of(R"({"errors": [], "jobs": []})");
    CannedReply of_accounting = answer_of("Unable find requested URL.", 404);
    std::atomic<bool> stop = false;
    test::CannedServer server{[this](const CannedRequest& request) { return answer(request); }};
    std::optional<SlurmRest> cluster;
};

ClusterRequest small_request() {
    ClusterRequest request;
    request.name = "vigil-cpu-0123456789abcdef";
    request.script = "/shared/run-worker.sh";
    return request;
}

}  // namespace

TEST_CASE("slurmrestd's newest version is found once, and again when it goes", "[service][fleet]") {
    FakeRest rest;
    rest.version = 43;
    CHECK(rest.cluster->list_jobs().empty());
    CHECK(
        rest.asked ==
        std::vector<std::string>{
            "GET /slurm/v0.0.44/ping", "GET /slurm/v0.0.43/ping", "GET /slurm/v0.0.43/jobs"});
    rest.asked.clear();
    CHECK(rest.cluster->list_jobs().empty());
    CHECK(rest.asked.size() == 1);
    rest.version = 44;
    rest.asked.clear();
    CHECK(rest.cluster->list_jobs().empty());
    CHECK(
        rest.asked ==
        std::vector<std::string>{
            "GET /slurm/v0.0.43/jobs", "GET /slurm/v0.0.44/ping", "GET /slurm/v0.0.44/jobs"});
    rest.version = 37;
    CHECK_THAT(rest.failure(), Contains("none of the versions v0.0.38 to v0.0.44"));
    rest.version = 38;
    CHECK(rest.failure() == "none");
}

TEST_CASE("A token is read at each request and is in no message", "[service][fleet]") {
    FakeRest rest;
    rest.cluster->list_jobs();
    CHECK(rest.last.headers.at("x-slurm-user-name") == "ada");
    CHECK(rest.last.headers.at("x-slurm-user-token") == "first");
    std::ofstream(rest.token_file) << "second\n";
    rest.cluster->list_jobs();
    CHECK(rest.last.headers.at("x-slurm-user-token") == "second");
    rest.reply = answer_of(R"({"errors": [{"error": "not second"}]})", 500);
    CHECK_THAT(rest.failure(), !Contains("second") && Contains("out of date"));
    std::filesystem::remove(rest.token_file);
    CHECK_THAT(rest.failure(), Contains("the token for slurmrestd"));
}

TEST_CASE("Who is refused is told the remedy", "[service][fleet]") {
    FakeRest rest;
    rest.denies = true;
    rest.reply = answer_of("Authentication failure", 401);
    CHECK_THAT(rest.failure(), Contains("slurm-wlm-jwt-plugin") && Contains("user ada"));
    rest.cluster.emplace(rest.server.url(), "", "ada", rest.stop);
    CHECK_THAT(rest.failure(), Contains("set fleet.slurmrestd_token_file"));
}

TEST_CASE("No answer of slurmrestd is an answer about jobs", "[service][fleet]") {
    FakeRest rest;
    rest.reply.body =
        R"({"errors": [{"error_number": 1800, "error": "no controller"}], "jobs": []})";
    CHECK_THAT(rest.failure(), Contains("no controller"));
    rest.reply.body = "<html>busy</html>";
    CHECK_THAT(rest.failure(), Contains("the answer of slurmrestd"));
    rest.reply = answer_of("{}", 503);
    CHECK_THAT(rest.failure(), Contains("status 503"));
    rest.reply = answer_of("[" + std::string(33 << 20, ' ') + "]");
    CHECK_THAT(rest.failure(), Contains("larger than the limit"));
    rest.reply = answer_of("{}", 200, test::Fault::hang_up);
    CHECK_THAT(rest.failure(), Contains("calling GET"));
    rest.reply = answer_of("{}", 200, test::Fault::silence);
    std::jthread ending([&] { rest.stop = true; });
    CHECK_THAT(rest.failure(), Contains("told to stop"));
}

TEST_CASE("A request is taken, refused, or not known to be either", "[service][fleet]") {
    FakeRest rest;
    rest.reply.body = R"({"errors": [], "job_id": 12, "step_id": "BATCH"})";
    CHECK(rest.cluster->request(small_request()).job == 12);
    CHECK(rest.last.method == "POST");
    CHECK_THAT(rest.last.body, Contains("vigil-cpu-0123456789abcdef"));
    rest.reply =
        answer_of(R"({"errors": [{"error_code": 2029, "error": "Invalid feature"}]})", 500);
    CHECK(rest.cluster->request(small_request()).refusal == "Invalid feature");
    for (const auto& [status, body, fault] :
         {std::tuple{500, R"({"errors": [{"error_number": -1, "error": "x"}]})", test::Fault::none},
          std::tuple{200, R"({"errors": []})", test::Fault::none},
          std::tuple{200, "not JSON", test::Fault::none},
          std::tuple{401, "Authentication failure", test::Fault::none},
          std::tuple{200, R"({"job_id": 13})", test::Fault::hang_up}}) {
        CAPTURE(status, body);
        rest.reply = answer_of(body, status, fault);
        const auto reply = rest.cluster->request(small_request());
        CHECK_FALSE(reply.job);
        CHECK_FALSE(reply.refusal);
    }
}

TEST_CASE("Jobs of others are not ours, but one that was made for us is", "[service][fleet]") {
    FakeRest rest;
    rest.reply.body = R"({"errors": [], "job_id": 12})";
    rest.cluster->request(small_request());
    rest.reply.body = R"({"errors": [], "jobs": [
{"job_id": 11, "name": "a", "job_state": "RUNNING", "nodes": "n1", "user_name": "bob"},
{"job_id": 12, "name": "b", "job_state": "RUNNING", "nodes": "n1", "user_name": "nobody"},
{"job_id": 13, "name": "c", "job_state": "RUNNING", "nodes": "n1", "user_name": "ada"}]})";
    const auto jobs = rest.cluster->list_jobs();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].id == 12);
    CHECK(jobs[0].state == ClusterState::pending);
    CHECK(jobs[0].reason == "WrongUser");
    CHECK(jobs[1].id == 13);
    CHECK(jobs[1].state == ClusterState::running);
}

TEST_CASE("A job that is not listed is looked up where it may be", "[service][fleet]") {
    FakeRest rest;
    rest.cluster->list_jobs();
    rest.asked.clear();
    rest.reply =
        answer_of(R"({"errors": [{"error_number": 2017, "error": "x"}], "jobs": []})", 500);
    CHECK_FALSE(rest.cluster->look_up(7));
    CHECK_FALSE(rest.cluster->look_up(7));
    CHECK(
        rest.asked == std::vector<std::string>{// no accounting is asked for once
                                               "GET /slurmdb/v0.0.38/job/7",
                                               "GET /slurm/v0.0.38/job/7",
                                               "GET /slurm/v0.0.38/job/7"});
    rest.reply = answer_of(R"({"errors": [{"error_number": 1800, "error": "x"}]})", 500);
    CHECK_THROWS_AS(rest.cluster->look_up(7), Error);
    rest.reply = answer_of(R"({"errors": [], "jobs": [{"job_id": 7, "job_state": "COMPLETED"}]})");
    CHECK(rest.cluster->look_up(7)->state == ClusterState::completed);

    FakeRest with;
    with.of_accounting =
        answer_of(R"({"jobs": [{"job_id": 7, "name": "n", "state": {"current": "TIMEOUT"},
"nodes": "n1", "user": "ada"}]})");
    with.cluster->list_jobs();
    CHECK(with.cluster->look_up(7)->state == ClusterState::timed_out);
    with.of_accounting = answer_of(R"({"jobs": []})");
    with.reply.body = R"({"errors": [{"error_number": 2017, "error": "x"}]})";
    CHECK_FALSE(with.cluster->look_up(7));
}

TEST_CASE("What is over already need not be ended", "[service][fleet]") {
    FakeRest rest;
    rest.reply.body = R"({"errors": []})";
    rest.cluster->cancel(9);
    CHECK(rest.asked.back() == "DELETE /slurm/v0.0.38/job/9");
    rest.cluster->dismiss(9);
    CHECK(rest.asked.back() == "DELETE /slurm/v0.0.38/job/9?signal=URG&flags=FULL_JOB");
    for (const auto* over : {"2017", "2021"}) {
        rest.reply = answer_of(
            R"({"errors": [{"error": "x", "error_number": )" + std::string(over) + "}]}", 500);
        CHECK_NOTHROW(rest.cluster->cancel(9));
    }
    rest.reply = answer_of(R"({"errors": [{"error_number": 2002, "error": "no"}]})", 500);
    CHECK_THROWS_AS(rest.cluster->cancel(9), Error);
}

TEST_CASE("A node is drained by versions that can, and refusals are told", "[service][fleet]") {
    FakeRest rest;
    rest.reply.body = R"({"errors": []})";
    CHECK(rest.cluster->drain("n1", "differs") == "slurmrestd v0.0.38 drains no nodes");
    CHECK(rest.last.method == "GET");
    rest.version = 40;
    rest.cluster.emplace(rest.server.url(), rest.token_file, "ada", rest.stop);
    CHECK_FALSE(rest.cluster->drain("n1", "differs"));
    CHECK(rest.asked.back() == "POST /slurm/v0.0.40/node/n1");
    CHECK(rest.last.body == R"({"reason":"differs","state":["DRAIN"]})");
    rest.reply =
        answer_of(R"({"errors": [{"error_number": 2002, "error": "Access denied"}]})", 500);
    CHECK(rest.cluster->drain("n1", "differs") == "Access denied");
    rest.reply = answer_of(R"({"errors": [{"error_number": 1800, "error": "away"}]})", 500);
    CHECK_THROWS_AS(rest.cluster->drain("n1", "differs"), Error);
    rest.reply = answer_of("{}", 503);
    CHECK_THROWS_AS(rest.cluster->drain("n1", "differs"), Error);
}

TEST_CASE("The config says how Slurm is reached", "[service][fleet]") {
    const std::atomic<bool> stop = false;
    FleetConfig fleet;
    CHECK(dynamic_cast<SlurmCommands*>(make_cluster(fleet, stop).get()) != nullptr);
    fleet.slurmrestd = "unix:/nowhere/s.socket";
    const auto cluster = make_cluster(fleet, stop);
    REQUIRE(dynamic_cast<SlurmRest*>(cluster.get()) != nullptr);
    CHECK_THROWS_WITH(cluster->list_jobs(), Contains("unix:/nowhere/s.socket"));
}

}  // namespace vigil::service
