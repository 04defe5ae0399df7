// Machines and queue, as the API and their page show them.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/schedule/worker_state.hpp"
#include "service/store/ids.hpp"
#include "service/store/machines/allocations.hpp"
#include "service/store/migrate.hpp"
#include "service/store/workers.hpp"
#include "tests/integration/service/http/browser.hpp"
#include "tests/integration/service/http/measured.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

/// The worker ends a job on a machine with this kernel.
void end_job(Service& service, char build, const std::string& kernel, std::int64_t at_s) {
    service.change([&](Database& db) {
        add_small_job(db, build);
        const auto worker =
            upsert_worker(db, service.config(), "worker-one", small_machine(), false, at_s);
        const auto lease = claim_job(db, service.config(), worker, at_s);
        auto result = small_result(lease->builds.at(0).id);
        result.before.facts["kernel"] = kernel;
        result.after.facts["kernel"] = kernel;
        finish_job(
            db, JobConfig{}, lease->job, lease->attempt, worker, write_result(result), at_s + 1);
        return 0;
    });
}

auto reader_of(Service& service) {
    return service.client(service.token("reader", Scope::read));
}

}  // namespace

TEST_CASE("A worker's machine has a history of what changed", "[service][http]") {
    Service service(pages_open);
    end_job(service, 'a', "6.1", 100);
    end_job(service, 'b', "6.1", 200);
    end_job(service, 'c', "6.2", 300);
    const auto reader = reader_of(service);
    const auto items =
        json_of(reader.send("GET", "/api/v1/environments?worker=worker-one")).at("items");
    REQUIRE(items.size() == 2);
    CHECK(items[0].at("at_s") == 301);
    CHECK(items[0].at("facts").at("kernel") == "6.2");
    CHECK(
        items[0].at("changed") ==
        nlohmann::json{{{"fact", "kernel"}, {"before", "6.1"}, {"after", "6.2"}}});
    CHECK(items[1].at("at_s") == 101);
    CHECK(items[1].at("changed").empty());
    CHECK(reader.send("GET", "/api/v1/environments?worker=nobody").status == 400);
    const auto page = Browser(service).get("/machines").body;
    CHECK(page.find("How its machine changed") != page.npos);
    CHECK(page.find("<td><bdi>6.1</bdi></td><td><bdi>6.2</bdi></td>") != page.npos);
}

TEST_CASE("The queue tells why jobs wait, those that are alike together", "[service][http]") {
    Service service(pages_open);
    service.change([&](Database& db) {
        for (const char digit : {'a', 'b', 'c'}) add_small_job(db, digit);
        return db.execute("UPDATE job SET state = 'parked', message = 'lost 3 times' WHERE id = 3");
    });
    const auto reader = reader_of(service);
    const auto queue = [&] { return json_of(reader.send("GET", "/api/v1/queue")).at("items"); };
    auto items = queue();
    REQUIRE(items.size() == 2);
    CHECK(items[0].at("state") == "parked");
    CHECK(items[0].at("why") == "lost 3 times");
    CHECK(items[1].at("jobs") == 2);
    CHECK(items[1].at("why") == "nobody does them: it has no worker yet");

    const auto now_s = SystemClock().now_s();
    service.change([&](Database& db) {
        const auto worker =
            upsert_worker(db, service.config(), "worker-one", small_machine(), false, now_s);
        return claim_job(db, service.config(), worker, now_s).has_value() ? 1 : 0;
    });
    items = queue();
    REQUIRE(items.size() == 3);
    CHECK(items[1].at("state") == "leased");
    CHECK(items[1].at("why") == "");
    CHECK(items[2].at("why") == "all workers of the class are at work: 1");
    service.change([&](Database& db) {
        return upsert_worker(db, service.config(), "worker-two", small_machine(), false, now_s)
            .value;
    });
    CHECK(
        queue().at(2).at("why") ==
        "1 of 2 workers of the class at work; the others take what is ready");
}

TEST_CASE("The queue tells which machines of a cluster are on their way", "[service][http]") {
    Service service([](Config& config) {
        pages_open(config);
        config.fleet.emplace();
        config.fleet->machine_classes["small"] = {};
    });
    service.change([](Database& db) {
        add_small_job(db, 'a');
        return 0;
    });
    const auto reader = reader_of(service);
    const auto why = [&] {
        return json_of(reader.send("GET", "/api/v1/queue")).at("items").at(0).at("why");
    };
    CHECK(why() == "nobody does them: no machine of the cluster is requested yet");
    const auto page = Browser(service).get("/machines").body;
    CHECK_THAT(page, Catch::Contains("The cluster is asked for one when jobs wait."));
    service.change([](Database& db) {
        using S = AllocationState;
        add_allocation(db, "large", "v-0", "", 5);
        const auto id = add_allocation(db, "small", "v-1", "", 5);
        move_allocation(db, {id, S::planned, S::pending, 7, "", "Priority"}, 6);
        return 0;
    });
    CHECK(why() == "nobody does them: v-1 is pending: Priority");
    service.change([](Database& db) { return add_allocation(db, "small", "v-2", "", 5).value; });
    CHECK(why() == "nobody does them: v-1 is pending: Priority; and 1 more");
}

