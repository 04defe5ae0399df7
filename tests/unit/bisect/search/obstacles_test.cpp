#include "bisect/search/obstacles.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;

namespace {

/// "0a0a0a0a0a" for commit 10.
std::vector<Revision> line_of(int commits) {
    static constexpr char digits[] = "0123456789abcdef";
    std::vector<Revision> line;
    for (int i = 0; i < commits; ++i) {
        std::string hash;
        while (hash.size() < 40) hash += std::string(1, digits[i / 16]) + digits[i % 16];
        line.emplace_back(hash);
    }
    return line;
}

}  // namespace

TEST_CASE("A reason of the search names commits by their hashes", "[bisect][search]") {
    const auto line = line_of(20);
    const auto named = [&](const std::string& reason) { return search::with_names(reason, line); };
    CHECK(
        named("commits 3 to 5 cannot be told apart: commits 3, 11 to 12 cannot be built or run; "
              "commit 4 was not tried; commits 2 and 6 were measured against each other") ==
        "commits 0303030303 to 0505050505 cannot be told apart: commits 0303030303, 0b0b0b0b0b to "
        "0c0c0c0c0c cannot be built or run; commit 0404040404 was not tried; commits 0202020202 "
        "and 0606060606 were measured against each other");
    CHECK(named("commit 19 stood in") == "commit 1313131313 stood in");
}

TEST_CASE("What is no number of a commit stays as it is", "[bisect][search]") {
    const auto line = line_of(20);
    for (const std::string reason :
         {"",
          "commit ",
          "commits",
          "commit 12ab34cd56 was named",
          "commit 20 is beyond",
          "commit 99999999999999999999 overflows",
          "commit -1",
          "3 commits before it",
          "recommit 3",
          "hold the change with probability 0.93",
          "all 12 probes are spent"}) {
        CAPTURE(reason);
        CHECK(search::with_names(reason, line) == reason);
    }
    CHECK(search::with_names("commits 3, 4", {}) == "commits 3, 4");
}
