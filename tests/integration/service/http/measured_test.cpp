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

TEST_CASE("A chart has nothing of builds that are no night's", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    service.change([](Database& db) {
        return db.execute("UPDATE nightly SET beside = 'of another branch' WHERE id = 31");
    });
    const auto chart =
        json_of(service.client().send("GET", "/api/v1/series/1/chart?nights=50&with=2"));
    CHECK(chart.at("nights").front().at("nightly") == 10);
    REQUIRE(chart.at("environments").size() == 1);
    CHECK(chart.at("environments")[0].at("nightly") == 32);
    CHECK(chart.at("with")[0].at("values").size() == 50);
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
          "&quot;axis&quot;:&quot;linear&quot;"}) {
        CAPTURE(words);
        CHECK(reply.body.find(words) != std::string::npos);
    }
    const auto over = page(service, "/series/1?nights=50&with=2&values=relative");
    CAPTURE(over.status, over.body);
    CHECK(over.status == 200);
    CHECK(over.body.find("line over-1") != std::string::npos);
    CHECK(over.body.find("Series 2: <bdi>dot, infer on") != std::string::npos);
    CHECK(over.body.find("name=\"nights\" value=\"50\"") != std::string::npos);
    CHECK(page(service, "/series/1?axis=log").status == 200);
    CHECK(page(service, "/series/1?axis=cubic").status == 400);
    CHECK(page(service, "/series/1?with=99").status == 404);
    CHECK(page(service, "/series/1?nights=1").status == 400);
    const auto data =
        json_of(service.client().send("GET", "/series/1?format=json&nights=50&with=2"));
    CHECK(data.at("nights").size() == 50);
    REQUIRE(data.at("with").size() == 1);
    CHECK(data.at("with")[0].at("id") == 2);
    REQUIRE(data.at("with")[0].at("values").size() == 50);
    CHECK(data.at("with")[0].at("values")[49].get<double>() == Approx(5e6).epsilon(0.01));
    const auto table = service.client().send("GET", "/series/1?format=csv&nights=50");
    CHECK(table.headers.at("content-type").starts_with("text/csv"));
}

TEST_CASE("Nine series lie over one, and more are refused with words", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    const auto asked = [&](const std::string& with) {
        return service.client().send("GET", "/api/v1/series/1/chart?with=" + with);
    };
    CHECK(json_of(asked("2,%201,2")).at("with").size() == 2);
    const auto many = asked("1,2,3,4,5,6,7,8,9,10");
    CHECK(many.status == 400);
    CHECK(many.body.find("at most 9 series lie over one, and these are 10") != many.body.npos);
    for (const auto* wrong : {"x", "1;2", "-1", "0", "99999999999999999999"}) {
        CAPTURE(wrong);
        CHECK(asked(wrong).status == 400);
    }
    CHECK(asked("99").status == 404);
    service.change([](Database& db) {
        db.execute("INSERT INTO project(id, name, created_at_s) VALUES (99, 'other', 1)");
        return db.execute(
            "INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric,"
            " definition, unit, direction) SELECT 98, 99, benchmark, variant, machine_class_id,"
            " metric, definition, unit, direction FROM series WHERE id = 1");
    });
    const auto foreign = asked("98");
    CHECK(foreign.status == 400);
    CHECK(foreign.body.find("series 98 is of another project") != foreign.body.npos);
}

TEST_CASE("The table of a long chart comes in parts, each with an address", "[service][http]") {
    Service service(open_pages);
    service.change([](Database& db) {
        add_measured_nights(db, {{"sum", "train", stepped(230, 230, 1e6, 1e6)}});
        return 0;
    });
    const auto shows_nights = [&](const std::string& query, int from, int to) {
        const auto html = page(service, "/series/1?nights=365" + query).body;
        const auto has = [&](int night) {
            return html.find("/series/1/nights/" + std::to_string(night) + "\"") != html.npos;
        };
        CAPTURE(query, html.size());
        CHECK(has(from));
        CHECK(has(to));
        CHECK_FALSE(has(from - 1));
        CHECK_FALSE(has(to + 1));
        return html;
    };
    const auto first = shows_nights("", 131, 230);
    CHECK(first.find("1 to 100 of 230 nights") != first.npos);
    CHECK(first.find("nights=365&amp;table=130#nights") != first.npos);
    CHECK(first.find("Newer") == first.npos);
    const auto second = shows_nights("&table=130", 31, 130);
    CHECK(second.find("101 to 200 of 230 nights") != second.npos);
    CHECK(second.find("\"/series/1?nights=365#nights\"") != second.npos);
    const auto last = shows_nights("&table=30", 1, 30);
    CHECK(last.find("201 to 230 of 230 nights") != last.npos);
    shows_nights("&table=0", 131, 230);
    CHECK(page(service, "/series/1?table=x").status == 400);
}

