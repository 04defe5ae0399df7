#include "bisect/history/moved_submodule.hpp"

#include <catch2/catch.hpp>

#include "bisect/history/pins.hpp"
#include "schema/model/error.hpp"
#include "tests/integration/bisect/history/temp_repository.hpp"

using namespace vigil;
using namespace vigil::history;
using vigil::history::test::TempRepository;

namespace {

Commit inner(char digit) {
    Commit commit;
    commit.revision = Revision(std::string(40, digit));
    commit.subject = std::string("change ") + digit;
    commit.author = "somebody";
    return commit;
}

/// Its newest commit moves third_party/lib from 1... to 4...; the library need not be there.
struct MovingRepository : TempRepository {
    MovingRepository() {
        link('1');
        before = commit("start");
        link('4');
        moving = commit("update");
    }
    void link(char digit) const {
        git("update-index --add --cacheinfo 160000," + std::string(40, digit) + ",third_party/lib");
    }
    Revision before, moving;
};

}  // namespace

TEST_CASE("Commits of a submodule become commits of its project", "[bisect][history]") {
    const MovingRepository r;
    const std::vector<Commit> line{inner('2'), inner('3'), inner('4')};
    const auto written = write_moves(r.path(), r.moving, "third_party/lib", line);
    REQUIRE(written.size() == 3);
    CHECK(written[2].revision == r.moving);
    CHECK(written[0].parent == r.before);
    CHECK(written[2].parent == written[1].revision);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto moves = find_pins(r.path(), written[i].revision);
        REQUIRE(only_submodule(moves) == "third_party/lib");
        CHECK(moves.pins[0].after == line[i].revision.str());
        CHECK(written[i].stands_for == line[i].revision);
        CHECK(written[i].subject == line[i].subject);
    }
    // After a crash the same commits are written again.
    const auto again = write_moves(r.path(), r.moving, "third_party/lib", line);
    CHECK(again[1].revision == written[1].revision);
    r.git("gc -q --prune=now");
    CHECK(list_parents(r.path(), written[1].revision) == std::vector{written[0].revision});
}

TEST_CASE("What moves no submodule there is refused", "[bisect][history]") {
    const MovingRepository r;
    const auto code_of = [&](const Revision& moving, const std::string& path, char last) {
        try {
            write_moves(r.path(), moving, path, {inner('2'), inner(last)});
        } catch (const Error& error) {
            return error.code();
        }
        return Errc::internal;
    };
    CHECK(code_of(r.moving, "third_party/lib", '5') == Errc::not_found);  // it moves to 4
    CHECK(code_of(r.moving, "third_party/other", '4') == Errc::not_found);
    CHECK(code_of(r.before, "third_party/lib", '1') == Errc::not_found);  // a root
    CHECK(code_of(Revision(std::string(40, 'e')), "third_party/lib", '4') == Errc::not_found);
    CHECK(write_moves(r.path(), r.moving, "third_party/lib", {}).empty());
}
