// POST /api/v1/results: files of other programs become nights.

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/api/results/results_taking.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;
using Catch::Contains;

namespace {

const std::string route = "/api/v1/results";
const std::string bmf =
    R"({"sort": {"latency": {"value": 12.5}}, "scan": {"ops/s": {"value": 3}}})";

void add_far(Config& config) {
    ProjectConfig far;
    far.name = "far";
    far.source.kind = SourceKind::elsewhere;
    config.projects["far"] = far;
}

class Sender {
  public:
    Sender() : client_(service.client(service.token("sender", Scope::ingest))) {}

    http::Response send(
        const std::string& query, const std::string& body, const std::string& type = "text/plain") {
        return client_.send(
            "POST", route + "?project=far&" + query, body, {{"content-type", type}});
    }
    nlohmann::json taken(const std::string& query, const std::string& body, int status = 201) {
        const auto reply = send(query, body);
        CAPTURE(query, reply.body);
        REQUIRE(reply.status == status);
        return wire::parse_json(reply.body, "the reply");
    }
    void refused(int status, const std::string& query, const std::string& body, const char* why) {
        const auto reply = send(query, body);
        CAPTURE(query);
        CHECK(reply.status == status);
        CHECK_THAT(reply.body, Contains(why));
    }
    int count(const std::string& table) {
        return service.change(
            [&](Database& db) { return *db.find<int>("SELECT COUNT(*) FROM " + table); });
    }

    Service service{add_far};

  private:
    http::Client client_;
};

std::string on(char revision, const std::string& more = "") {
    return "machine_class=ci&revision=" + hash_of(revision) + more;
}

}  // namespace

TEST_CASE("A file of another program becomes a night", "[service][api]") {
    Sender sender;
    const auto reply = sender.taken(on('a', "&version=v1&measured_at=2026-01-02T03:04:05Z"), bmf);
    CHECK(reply.at("taken") == 1);
    const auto& night = reply.at("nights").at(0);
    CHECK(night.at("name") == "2026-01-02");
    CHECK(night.at("version") == "v1");
    CHECK(night.at("state") == "measuring");
    CHECK(night.at("readings") == 2);
    CHECK(sender.count("measurement") == 2);
    CHECK(sender.service.wakes > 0);
    const auto series = sender.service.client().send("GET", "/api/v1/series?project=far");
    CHECK_THAT(series.body, Contains("\"machine_class\":\"ci\""));
    CHECK(sender.service.client().send("GET", "/api/v1/workers").status == 200);
    CHECK(sender.service.client().send("GET", "/api/v1/jobs?project=far").status == 200);
}

TEST_CASE("What is sent again changes nothing, and says so", "[service][api]") {
    Sender sender;
    sender.taken(on('a'), bmf);
    const auto again = sender.taken(on('a'), bmf, 200);
    CHECK(again.at("taken") == 0);
    CHECK(again.at("again") == 1);
    CHECK(again.at("nights").at(0).at("again") == true);
    CHECK(sender.count("measurement") == 2);
    const nlohmann::json envelope = {
        {"nights", {{{"revision", hash_of('a')}, {"machine_class", "ci"}, {"report", bmf}}}}};
    CHECK(sender.taken("", envelope.dump(), 200).at("again") == 1);
}