TEST_CASE(
    "A night of a series says what it was held against, and shows its samples", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    const auto reply = page(service, "/series/1/nights/45");
    CAPTURE(reply.body);
    CHECK(reply.status == 200);
    for (const auto* words :
         {"<dt>level</dt>",
          "what counts is worse by more than 7.0 %",
          "<dt>asked again</dt>",
          "<bdi>kernel</bdi>",
          "<td>nightly</td><td><code>",
          "scope <code>trigger</code>"}) {
        CAPTURE(words);
        CHECK(reply.body.find(words) != std::string::npos);
    }
    CHECK(page(service, "/series/1/nights/99").status == 400);
    CHECK(page(service, "/series/9/nights/45").status == 404);
    const auto stepped = page(service, "/series/1/nights/41").body;
    CHECK(stepped.find("<dt>would have fired</dt>") != stepped.npos);
    CHECK(stepped.find("EARLIER SPELL") != stepped.npos);
    const auto why = json_of(service.client().send("GET", "/api/v1/series/1/nights/41"));
    CHECK(why.at("night") == "2025-02-13");
    CHECK(why.at("loop").at("asks") == true);
    CHECK(why.at("loop").at("base").get<double>() == Approx(1e6).epsilon(0.01));
    CHECK(why.at("shape").at("suspicion").get<double>() > 4.5);
    const double from = why.at("shape").at("suspicious_from").get<double>();
    CHECK(from > 1e6);
    CHECK(from < 1.2e6);
    const auto first = json_of(service.client().send("GET", "/api/v1/series/1/nights/1"));
    CHECK(first.at("loop").at("base").is_null());
    CHECK(service.client().send("GET", "/api/v1/series/1/nights/99").status == 404);
    const auto data = json_of(service.client().send("GET", "/series/1/nights/45?format=json"));
    REQUIRE(data.at("items").size() == 1);
    CHECK(data.at("items")[0].at("benchmark") == "sum");
}

TEST_CASE("Trends put what moved most first, whenever it did", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    const auto trends = json_of(service.client().send("GET", "/api/v1/trends?nights=40"));
    REQUIRE(trends.at("items").size() == 2);
    const auto& first = trends.at("items")[0];
    CHECK(first.at("benchmark") == "sum");
    CHECK(first.at("since") == 41);
    CHECK(first.at("change_ratio").get<double>() == Approx(0.2).margin(0.01));
    CHECK(first.at("values").size() == 40);
    const auto found = json_of(service.client().send("GET", "/api/v1/trends?search=CPU%20TIME"));
    CHECK(found.at("items").size() == 2);
    CHECK(
        json_of(service.client().send("GET", "/api/v1/trends?search=infer")).at("items").size() ==
        1);
    CHECK(service.client().send("GET", "/api/v1/trends?nights=91").status == 400);
    const auto html = page(service, "/trends?nights=60").body;
    CAPTURE(html);
    CHECK(html.find("1 worse, 0 better of 2 series") != std::string::npos);
    CHECK(html.find("CPU time") != std::string::npos);
    const auto table = service.client().send("GET", "/trends?format=csv").body;
    CHECK(table.starts_with("series,benchmark,case,variant,"));
}

TEST_CASE("The heat map tells apart what did not pass", "[service][http]") {
    Service service(open_pages);
    service.change([](Database& db) {
        auto failing = stepped(20, 20, 1e6, 1e6);
        failing.back() = -1;
        add_measured_nights(
            db,
            {{"sum", "train", stepped(20, 19, 1e6, 1.3e6)},
             {"dot", "train", failing, "oom"},
             {"dot", "infer", stepped(20, 20, 1e6, 1e6)}});
        db.execute("DELETE FROM measurement WHERE run_id = (SELECT max(id) FROM run)");
        db.execute("DELETE FROM run WHERE id = (SELECT max(id) FROM run)");
        return 0;
    });
    const auto heat = json_of(service.client().send("GET", "/api/v1/heatmap?machine_class=small"));
    const auto& items = heat.at("items");
    REQUIRE(items.size() == 3);
    CHECK(items[0].at("state") == "missing");  // dot, infer
    CHECK(items[0].at("base_state") == "passed");
    CHECK(items[1].at("state") == "oom");
    CHECK(items[2].at("change_ratio").get<double>() == Approx(0.3).margin(0.02));
    const auto html = page(service, "/heatmap").body;
    CAPTURE(html);
    CHECK(html.find("1 broken, 1 worse of 3") != std::string::npos);
    CHECK(html.find("\u2296 oom") != std::string::npos);
    CHECK(html.find("? missing</td>") != std::string::npos);
    CHECK(html.find("class=\"worst\"") != std::string::npos);
    CHECK(
        page(service, "/heatmap?as=table").body.find("<th scope=\"col\">Outcome</th>") !=
        std::string::npos);
    const auto before =
        json_of(service.client().send("GET", "/api/v1/heatmap?nightly=19&against=18"));
    CHECK(before.at("here").at("nightly") == 19);
    CHECK(before.at("against").at("nightly") == 18);
    CHECK(service.client().send("GET", "/api/v1/heatmap?nightly=99").status == 400);
}

