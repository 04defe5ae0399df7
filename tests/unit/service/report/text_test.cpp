#include "service/report/render/text.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace vigil::service;

TEST_CASE("Decimals are rounded half away from zero", "[service][report]") {
    CHECK(rounded(2.675, 2) == "2.68");
    CHECK(rounded(-2.675, 2) == "-2.68");
    CHECK(rounded(0.05, 1) == "0.1");
    CHECK(rounded(2.5, 0) == "3");
    CHECK(rounded(0.04, 1) == "0.0");
    CHECK(rounded(-0.04, 1) == "0.0");
    CHECK(rounded(1e300 * 1e300, 1) == "?");
}

TEST_CASE("Levels are shown in units a person reads", "[service][report]") {
    CHECK(quantity(12'345'000, "ns") == "12.35 ms");
    CHECK(quantity(999.96, "ns") == "1000 ns");
    CHECK(quantity(1'234, "ns") == "1.234 \u00B5s");
    CHECK(quantity(2.5e9, "ns") == "2.500 s");
    CHECK(quantity(512, "bytes") == "512 B");
    CHECK(quantity(1.5 * 1024 * 1024 * 1024, "bytes") == "1.500 GiB");
    CHECK(quantity(155.0 * 1024 * 1024, "bytes") == "155.0 MiB");
    CHECK(quantity(42, "images/s") == "42.00 images/s");
    CHECK(quantity(42, "") == "42.00");
}

TEST_CASE("A change has a sign unless it is nothing", "[service][report]") {
    CHECK(percent(0.183) == "+18.3 %");
    CHECK(percent(-0.0205) == "-2.1 %");
    CHECK(percent(0.0001) == "0.0 %");
}

TEST_CASE(
    "A stranger's text mentions nobody, closes nothing and links nowhere", "[service][report]") {
    const std::string text =
        harmless("Fixes #12 by @octocat, see https://evil.example/?a=1 and www.evil.example, GH-7");
    for (const auto* sign : {"@", "#", "://", "www.", "GH-"}) {
        CAPTURE(sign, text);
        CHECK(text.find(sign) == std::string::npos);
    }
}

TEST_CASE("A stranger's text opens no HTML, comment, code, table or image", "[service][report]") {
    const std::string text = code(
        "`</details><!-- vigil:regression:0f3a9c1b22de:1 --> | ![x](javascript:1) **b** \\ &lt;");
    CHECK(text.front() == '`');
    CHECK(text.find('`', 1) == text.size() - 1);
    CHECK(text.find_first_of("<>|*\\&") == std::string::npos);
    CHECK(text.find("](") == std::string::npos);
}

TEST_CASE("Control, bidirectional and invisible characters are dropped", "[service][report]") {
    CHECK(harmless("a\x1b[31mb\x07\x7f") == "a[31mb");
    CHECK(harmless("a\u202Eb\u2066c\u200Bd\uFEFFe\u061Cf") == "abcdef");
    CHECK(harmless("line one\r\nline\u2028two\tend") == "line one line two end");
    CHECK(harmless(std::string("a\0b", 3)) == "ab");
    CHECK(
        harmless("\xE2\x80\xAE"
                 "tag\xF3\xA0\x81\x81") == "tag");
}

TEST_CASE("Bytes that are no UTF-8 become the replacement character", "[service][report]") {
    CHECK(harmless("a\xFFz") == "a\uFFFDz");
    CHECK(harmless("\xC0\xAF") == "\uFFFD\uFFFD");
    CHECK(harmless("cut \xE2\x82") == "cut \uFFFD\uFFFD");
    CHECK(harmless("\xED\xA0\x80").find("\xED") == std::string::npos);
    CHECK(harmless("gr\u00FC\u00DFe \U0001F600") == "gr\u00FC\u00DFe \U0001F600");
}

TEST_CASE("Long text ends honestly and never inside a character", "[service][report]") {
    CHECK(harmless(std::string(500, 'x'), 10) == std::string(10, 'x') + "...");
    CHECK(harmless("\u00FC\u00FC\u00FC\u00FC", 3) == "\u00FC\u00FC\u00FC...");
    CHECK(harmless("  a  b  ", 3) == "a b");
    CHECK(code("") == "(empty)");
}

TEST_CASE("Words of a shell command arrive as they were", "[service][report]") {
    CHECK(shell_word("--flag=a/b") == "--flag=a/b");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("it's; rm -rf $HOME") == "'it'\\''s; rm -rf $HOME'");
    CHECK(shell_word("a\nb'c") == "$'a\\x0ab\\'c'");
    CHECK(shell_word("~") == "'~'");
}

TEST_CASE("A fence is longer than any run of backquotes inside", "[service][report]") {
    CHECK(fenced("echo ````\n", "bash") == "`````bash\necho ````\n`````\n");
    CHECK(fenced("x", "text") == "```text\nx\n```\n");
}

TEST_CASE("Durations and times read as a person writes them", "[service][report]") {
    CHECK(duration(12) == "12 s");
    CHECK(duration(245) == "4 min 05 s");
    CHECK(duration(11'530) == "3 h 12 min");
    CHECK(utc(1'795'229'100) == "2026-11-21 02:45 UTC");
    CHECK(counted(1, "run") == "1 run");
    CHECK(counted(2, "series", "series") == "2 series");
}
