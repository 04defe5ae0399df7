#include "service/source/pep440.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using vigil::service::parse_python_version;

TEST_CASE("Versions are ordered as PEP 440 orders them", "[service][source]") {
    const std::vector<std::string> ordered{
        "0.9",
        "1.0.dev456",
        "1.0a1",
        "1.0a2.dev456",
        "1.0a12.dev456",
        "1.0a12",
        "1.0b1.dev456",
        "1.0b2",
        "1.0b2.post345.dev456",
        "1.0b2.post345",
        "1.0rc1.dev456",
        "1.0rc1",
        "1.0",
        "1.0+abc.5",
        "1.0+abc.7",
        "1.0+5",
        "1.0.post456.dev34",
        "1.0.post456",
        "1.1.dev1",
        "2.9.0.dev20251113+cpu",
        "2.9",
        "2.10.0.dev20251111+cpu",
        "2.10.0.dev20251112",
        "2.10.0.dev20251112+cpu",
        "2.10.0.dev20251112+cu126",
        "2.10",
        "2.10.1",
        "1!0.1"};
    for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
        const auto older = parse_python_version(ordered[i]);
        const auto newer = parse_python_version(ordered[i + 1]);
        CAPTURE(ordered[i], ordered[i + 1]);
        REQUIRE(older);
        REQUIRE(newer);
        CHECK(*older < *newer);
        CHECK_FALSE(*newer < *older);
    }
}

TEST_CASE("Spellings of one version are equal", "[service][source]") {
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
             {"1.0", "1"},
             {"v1.0", "1.0.0"},
             {"1.0-alpha.1", "1.0a1"},
             {"1.0.preview2", "1.0rc2"},
             {"1.0c3", "1.0rc3"},
             {"1.0-1", "1.0.post1"},
             {"1.0_rev2", "1.0.post2"},
             {"1.0dev", "1.0.dev0"},
             {"1.0a", "1.0a0"},
             {"1.0+CPU-cxx11", "1.0+cpu.cxx11"},
             {"01.002", "1.2"}}) {
        CAPTURE(one, other);
        REQUIRE(parse_python_version(one));
        CHECK(*parse_python_version(one) == *parse_python_version(other));
    }
}

TEST_CASE("What is no version is none", "[service][source]") {
    for (const std::string text :
         {"",
          "latest",
          "1.",
          ".1",
          "1.0+",
          "1.0+a..b",
          "1.0 ",
          "1.0x",
          "1.0.dev1.dev2",
          "1!",
          "2.10.0.devel",
          "1.0+a_b/",
          "9999999999999999999",
          "1.0a9999999999999999999",
          "-1",
          "1..0",
          "1.0\n"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_python_version(text));
    }
    CHECK_FALSE(parse_python_version(std::string(300, '1')));
}
