#include "bisect/history/moved_pin.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/bisect/history/temp_repository.hpp"

using namespace vigil;
using namespace vigil::history;
using vigil::history::test::TempRepository;

namespace {

std::string hash(char digit) {
    return std::string(40, digit);
}

Commit inner(char digit) {
    Commit commit;
    commit.revision = Revision(hash(digit));
    commit.subject = std::string("change ") + digit;
    commit.author = "somebody";
    return commit;
}

const std::vector<Commit> line{inner('2'), inner('3'), inner('4')};

/// Its commits move third_party/lib from 1... to 4..., then a GIT_TAG likewise; what they name need
/// not be there.
struct MovingRepository : TempRepository {
    MovingRepository() {
        link('1');
        tag('1');
        before = commit("start");
        link('4');
        moving = commit("update");
        tag('4');
        tagging = commit("update a tag");
    }
    void link(char digit) const {
        git("update-index --add --cacheinfo 160000," + hash(digit) + ",third_party/lib");
    }
    void tag(char digit) const { tag(hash(digit)); }
    void tag(const std::string& name) const {
        std::ofstream(folder() / "deps.cmake")
            << "# from " << hash('0') << "\nFetchContent_Declare(lib\n  GIT_REPOSITORY \"https://"
            << "example.org/lib.git\"\n  GIT_TAG " << name << " # v1\n)\n";
        git("add deps.cmake");
    }
    Revision before, moving, tagging;
};

}  // namespace

TEST_CASE("Commits of a submodule become commits of its project", "[bisect][history]") {
    const MovingRepository r;
    const auto pin = only_dependency(find_pins(r.path(), r.moving));
    REQUIRE(pin);
    CHECK(place_of(*pin) == "third_party/lib");
    const auto written = write_moves(r.path(), r.moving, *pin, line);
    REQUIRE(written.size() == 3);
    CHECK(written[2].revision == r.moving);
    CHECK(written[0].parent == r.before);
    CHECK(written[2].parent == written[1].revision);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto moves = find_pins(r.path(), written[i].revision);
        REQUIRE(only_dependency(moves));
        CHECK(moves.pins[0].path == "third_party/lib");
        CHECK(moves.pins[0].after == line[i].revision.str());
        CHECK(written[i].stands_for == line[i].revision);
        CHECK(written[i].subject == line[i].subject);
    }
    // After a crash the same commits are written again.
    CHECK(write_moves(r.path(), r.moving, *pin, line)[1].revision == written[1].revision);
    r.git("gc -q --prune=now");
    CHECK(list_parents(r.path(), written[1].revision) == std::vector{written[0].revision});
}

TEST_CASE("Commits of a GIT_TAG become commits of its project", "[bisect][history]") {
    const MovingRepository r;
    const auto pin = only_dependency(find_pins(r.path(), r.tagging));
    REQUIRE(pin);
    CHECK(place_of(*pin) == "deps.cmake line 4");
    const auto written = write_moves(r.path(), r.tagging, *pin, line);
    REQUIRE(written.size() == 3);
    const auto text = r.git("show " + written[1].revision.str() + ":deps.cmake");
    CHECK_THAT(text, Catch::Contains("  GIT_TAG " + hash('3') + " # v1\n)"));
    CHECK_THAT(text, Catch::StartsWith("# from " + hash('0')));
    const auto tag = load_git_tag(r.path(), r.tagging, *pin);
    REQUIRE(tag);
    CHECK(tag->repository == "https://example.org/lib.git");
}

TEST_CASE("A GIT_TAG may move from a hash to a name and back", "[bisect][history]") {
    const MovingRepository r;
    r.tag("v2.0");
    const auto named = r.commit("to a name");
    const auto pin = only_dependency(find_pins(r.path(), named));
    REQUIRE(pin == Pin{"deps.cmake", 4, hash('4'), "v2.0"});
    const auto written = write_moves(r.path(), named, *pin, line);
    const auto back = find_pins(r.path(), written[0].revision);
    REQUIRE(back.only);
    CHECK(back.pins[0].after == hash('2'));
    // The commit before `named` has 4..., which stands in the tree of none of them.
    CHECK(find_pins(r.path(), named).pins[0].before == hash('4'));
}

TEST_CASE("What moves no dependency there is refused", "[bisect][history]") {
    const MovingRepository r;
    const auto code_of = [&](const Revision& moving, const Pin& pin, char last) {
        try {
            write_moves(r.path(), moving, pin, {inner('2'), inner(last)});
        } catch (const Error& error) {
            return error.code();
        }
        return Errc::internal;
    };
    const Pin lib{"third_party/lib", 0, hash('1'), hash('4')};
    const Pin other{"third_party/other", 0, hash('1'), hash('4')};
    const Pin file{"deps.cmake", 0, hash('1'), hash('4')};
    const Pin tag{"deps.cmake", 4, hash('1'), hash('5')};
    CHECK(code_of(r.moving, lib, '5') == Errc::not_found);  // it moves to 4
    CHECK(code_of(r.moving, other, '4') == Errc::not_found);
    CHECK(code_of(r.tagging, file, '4') == Errc::not_found);
    CHECK(code_of(r.tagging, tag, '5') == Errc::not_found);
    CHECK(code_of(r.before, lib, '4') == Errc::not_found);  // a root
    CHECK(code_of(Revision(hash('e')), lib, '4') == Errc::not_found);
    CHECK(write_moves(r.path(), r.moving, lib, {}).empty());
}