TEST_CASE("A parked job is tried again from the page of machines", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    service.change([&](Database& db) {
        db.execute("UPDATE nightly SET state = 'measuring' WHERE id = 1");
        return db.execute(
            "UPDATE job SET state = 'parked', message = 'lost', nightly_id = 1,"
            " purpose = 'nightly' WHERE id = 2");
    });
    const std::string form = "action=\"/jobs/2/retry\"";
    Browser triage(service);
    triage.sign_in(service.token("tom", {Scope::read, Scope::triage}));
    CHECK(triage.get("/machines").body.find(form) == std::string::npos);
    Browser browser(service);
    browser.sign_in(service.token("ada", {Scope::read, Scope::triage, Scope::trigger}));
    CHECK(browser.get("/machines").body.find(form) != std::string::npos);
    const auto done = browser.post("/jobs/2/retry", browser.key());
    REQUIRE(done.status == 303);
    CHECK(done.headers.at("location") == "/machines");
    CHECK(browser.get("/machines").body.find(form) == std::string::npos);
    const auto again = service.change([](Database& db) {
        return db.find<std::string>("SELECT state FROM job ORDER BY id DESC LIMIT 1");
    });
    CHECK(again == "queued");
}

TEST_CASE("Machine hours are told of a night and of a span of days", "[service][http]") {
    Service service(pages_open);
    service.change([](Database& db) {
        add_measured_nights(db, {{"mlp", "infer", {4, 4}}});
        db.execute(
            "INSERT INTO attempt(job_id, number, worker_id, recipe_digest, claimed_at_s) "
            "SELECT id, 1, 70, 'r', 86400 * 20000 + 100 FROM job WHERE nightly_id = 2");
        return db.execute(
            "UPDATE attempt SET outcome = 'done', ended_at_s = claimed_at_s + 5400, build_s = "
            "1800");
    });
    const auto client = reader_of(service);
    const nlohmann::json part = {
        {"machine_class", "small"}, {"work", "nightly"}, {"hours", 1.5}, {"build_hours", 0.5}};
    const auto summary = json_of(client.send("GET", "/api/v1/nights/2/summary"));
    CHECK(summary.at("machine_hours") == nlohmann::json::array({part}));
    const auto span = std::string("?since=2024-10-01&until=2024-10-09");
    const auto hours = json_of(client.send("GET", "/api/v1/hours" + span));
    CHECK(hours.at("since_day") == "2024-10-01");
    CHECK(hours.at("until_day") == "2024-10-09");
    CHECK(hours.at("hours") == 1.5);
    REQUIRE(hours.at("items").size() == 1);
    CHECK(hours.at("items")[0].at("day") == "2024-10-04");
    CHECK(hours.at("items")[0].at("build_hours") == 0.5);
    const auto later =
        json_of(client.send("GET", "/api/v1/hours?since=2024-10-05&until=2024-10-09"));
    CHECK(later.at("items").empty());
    const auto year =
        json_of(client.send("GET", "/api/v1/hours?since=2020-10-01&until=2024-10-09"));
    CHECK(year.at("since_day") == "2023-10-09");
    const auto page = Browser(service).get("/nightlies/2").body;
    CHECK(page.find("builds 30 min 00 s, measuring 1 h 00 min") != page.npos);
}

