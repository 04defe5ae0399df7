#include "service/local/report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/text/characters.hpp"
#include "service/local/answer.hpp"
#include "service/local/compare.hpp"
#include "service/local/explain.hpp"
#include "service/local/progress.hpp"
#include "tests/unit/service/local/scene.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;

namespace {

const char* const attack = "<script>alert(1)</script> @team closes #7 | `x` \x1b[31m\u202E\"'&";

std::vector<LogEntry> hostile_log() {
    auto start = started(10);
    start.order.bench = std::string("./bench '") + attack + "' ```";
    for (auto& commit : start.suspects) commit.subject = commit.author = attack;
    return played(start, 6, 0.3, 5);
}

}  // namespace

TEST_CASE("Nothing from the repository is markup in a report", "[service][local]") {
    const auto log = hostile_log();
    const auto story = replay_story(log);
    const auto decision = replay(log).decision;
    const std::string page = html_report(story, decision);
    CHECK_THAT(page, !Contains("<script") && Contains("&lt;script&gt;"));
    CHECK_THAT(page, Contains("<svg") && Contains("</svg>") && !Contains("http-equiv=\"refresh"));
    const std::string text = markdown_report(story, decision);
    const std::string prose = text.substr(0, text.find("## To see it again"));
    CHECK_THAT(prose, !Contains("<script") && !Contains("@team") && !Contains(" #7"));
    CHECK_THAT(text, Contains("````text"));  // a fence longer than the command's own
    for (const auto& all : {page, text, explain(log, 40), answer_text(story, decision)}) {
        CHECK(all.find('\x1b') == std::string::npos);
    }
    CHECK(explain(log, 40).find("\u202E") == std::string::npos);
}

TEST_CASE("A report holds what was found and how to see it again", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    const auto story = replay_story(log);
    const auto decision = replay(log).decision;
    for (const auto& text : {markdown_report(story, decision), html_report(story, decision)}) {
        CHECK_THAT(text, Contains(hash_of(6).str()) && Contains("vigil compare --repo /src/it"));
        CHECK_THAT(text, Contains(hash_of(5).str()) && Contains("culprit found"));
    }
    const auto json = answer_json(story, decision);
    CHECK(json.at("first").at("revision") == hash_of(6).str());
    CHECK(json.at("verdict") == "culprit");
    for (const char* name :
         {"metric",
          "direction",
          "threshold",
          "at_once",
          "verdict",
          "reason",
          "comparison",
          "stopped",
          "runs",
          "runs_failed",
          "builds",
          "seconds"}) {
        CAPTURE(name);
        CHECK(json.contains(name));
        CHECK(compare_json(CompareResult{}).contains(name));
    }
    for (const char* side : {"good", "bad"}) {
        CHECK(json.at(side).at("revision").is_string());
        CHECK(compare_json(CompareResult{}).at(side).at("revision").is_string());
    }
    CHECK(
        commands_to_see(story, decision).at(0).find("--build 'make '\\''all'\\'''") !=
        std::string::npos);
}

TEST_CASE("A report suits a phone and a dark room, and fetches nothing", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    const auto page = html_report(replay_story(log), replay(log).decision);
    CHECK_THAT(page, Contains("width=device-width, initial-scale=1"));
    CHECK_THAT(page, Contains("prefers-color-scheme:dark") && Contains("default-src 'none'"));
    CHECK_THAT(page, Contains("<svg class=\"wide\"") && Contains("<svg class=\"narrow\""));
    // Cells tell their column's name where the row of heads does not fit.
    CHECK_THAT(page, Contains("<td class=\"word\" data-name=\"Hash\">"));
    CHECK_THAT(page, Contains("content:attr(data-name)"));
    for (const char* fetched : {"src=", "href=", "url(", "@import"}) {
        CAPTURE(fetched);
        CHECK(page.find(fetched) == page.npos);
    }
    // Whatever is drawn lies on its sheet.
    const auto narrow = page.substr(page.find("<svg class=\"narrow\""));
    const auto drawing = narrow.substr(0, narrow.find("</svg>"));
    for (const std::string name : {" x=\"", " cx=\"", " x1=\"", " x2=\""}) {
        for (auto at = drawing.find(name); at != drawing.npos; at = drawing.find(name, at + 1)) {
            const double x = std::stod(drawing.substr(at + name.size()));
            CAPTURE(name, x);
            CHECK((x >= 0 && x <= 328));
        }
    }
}

TEST_CASE("An unfinished search has a report too", "[service][local]") {
    auto log = played(started(10), 6, 0.3);
    log.resize(3);
    const auto story = replay_story(log);
    const auto decision = story.decide();
    CHECK_THAT(html_report(story, decision), Contains("stopped") && Contains("<svg"));
    CHECK_THAT(markdown_report(story, decision), Contains("Suspects left"));
}

TEST_CASE("Bars show the likely, and what is barely possible", "[service][local]") {
    CHECK(bars({0, 0.5, 1, 0.01, 0}, 5) == " ▄█▁ ");
    CHECK(bars({1, 1, 0, 0}, 2) == "█ ");
    CHECK(bars({}, 9).empty());
}

TEST_CASE("Progress fits its terminal", "[service][local]") {
    const auto log = played(started(300), 120, 0.3);
    const auto story = replay_story(log);
    const auto decision = story.decide();
    for (const std::size_t width : {30U, 80U, 300U}) {
        for (const auto& line : progress_lines(story, decision, "measuring", 61, width)) {
            CHECK(text::columns(line) <= width);
        }
    }
    const auto lines = progress_lines(story, decision, "measuring", 61, 120);
    CHECK_THAT(lines[2], Contains("of 300 suspects left") && Contains("1 min 01 s elapsed"));
}
