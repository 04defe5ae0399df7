// What was measured, as charts, tables and comparisons show it, over a daemon.

#include "tests/integration/service/http/measured.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/integration/service/http/asked.hpp"
#include "tests/integration/service/http/fixture.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

void open_pages(Config& config) {
    config.http.open_pages = OpenReads::local;
    measure_small(config);
}

/// Sixty nights; from the forty-first on "sum" is 20 % slower.
void measure_a_step(Service& service) {
    service.change([](Database& db) {
        add_measured_nights(
            db,
            {{"sum", "train", stepped(60, 40, 1e6, 1.2e6)},
             {"dot", "infer", stepped(60, 60, 5e6, 5e6)}});
        return 0;
    });
}

http::Response page(const Service& service, const std::string& path) {
    return service.client().send("GET", path, "", {{"accept", "text/html"}});
}

}  // namespace

TEST_CASE(
    "A series' chart has its baseline, its levels and where they changed", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    const auto chart = json_of(service.client().send("GET", "/api/v1/series/1/chart?nights=50"));
    const auto& nights = chart.at("nights");
    REQUIRE(nights.size() == 50);
    CHECK(chart.at("older") == 10);
    CHECK(nights.front().at("nightly") == 11);
    CHECK(nights.front().at("commits").is_null());
    CHECK(nights.back().at("commits").at("from") == nights[48].at("revision"));
    CHECK(nights.front().at("base").get<double>() == Approx(1e6).epsilon(0.01));
    const double limit = nights.front().at("limit").get<double>();
    CHECK(limit / nights.front().at("base").get<double>() == Approx(1.07));
    REQUIRE(chart.at("levels").size() == 2);
    CHECK(chart.at("levels")[1].at("value").get<double>() == Approx(1.2e6).epsilon(0.01));
    REQUIRE(chart.at("changes").size() == 1);
    CHECK(chart.at("changes")[0].at("first") == 41);
    CHECK(chart.at("changes")[0].at("worse") == true);
    CHECK(chart.at("changes")[0].at("certain") == true);
    REQUIRE(chart.at("environments").size() == 1);
    CHECK(chart.at("environments")[0].at("nightly") == 31);
    const auto& changed = chart.at("environments")[0].at("changed");
    REQUIRE(changed.size() == 1);
    CHECK(changed[0].at("fact") == "kernel");
    const auto before =
        json_of(service.client().send("GET", "/api/v1/series/1/chart?nights=5&nightly=10"));
    CHECK(before.at("nights").back().at("nightly") == 10);
    CHECK(before.at("nights").front().at("nightly") == 6);
}

TEST_CASE("A series' page shows its chart as its address asks", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    const auto reply = page(service, "/series/1?nights=50");
    CAPTURE(reply.body);
    CHECK(reply.status == 200);
    for (const auto* words :
         {"class=\"band\"",
          "class=\"level\"",
          "from the baseline to the threshold",
          "the environment changed",
          "Its level last changed in 2025-02-13",
          "data-chart=\"/series/1?format=json&amp;nights=50\""}) {
        CAPTURE(words);
        CHECK(reply.body.find(words) != std::string::npos);
    }
    const auto over = page(service, "/series/1?nights=50&with=2&values=relative");
    CAPTURE(over.status, over.body);
    CHECK(over.status == 200);
    CHECK(over.body.find("line second") != std::string::npos);
    CHECK(over.body.find("name=\"nights\" value=\"50\"") != std::string::npos);
    CHECK(page(service, "/series/1?axis=log").status == 200);
    CHECK(page(service, "/series/1?axis=cubic").status == 400);
    CHECK(page(service, "/series/1?with=99").status == 404);
    CHECK(page(service, "/series/1?nights=1").status == 400);
    const auto data =
        json_of(service.client().send("GET", "/series/1?format=json&nights=50&with=2"));
    CHECK(data.at("nights").size() == 50);
    const auto table = service.client().send("GET", "/series/1?format=csv&nights=50");
    CHECK(table.headers.at("content-type").starts_with("text/csv"));
}
