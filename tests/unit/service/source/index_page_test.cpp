#include "service/source/index_page.hpp"

#include <catch2/catch.hpp>

#include "service/source/index_nights.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

const std::string base = "https://index.example.org/whl/nightly/cpu/torch/";
const std::string hash(40, 'a');
const std::string digest(64, 'b');

std::vector<IndexLink> links_of(const std::string& html) {
    return parse_index_page(html, base);
}

IndexLink link_to(const std::string& file) {
    IndexLink link;
    link.file = file;
    link.url = base + file;
    return link;
}

}  // namespace

TEST_CASE("Links of a wheel index have address, name and digest", "[service][source]") {
    const auto links = links_of(
        "<!DOCTYPE html><html><body><h1>Links for torch</h1>\n"
        "<A class=x HREF='/whl/nightly/cpu/torch-2.10.0.dev20251112%2Bcpu-cp311-cp311-"
        "manylinux_2_28_x86_64.whl#sha256=" +
        digest +
        "' data-dist-info-metadata=\"sha256=1\">torch</a><br/>\n"
        "<a href=\"https://other.example.org/a.whl#sha256=BAD\" data-yanked=\"broken\">x</a>"
        "<a href=b&#46;whl?x=1&amp;y=2>b</a><a>none</a><abbr href='c.whl'>"
        "<!-- <a href='d.whl'> --></html>");
    REQUIRE(links.size() == 3);
    CHECK(links[0].file == "torch-2.10.0.dev20251112+cpu-cp311-cp311-manylinux_2_28_x86_64.whl");
    CHECK(
        links[0].url ==
        "https://index.example.org/whl/nightly/cpu/torch-2.10.0.dev20251112%2Bcpu-cp311-cp311-"
        "manylinux_2_28_x86_64.whl");
    CHECK(links[0].sha256 == Digest(digest));
    CHECK_FALSE(links[0].yanked);
    CHECK(links[1].url == "https://other.example.org/a.whl");
    CHECK(links[1].yanked);
    CHECK_FALSE(links[1].sha256);
    CHECK(links[2].file == "b.whl");
    CHECK(links[2].url == base + "b.whl?x=1&y=2");
}

TEST_CASE("Links that lead astray are left out", "[service][source]") {
    for (const std::string link :
         {"javascript:alert(1)",
          "mailto:a@example.org",
          "http://plain.example.org/a.whl",
          "https://user:secret@example.org/a.whl",
          "ftp://example.org/a.whl",
          "",
          "folder/",
          "a%00.whl",
          "a%2Fb.whl",
          "x/../../y.whl",
          "a b.whl",
          "https:///a.whl",
          "../"}) {
        CAPTURE(link);
        CHECK(links_of("<a href=\"" + link + "\">x</a>").empty());
    }
    CHECK(links_of("<a href=\"a.whl").size() <= 1);  // broken pages do no harm
    CHECK(links_of("<a href=\"a.whl\"").size() <= 1);
    CHECK(links_of("<a " + std::string(5000, '=')).empty());
    CHECK(links_of("<").empty());
    CHECK(links_of("<!--").empty());
}

TEST_CASE("From http only the same server and https are followed", "[service][source]") {
    CHECK(may_follow("http://127.0.0.1:80/a", "http://127.0.0.1:80/b"));
    CHECK(may_follow("http://127.0.0.1:80/a", "https://x/b"));
    CHECK_FALSE(may_follow("http://127.0.0.1:80/a", "http://127.0.0.1:81/b"));
    CHECK_FALSE(may_follow("https://x/a", "http://x/b"));
}

TEST_CASE("Links are resolved as a browser resolves them", "[service][source]") {
    CHECK(resolve_link(base, "x.whl") == base + "x.whl");
    CHECK(resolve_link(base, "./x.whl") == base + "x.whl");
    CHECK(resolve_link(base, "../x.whl") == "https://index.example.org/whl/nightly/cpu/x.whl");
    CHECK(resolve_link(base, "../../../../../x") == "https://index.example.org/x");
    CHECK(resolve_link(base, "/x") == "https://index.example.org/x");
    CHECK(resolve_link(base, "//cdn.example.org/x") == "https://cdn.example.org/x");
    CHECK_FALSE(resolve_link("nothing", "x"));
}

TEST_CASE("A wheel's name says package, version and tags", "[service][source]") {
    const auto wheel = parse_wheel_name(
        "Torch_Vision-0.25.0.dev20251112+cpu-1-cp310.cp311-abi3-"
        "manylinux_2_17_x86_64.manylinux2014_x86_64.whl");
    REQUIRE(wheel);
    CHECK(wheel->package == "torch-vision");
    CHECK(wheel->version == "0.25.0.dev20251112+cpu");
    CHECK(wheel->python == "cp310.cp311");
    for (const auto* name :
         {"torch-2.whl", "torch-x-cp311-cp311-any.whl", "torch.tar.gz", ".whl"}) {
        CHECK_FALSE(parse_wheel_name(name));
    }
}

