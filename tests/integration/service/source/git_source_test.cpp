#include "service/source/git_source.hpp"

#include <catch2/catch.hpp>

#include "git_repository.hpp"
#include "schema/model/error.hpp"
#include "service/store/content_store.hpp"
#include "tests/support/scratch_folder.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using test::GitRepository;

namespace {

struct GitScene {
    test::ScratchFolder scratch;
    GitRepository origin{scratch.path() / "origin"};
    ContentStore content{scratch.path() / "content"};
    Config config;
    ProjectConfig project;

    GitScene() {
        config.state_dir = (scratch.path() / "state").string();
        project.name = "demo";
        project.source.repository = origin.folder().string();
    }
    std::unique_ptr<NightlySource> source() { return make_source(project, config, content); }
    Errc failure(NightlySource& from, const std::optional<Revision>& wanted = std::nullopt) {
        try {
            from.newest(wanted);
        } catch (const Error& error) {
            return error.code();
        }
        FAIL("there was an offer");
        throw 0;
    }
};

}  // namespace

TEST_CASE("The nightly of a repository is the branch's tip when asked", "[service][source]") {
    GitScene scene;
    const auto first = scene.origin.commit("one");
    const auto source = scene.source();
    const auto offer = source->newest(std::nullopt);
    REQUIRE(offer);
    CHECK(offer->revision == first);
    CHECK(offer->version == first.brief());
    CHECK(offer->day == "2025-11-15");
    CHECK(offer->input_kind == InputKind::source_tree);
    CHECK(offer->input.empty());
    CHECK(offer->url == scene.origin.folder().string());

    const auto second = scene.origin.commit("two");
    CHECK(source->newest(std::nullopt)->revision == second);
    CHECK(source->newest(std::nullopt)->revision == second);  // the same twice is the caller's
    CHECK(source->newest(first)->revision == first);
}

TEST_CASE("A wanted revision is fetched when it is not here yet", "[service][source]") {
    GitScene scene;
    scene.origin.commit("one");
    const auto source = scene.source();
    source->newest(std::nullopt);
    scene.origin.git("checkout -q -b side");
    const auto late = scene.origin.commit("two");
    CHECK(source->newest(late)->revision == late);
    CHECK(scene.failure(*source, Revision(std::string(40, 'a'))) == Errc::not_found);
    CHECK(source->find_version(late.brief())->revision == late);
    CHECK(source->find_version("side")->revision == late);
    CHECK_FALSE(source->find_version("nowhere"));
}

TEST_CASE("A revision that is here needs no origin", "[service][source]") {
    GitScene scene;
    const auto first = scene.origin.commit("one");
    const auto source = scene.source();
    source->newest(std::nullopt);
    fs::remove_all(scene.origin.folder());
    CHECK(source->newest(first)->revision == first);
    CHECK(scene.failure(*source) == Errc::not_found);
}

TEST_CASE("A source recovers as soon as its repository is back", "[service][source]") {
    GitScene scene;
    const auto hidden = scene.scratch.path() / "hidden";
    const auto first = scene.origin.commit("one");
    fs::rename(scene.origin.folder(), hidden);
    const auto source = scene.source();
    CHECK(scene.failure(*source) == Errc::not_found);
    fs::rename(hidden, scene.origin.folder());
    CHECK(source->newest(std::nullopt)->revision == first);
}

TEST_CASE("A branch that is gone is said, and the next one found", "[service][source]") {
    GitScene scene;
    const auto first = scene.origin.commit("one");
    const auto source = scene.source();
    source->newest(std::nullopt);
    scene.origin.git("branch -m main trunk");
    CHECK(scene.failure(*source) == Errc::not_found);
    scene.project.source.branch = "trunk";
    CHECK(scene.source()->newest(std::nullopt)->revision == first);
}

TEST_CASE("A mirror that a person removed is cloned again", "[service][source]") {
    GitScene scene;
    const auto first = scene.origin.commit("one");
    const auto source = scene.source();
    source->newest(std::nullopt);
    fs::remove_all(clone_folder(scene.config, "demo"));
    CHECK(source->newest(std::nullopt)->revision == first);
}

TEST_CASE("Commits asked for stand before, after or beside the newest night", "[service][source]") {
    GitScene scene;
    const auto first = scene.origin.commit("one");
    const auto night = scene.origin.commit("two");
    const auto later = scene.origin.commit("three");
    scene.origin.git("checkout -q -b side " + night.str());
    const auto aside = scene.origin.commit("never merged");
    scene.origin.git("checkout -q main");
    const auto source = scene.source();
    NightlyVersion newest{night.brief(), "2025-11-15", night};
    const auto standing = [&](const Revision& wanted) {
        return offer_for(*source, wanted.str(), newest)->standing;
    };
    CHECK(standing(first) == Standing::not_newer);
    CHECK(standing(night) == Standing::not_newer);
    CHECK(standing(later) == Standing::newer);
    CHECK(standing(aside) == Standing::elsewhere);
    CHECK(offer_for(*source, first.brief(), newest)->standing == Standing::not_newer);
    // The newest is tonight's, and where there is no night nothing is older.
    CHECK(offer_for(*source, std::nullopt, newest)->standing == Standing::newer);
    CHECK(offer_for(*source, first.str())->standing == Standing::newer);

    scene.origin.git("reset -q --hard " + first.str());
    const auto rewritten = scene.origin.commit("another two");
    CHECK(standing(rewritten) == Standing::newer);
    CHECK(standing(later) == Standing::elsewhere);
    newest.revision = Revision(std::string(40, 'a'));  // of a mirror that is gone: by its day
    CHECK(standing(later) == Standing::not_newer);
    newest.day = "2025-11-01";
    CHECK(standing(later) == Standing::newer);
}
