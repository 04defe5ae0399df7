#include "service/pages/findings/search_view.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

WholeSearch some_search() {
    WholeSearch search;
    search.good_revision = std::string(40, 'a');
    search.bad_revision = std::string(40, 'b');
    for (int i = 0; i <= 4; ++i) {
        const std::string hash(40, static_cast<char>('0' + i));
        search.suspects.push_back({i, hash, "subject " + std::to_string(i), "Author One", {}});
    }
    return search;
}

SearchStanding some_standing(std::vector<double> chances, std::vector<int> credible) {
    SearchStanding standing;
    standing.commits = 4;
    standing.left = {credible.front(), credible.back(), static_cast<int>(credible.size())};
    standing.series = {{SeriesId{7}, std::move(chances), std::move(credible)}};
    return standing;
}

ListedProbe some_probe(int number, const char* state) {
    ListedProbe probe;
    probe.number = number;
    probe.state = state;
    probe.plan = {"search", "halves what is left", {0, 2, 2, 0}};
    probe.job_state = "leased";
    probe.begun_at_s = 1000;
    const std::string revision(40, '2');
    probe.observations = {
        {5, revision, "passed", std::string(64, 'f'), 7, 2e6}, {5, revision, "passed", {}, 8, 1.0}};
    return probe;
}

}  // namespace

TEST_CASE("The range says how many commits are left, and draws each stretch", "[service][pages]") {
    const auto view = range_view(some_search(), some_standing({0.5, 0.01, 0.48, 0.01}, {1, 3}));
    CHECK(view.at("says") == "2 of 4 commits may have done it: 1111111111 to 3333333333");
    REQUIRE(view.at("left").size() == 2);
    CHECK(view.at("left").at(1).at("x") == "500.0");
    CHECK(view.at("left").at(1).at("width") == "250.0");
    auto ended = some_search();
    const auto says = [&] {
        return range_view(ended, some_standing({0.5, 0.01, 0.48, 0.01}, {1, 3})).at("says");
    };
    ended.conclusion = {{{"range", 1}}};
    CHECK(says() == "2 of 4 commits may have done it: 1111111111 to 3333333333");
    ended.conclusion->endings.push_back({"culprit", 1});
    CHECK(says() == "2 of 4 commits may hold a change: 1111111111 to 3333333333");
    auto none = some_standing({1}, {1});
    none.commits = 0;
    CHECK(range_view(some_search(), none).is_null());
}

TEST_CASE("Shares of commits are rounded down", "[service][pages]") {
    const auto views = posterior_views(
        some_search(), some_standing({0.3336, 0.3337, 0.3326, 0.0001}, {1, 2, 3}), {});
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
    auto ended = some_search();
    ended.conclusion = {{{"culprit", 2}}};
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
    auto search = some_search();
    search.probes = {some_probe(0, "done"), some_probe(1, "open")};
    const auto view = probes_view(search, {{7, {"mlp", "ns"}}}, 1190);
    const auto& first = view.at("probes").at(0);
    CHECK(first.at("number") == 2);
    CHECK(first.at("took") == "3 min 10 s");
    CHECK(first.at("commits") == "0000000000, 2222222222");
    CHECK(first.at("some").at("words") == "1 run");
    CHECK(first.at("some").at("runs").at(0).at("said") == "2.000 ms");
    const auto html = render("probes.html", view);
    CHECK(html.find("halves what is left") != html.npos);
    CHECK(html.find("href=\"/logs/ffff") != html.npos);
    CHECK(probes_view(some_search(), {}, 0).is_null());
}

TEST_CASE("Levels are drawn against the good build, with a table", "[service][pages]") {
    RegressionLevels levels;
    for (char digit = '0'; digit <= '4'; ++digit) {
        levels.revisions.emplace_back(std::string(40, digit));
    }
    const std::vector<search::CommitLevel> marks = {
        {0, 0, 2}, {2, 0.001, 1}, {3, 0.18, 2}, {4, 0.18, 2}};
    const auto view = levels_view(levels, marks, std::string(40, '3'), "mlp");
    CHECK(view.at("points").at(1).at("note") == "one run");
    CHECK(view.at("points").at(2).at("note") == "culprit");
    CHECK(view.at("points").at(3).at("note") == "bad build");
    CHECK(view.at("named").at("x") == "750.0");
    CHECK(view.at("points").at(0).at("y") == "240.0");  // the good build is the ground
    CHECK(view.at("ticks").at(0).at("tick") == "+20.0 %");
    CHECK(
        render("levels.html", view).find("<td class=\"number\">+18.0 %</td>") != std::string::npos);
    CHECK(levels_view(levels, {{0, 0, 2}}, std::nullopt, "").is_null());
}