TEST_CASE(
    "A spent budget is told where work waits and where more is asked for", "[service][http]") {
    Service service([](Config& config) {
        pages_open(config);
        config.projects["demo"].max_machine_hours_a_day = 1;
    });
    service.change([&](Database& db) {
        add_measured_nights(db, {{"mlp", "infer", {4, 4}}});
        add_small_job(db, 'e');
        const auto now_s = SystemClock().now_s();
        db.execute("UPDATE nightly SET created_at_s = ?1, ended_at_s = ?1 WHERE id = 2", now_s);
        db.execute(
            "INSERT INTO attempt(job_id, number, worker_id, recipe_digest, claimed_at_s) "
            "SELECT id, 1, 70, 'r', ?1 FROM job WHERE nightly_id = 2",
            now_s);
        return db.execute("UPDATE attempt SET outcome = 'done', ended_at_s = claimed_at_s + 5400");
    });
    const auto words = "its machine hours of the day are spent (1.5 of 1 h";
    const auto client = service.client(service.token("ann", {Scope::read, Scope::trigger}));
    const auto queue = json_of(client.send("GET", "/api/v1/queue"));
    bool told = false;
    for (const auto& group : queue.at("items")) {
        told = told || group.at("why").get<std::string>().starts_with(words);
    }
    CHECK(told);
    const auto budget = json_of(client.send("GET", "/api/v1/hours")).at("budget");
    CHECK(budget == nlohmann::json{{"limit_hours", 1}, {"today_hours", 1.5}, {"spent", true}});
    const auto reply = json_of(client.send("POST", "/api/v1/triggers", R"({"project":"demo"})"));
    CHECK(reply.at("note").get<std::string>().starts_with(std::string("demo: ") + words));
    const auto summary = json_of(client.send("GET", "/api/v1/nights/2/summary"));
    REQUIRE(summary.at("budget_days").size() == 1);
    CHECK(summary.at("budget_days")[0].at("spent") == true);
    const auto page = Browser(service).get("/nightlies/2").body;
    CHECK(page.find("of 1 machine hours a day: spent") != page.npos);
}

TEST_CASE("A night holds other backends against the base, by a named rule", "[service][http]") {
    Service service(pages_open);
    service.change([](Database& db) {
        add_measured_nights(
            db,
            {{"mlp", "infer-eager", {4, 4}},
             {"mlp", "infer-jit", {4, 1}},
             {"lstm", "infer-eager", {1, 1}},
             {"lstm", "infer-jit", {1, -1}, "oom"}});
        return db.execute(
            "INSERT INTO run_fact(run_id, name, value, unit) SELECT id, 'compile_time_ns', 3e9,"
            " 'ns' FROM run WHERE benchmark = 'mlp' AND variant = 'infer-jit'");
    });
    const auto summary = json_of(reader_of(service).send("GET", "/api/v1/nights/2/summary"));
    const auto& ratios = summary.at("ratios");
    REQUIRE(ratios.size() == 1);
    CHECK(ratios[0].at("rule") == "hud_v2");
    CHECK(ratios[0].at("base") == "eager");
    CHECK(ratios[0].at("speedup") == 4.0);
    CHECK(ratios[0].at("memory_ratio").is_null());
    CHECK(ratios[0].at("compile_s") == 3.0);
    CHECK(ratios[0].at("passing") == 1);
    CHECK(ratios[0].at("left_out").at("speedup").at(0).at("why") == "oom");
    CHECK(summary.at("confirm_runs") == nlohmann::json{{"limit", 2000}, {"taken", 0}});
    CHECK(summary.at("spent").at("nightly").at("runs") == 4);
    CHECK(summary.at("machine_hours").is_array());
    const Browser browser(service);
    for (const auto* path : {"/", "/nightlies/2"}) {
        const auto page = browser.get(path).body;
        CHECK(page.find("Against eager") != page.npos);
        CHECK(page.find(">4.00x<") != page.npos);
        CHECK(page.find("hud_v2") != page.npos);
    }
    const auto night = browser.get("/nightlies/2").body;
    CHECK(night.find("lstm (oom)") != night.npos);
    service.change([](Database& db) {
        return db.execute("UPDATE nightly SET state = 'confirming' WHERE id = 2");
    });
    const auto machines = browser.get("/machines").body;
    CHECK(machines.find("Nights under way") != machines.npos);
    CHECK(machines.find("0 of 2000") != machines.npos);
}

TEST_CASE("Nobody waits for what stands for machines elsewhere", "[service][http]") {
    Service service(pages_open);
    service.change([&](Database& db) {
        const auto project = ensure_project(db, "demo", 100);
        const auto stand_in = ensure_stand_in(db, project, ensure_machine_class(db, "small"), 100);
        return stand_in.value;
    });
    const auto reader = reader_of(service);
    const auto workers = [&] { return json_of(reader.send("GET", "/api/v1/workers")).at("items"); };
    REQUIRE(workers().size() == 1);
    CHECK(workers().at(0).at("unseen_s").is_null());
    const Browser browser(service);
    CHECK(browser.get("/").body.find("silent") == std::string::npos);
    CHECK(browser.get("/machines").body.find("not heard of") == std::string::npos);
    // A machine's own worker is missed.
    service.change([&](Database& db) {
        return upsert_worker(db, service.config(), "worker-one", small_machine(), false, 100).value;
    });
    CHECK(workers().at(0).at("unseen_s").is_number());
    CHECK(browser.get("/").body.find("1 silent") != std::string::npos);
}