TEST_CASE("Two nights are compared by the noise of their series", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    const auto both = json_of(service.client().send("GET", "/api/v1/compare?a=20&b=55"));
    REQUIRE(both.at("items").size() == 2);
    const auto& sum = both.at("items")[0];
    CHECK(sum.at("benchmark") == "sum");
    CHECK(sum.at("finding") == "worse");
    CHECK(sum.at("samples_before").size() == 3);
    CHECK(sum.at("low").get<double>() > 0.15);
    CHECK(sum.at("high").get<double>() < 0.25);
    const auto& dot = both.at("items")[1];
    CHECK(dot.at("finding") == "same");
    CHECK(dot.at("samples_before").empty());
    REQUIRE(both.at("environment").size() == 1);
    CHECK(both.at("environment")[0].at("fact") == "kernel");
    const auto revision = both.at("a").at("revision").get<std::string>();
    const auto by_hash =
        json_of(service.client().send("GET", "/api/v1/compare?b=55&a=" + revision));
    CHECK(by_hash.at("a").at("nightly") == 20);
    const auto html = page(service, "/compare?a=20&b=55").body;
    CAPTURE(html);
    CHECK(html.find("B against A: 1 worse, 0 better of 2 series") != std::string::npos);
    CHECK(html.find("class=\"dots\"") != std::string::npos);
    CHECK(html.find(">dot<") == std::string::npos);
    CHECK(page(service, "/compare?a=20&b=55&show=all").body.find(">dot<") != std::string::npos);
    const auto calm = page(service, "/compare?a=20&b=21").body;
    CHECK(calm.find("no significant difference in 2 series") != std::string::npos);
}

TEST_CASE("Both are asked to be measured from the page that compares them", "[service][http]") {
    Service service(open_pages);
    measure_a_step(service);
    const auto secret = service.token("asker", {Scope::read, Scope::trigger});
    const auto client = service.client();
    const auto in = client.send(
        "POST",
        "/login",
        "next=%2Fcompare&token=" + secret,
        {{"accept", "text/html"}, {"content-type", "application/x-www-form-urlencoded"}});
    REQUIRE(in.status == 303);
    const auto& set = in.headers.at("set-cookie");
    const auto cookie = set.substr(0, set.find(';'));
    const http::Headers browser{{"accept", "text/html"}, {"cookie", cookie}};
    const auto html = client.send("GET", "/compare?a=20&b=55&benchmark=sum", "", browser).body;
    const std::string mark = "name=\"key\" value=\"";
    const auto form = html.find("action=\"/requests/comparison\"");
    REQUIRE(form != std::string::npos);
    const auto at = html.find(mark, form) + mark.size();
    const auto key = html.substr(at, html.find('"', at) - at);
    auto headers = browser;
    headers["content-type"] = "application/x-www-form-urlencoded";
    const auto asked = client.send(
        "POST",
        "/requests/comparison",
        "project=demo&a=2025-01-20&b=2025-02-27&benchmark=sum&key=" + key,
        headers);
    CAPTURE(asked.body);
    CHECK(asked.status == 303);
    CHECK(asked.headers.at("location") == "/requests");
    const auto list = client.send("GET", "/requests", "", browser).body;
    CHECK(list.find("comparison of 2025-01-20") != std::string::npos);
    CHECK(client.send("GET", "/requests/1", "", browser).body.find("asker") != std::string::npos);
    CHECK(
        page(service, "/compare?a=20&b=55").body.find("scope <code>trigger</code>") !=
        std::string::npos);
}

TEST_CASE("Names of strangers are words in charts, maps and tables", "[service][http]") {
    Service service(open_pages);
    const std::string hostile = "</title><script>alert(1)</script>\u202E" + std::string(4096, 'x');
    service.change([&](Database& db) {
        add_measured_nights(db, {{hostile, hostile, stepped(30, 20, 1e6, 2e6)}});
        db.execute(
            "UPDATE environment SET facts = json_object('kernel', ?1 || id, ?1, 'x' || id)",
            hostile);
        return 0;
    });
    for (const auto* path :
         {"/series/1",
          "/series/1?with=1&values=relative",
          "/series/1/nights/9",
          "/trends",
          "/heatmap",
          "/heatmap?as=table",
          "/compare?a=5&b=29&show=all",
          "/requests"}) {
        const auto reply = page(service, path);
        CAPTURE(path, reply.body);
        CHECK(reply.status == 200);
        CHECK(reply.body.find("<script>alert") == std::string::npos);
        CHECK(reply.body.find("\u202E") == std::string::npos);
        CHECK(reply.body.find(std::string(200, 'x')) == std::string::npos);
    }
}

TEST_CASE("With nothing measured every page says so", "[service][http]") {
    Service service(open_pages);
    for (const auto* path : {"/trends", "/heatmap", "/compare", "/requests"}) {
        const auto reply = page(service, path);
        CAPTURE(path, reply.body);
        CHECK(reply.status == 200);
        CHECK(
            json_of(service.client().send("GET", std::string(path) + "?format=json")).is_object());
    }
}
