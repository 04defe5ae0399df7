#include "schema/text/characters.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/schema/text/corpus.hpp"

using namespace vigil::text;

TEST_CASE("A text is read character by character, bad bytes one by one", "[schema][text]") {
    for (const auto& text : hostile_texts()) {
        CAPTURE(text);
        std::string again;
        std::size_t unsound = text.npos;
        for (std::size_t at = 0; at < text.size();) {
            const auto c = first_character(std::string_view(text).substr(at));
            REQUIRE(c.bytes >= 1);
            REQUIRE(at + c.bytes <= text.size());
            if (!c.is_sound) {
                CHECK(c.bytes == 1);
                CHECK(c.code == replacement);
                unsound = std::min(unsound, at);
                again += text[at];
            } else {
                append(again, c.code);
            }
            at += c.bytes;
        }
        CHECK(again == text);
        CHECK(find_unsound(text) == unsound);
    }
}

TEST_CASE("What UTF-8 forbids is no character", "[schema][text]") {
    for (const auto* bad :
         {"\x80",
          "\xC0\xAF",
          "\xC1\xBF",
          "\xE0\x80\xAF",
          "\xED\xA0\x80",
          "\xF0\x80\x80\x80",
          "\xF4\x90\x80\x80",
          "\xF8\x88\x80\x80\x80",
          "\xE2\x82",
          "\xFF"}) {
        CHECK_FALSE(first_character(bad).is_sound);
    }
    for (const auto* good : {"a", "\u00FC", "\u20AC", "\uFFFF", "\U0010FFFF", "\uD7FF"}) {
        CHECK(first_character(good).is_sound);
    }
}

TEST_CASE("Hidden is what nobody sees, a space is a space", "[schema][text]") {
    for (const char32_t c :
         {0x00,   0x07,    0x1B,    0x7F,    0x9B,    0xAD,   0x34F,  0x61C,  0x115F,
          0x1160, 0x17B4,  0x180B,  0x180E,  0x200B,  0x200D, 0x200F, 0x2028, 0x202A,
          0x202E, 0x2060,  0x2066,  0x206F,  0x3164,  0xE000, 0xFE0F, 0xFEFF, 0xFFA0,
          0xFFF9, 0x1D173, 0xE0041, 0xE0100, 0xF0000, 0xFFFE, 0xFFFF, 0x1FFFF}) {
        CAPTURE(static_cast<unsigned>(c));
        CHECK(is_hidden(c));
    }
    for (const char32_t c :
         {0x20, 0x7E, 0xA0, 0xFC, 0x301, 0x20AC, 0x3000, 0x4F60, 0xFFFD, 0x1F600}) {
        CAPTURE(static_cast<unsigned>(c));
        CHECK_FALSE(is_hidden(c));
    }
    for (const char32_t c :
         {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x85, 0xA0, 0x2003, 0x2028, 0x2029, 0x3000}) {
        CAPTURE(static_cast<unsigned>(c));
        CHECK(is_space(c));
    }
    CHECK_FALSE(is_space(0x200B));
    CHECK_FALSE(is_space('x'));
}

TEST_CASE("Columns are those of a terminal", "[schema][text]") {
    CHECK(columns("") == 0);
    CHECK(columns("gr\u00FC\u00DFe") == 5);
    CHECK(columns("\u4F60\u597D") == 4);
    CHECK(columns("e\u0301") == 1);
    CHECK(columns("\xFF\xFF") == 2);
}

TEST_CASE("A text is cut between two characters", "[schema][text]") {
    CHECK(first_bytes("a\u00FCb", 2) == "a");
    CHECK(first_bytes("a\u00FCb", 3) == "a\u00FC");
    CHECK(first_bytes("ab", 5) == "ab");
    CHECK(first_bytes("ab", 0).empty());
}

TEST_CASE("Only ASCII letters change their case, whatever the locale", "[text]") {
    CHECK(lower_case("Content-Type: AZ@[`{") == "content-type: az@[`{");
    CHECK(lower_case("\u00c4\u0130") == "\u00c4\u0130");
    CHECK(lower_case(std::string_view("A\0B", 3)) == std::string("a\0b", 3));
    CHECK(lower_case("").empty());
}

TEST_CASE("Folded texts are the same whatever their case and spelling", "[schema][text]") {
    CHECK(folded("\u00D6zg\u00FCr") == folded("\u00F6ZG\u00DCR"));
    CHECK(folded("O\u0308zgur") == folded("\u00F6zgur"));  // composed and not
    CHECK(folded("\u0130zmir") == "izmir");
    CHECK(folded("\u03A3\u0391\u03A3") == folded("\u03C3\u03B1\u03C2"));
    CHECK(folded("Stra\u00DFe") == folded("STRASSE"));
    CHECK(folded("Ada L") == "ada l");
    CHECK(folded("").empty());
    CHECK(
        folded("A\xFF"
               "B") ==
        "a\xFF"
        "b");
    CHECK(folded(std::string_view("A\0B", 3)).size() == 3);
}
