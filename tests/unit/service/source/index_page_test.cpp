#include "service/source/index_page.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

const std::string base = "https://index.example.org/whl/nightly/cpu/torch/";
const std::string hash(40, 'a');
const std::string digest(64, 'b');

std::vector<IndexLink> links_of(const std::string& html) {
    return parse_index_page(html, base);
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

TEST_CASE("Links are resolved against the page's first base", "[service][source]") {
    const auto url_of = [](const std::string& head, const std::string& link = "x.whl") {
        const auto links = links_of(
            "<html><head>" + head + "</head><body><a href=\"" + link + "\">x</a></body></html>");
        return links.empty() ? "" : links.front().url;
    };
    CHECK(
        url_of("<base href=\"https://cdn.example.org/files/\">") ==
        "https://cdn.example.org/files/x.whl");
    CHECK(
        url_of("<BASE target=_top HREF='/files/index.html#top'/>") ==
        "https://index.example.org/files/x.whl");
    CHECK(url_of("<base href=\"..\">") == "https://index.example.org/whl/nightly/cpu/x.whl");
    CHECK(url_of("<base href=\"../../\">", "../x.whl") == "https://index.example.org/whl/x.whl");
    CHECK(
        url_of("<base href=\"//cdn.example.org/\">", "/x.whl") == "https://cdn.example.org/x.whl");
    CHECK(
        url_of("<base target=_top><base href=\"/a/\"><base href=\"/b/\">") ==
        "https://index.example.org/a/x.whl");
    CHECK(url_of("<!-- <base href=\"/a/\"> --><basefont href=\"/b/\">") == base + "x.whl");
    CHECK(
        url_of("<base href=\"/a/\">", "https://other.example.org/x.whl") ==
        "https://other.example.org/x.whl");
    const auto before = links_of("<a href=x.whl>x</a><base href=\"/a/\">");
    REQUIRE(before.size() == 1);
    CHECK(before.front().url == "https://index.example.org/a/x.whl");
}

TEST_CASE("A base that leads astray counts as none", "[service][source]") {
    for (const std::string link :
         {"javascript:alert(1)//",
          "data:text/html,",
          "http://plain.example.org/",
          "https://user:secret@example.org/",
          "https:///",
          "ftp://example.org/",
          "a b/",
          ""}) {
        CAPTURE(link);
        const auto links =
            links_of("<base href=\"" + link + "\"><base href=\"/b/\"><a href=x.whl>x</a>");
        REQUIRE(links.size() == 1);
        CHECK(links.front().url == base + "x.whl");
    }
    const auto here = parse_index_page(
        "<base href=\"http://127.0.0.1:81/b/\"><a href=x.whl>x</a>", "http://127.0.0.1:80/a/");
    REQUIRE(here.size() == 1);
    CHECK(here.front().url == "http://127.0.0.1:80/a/x.whl");
    CHECK(
        links_of("<base href=\"" + std::string(5000, 'x') + "/\"><a href=x.whl>x</a>")
            .front()
            .url == base + "x.whl");
    CHECK(links_of("<base").empty());
    CHECK(links_of("<base href=\"/a/").empty());
}

TEST_CASE("Tags that are not closed give their link once", "[service][source]") {
    CHECK(links_of("<p><a href=a.whl>a<p>b<p>c<table><a href=b.whl>").size() == 2);
}

TEST_CASE("Pages that make a parser of HTML abort or nest deeply are read", "[service][source]") {
    CHECK(links_of("<table><svg><foreignobject ><![CDATA[x]]>&<a href=a.whl>").size() == 1);
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<p><b x" + std::to_string(i) + ">";
    CHECK(links_of(deep + "<a href=a.whl>").size() == 1);
}

TEST_CASE("Commits are read from version.py and from nightly messages", "[service][source]") {
    CHECK(
        revision_in_version_py("__version__ = '2.10'\ngit_version = '" + hash + "'\n") ==
        Revision(hash));
    CHECK(revision_in_version_py("git_version: str = \"" + hash + "\"\n") == Revision(hash));
    for (const std::string before :
         {"git_revision = ",
          "__git_version__ = ",
          "__commit_id__ = commit_id = ",
          "   \"full-revisionid\": "}) {
        INFO(before);
        const std::string text = "short_version = '2'\n" + before + "\"" + hash + "\"\n";
        CHECK(revision_in_version_py(text) == Revision(hash));
    }
    CHECK(
        revision_in_version_py("git_version = 'abc'\ngit_revision = '" + hash + "'") ==
        Revision(hash));
    CHECK_FALSE(revision_in_version_py("git_version = 'abc'\n"));
    CHECK_FALSE(revision_in_version_py("my_git_version = '" + hash + "'\n"));
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
    CHECK_FALSE(required_version("Requires-Dist: torch; platform_system == \"Linux\"\n", "torch"));
    CHECK(required_version("Requires-Dist: Torch==2.9; extra == 'x'\n", "torch") == "2.9");
}
