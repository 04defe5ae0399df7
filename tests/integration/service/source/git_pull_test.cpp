// Commits of pull requests in a mirror.

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/source/git_clone.hpp"
#include "tests/integration/service/source/git_repository.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using vigil::test::GitRepository;
using vigil::test::ScratchFolder;

namespace {

/// main: one, two; a pull request from a fork, which left after "one", is number 7.
struct PullScene {
    PullScene() : origin(scratch.path() / "origin"), mirror(scratch.path() / "mirror.git") {
        one = origin.commit("one");
        origin.git("checkout -q -b aside");
        head = origin.commit("theirs");
        origin.git("update-ref refs/pull/7/head " + head.str());
        origin.git("checkout -q main");
        origin.git("branch -q -D aside");
        two = origin.commit("two");
    }
    GitClone clone() const {
        return GitClone::open_or_clone(mirror, "file://" + origin.folder().string());
    }

    ScratchFolder scratch;
    GitRepository origin;
    std::filesystem::path mirror;
    Revision one;
    Revision two;
    Revision head;
};

}  // namespace

TEST_CASE("A pull request's commit comes when it is asked for", "[service][source]") {
    PullScene scene;
    auto clone = scene.clone();
    clone.fetch();
    CHECK_FALSE(clone.contains(scene.head));
    clone.fetch_pull(7);
    CHECK(clone.contains(scene.head));
    CHECK(clone.merge_base(scene.two, scene.head) == scene.one);
    CHECK(clone.merge_base(scene.two, scene.one) == scene.one);
    clone.fetch();  // and stays
    CHECK(scene.clone().contains(scene.head));
    CHECK(clone.tip("main") == scene.two);
}

TEST_CASE("A pull request that is not there is no trouble of the origin", "[service][source]") {
    PullScene scene;
    auto clone = scene.clone();
    try {
        clone.fetch_pull(8);
        FAIL("it is not there");
    } catch (const Error& error) {
        CHECK(error.code() == Errc::not_found);
        CHECK_THAT(error.what(), Catch::Contains("refs/pull/8/head"));
    }
    clone.fetch_pull(7);
    scene.origin.git("checkout -q --orphan other");
    const auto other = scene.origin.commit("other");
    clone.fetch();
    CHECK_THROWS_AS(clone.merge_base(other, scene.head), Error);
}
