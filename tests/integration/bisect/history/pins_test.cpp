#include "bisect/history/pins.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/bisect/history/temp_repository.hpp"

using namespace vigil;
using namespace vigil::history;
using vigil::history::test::TempRepository;

namespace {

const std::string first_pin(40, 'a');
const std::string second_pin(40, 'b');

/// A repository with a submodule's link and files that name revisions; the library itself need not
/// be there.
class PinnedRepository : public TempRepository {
  public:
    PinnedRepository() {
        write("deps.cmake", "fetch(it\n  GIT_TAG " + first_pin + "  # v1\n)\n");
        write("main.c", "int main(void) { return 0; }\n");
        link(first_pin);
        start = commit_all("start");
    }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((folder() / name).parent_path());
        std::ofstream(folder() / name) << text;
    }
    void link(const std::string& hash) const {
        git("update-index --add --cacheinfo 160000," + hash + ",third_party/lib");
    }
    Revision commit_all(const std::string& message) const {
        git("add deps.cmake main.c");
        return commit(message);
    }
    Revision start;
};

}  // namespace

TEST_CASE("A commit that only moves a submodule says from where to where", "[bisect][history]") {
    const PinnedRepository r;
    r.link(second_pin);
    const auto moves = find_pins(r.path(), r.commit_all("update"));
    CHECK(moves.only);
    REQUIRE(moves.pins == std::vector<Pin>{{"third_party/lib", 0, first_pin, second_pin}});
    CHECK(pin_text(moves.pins[0]) == "third_party/lib from " + first_pin + " to " + second_pin);
}

TEST_CASE("A commit that only moves a line's hash says which line", "[bisect][history]") {
    const PinnedRepository r;
    r.write("deps.cmake", "fetch(it\n  GIT_TAG " + second_pin + "  # v2\n)\n");
    const auto moves = find_pins(r.path(), r.commit_all("update"));
    CHECK(moves.only);
    REQUIRE(moves.pins == std::vector<Pin>{{"deps.cmake", 2, first_pin, second_pin}});
    CHECK(pin_text(moves.pins[0]) == "deps.cmake line 2 from " + first_pin + " to " + second_pin);
}

TEST_CASE("A commit that only moves a GIT_TAG's name says so", "[bisect][history]") {
    const PinnedRepository r;
    r.write("deps.cmake", "fetch(it\n  GIT_TAG v2.0\n)\n");
    const auto moves = find_pins(r.path(), r.commit_all("update"));
    CHECK(moves.only);
    REQUIRE(moves.pins == std::vector<Pin>{{"deps.cmake", 2, first_pin, "v2.0"}});
    CHECK(only_dependency(moves) == moves.pins[0]);
}

TEST_CASE(
    "A commit that does more than move pins is told from one that does not", "[bisect][history]") {
    const PinnedRepository r;
    r.link(second_pin);
    r.write("main.c", "int main(void) { return 1; }\n");
    auto moves = find_pins(r.path(), r.commit_all("both"));
    CHECK_FALSE(moves.only);
    CHECK(moves.pins.size() == 1);

    r.write("main.c", "int main(void) { return 2; }\n");
    moves = find_pins(r.path(), r.commit_all("code"));
    CHECK_FALSE(moves.only);
    CHECK(moves.pins.empty());

    r.write("deps.cmake", "fetch(it\n  GIT_TAG " + second_pin + "\n  NEW 1)\n");
    moves = find_pins(r.path(), r.commit_all("pin and option"));
    CHECK_FALSE(moves.only);

    r.git("rm -q --cached third_party/lib");
    moves = find_pins(r.path(), r.commit_all("submodule goes"));
    CHECK_FALSE(moves.only);
    CHECK(moves.pins.empty());
}

TEST_CASE("A root moves nothing, a merge what it brings", "[bisect][history]") {
    const PinnedRepository r;
    CHECK(find_pins(r.path(), r.start).pins.empty());
    r.git("checkout -q -b side");
    r.link(second_pin);
    r.commit_all("update");
    r.git("checkout -q -f main");
    r.write("main.c", "int main(void) { return 3; }\n");
    r.commit_all("code");
    r.git("merge -q --no-ff -m merge side");
    const auto moves = find_pins(r.path(), r.head());
    CHECK(moves.only);
    CHECK(moves.pins.size() == 1);
    CHECK_THROWS_AS(find_pins(r.path(), Revision(std::string(40, 'd'))), Error);
}

TEST_CASE("What a commit moves is told in a few words", "[bisect][history]") {
    PinMoves moves;
    CHECK(moves_text(moves).empty());
    moves.pins = {{"dep", 0, "aa", "bb"}};
    CHECK(moves_text(moves) == pin_text(moves.pins[0]));
    moves.only = true;
    CHECK(moves_text(moves) == pin_text(moves.pins[0]) + "; nothing else");
    moves.pins.assign(5, moves.pins[0]);
    CHECK(moves_text(moves).find("; and 2 more; nothing else") != std::string::npos);
}

TEST_CASE("Files of pins may be many and large, paths strange", "[bisect][history]") {
    const PinnedRepository r;
    for (int i = 0; i < 60; ++i) r.write("pins/" + std::to_string(i) + "\n", first_pin + "\n");
    r.git("add pins");
    r.commit_all("many");
    for (int i = 0; i < 60; ++i) r.write("pins/" + std::to_string(i) + "\n", second_pin + "\n");
    r.git("add pins");
    const auto moves = find_pins(r.path(), r.commit_all("all of them"));
    CHECK(moves.pins.size() == most_pins);
    CHECK_FALSE(moves.only);  // not all are told, so it does not say so
    CHECK(moves.pins[0].path.find('\n') == std::string::npos);
    r.write("main.c", std::string(3 << 20, 'x') + first_pin + "\n");
    r.commit_all("large");
    r.write("main.c", std::string(3 << 20, 'x') + second_pin + "\n");
    CHECK(find_pins(r.path(), r.commit_all("larger")).pins.empty());
}
