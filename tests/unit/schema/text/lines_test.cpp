#include "schema/text/lines.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/schema/text/corpus.hpp"

using namespace vigil::text;

TEST_CASE("Whatever comes in, one line comes out, and nothing in it is hidden", "[schema][text]") {
    for (const auto& text : hostile_texts()) {
        CAPTURE(text);
        const auto line = one_line(text, 100);
        CHECK(is_shown(line));
        CHECK(line.size() <= 103);
        CHECK(one_line(line, 200) == line);
        const auto several = lines(text);
        CHECK(is_shown(several, "\n\t"));
        CHECK(lines(several) == several);
        for (const std::size_t width : {0, 1, 7, 80}) {
            const auto cut = fitted(line, width);
            CHECK(is_shown(cut));
            CHECK(columns(cut) <= width);
        }
    }
}

TEST_CASE("Words become one bounded line", "[schema][text]") {
    CHECK(one_line("  fatal:\n\tno such\x1b[31m thing \r\n") == "fatal: no such[31m thing");
    CHECK(one_line("one\u2028two\u3000three") == "one two three");
    CHECK(one_line("bad \xFF\xC0\xAF utf") == "bad \uFFFD\uFFFD\uFFFD utf");
    CHECK(one_line("abcdef", 4) == "abcd...");
    CHECK(one_line("abcd", 4) == "abcd");
    CHECK(one_line("abc d", 4) == "abc...");
    CHECK(one_line("a\u00E9z", 2) == "a...");
    CHECK(one_line("a\u00E9z", 3) == "a\u00E9...");
    CHECK(one_line("abcd  \n", 4) == "abcd");
    CHECK(one_line("").empty());
}

TEST_CASE("A failure is summed up by its error, or else by its last words", "[schema][text]") {
    CHECK(
        telling_line("[1/2] cc a.c\na.c:3: error: 'x' was not declared\n  3 | x\nstopped\n") ==
        "a.c:3: error: 'x' was not declared");
    CHECK(telling_line("fatal error: no input") == "fatal error: no input");
    CHECK(telling_line("compiling\nmake: *** [all] Stop.\n \n") == "make: *** [all] Stop.");
    CHECK(telling_line("").empty());
    CHECK(telling_line(" \n\t\r\n").empty());
    CHECK(telling_line("error: " + std::string(400, 'x'), 20).size() == 23);
}

TEST_CASE("Several lines keep their shape and cannot steer the terminal", "[schema][text]") {
    CHECK(lines("one\n  two\tthree\r\n") == "one\n  two\tthree\n");
    CHECK(lines("a\x1b[2Jb\x07\x08\rc") == "a[2Jbc");
}

TEST_CASE("A cut is shown and never splits a character", "[schema][text]") {
    CHECK(fitted("short", 10) == "short");
    CHECK(fitted("\u00FC\u00FC\u00FC\u00FC", 3) == "\u00FC\u00FC\u2026");
    CHECK(fitted("\u4F60\u597D\u4F60", 4) == "\u4F60\u2026");
    CHECK(fitted("abc", 1) == "\u2026");
    CHECK(fitted("abc", 0).empty());
}
