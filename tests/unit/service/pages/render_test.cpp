// What a page makes of a stranger's words: nothing is markup, hidden or turned.

#include "service/pages/common/render.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/text/characters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/findings/regression_rows.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

const std::string markup = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\"'`";
const std::string turned = "safe\u202Eexe.\u2066hidden\u200B";

bool has(const std::string& html, std::string_view words) {
    return html.find(words) != html.npos;
}

ListedRegression regression_of(const std::string& name) {
    ListedRegression row;
    row.id = 7;
    row.project = name;
    row.state = "reported";
    row.series.resize(3);
    auto& worst = row.series[0];
    static_cast<NamedSeries&>(worst) = {name, {}, name, name, "cpu_time_ns", {}};
    worst.unit = "ns";
    worst.change_ratio = 0.4;
    worst.size = {{0.123, 0.1, 0.15}, 2e6, 2.246e6};
    worst.today = {{0.066, 0.051, 0.082}, 3, "2026-09-22"};
    row.series[1].change_ratio = 0.05;
    row.culprit_commit = {std::string(40, 'a'), name, name};
    row.good_revision = std::string(40, 'b');
    row.bad_revision = std::string(40, 'c');
    row.created_at_s = 1'790'000'000;
    row.assigned = name;
    return row;
}

std::string list_of_one(const std::string& name) {
    const Config config;
    const HandlerContext context{config, 1'790'010'800, 0, 0};
    return render(
        "regression_rows.html", {{"regression", regression_rows({regression_of(name)}, context)}});
}

}  // namespace

TEST_CASE("A row says how much, what and since when", "[service][pages]") {
    const auto html = list_of_one("tiny_mlp");
    CHECK(has(html, "+12.3 % [10.0, 15.0]"));
    CHECK(has(html, "today +6.6 % [5.1, 8.2]"));
    CHECK(has(html, "2.000 ms to 2.246 ms"));
    CHECK(has(html, "href=\"/regressions/7\""));
    CHECK(has(html, "and 2 other series"));
    CHECK(has(html, "<time datetime=\"2026-09-21T14:13Z\" title=\"3 h"));
    CHECK(has(html, "2026-09-21 14:13 UTC</time>"));
}

TEST_CASE("Markup in a name is words", "[service][pages]") {
    const auto html = list_of_one(markup);
    CHECK_FALSE(has(html, "<script"));
    CHECK_FALSE(has(html, "<img"));
    CHECK(has(html, "&lt;script&gt;"));
}

TEST_CASE("A name neither hides nor turns what stands by it", "[service][pages]") {
    const auto html = list_of_one(turned);
    for (std::string_view rest = html; !rest.empty();) {
        const auto character = text::first_character(rest);
        CHECK((character.code == '\n' || !text::is_hidden(character.code)));
        rest.remove_prefix(character.bytes);
    }
    CHECK(has(html, "safe\uFFFDexe."));
}

TEST_CASE("A name of 4 kB takes no more place than any other", "[service][pages]") {
    const auto html = list_of_one(std::string(4096, 'x'));
    CHECK_FALSE(has(html, std::string(most_of_a_name + 1, 'x')));
    CHECK(has(html, "\u2026"));
}

TEST_CASE("Bytes that are no text are shown as such", "[service][pages]") {
    CHECK(
        shown_text(
            "a\xff\xfe"
            "b",
            10) == "a\uFFFD\uFFFDb");
    CHECK(shown_text("", 10).empty());
    CHECK(shown_text("abc", 3) == "abc");
    CHECK(shown_text("abcd", 3) == "abc\u2026");
}

TEST_CASE("An address that would run a script leads nowhere", "[service][pages]") {
    const auto html = render(
        "regression.html", {{"title", "t"}, {"issue_link", {{"href", "javascript:alert(1)"}}}});
    CHECK_FALSE(has(html, "javascript:"));
    CHECK(has(html, ">Issue</a>"));
}

TEST_CASE("Every page has one heading, its language and no script but ours", "[service][pages]") {
    http::Request request;
    request.path = "/regressions";
    const auto page =
        page_response(request, "problem.html", {{"title", markup}, {"detail", turned}});
    CHECK(has(page.body, "<html lang=\"en\">"));
    CHECK(page.body.find("<h1") == page.body.rfind("<h1"));
    const auto script = page.body.find("<script");
    const auto ours = page.body.find("<script type=\"module\" src=\"/assets/vigil-");
    CHECK(script == ours);  // neither, where the program was built without scripts
    CHECK(script == page.body.rfind("<script"));
    CHECK_FALSE(has(page.body, " style="));
    CHECK(has(page.body, "aria-current=\"page\">Regressions"));
    CHECK(has(page.headers.at("content-security-policy"), "default-src 'none'"));
    CHECK(page.headers.at("x-frame-options") == "DENY");
}
