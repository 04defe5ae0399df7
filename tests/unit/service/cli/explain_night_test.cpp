#include "service/cli/detect/explain_night.hpp"

#include <cmath>
#include <fstream>
#include <limits>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/cli/detect/svg_plot.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/unit/service/cli/said.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;
using test::sampled_csv;
using test::say;

namespace {

std::string text_of_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("One night is explained with samples, baseline, rule and rival", "[service][cli]") {
    const auto said = say({"detect", "-", "--explain", "s", "40"}, sampled_csv());
    CHECK(said.code == 0);
    CHECK_THAT(said.out, Contains("s, night 40"));
    CHECK_THAT(said.out, Contains("samples: 11"));
    CHECK_THAT(said.out, Contains("; median 11"));
    CHECK_THAT(said.out, Contains("baseline: 100"));
    CHECK_THAT(said.out, Contains("rule: a step of at least 5 %"));
    CHECK_THAT(said.out, Contains("would have fired: suspicious tonight from 10"));
    CHECK_THAT(said.out, Contains("OWN NOISE"));
    const json answer =
        json::parse(say({"detect", "-", "--explain", "s", "40", "--json"}, sampled_csv()).out);
    CHECK(answer.at("samples").size() == 3);
    CHECK(answer.at("suspicion").get<double>() > 4.5);
    CHECK(answer.at("suspicious_from").get<double>() > 104.9);
    CHECK(answer.at("suspicious_from").get<double>() < 112);
    CHECK(answer.at("change_from").get<double>() >= 104.9);
    CHECK(answer.at("attempts").at(0).at("before").get<double>() == Approx(100).margin(0.5));
}

TEST_CASE("The night that raised a change shows every rival beaten", "[service][cli]") {
    const json answer =
        json::parse(say({"detect", "-", "--explain", "s", "41", "--json"}, sampled_csv()).out);
    CHECK(answer.at("lost_to").is_null());
    CHECK_THAT(answer.at("decision").get<std::string>(), Contains("worse since 40"));
    const json& two = answer.at("attempts").at(1);
    REQUIRE(two.at("duels").size() >= 6);
    for (const auto& duel : two.at("duels")) {
        CHECK(duel.at("statistic").get<double>() > duel.at("needed").get<double>());
    }
}

TEST_CASE("The least value that fires does, and a little less does not", "[service][cli]") {
    cli::History history;
    for (int i = 0; i < 50; ++i) {
        history.nights.push_back(std::to_string(i));
        history.values.push_back(200 / (1 + 0.006 * (i * 7 % 5 - 2)));
    }
    const auto direction = GENERATE(Direction::lower_is_better, Direction::higher_is_better);
    const auto night = cli::explain_night(history, direction, 49, {});
    REQUIRE(night.why.suspicious_from);
    REQUIRE(night.why.change_from);
    const double sign = direction == Direction::lower_is_better ? 1 : -1;
    for (const double nudge : {-0.001, 0.001}) {
        auto other = history;
        other.values[49] = *night.why.suspicious_from * (1 + sign * nudge);
        const auto again = cli::explain_night(other, direction, 49, {});
        CHECK((again.why.explanation.finding.suspicion >= 4.5) == (nudge > 0));
    }
}

TEST_CASE("A night that cannot be explained is refused, or said to be unknown", "[service][cli]") {
    CHECK(say({"detect", "-", "--explain", "s", "77"}, sampled_csv()).code == 4);
    CHECK_THAT(
        say({"detect", "-", "--explain", "s", "77"}, sampled_csv()).err,
        Contains("has no night 77") && Contains("0 to 59"));
    CHECK(say({"detect", "-", "--explain", "t", "5"}, sampled_csv()).code == 4);
    CHECK(say({"detect", "-", "--explain", "s", "tomorrow"}, sampled_csv()).code == 2);
    CHECK(say({"detect", "-", "--explain", "s"}, sampled_csv()).code == 2);
    CHECK(say({"detect", "-", "s", "5"}, sampled_csv()).code == 2);
    CHECK_THAT(
        say({"detect", "-", "--explain", "s", "3"}, sampled_csv()).out,
        Contains("none yet, 3 nights"));
    const auto gap = say({"detect", "-", "--explain", "s", "1"}, "series,night,value\ns,1,nan\n");
    CHECK(gap.code == 0);
    CHECK_THAT(gap.out, Contains("not measured"));
    const auto zeros =
        say({"detect", "-", "--explain", "", "20", "--json"},
            "{\"values\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,7]}");
    CHECK(zeros.code == 0);
    CHECK(json::parse(zeros.out).at("suspicious_from").is_null());
}

TEST_CASE("Series are drawn as one SVG whose text is never markup", "[service][cli]") {
    const test::ScratchFolder folder;
    const auto file = folder / "plot.svg";
    const auto said = say({"detect", "-", "--svg", file.string()}, sampled_csv());
    CHECK(said.code == 1);
    const std::string svg = text_of_file(file);
    CHECK_THAT(svg, Catch::StartsWith("<svg xmlns="));
    CHECK_THAT(svg, Catch::EndsWith("</svg>\n"));
    CHECK_THAT(svg, Contains("&lt;quiet &amp; &quot;small&quot;&gt;"));
    CHECK_THAT(svg, !Contains("<quiet"));
    CHECK_THAT(svg, Contains("class='worse'"));
    CHECK_THAT(svg, Contains("raised on 41"));
    CHECK_THAT(svg, !Contains("nan") && !Contains("inf"));
    CHECK(
        say({"detect", "-", "--svg", (folder / "no" / "such.svg").string()}, sampled_csv()).code ==
        2);
}

TEST_CASE("Whatever the values are, a drawing holds finite numbers only", "[service][cli]") {
    const double huge = std::numeric_limits<double>::max();
    for (const auto& values : std::vector<std::vector<double>>{
             {},
             {5},
             {std::nan(""), std::nan("")},
             {0, 0, 0},
             {huge, -huge, huge},
             {1e-308, 2e-308},
             std::vector<double>(20'000, 3.0)}) {
        cli::History history;
        history.values = values;
        for (std::size_t i = 0; i < values.size(); ++i) history.nights.push_back(std::to_string(i));
        const auto study = cli::study_history(history, Direction::lower_is_better);
        const std::string svg = cli::svg_plot({{&history, &study}});
        CHECK_THAT(svg, !Contains("nan") && !Contains("inf"));
        CHECK(svg.size() < 200'000);
    }
    cli::History one;
    one.values = {1};
    one.nights = {"1"};
    const cli::Study study = cli::study_history(one, Direction::lower_is_better);
    CHECK_THAT(
        cli::svg_plot(std::vector<cli::SvgPanel>(60, {&one, &study})),
        Contains("and 10 series more"));
}