TEST_CASE("A night of many readings is taken in parts, and goes on where it was cut off") {
    Sender sender;
    std::string csv = "benchmark,value,unit\n";
    for (int i = 0; i < 12'000; ++i) csv += fmt::format("case {},{},ms\n", i, i + 1);
    http::Request request;
    request.query = {
        {"project", "far"},
        {"machine_class", "ci"},
        {"revision", hash_of('a')},
        {"closed", "true"}};
    request.caller = http::Caller{};
    const auto now_s = TestClock().now_s();
    const auto sent = read_results(request, csv, sender.service.config(), now_s);
    sender.service.change([&](Database& db) {
        ResultsTaking(sent, "sender").take_some(db, now_s);
        return 0;
    });
    CHECK(sender.count("measurement") == 5'000);
    CHECK(sender.count("import WHERE closes = 1") == 0);
    const auto reply = sender.taken(on('a', "&closed=true"), csv);
    CHECK(reply.at("taken") == 1);
    CHECK(reply.at("nights").size() == 1);
    CHECK(reply.at("nights").at(0).at("readings") == 12'000);
    CHECK(sender.count("measurement") == 12'000);
    CHECK(sender.count("import WHERE closes = 1") == 1);
    CHECK(sender.taken(on('a'), csv, 200).at("again") == 1);
    CHECK(sender.count("measurement") == 12'000);
}

TEST_CASE("The last of the disk is kept for what workers measure", "[service][api]") {
    const Folder disk;
    const auto available = std::filesystem::space(disk.path).available;
    const auto free = static_cast<std::int64_t>(available);
    Service service([&](Config& config) {
        add_far(config);
        config.ledger.ballast_bytes = free / 2;
    });
    const auto query = "?project=far&" + on('a');
    const auto importer = service.client(service.token("sender", Scope::ingest));
    CHECK(
        importer.send("POST", route + query, bmf, {{"content-type", "text/plain"}}).status == 507);
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto log = service.folder().path / "log";
    std::ofstream(log) << "x";
    const auto digest = wire::sha256_file(log).str();
    CHECK(worker.upload("/api/v1/content/" + digest + "?kind=log", log).status == 204);
}

TEST_CASE("Machines and files of one night add to it", "[service][api]") {
    Sender sender;
    sender.taken(on('a'), bmf);
    sender.taken("machine_class=arm&revision=" + hash_of('a'), bmf);
    sender.taken(on('a'), R"({"sort": {"memory": {"value": 7}}})");
    CHECK(sender.count("nightly") == 1);
    CHECK(sender.count("measurement") == 5);
}

TEST_CASE("Of many nights in one request all but the newest are history", "[service][api]") {
    Sender sender;
    std::string csv = "benchmark,value,unit,revision,time\n";
    for (const char digit : {'b', 'a', 'c'}) {
        csv += fmt::format("sort,{},ms,{},2026-01-0{}\n", digit, hash_of(digit), digit - 'a' + 1);
    }
    csv = "benchmark,value,unit,revision,time\nsort,2,ms," + hash_of('b') +
          ",2026-01-02\nsort,1,ms," + hash_of('a') + ",2026-01-01\nsort,3,ms," + hash_of('c') +
          ",2026-01-03\n";
    const auto nights = sender.taken("machine_class=ci", csv).at("nights");
    CHECK(nights.at(0).at("name") == "2026-01-01");
    CHECK(nights.at(0).at("state") == "done");
    CHECK(nights.at(2).at("state") == "measuring");
    const auto old = sender.taken(on('d', "&measured_at=2025-12-31"), bmf).at("nights").at(0);
    CHECK(old.at("state") == "done");
    CHECK(old.at("nightly") < nights.at(0).at("nightly"));
    CHECK(sender.taken(on('e', "&history=true"), bmf).at("nights").at(0).at("state") == "done");
}

TEST_CASE("One night a line is taken too", "[service][api]") {
    Sender sender;
    std::string lines;
    for (const char digit : {'a', 'b'}) {
        const nlohmann::json night = {
            {"revision", hash_of(digit)},
            {"measured_at", digit == 'a' ? "2026-01-01" : "2026-01-02"},
            {"machine", "box"},
            {"environment", {{"governor", "performance"}}},
            {"report", wire::parse_json(bmf, "")}};
        lines += night.dump() + "\n";
    }
    const auto reply = sender.send("", lines, "application/x-ndjson");
    CHECK(reply.status == 201);
    CHECK(sender.count("nightly") == 2);
    CHECK(sender.count("environment") == 1);
}

TEST_CASE("What cannot be taken is refused with its reason", "[service][api]") {
    Sender sender;
    sender.refused(400, "machine_class=ci", bmf, "revision: is missing");
    sender.refused(400, "machine_class=ci&revision=abc", bmf, "full hash");
    sender.refused(400, "revision=" + hash_of('a'), bmf, "machine_class: is missing");
    sender.refused(400, "machine_class=a%20b&revision=" + hash_of('a'), bmf, "letters, digits");
    sender.refused(400, on('a', "&measured_at=2090-01-01"), bmf, "in the future");
    sender.refused(400, on('a', "&measured_at=1999-01-01"), bmf, "before the year 2000");
    sender.refused(400, on('a', "&measured_at=yesterday"), bmf, "must be a time");
    sender.refused(400, on('a', "&version=" + std::string(101, 'v')), bmf, "one line");
    sender.refused(400, on('a', "&format=asv"), bmf, "file.commit_hash is missing");
    sender.refused(400, on('a', "&format=avs"), bmf, "did you mean");
    sender.refused(400, on('a', "&closd=true"), bmf, "closd");
    sender.refused(400, on('a'), "hello", "none of the known formats");
    sender.refused(400, on('a'), "", "it is empty");
    sender.refused(400, "", R"({"nights":[{"revision":"x"}]})", "report");
    const auto client = sender.service.client(sender.service.token("two", Scope::ingest));
    CHECK(client.send("POST", route + "?project=demo", bmf).status == 409);
    CHECK(client.send("POST", route + "?project=nobody", bmf).status == 404);
    const auto reader = sender.service.client(sender.service.token("three", Scope::read));
    CHECK(reader.send("POST", route + "?project=far", bmf).status == 403);
    CHECK(sender.count("nightly") == 0);
}

TEST_CASE(
    "What takes more than a body of its size may is refused with the number", "[service][api]") {
    Sender sender;
    sender.refused(422, "", R"({"benchmarks":)" + std::string(200, '['), "more than 100 levels");
    std::string csv = "name,value,revision\n";
    for (int i = 0; i <= 20'000; ++i) csv += fmt::format("a,1,{:040x}\n", i);
    sender.refused(422, "machine_class=m", csv, "more than 20000 nights");
    CHECK(sender.count("nightly") == 0);
}

TEST_CASE("Of several files those that cannot be taken are left out and named", "[service][api]") {
    Sender sender;
    const auto entry = [](char digit, const std::string& name, const std::string& report) {
        return nlohmann::json{
            {"revision", hash_of(digit)},
            {"measured_at", fmt::format("2026-02-0{}", digit - 'a' + 1)},
            {"machine_class", "ci"},
            {"file_name", name},
            {"report", report}};
    };
    const std::string rows = "benchmark,value,unit\nsort,1,ms\nscan,x,ms\n";
    const nlohmann::json body = {
        {"nights",
         {entry('a', "one.csv", rows),
          entry('b', "machine.json", R"({"arch":"x","machine":"m","version":1})"),
          entry('c', "three.json", bmf)}}};
    const auto reply = sender.taken("", body.dump());
    CHECK(reply.at("taken") == 2);
    CHECK(reply.at("files_left_out_count") == 1);
    CHECK(reply.at("files_left_out").at(0).at("file") == "machine.json");
    CHECK_THAT(
        reply.at("files_left_out").at(0).at("why").get<std::string>(),
        Contains("reading machine.json: asv's description of a machine"));
    const auto& left_out = reply.at("nights").at(0).at("left_out");
    CHECK(left_out == nlohmann::json{"line 3, column 6: 'x' is no finite number"});
    const nlohmann::json none = {
        {"nights", {entry('b', "m.json", "{}"), entry('c', "n.json", "{}")}}};
    sender.refused(400, "", none.dump(), "m.json: none of the known formats");
    sender.refused(400, "", none.dump(), "1 more file");
}

TEST_CASE("The format that is asked for decides", "[service][api]") {
    Sender sender;
    const std::string text = "name,value,unit\nBenchmarkBoot - ns/op,12,ns/op\n";
    sender.taken(on('a', "&format=csv"), text);
    sender.taken(on('b'), text);
    CHECK(sender.count("measurement") == 2);
    CHECK(sender.count("series") == 1);
}

TEST_CASE("A model that died is a failure of what ran before", "[service][api]") {
    Sender sender;
    const std::string header = "dev,name,batch_size,speedup,abs_latency\n";
    const auto file = "&file_name=inductor_torchbench_amp_training_cuda_performance.csv";
    sender.taken(on('a', file), header + "cuda,resnet,32,1.5,20\ncuda,gpt,4,1.2,90\n");
    sender.taken(on('b', file), header + "cuda,resnet,32,1.5,20\ncuda,gpt,0,0.0,0.0\n");
    CHECK(sender.count("series") == 4);
    CHECK(
        sender.count("run WHERE outcome = 'failed' AND benchmark = "
                     "'gpt/cuda/inductor torchbench amp training/batch 4'") == 2);
    CHECK(sender.count("run WHERE outcome = 'failed'") == 2);
    sender.taken(on('c', "&file_name=x_float32_inference.csv"), header + "cuda,new,0,0.0,0.0\n");
    CHECK(
        sender.count("run WHERE outcome = 'failed' AND benchmark = "
                     "'new/cuda/float32 inference'") == 1);
}

TEST_CASE("Values that nothing can be judged by are kept beside the series", "[service][api]") {
    Sender sender;
    const std::string csv =
        "benchmark,value,unit\nzero,0,ms\nhuge,1e308,s\nfine,1,ms\nnone,nan,ms\nless,-3,ms\n";
    sender.taken(on('a'), csv);
    CHECK(sender.count("measurement") == 1);
    CHECK(sender.count("unjudged_measurement") >= 2);
    CHECK(sender.count("run WHERE outcome = 'failed'") == 1);
    sender.taken(on('b'), "benchmark,value,unit,direction\nfine,1,x,higher_is_better\n");
    sender.taken(on('c'), "benchmark,value,unit,direction\nfine,1,x,lower_is_better\n");
    sender.taken(on('d'), "benchmark,value,unit\nfine,1,s\ndust,0,B\ncount,0,allocs/op\n");
    sender.taken(on('e'), "benchmark,value,unit,direction\nfine,1,y,lower_is_better\n");
    CHECK(sender.count("unjudged_measurement WHERE reason LIKE 'it is in%'") == 1);
    CHECK(sender.count("measurement WHERE median = 0") == 2);
    CHECK(sender.count("series WHERE direction = 'lower_is_better' AND told IS NOT NULL") >= 3);
}

TEST_CASE("A token for some projects sends results of these alone", "[service][api]") {
    Service service([](Config& config) {
        add_far(config);
        config.projects["near"] = config.projects["far"];
        config.projects["near"].name = "near";
    });
    const auto admin = service.client(service.token("admin", Scope::admin));
    const auto made = admin.send(
        "POST", "/api/v1/tokens", R"({"name":"ci","scope":"ingest","projects":["far"]})");
    REQUIRE(made.status == 201);
    const auto reply = wire::parse_json(made.body, "the reply");
    CHECK(reply.at("projects") == nlohmann::json({"far"}));
    const auto bound = service.client(reply.at("secret").get<std::string>());
    const auto free = service.client(service.token("sender", Scope::ingest));
    const auto send = [&](const http::Client& client, const std::string& project) {
        return client.send("POST", route + "?project=" + project + "&" + on('a'), bmf);
    };
    CHECK(send(bound, "far").status == 201);
    const auto refused = send(bound, "near");
    CHECK(refused.status == 403);
    CHECK_THAT(refused.body, Contains("the token ci sends results of far alone"));
    CHECK(send(bound, "nowhere").status == 403);
    CHECK(send(free, "near").status == 201);
    const auto near_job = service.change([](Database& db) {
        return *db.find<std::int64_t>(
            "SELECT max(job.id) FROM job JOIN project ON project.id = job.project_id "
            "WHERE project.name = 'near'");
    });
    const auto answer = "/api/v1/jobs/" + std::to_string(near_job) + "/answer";
    const auto run = R"({"attempt":1,"failure":"no runner"})";
    CHECK(bound.send("POST", answer, run).status == 403);
    CHECK(free.send("POST", answer, run).status == 409);  // nobody asked

    const auto listed = json_of(admin.send("GET", "/api/v1/tokens"));
    for (const auto& one : listed.at("items")) {
        CHECK(one.at("projects") == (one.at("name") == "ci" ? reply.at("projects") : nullptr));
    }
}

TEST_CASE("Projects go with what sends results, and are known", "[service][api]") {
    Service service(add_far);
    const auto admin = service.client(service.token("admin", Scope::admin));
    const auto refused = [&](const std::string& scope, const std::string& projects) {
        const auto body = R"({"name":"ci","scope":")" + scope + R"(","projects":)" + projects + "}";
        const auto reply = admin.send("POST", "/api/v1/tokens", body);
        CHECK(reply.status == 400);
        return reply.body;
    };
    CHECK_THAT(refused("ingest", R"(["fra"])"), Contains("did you mean"));
    CHECK_THAT(refused("ingest", "[]"), Contains("leave it out"));
    for (const auto& scope : {"read", "trigger", "ingest,trigger", "admin", "worker"}) {
        CHECK_THAT(refused(scope, R"(["far"])"), Contains("a token of its own"));
    }
    CHECK(
        admin
            .send(
                "POST",
                "/api/v1/tokens",
                R"({"name":"ci","scope":"read,ingest","projects":["far"]})")
            .status == 201);
}