TEST_CASE("Every manylinux tag of the machine runs, others do not", "[service][source]") {
    for (const auto* tag :
         {"manylinux1_x86_64",
          "manylinux2010_x86_64",
          "manylinux2014_x86_64",
          "manylinux_2_28_x86_64",
          "manylinux_2_17_x86_64.manylinux2014_x86_64",
          "linux_x86_64",
          "any"}) {
        CAPTURE(tag);
        CHECK(runs_on(tag, "x86_64"));
    }
    for (const auto* tag :
         {"manylinux2014_aarch64", "macosx_11_0_x86_64", "win_amd64", "musllinux_1_1_x86_64", ""}) {
        CAPTURE(tag);
        CHECK_FALSE(runs_on(tag, "x86_64"));
    }
}

TEST_CASE("An archive's name has its version behind the package", "[service][source]") {
    CHECK(
        version_in_archive_name(
            "libtorch-shared-with-deps-2.10.0.dev20251112+cpu.zip", "libtorch-shared-with-deps") ==
        "2.10.0.dev20251112+cpu");
    CHECK(version_in_archive_name("libtorch-2.9.tar.gz", "libtorch") == "2.9");
    CHECK_FALSE(version_in_archive_name("libtorch-shared-with-deps-2.9.zip", "libtorch"));
    CHECK_FALSE(version_in_archive_name("libtorch-latest.zip", "libtorch"));
    CHECK_FALSE(version_in_archive_name("libtorch-2.9.exe", "libtorch"));
}

TEST_CASE("Commits are read from version.py and from nightly messages", "[service][source]") {
    CHECK(
        revision_in_version_py("__version__ = '2.10'\ngit_version = '" + hash + "'\n") ==
        Revision(hash));
    CHECK(revision_in_version_py("git_version: str = \"" + hash + "\"\n") == Revision(hash));
    CHECK_FALSE(revision_in_version_py("git_version = 'abc'\n"));
    CHECK_FALSE(revision_in_version_py("git_version = " + hash));
    CHECK_FALSE(revision_in_version_py(""));
    CHECK(
        revision_in_nightly_message("2025-11-12 nightly release (" + hash + ")\n") ==
        Revision(hash));
    CHECK_FALSE(revision_in_nightly_message("nightly release (" + hash));
    CHECK_FALSE(revision_in_nightly_message("nightly release (main)"));
    CHECK_FALSE(revision_in_nightly_message("Fix " + hash));
}

TEST_CASE("A wheel's metadata say which version of another it asks for", "[service][source]") {
    const std::string text =
        "Metadata-Version: 2.1\nName: torchvision\nRequires-Dist: numpy\n"
        "Requires-Dist: torch (==2.10.0.dev20251112)\n\nRequires-Dist: pillow==1\n";
    CHECK(required_version(text, "torch") == "2.10.0.dev20251112");
    CHECK_FALSE(required_version(text, "numpy"));
    CHECK_FALSE(required_version(text, "pillow"));
    CHECK(required_version("Requires-Dist: Torch==2.9; extra == 'x'\n", "torch") == "2.9");
}

TEST_CASE("Nightlies are the dated wheels of the machine, oldest first", "[service][source]") {
    SourceConfig source;
    source.version = "+cpu";
    auto withdrawn = link_to("torch-2.11.0.dev20251114+cpu-cp311-cp311-linux_x86_64.whl");
    withdrawn.yanked = true;
    const std::vector<IndexLink> links{
        link_to("torch-2.10.0.dev20251112+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"),
        link_to("torch-2.10.0.dev20251112+cpu-cp310-cp310-manylinux_2_28_x86_64.whl"),
        link_to("torch-2.9.0.dev20251113+cpu-cp311-cp311-manylinux2014_x86_64.whl"),
        link_to("torch-2.10.0.dev20251113+cpu-cp311-cp311-win_amd64.whl"),
        link_to("torch-2.10.0.dev20251113+cu126-cp311-cp311-linux_x86_64.whl"),
        link_to("torch-2.9.0+cpu-cp311-cp311-linux_x86_64.whl"),
        link_to("torchvision-2.10.0.dev20251112+cpu-cp311-cp311-linux_x86_64.whl"),
        withdrawn};
    const auto builds = builds_among(links, "torch", source);
    REQUIRE(builds.size() == 2);
    CHECK(builds[0].version == "2.9.0.dev20251113+cpu");  // 2.10 follows 2.9
    CHECK(builds[1].day == "2025-11-12");
    CHECK(builds[1].tags == "cp310-manylinux_2_28_x86_64");
    source.python = "cp311";
    CHECK(builds_among(links, "torch", source)[1].tags == "cp311-manylinux_2_28_x86_64");
    source.machine = "aarch64";
    CHECK(builds_among(links, "torch", source).empty());
}

TEST_CASE("A night is complete when every package has a build of its day", "[service][source]") {
    const auto build = [](const std::string& version, const std::string& day) {
        IndexBuild one;
        one.version = version;
        one.order = *parse_python_version(version);
        one.day = day;
        return one;
    };
    const std::vector<std::vector<IndexBuild>> builds{
        {build("2.10.dev1+cpu", "2025-11-11"), build("2.10.dev2+cpu", "2025-11-12")},
        {build("0.1.dev1+cpu", "2025-11-11"),
         build("0.1.dev2+cu1", "2025-11-12"),
         build("0.2.dev1+cpu", "2025-11-11")}};
    std::string missing;
    const auto nights = complete_nights(builds, {"torch", "torchvision"}, missing);
    REQUIRE(nights.size() == 1);
    CHECK(nights[0].builds[1].version == "0.2.dev1+cpu");
    CHECK(missing == "torchvision of 2025-11-12");
}
