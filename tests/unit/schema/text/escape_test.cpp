#include "schema/text/escape.hpp"

#include <catch2/catch.hpp>

#include "schema/text/lines.hpp"
#include "tests/unit/schema/text/corpus.hpp"

using namespace vigil::text;

TEST_CASE("No text mentions, links, opens or hides anything in an issue", "[schema][text]") {
    for (const auto& text : hostile_texts()) {
        CAPTURE(text);
        for (const auto& words : {harmless(text), harmless(text, 10)}) {
            CHECK(is_shown(words));
            for (const auto* sign :
                 {"@",
                  "#",
                  "<",
                  ">",
                  "`",
                  "|",
                  "\\",
                  "*",
                  "~",
                  "&",
                  "://",
                  "www.",
                  "](",
                  "][",
                  "]:",
                  "GH-"}) {
                CAPTURE(sign);
                CHECK(words.find(sign) == words.npos);
            }
        }
        const auto span = code_span(text);
        CHECK((span == "(empty)" || (span.starts_with('`') && span.ends_with('`'))));
    }
    CHECK(harmless(std::string(500, 'x'), 10) == std::string(10, 'x') + "...");
    CHECK(harmless("  a  b  ", 3) == "a b");
    CHECK(harmless("gr\u00FC\u00DFe \U0001F600") == "gr\u00FC\u00DFe \U0001F600");
}

TEST_CASE("No text opens an element or ends an attribute", "[schema][text]") {
    for (const auto& text : hostile_texts()) {
        CHECK(html(text).find_first_of("<>\"'") == std::string::npos);
    }
    CHECK(html("a < b & 'c'") == "a &lt; b &amp; &#39;c&#39;");
}

TEST_CASE("In Markdown a stranger's signs are signs", "[schema][text]") {
    CHECK(markdown("a*b_[c](d)") == "a\\*b\\_\\[c\\](d)");
    CHECK(markdown("@me #1 <x> &") == "&#64;me &#35;1 &lt;x\\> &amp;");
}

TEST_CASE("What is no markup where it stands is left as it is", "[schema][text]") {
    for (const char* words :
         {"version 1.2.3 (of main) -- it's \"fine\"!",
          "+12.1 % against 3.5 ms: 12:30",
          "a-b+c=d {e} f.cpp; 3 of 4. Then 5) more"}) {
        CHECK(markdown(words) == words);
    }
    CHECK(markdown("1. one") == "1\\. one");
    CHECK(markdown("2) two\n- x\n  + y\n===") == "2\\) two\n\\- x\n  \\+ y\n\\===");
    CHECK(markdown("www.example.com") == "www\\.example.com");
    CHECK(markdown("http://x :smile:") == "http\\://x \\:smile:");
    CHECK(markdown("![x](y)") == "\\!\\[x\\](y)");
}

TEST_CASE("Words of a command arrive as they were, and are seen", "[schema][text]") {
    CHECK(shell_word("--flag=a/b") == "--flag=a/b");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("it's; rm -rf $HOME") == "'it'\\''s; rm -rf $HOME'");
    CHECK(shell_word("a\nb'c") == "$'a\\x0ab\\'c'");
    CHECK(shell_word("~") == "'~'");
    CHECK(shell_word("gr\u00FC\u00DFe") == "'gr\u00FC\u00DFe'");
    CHECK(shell_word("a\u202Eb") == "$'a\\xe2\\x80\\xaeb'");
    for (const auto& text : hostile_texts()) CHECK(is_shown(shell_word(text)));
}

TEST_CASE("A fence is longer than any run of backquotes inside", "[schema][text]") {
    CHECK(fenced("echo ````\n", "bash") == "`````bash\necho ````\n`````\n");
    CHECK(fenced("x", "text") == "```text\nx\n```\n");
}

TEST_CASE("A log's value is one line that shows every byte", "[schema][text]") {
    for (const auto& text : hostile_texts()) {
        std::string value;
        append_escaped(value, text);
        CHECK(is_shown(value));
    }
    std::string value;
    append_escaped(value, "a \"b\"\\\n\x1b\xFF\u200B\u00A0z");
    CHECK(value == "a \\\"b\\\"\\\\\\n\\x1b\\xff\\xe2\\x80\\x8b\\xc2\\xa0z");
}
