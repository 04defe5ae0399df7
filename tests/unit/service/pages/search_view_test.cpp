#include "service/pages/findings/search_view.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"

using namespace vigil::service;
using nlohmann::json;

namespace {

json some_bisection() {
    json bisection = {
        {"good_revision", std::string(40, 'a')},
        {"bad_revision", std::string(40, 'b')},
        {"suspects", json::array()},
        {"probes", json::array()}};
    for (int i = 0; i <= 4; ++i) {
        bisection["suspects"].push_back(
            {{"position", i},
             {"revision", std::string(40, static_cast<char>('0' + i))},
             {"subject", "subject " + std::to_string(i)},
             {"author", "Author One"}});
    }
    return bisection;
}

json some_standing(std::vector<double> chances, std::vector<int> credible) {
    const int first = credible.front();
    const int last = credible.back();
    const auto count = credible.size();
    return {
        {"commits", 4},
        {"left", {{"first", first}, {"last", last}, {"count", count}}},
        {"series", {{{"series", 7}, {"probabilities", chances}, {"credible", credible}}}}};
}

json some_probe(int number, const char* state) {
    return {
        {"number", number},
        {"state", state},
        {"plan",
         {{"purpose", "search"}, {"commits", {0, 2, 2, 0}}, {"why", "halves what is left"}}},
        {"job_state", "leased"},
        {"worker", "worker-one"},
        {"machine_class", "small"},
        {"begun_at_s", 1000},
        {"ended_at_s", nullptr},
        {"observations",
         {{{"run", 5},
           {"revision", std::string(40, '2')},
           {"outcome", "passed"},
           {"log", std::string(64, 'f')},
           {"series", 7},
           {"value", 2e6}},
          {{"run", 5},
           {"revision", std::string(40, '2')},
           {"outcome", "passed"},
           {"log", nullptr},
           {"series", 8},
           {"value", 1.0}}}}};
}

}  // namespace

TEST_CASE("The range says how many commits are left, and draws each stretch", "[service][pages]") {
    const auto view = range_view(some_bisection(), some_standing({0.5, 0.01, 0.48, 0.01}, {1, 3}));
    CHECK(view.at("says") == "2 of 4 commits may have done it: 1111111111 to 3333333333");
    REQUIRE(view.at("left").size() == 2);
    CHECK(view.at("left").at(1).at("x") == "500.0");
    CHECK(view.at("left").at(1).at("width") == "250.0");
    auto ended = some_bisection();
    const auto says = [&] {
        return range_view(ended, some_standing({0.5, 0.01, 0.48, 0.01}, {1, 3})).at("says");
    };
    ended["conclusion"]["endings"] = {{{"ending", "range"}, {"first", 1}, {"last", 3}}};
    CHECK(says() == "2 of 4 commits may have done it: 1111111111 to 3333333333");
    ended["conclusion"]["endings"].push_back({{"ending", "culprit"}, {"first", 1}, {"last", 1}});
    CHECK(says() == "2 of 4 commits may hold a change: 1111111111 to 3333333333");
    json none = some_standing({1}, {1});
    none["commits"] = 0;
    CHECK(range_view(some_bisection(), none).is_null());
}

TEST_CASE("Shares of commits are rounded down", "[service][pages]") {
    const auto views = posterior_views(
        some_bisection(), some_standing({0.3336, 0.3337, 0.3326, 0.0001}, {1, 2, 3}), {});
    REQUIRE(views.size() == 1);
    const auto& rows = views.at(0).at("rows");
    REQUIRE(rows.size() == 4);
    CHECK(rows.at(0).at("share") == "33.3 %");
    CHECK(rows.at(0).at("position") == 2);
    CHECK(rows.at(0).at("subject") == "subject 2");
    CHECK(rows.at(2).at("share") == "33.2 %");
    CHECK(rows.at(3).at("others").at("words") == "1 other commit");
    CHECK(rows.at(3).at("share") == "below 0.1 %");
    CHECK(views.at(0).at("chart").at("bars").size() == 3);
    const auto html = render("posterior.html", views.at(0));
    CHECK(
        html.find("Of 4 commits 2222222222 holds a change most likely, with 33.3 %") != html.npos);
}

TEST_CASE("A commit that was named is verified, whatever its chance was", "[service][pages]") {
    auto ended = some_bisection();
    ended["conclusion"]["endings"] = {{{"ending", "culprit"}, {"first", 2}, {"last", 2}}};
    const auto views = posterior_views(ended, some_standing({0.02, 0.968, 0.01, 0}, {2}), {});
    CHECK(views.at(0).at("says") == "Of 4 commits 2222222222 holds a change: verified");
    const auto& rows = views.at(0).at("rows");
    CHECK(rows.at(0).at("share") == "verified");
    CHECK(rows.at(1).at("share") == "2.0 %");
    CHECK(views.at(0).at("chart").is_null());  // of one bar
    CHECK(render("posterior.html", views.at(0)).find("<svg") == std::string::npos);
    const auto other = posterior_views(ended, some_standing({0.9, 0.1, 0, 0}, {1}), {});
    CHECK(other.at(0).at("rows").at(1).at("share") == "10.0 %");  // it changed another series
    CHECK(other.at(0).at("chart").at("bars").size() == 2);
}

TEST_CASE("A probe that runs comes first, with how long it has", "[service][pages]") {
    auto bisection = some_bisection();
    bisection["probes"] = {some_probe(0, "done"), some_probe(1, "open")};
    const auto view = probes_view(bisection, {{7, {"mlp", "ns"}}}, 1190);
    const auto& first = view.at("probes").at(0);
    CHECK(first.at("number") == 2);
    CHECK(first.at("took") == "3 min 10 s");
    CHECK(first.at("commits") == "0000000000, 2222222222");
    CHECK(first.at("some").at("words") == "1 run");
    CHECK(first.at("some").at("runs").at(0).at("said") == "2.000 ms");
    const auto html = render("probes.html", view);
    CHECK(html.find("halves what is left") != html.npos);
    CHECK(html.find("href=\"/logs/ffff") != html.npos);
    CHECK(probes_view(some_bisection(), {}, 0).is_null());
}

TEST_CASE("Levels are drawn against the good build, with a table", "[service][pages]") {
    const auto mark = [](int position, double ratio) {
        return json{
            {"position", position},
            {"revision", std::string(40, static_cast<char>('0' + position))},
            {"change_ratio", ratio},
            {"runs", position == 2 ? 1 : 2},
            {"same_product_as", nullptr}};
    };
    const json levels = {{"levels", {mark(0, 0), mark(2, 0.001), mark(3, 0.18), mark(4, 0.18)}}};
    const auto view = levels_view(levels, 4, std::string(40, '3'), "mlp");
    CHECK(view.at("points").at(1).at("note") == "one run");
    CHECK(view.at("points").at(2).at("note") == "culprit");
    CHECK(view.at("points").at(3).at("note") == "bad build");
    CHECK(view.at("named").at("x") == "750.0");
    CHECK(view.at("points").at(0).at("y") == "240.0");  // the good build is the ground
    CHECK(view.at("ticks").at(0).at("tick") == "+20.0 %");
    CHECK(
        render("levels.html", view).find("<td class=\"number\">+18.0 %</td>") != std::string::npos);
    CHECK(levels_view({{"levels", {mark(0, 0)}}}, 4, std::nullopt, "").is_null());
}
