#include <string>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"

using namespace vigil;

TEST_CASE("A revision is a full lower-case hash and nothing else", "[schema][model]") {
    CHECK(Revision(std::string(40, 'a')).brief() == "aaaaaaaaaa");
    CHECK(Revision(std::string(64, '0')).str().size() == 64);
    CHECK_THROWS_AS(Revision("abc"), Error);
    CHECK_THROWS_AS(Revision(std::string(40, 'A')), Error);
    CHECK_THROWS_AS(Revision("--upload-pack=" + std::string(26, 'a')), Error);
}

TEST_CASE("A digest is 64 lower-case hex digits", "[schema][model]") {
    CHECK(Digest(std::string(64, 'f')).brief() == "ffffffffffff");
    CHECK_THROWS_WITH(Digest("x"), Catch::Contains("64 lower-case hex"));
}

TEST_CASE("An enum reads back what it writes, and names its choices otherwise", "[schema][model]") {
    for (const auto& [verdict, name] : enum_names<Verdict>) {
        CHECK(parse_enum<Verdict>(name) == verdict);
        CHECK(to_string(verdict) == name);
    }
    CHECK_FALSE(find_enum<Verdict>("").has_value());
    CHECK_THROWS_WITH(
        parse_enum<Scope>("root"), Catch::Contains("read, ingest, trigger, worker, triage, admin"));
}
