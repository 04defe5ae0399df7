#include "service/pages/common/docs_site.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

TEST_CASE("a documentation site is its plain files, at most one folder deep", "[service][pages]") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "site";
    write(scratch.path() / "secret", "not of the site");
    write(folder / "index.html", "<p>start</p>");
    write(folder / "figures" / "README.html", "<p>figures</p>");
    write(folder / "source" / "vigild.json.in", "{}");
    write(folder / "one" / "two" / "deep.html", "too deep");
    fs::create_symlink(scratch.path() / "secret", folder / "secret.html");
    fs::create_directory_symlink(scratch.path(), folder / "up");

    const auto site = read_docs_site(folder);
    std::vector<std::string> names;
    for (const auto& [name, file] : site) names.push_back(name);
    CHECK(
        names ==
        std::vector<std::string>{"figures/README.html", "index.html", "source/vigild.json.in"});
    CHECK(site.at("index.html").text == "<p>start</p>");
    CHECK(site.at("index.html").type == "text/html; charset=utf-8");
    CHECK(site.at("source/vigild.json.in").type == "text/plain; charset=utf-8");
}

TEST_CASE("a folder without a start page is no site", "[service][pages]") {
    const test::ScratchFolder scratch;
    CHECK(read_docs_site(scratch.path() / "nothing").empty());
    write(scratch.path() / "other.html", "x");
    CHECK(read_docs_site(scratch.path()).empty());
}

}  // namespace
}  // namespace vigil::service
