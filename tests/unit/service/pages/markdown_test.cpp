#include "service/pages/findings/markdown.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"

using namespace vigil::service;

namespace {

std::string html_of(std::string_view markdown) {
    std::string html;
    for (const auto& part : markdown_view(markdown)) html += render("markdown.html", part);
    return html;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

std::string report(const std::string& name) {
    std::ifstream file(std::string(VIGIL_SOURCE_DIR) + "/tests/data/report/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("What reports are written with becomes HTML", "[service][pages]") {
    CHECK(
        html_of("a **b** _c_ `d`") ==
        "<p>a <strong>b</strong> <em>c</em> <code><bdi>d</bdi></code></p>");
    CHECK(html_of("### One\n\ntwo  \nthree") == "<h3>One</h3><p>two<br>three</p>");
    CHECK(html_of("#### One") == "<h4>One</h4>");
    CHECK(html_of("- a\n- b\n") == "<ul><li>a</li><li>b</li></ul>");
    CHECK(html_of("1. a\n\n2. b\n") == "<ol><li><p>a</p></li><li><p>b</p></li></ol>");
    CHECK(html_of("---") == "<hr>");
    CHECK(html_of("```text\na\n b\n```\n") == "<pre tabindex=\"0\"><code>a\n b\n</code></pre>");
    CHECK(
        html_of("[a](https://git.example/b?c=1&d=2)") ==
        "<p><a href=\"https://git.example/b?c=1&amp;d=2\" rel=\"noopener noreferrer nofollow\">a"
        "</a></p>");
}

TEST_CASE("A table keeps its heads and the side of its numbers", "[service][pages]") {
    const auto html = html_of("| A | B |\n|---|---:|\n| a | 1 |\n");
    CHECK(holds(html, "<thead><tr><th scope=\"col\">A</th>"));
    CHECK(holds(
        html,
        "<th scope=\"col\" class=\"number\">B</th></tr></thead><tbody><tr><td>a</td><td "
        "class=\"number\">1</td></tr>"));
    CHECK_FALSE(holds(html_of("| | |\n|---|---|\n| a | 1 |\n"), "<thead>"));
    const auto half = html_of("| | B |\n|---|---|\n| a | 1 |\n");
    CHECK(holds(half, "<thead><tr><td></td><th scope=\"col\">B</th></tr></thead>"));
}

TEST_CASE("What a report folds away is folded, and its mark is left out", "[service][pages]") {
    const auto html = html_of(
        "<details>\n<summary>The search: 2 probes</summary>\n\na\n\n</details>\n\nb\n\n"
        "<!-- vigil:regression:1 -->\n");
    CHECK(html == "<details><summary>The search: 2 probes</summary><p>a</p></details><p>b</p>");
}

TEST_CASE("A stranger's text brings no HTML, address or image of its own", "[service][pages]") {
    const char* hostile[] = {
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<details>\n<summary><script>alert(1)</script></summary>\n\nx\n\n</details>\n",
        "<!-- --><script>alert(1)</script>\n",
        "```\n</code></pre><script>alert(1)</script>\n```",
        "| <script>alert(1)</script> |\n|---|\n| `<script>` |\n",
        "[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) [d](/api/v1/tokens)",
        "![alt](https://evil.example/pixel.png)",
        "[x]: javascript:alert(1)\n\n[x]",
        "<javascript:alert(1)>"};
    for (const auto* text : hostile) {
        const auto html = html_of(text);
        CAPTURE(text, html);
        CHECK_FALSE(holds(html, "<script"));
        CHECK_FALSE(holds(html, "<img"));
        CHECK_FALSE(holds(html, "href="));
    }
    CHECK(holds(html_of("a <b>c</b>"), "a &lt;b&gt;c&lt;/b&gt;"));
    CHECK_FALSE(holds(html_of("a\u202Eb"), "\u202E"));
}

TEST_CASE("Deep, long and broken Markdown ends as text", "[service][pages]") {
    CHECK_FALSE(html_of(std::string(20'000, '>') + " deep").empty());
    CHECK_FALSE(html_of(std::string(5'000, '[') + "x").empty());
    std::string folds;
    for (int i = 0; i < 5'000; ++i) folds += "<details>\n<summary>x</summary>\n\n";
    const auto shown = html_of(folds);
    CHECK(holds(shown, "<details>"));
    CHECK(holds(shown, "&lt;details&gt;"));  // those below are text
    CHECK(holds(html_of("\xff\xfe"), "\uFFFD"));
    CHECK(html_of("").empty());
    CHECK(html_of(std::string(2 * most_of_a_text, 'x')).size() < most_of_a_text + 100);
}

TEST_CASE("Every report that Vigil writes can be shown whole", "[service][pages]") {
    for (const auto* name :
         {"culprit.md",
          "inside.md",
          "night_busy.md",
          "not_reproduced.md",
          "partly_recovered.md",
          "range.md",
          "recovered.md"}) {
        const auto html = html_of(report(name));
        CAPTURE(name, html);
        CHECK(html.size() > 1000);
        CHECK_FALSE(holds(html, "&lt;details"));  // nothing of it is left as it stands
        CHECK_FALSE(holds(html, "vigil:"));
    }
    const auto parts = split_verdict("**One.**\n\nTwo.\n\nThree.");
    CHECK(parts.verdict == "**One.**");
    CHECK(parts.rest == "Two.\n\nThree.");
    CHECK(split_verdict("one").rest.empty());
}

TEST_CASE("A report leaves out the sections that its page has", "[service][pages]") {
    constexpr std::string_view headings[] = {"The search", "Levels along the commits"};
    const std::string report =
        "first\n\n### The search\n\nprobes\n\n### Reproduce\n\n```bash\n### The "
        "search\nrun\n```\n\n"
        "### Levels along the commits\n\n```mermaid\nxychart-beta\n```\n\n### Answer\nlast";
    const auto kept = without_sections(report, headings);
    CHECK(
        kept == "first\n\n### Reproduce\n\n```bash\n### The search\nrun\n```\n\n### Answer\nlast");
    CHECK(without_sections(report, {}) == report);
    CHECK(without_sections("", headings).empty());
    CHECK(without_sections("### The search", headings).empty());
    CHECK(without_sections("### The search\r\nx\n", headings).empty());
}
