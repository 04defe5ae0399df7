#include "service/cli/display.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::cli;

TEST_CASE("A server's text cannot steer the terminal", "[service][cli]") {
    CHECK(printable("a\x1b[2Jb\x07\x08\rc") == "a[2Jbc");
    CHECK(printable("a\u009B31mb") == "a31mb");
    CHECK(printable("x\u202Ey\u2066z\u200B\uFEFF") == "xyz");
    CHECK(printable("one\ntwo\tthree") == "one two three");
    CHECK(printable("one\ntwo\tthree\r\n", Lines::many) == "one\ntwo\tthree\n");
    CHECK(printable("bad \xFF\xC0\xAF utf") == "bad \uFFFD\uFFFD\uFFFD utf");
    CHECK(printable("gr\u00FC\u00DFe \U0001F600") == "gr\u00FC\u00DFe \U0001F600");
    CHECK(printable("\xED\xA0\x80").find('\xED') == std::string::npos);
}

TEST_CASE("A cut is shown and never splits a character", "[service][cli]") {
    CHECK(cut("short", 10) == "short");
    CHECK(cut("\u00FC\u00FC\u00FC\u00FC", 3) == "\u00FC\u00FC\u2026");
    CHECK(cut("abc", 1) == "\u2026");
    CHECK(cut("abc", 0).empty());
}

TEST_CASE("A table is aligned and fits the terminal", "[service][cli]") {
    Table table({"ID", "STATE", "SAYS"});
    table.add({"7", "done", "a very long message that does not fit"});
    table.add({"12", "\u00FCber", "x\ny"});
    CHECK(
        table.text(0, false) ==
        "ID  STATE  SAYS\n"
        "7   done   a very long message that does not fit\n"
        "12  \u00FCber   x y\n");
    const std::string narrow = table.text(30, false);
    CHECK(narrow.find("a very long messag\u2026") != std::string::npos);
    CHECK(table.text(0, true, 1).find("\x1b[32mdone\x1b[0m") != std::string::npos);
    CHECK(table.text(0, false, 1).find('\x1b') == std::string::npos);
}

TEST_CASE("Times are read at a glance", "[service][cli]") {
    CHECK(duration(59) == "59 s");
    CHECK(duration(245) == "4 min 05 s");
    CHECK(duration(3 * 86400 + 7200) == "3 d 2 h");
    CHECK(duration(-5) == "0 s");
    CHECK(ago(1000, 1001) == "now");
    CHECK(ago(1000, 1130) == "2 min ago");
    CHECK(ago(2000, 1000) == "in 16 min");
    CHECK(utc(1'795'229'100) == "2026-11-21 02:45");
}

TEST_CASE("A day is a real day", "[service][cli]") {
    CHECK(parse_day("2026-11-21") == 1'795'219'200);
    for (const auto* bad : {"2026-02-30", "2026-1-1", "today", "2026-11-21x", ""}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(parse_day(bad), Error);
    }
}

TEST_CASE("A change has a sign and is rounded half up", "[service][cli]") {
    CHECK(percent(0.18349) == "+18.3 %");
    CHECK(percent(0.0005) == "+0.1 %");
    CHECK(percent(-0.11) == "-11.0 %");
    CHECK(percent(0) == "0.0 %");
}
