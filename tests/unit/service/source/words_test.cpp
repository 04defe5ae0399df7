#include "service/source/words.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace vigil::service;

TEST_CASE("User names and passwords of addresses are not shown", "[service][source]") {
    CHECK(without_credentials("https://me:secret@example.org/a@b") == "https://example.org/a@b");
    CHECK(without_credentials("ssh://git@example.org/a") == "ssh://example.org/a");
    CHECK(without_credentials("https://example.org/a@b") == "https://example.org/a@b");
    CHECK(without_credentials("/srv/git/a@b") == "/srv/git/a@b");
}

TEST_CASE("Addresses are taken out of a text", "[service][source]") {
    CHECK(
        without_addresses("GET https://example.org/x failed, see http://example.org") ==
        "GET <address> failed, see <address>");
    CHECK(without_addresses("nothing here") == "nothing here");
}

TEST_CASE("Paths of a machine are taken out of a text", "[service][source]") {
    CHECK(
        without_paths("listing in /var/lib/vigil/git/a.git: no such file") ==
        "listing in <path>: no such file");
    CHECK(without_paths("/srv/x") == "<path>");
    CHECK(without_paths("fetching file:///srv/a b") == "fetching <path> b");
    CHECK(
        without_paths("'/srv/with space/x' is no git repository") ==
        "'<path>' is no git repository");
    CHECK(
        without_paths("opening \"/tmp/x\", (/tmp/y) and a=/tmp/z.") ==
        "opening \"<path>\", (<path>) and a=<path>.");
    CHECK(without_paths("fatal:/srv/x: gone") == "fatal:<path>: gone");
    CHECK(
        without_paths("fetching https://example.org/a/b.git: code 503") ==
        "fetching https://example.org/a/b.git: code 503");
    CHECK(
        without_paths("git@example.org:a/b.git, topic/x, 3 / 4, a/b") ==
        "git@example.org:a/b.git, topic/x, 3 / 4, a/b");
    CHECK(without_paths("") == "");
}
