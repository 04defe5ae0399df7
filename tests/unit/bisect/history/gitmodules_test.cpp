#include "bisect/history/gitmodules.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::history;
using Catch::Contains;

namespace {

std::string address(const std::string& url, const std::string& origin) {
    return submodule_address({.name = "m", .path = "m", .url = url}, {{origin}}, 0);
}

std::string refusal(const std::string& url, const std::string& origin) {
    try {
        return "taken as " + address(url, origin);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
}

}  // namespace

TEST_CASE(".gitmodules is read as git reads its config", "[bisect][history]") {
    const auto found = parse_gitmodules(
        "# a comment\r\n"
        "[core]\n\tpath = none of ours\n"
        "[submodule \"a \\\"quoted\\\" name\"]\n"
        "\tPath = third/./a/ ; where\n"
        "\turl = \"https://host/a b.git\"   # its address\n"
        "\tpath = another\n"
        "[submodule \"b\"] path = b\n"
        "\turl = ../b\\\n.git\n\tupdate = none\n\tshallow\n"
        "[submodule \"without a path\"]\n\turl = x\n");
    REQUIRE(found.size() == 2);
    CHECK(found.at("third/a").name == "a \"quoted\" name");
    CHECK(found.at("third/a").url == "https://host/a b.git");
    CHECK(found.at("third/a").wanted);
    CHECK(found.at("b").url == "../b.git");
    CHECK_FALSE(found.at("b").wanted);
    CHECK(parse_gitmodules("").empty());
}

TEST_CASE("A .gitmodules that git would not read is refused with its line", "[bisect][history]") {
    for (const auto* text :
         {"\n[submodule \"a\n",
          "\n[submodule \"a\"",
          "\n= x",
          "\n[submodule \"a\"]!",
          "\n[submodule \"a\"]url = \"x",
          "\n[submodule \"a\"]url = \\x",
          "\n\\"}) {
        CAPTURE(text);
        CHECK_THROWS_WITH(parse_gitmodules(text), Contains("line 2"));
    }
    for (const auto* path : {"/etc", "../up", "a/../../b", "a/.."}) {
        CAPTURE(path);
        CHECK_THROWS_WITH(
            parse_gitmodules("[submodule \"a\"]\npath = " + std::string(path)),
            Contains("absolute or has a \"..\""));
    }
}

TEST_CASE("A .gitmodules cut anywhere is read or refused", "[bisect][history]") {
    const std::string text = "[submodule \"a\\\\b\"]\n\tpath = \"x\\ty\" # c\n\turl = ../a\\\n\n";
    for (std::size_t length = 0; length <= text.size(); ++length) {
        try {
            parse_gitmodules(std::string_view(text).substr(0, length));
        } catch (const Error& error) {
            CHECK(error.code() == Errc::invalid_argument);
        }
    }
}

TEST_CASE("A relative address is put together as git does", "[bisect][history]") {
    CHECK(address("../b.git", "https://host/org/a.git") == "https://host/org/b.git");
    CHECK(address("../../o/b/", "https://host/org/a.git/") == "https://host/o/b");
    CHECK(address("./b", "https://host/org/a") == "https://host/org/a/b");
    CHECK(address("../b", "git@host:org/a") == "git@host:org/b");
    CHECK(address("../../b", "git@host:org/a") == "git@host:b");
    CHECK(address("../b", "/srv/a") == "/srv/b");
    CHECK(address("../b", "file:///srv/a") == "file:///srv/b");
    CHECK(address("ssh://git@host:22/b", "/srv/a") == "ssh://git@host:22/b");
    CHECK_THAT(refusal("../../../b", "https://host/org/a"), Contains("leads above"));
    CHECK_THAT(refusal("../../b", "/a"), Contains("leads above"));
}

TEST_CASE("Only addresses that are safe to fetch are taken", "[bisect][history]") {
    const std::string remote = "https://host/org/a";
    CHECK(address("/srv/b", "/srv/a") == "/srv/b");
    CHECK(address("file:///srv/b", "/srv/a") == "file:///srv/b");
    for (const auto* url : {"/srv/b", "file:///srv/b", "b/c", "FILE:///srv/b"}) {
        CHECK_THAT(refusal(url, remote), Contains("path of this machine") || Contains("a kind"));
    }
    for (const auto* url :
         {"ext::sh -c id", "fd::17", "ftp://host/a", "rsync://host/a", "git+x://host/a", ":x"}) {
        CAPTURE(url);
        CHECK_THAT(refusal(url, remote), Contains("a kind that is not fetched"));
    }
    CHECK_THAT(refusal("", remote), Contains("names no address"));
    CHECK_THAT(refusal("--upload-pack=id", remote), Contains("none that git takes"));
    CHECK_THAT(refusal("https://host/a\nb", remote), Contains("none that git takes"));
    CHECK_THAT(refusal("b", "/srv/a"), Contains("a path from nowhere"));
}

TEST_CASE("What nests without end, or is too much, is refused", "[bisect][history]") {
    const Submodule module{.name = "m", .path = "m", .url = "../m.git"};
    std::vector<std::string> within;
    for (int depth = 0; depth < max_submodule_depth; ++depth) {
        within.push_back("https://host/" + std::to_string(depth));
    }
    CHECK(submodule_address(module, within, max_submodules - 1) == "https://host/m.git");
    CHECK_THROWS_WITH(
        submodule_address(module, within, max_submodules), Contains("more than 500 submodules"));
    within.front() = "https://host/m/";
    CHECK_THROWS_WITH(submodule_address(module, within, 0), Contains("a submodule of itself"));
    within.emplace_back("https://host/last");
    CHECK_THROWS_WITH(submodule_address(module, within, 0), Contains("8 submodules deep"));
}
