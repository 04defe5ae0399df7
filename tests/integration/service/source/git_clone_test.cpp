#include "service/source/git_clone.hpp"

#include <atomic>
#include <fstream>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/wait.h>

#include "git_repository.hpp"
#include "schema/model/error.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using test::GitRepository;

namespace {

template <class Work>
Error error_of(Work work) {
    try {
        work();
    } catch (const Error& error) {
        return error;
    }
    FAIL("no error");
    throw 0;
}

struct CloneScene {
    test::ScratchFolder scratch;
    GitRepository origin{scratch.path() / "origin"};
    fs::path mirror = scratch.path() / "state" / "git" / "demo.git";
    GitClone clone() { return GitClone::open_or_clone(mirror, origin.folder().string()); }
};

}  // namespace

TEST_CASE("A first clone has every branch and tag", "[service][source]") {
    CloneScene scene;
    scene.origin.write("a", "1");
    const auto first = scene.origin.commit("one");
    scene.origin.git("tag -a v1 -m v1");
    scene.origin.git("checkout -q -b topic/x");
    const auto second = scene.origin.commit("two");

    auto clone = scene.clone();
    CHECK(clone.tip("main") == first);
    CHECK(clone.tip("topic/x") == second);
    CHECK(clone.contains(first));
    CHECK(clone.find_revision("v1") == first);
    CHECK(clone.find_revision("topic/x") == second);
    CHECK(clone.find_revision(second.str()) == second);
    CHECK(clone.find_revision(second.brief()) == second);
    CHECK(clone.find_revision("abc") == std::nullopt);
    CHECK(clone.find_revision("0123456789") == std::nullopt);
    CHECK_FALSE(fs::exists(scene.mirror.string() + ".partial"));
}

TEST_CASE("A commit is described by the newest tag that it holds", "[service][source]") {
    CloneScene scene;
    const auto first = scene.origin.commit("one");
    const auto untagged = scene.clone();
    CHECK(untagged.describe(first) == first.brief());
    scene.origin.git("tag v1.2");
    const auto second = scene.origin.commit("two");
    auto clone = scene.clone();
    clone.fetch();
    CHECK(clone.describe(first) == "v1.2");
    CHECK(clone.describe(second) == "v1.2-1-g" + second.brief());
    CHECK(clone.describe(Revision(std::string(40, '1'))) == "1111111111");
}

TEST_CASE("A fetch follows new, rewritten, renamed and deleted branches", "[service][source]") {
    CloneScene scene;
    scene.origin.write("a", "1");
    const auto base = scene.origin.commit("one");
    scene.origin.git("branch feature");
    scene.origin.git("branch old");
    auto clone = scene.clone();

    const auto forgotten = scene.origin.commit("to be rewritten");
    clone.fetch();
    CHECK(clone.tip("main") == forgotten);

    scene.origin.git("reset -q --hard " + base.str());
    const auto rewritten = scene.origin.commit("rewritten");
    scene.origin.git("branch -m feature feature/part");  // a file that becomes a folder
    scene.origin.git("branch -D -q old");
    clone.fetch();
    CHECK(clone.tip("main") == rewritten);
    CHECK(clone.tip("feature/part") == base);
    CHECK_THROWS_AS(clone.tip("feature"), Error);
    CHECK_THROWS_AS(clone.tip("old"), Error);
    CHECK(clone.contains(forgotten));  // nights of the past can still be built

    scene.origin.git("branch -m feature/part feature");  // and back
    clone.fetch();
    CHECK(clone.tip("feature") == base);
}

TEST_CASE("A branch that is not there is an error that names those that are", "[service][source]") {
    CloneScene scene;
    scene.origin.commit("one");
    scene.origin.git("branch develop");
    const auto clone = scene.clone();
    const auto error = error_of([&] { (void)clone.tip("trunk"); });
    CHECK(error.code() == Errc::not_found);
    CHECK_THAT(error.what(), Contains("\"trunk\"") && Contains("develop, main"));
}

TEST_CASE("A repository that is not there is not found, and leaves nothing", "[service][source]") {
    CloneScene scene;
    const auto missing = (scene.scratch.path() / "missing").string();
    const auto error = error_of([&] { GitClone::open_or_clone(scene.mirror, missing); });
    CHECK(error.code() == Errc::not_found);
    CHECK_THAT(error.what(), Contains(missing));
    CHECK_FALSE(fs::exists(scene.mirror));
    CHECK_FALSE(fs::exists(scene.mirror.string() + ".partial"));
}

TEST_CASE("What cannot be a repository is told apart by kind", "[service][source]") {
    CloneScene scene;
    const auto code_of = [&](const std::string& origin) {
        return error_of([&] { GitClone::open_or_clone(scene.mirror, origin); }).code();
    };
    fs::create_directory(scene.scratch.path() / "empty");
    CHECK(code_of("file://" + scene.scratch.path().string() + "/missing") == Errc::not_found);
    CHECK(code_of((scene.scratch.path() / "empty").string()) == Errc::not_found);
    CHECK(code_of("gopher://example.org/x") == Errc::invalid_argument);
    CHECK(code_of("") == Errc::invalid_argument);
}

TEST_CASE("An address that nobody answers is unavailable", "[service][source]") {
    CloneScene scene;
    const std::string address = "http://user:secret@127.0.0.1:1/x.git";
    const auto error = error_of([&] { GitClone::open_or_clone(scene.mirror, address); });
    CHECK(error.code() == Errc::unavailable);
    CHECK_THAT(error.what(), !Contains("secret"));
}

TEST_CASE("A mirror outlives its origin, and says that the origin is gone", "[service][source]") {
    CloneScene scene;
    const auto first = scene.origin.commit("one");
    scene.clone();
    fs::remove_all(scene.origin.folder());
    auto clone = scene.clone();
    CHECK(clone.tip("main") == first);
    CHECK(error_of([&] { clone.fetch(); }).code() == Errc::not_found);
    CHECK(clone.tip("main") == first);
}

TEST_CASE("An origin may move", "[service][source]") {
    CloneScene scene;
    scene.origin.commit("one");
    scene.clone();
    GitRepository other(scene.scratch.path() / "other");
    const auto there = other.commit("elsewhere");
    auto clone = GitClone::open_or_clone(scene.mirror, other.folder().string());
    clone.fetch();
    CHECK(clone.tip("main") == there);
}

TEST_CASE("What a killed process left behind is cleaned away", "[service][source]") {
    CloneScene scene;
    scene.origin.write("a", "1");
    scene.origin.commit("one");
    SECTION("in the middle of the first clone") {
        const fs::path partial = scene.mirror.string() + ".partial";
        fs::create_directories(partial / "objects");
        std::ofstream(partial / "HEAD") << "ref: refs/he";
        CHECK(scene.clone().tip("main") == scene.origin.revision("main"));
        CHECK_FALSE(fs::exists(partial));
    }
    SECTION("in the middle of a fetch") {
        scene.clone();
        std::ofstream(scene.mirror / "refs/heads/main.lock") << "";
        std::ofstream(scene.mirror / "packed-refs.lock") << "";
        std::ofstream(scene.mirror / "objects/pack/pack_git2_x1y2z3") << "half";
        const auto next = scene.origin.commit("two");
        auto clone = scene.clone();
        clone.fetch();
        CHECK(clone.tip("main") == next);
        CHECK_FALSE(fs::exists(scene.mirror / "objects/pack/pack_git2_x1y2z3"));
    }
}

TEST_CASE("A clone that is killed at any moment is cloned the next time", "[service][source]") {
    CloneScene scene;
    for (int i = 0; i < 30; ++i) {
        scene.origin.write(
            "file" + std::to_string(i), std::string(20'000, 'x') + std::to_string(i));
        scene.origin.commit("commit " + std::to_string(i));
    }
    const auto tip = scene.origin.revision("main");
    for (int attempt = 0; attempt < 6; ++attempt) {
        fs::remove_all(scene.mirror);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            ::ualarm(static_cast<useconds_t>(1'000 + 3'000 * attempt), 0);  // ends the process
            scene.clone();
            ::_exit(0);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CAPTURE(attempt, status);
        CHECK(scene.clone().tip("main") == tip);
    }
}

TEST_CASE("A clone over its limit of bytes is refused with the limit", "[service][source]") {
    CloneScene scene;
    std::string noise;
    for (unsigned i = 0, x = 1; i < 300'000; ++i, x = x * 1664525 + 1013904223) {
        noise += static_cast<char>(x >> 24);
    }
    scene.origin.write("a", noise);
    scene.origin.commit("large");
    const auto error = error_of([&] {
        GitClone::open_or_clone(
            scene.mirror, "file://" + scene.origin.folder().string(), {.max_bytes = 1'000});
    });
    CHECK(error.code() == Errc::invalid_argument);
    CHECK_THAT(error.what(), Contains("1000 bytes"));
    CHECK_FALSE(fs::exists(scene.mirror));
}

TEST_CASE("A fetch that takes too long is given up, and may be tried again", "[service][source]") {
    CloneScene scene;
    scene.origin.write("a", "1");
    scene.origin.commit("one");
    const auto origin = scene.origin.folder().string();
    const auto error = error_of([&] {
        GitClone::open_or_clone(scene.mirror, origin, {.timeout_s = -1});  // it is over already
    });
    CHECK(error.code() == Errc::unavailable);
    CHECK(scene.clone().tip("main") == scene.origin.revision("main"));
}

TEST_CASE("A revision that is unknown has no commit time", "[service][source]") {
    CloneScene scene;
    const auto first = scene.origin.commit("one");
    const auto clone = scene.clone();
    CHECK(clone.committed_at_s(first) >= 1'763'164'800);
    const Revision unknown(std::string(40, 'a'));
    const Revision other_kind(std::string(64, 'a'));
    CHECK_FALSE(clone.contains(unknown));
    CHECK_FALSE(clone.contains(other_kind));
    CHECK(error_of([&] { (void)clone.committed_at_s(unknown); }).code() == Errc::not_found);
}

TEST_CASE("A server that takes the call and never answers is given up", "[service][source]") {
    CloneScene scene;
    const test::CannedServer server([](const test::CannedRequest&) {
        test::CannedReply reply;
        reply.fault = test::Fault::silence;
        return reply;
    });
    const auto clone_within = [&](GitLimits limits) {
        return error_of(
            [&] { GitClone::open_or_clone(scene.mirror, server.url() + "/x.git", limits); });
    };
    SECTION("after a silence") {
        const auto error = clone_within({.silence_s = 1});
        CHECK(error.code() == Errc::unavailable);
        CHECK_THAT(error.what(), Contains("no sign of life"));
    }
    SECTION("at once when it is told to stop") {
        const std::atomic<bool> stop = true;
        const auto error = clone_within({.stop = &stop});
        CHECK(error.code() == Errc::unavailable);
        CHECK_THAT(error.what(), Contains("told to stop"));
    }
    CHECK_FALSE(fs::exists(scene.mirror));
    CHECK_FALSE(fs::exists(scene.mirror.string() + ".partial"));
    CHECK_FALSE(fs::exists(scene.mirror.string() + ".partial.settings"));
}

TEST_CASE("A partial clone as origin is called what it is", "[service][source]") {
    CloneScene scene;
    scene.origin.write("a", "1");
    scene.origin.commit("one");
    scene.origin.write("a", "2");
    scene.origin.commit("two");
    scene.origin.git("config uploadpack.allowFilter true");
    const auto partial = (scene.scratch.path() / "partial").string();
    const auto whole = scene.origin.folder().string();
    scene.origin.git("clone -q --filter=blob:none 'file://" + whole + "' '" + partial + "'");
    const auto address = GENERATE(values<std::string>({"", "file://"})) + partial;
    const auto error = error_of([&] { GitClone::open_or_clone(scene.mirror, address); });
    CHECK(error.code() == Errc::invalid_argument);
    CHECK_THAT(error.what(), Contains("partial clone") && Contains("--refetch"));
    CHECK_FALSE(fs::exists(scene.mirror));
}

TEST_CASE("A shallow clone as origin is called what it is", "[service][source]") {
    CloneScene scene;
    scene.origin.commit("one");
    scene.origin.commit("two");
    const auto shallow = (scene.scratch.path() / "shallow").string();
    const auto whole = scene.origin.folder().string();
    scene.origin.git("clone -q --depth=1 'file://" + whole + "' '" + shallow + "'");
    const auto error = error_of([&] { GitClone::open_or_clone(scene.mirror, shallow); });
    CHECK(error.code() == Errc::invalid_argument);
    CHECK_THAT(error.what(), Contains("shallow clone") && Contains("--unshallow"));
}

TEST_CASE("A mirror stands without what its origin stands on", "[service][source]") {
    CloneScene scene;
    scene.origin.write("a", "1");
    const auto first = scene.origin.commit("one");
    const auto borrower = (scene.scratch.path() / "borrower").string();
    scene.origin.git(
        "clone -q --shared '" + scene.origin.folder().string() + "' '" + borrower + "'");
    GitClone::open_or_clone(scene.mirror, borrower);
    fs::remove_all(scene.origin.folder());
    fs::remove_all(borrower);
    const auto clone = GitClone::open_or_clone(scene.mirror, borrower);
    CHECK(clone.committed_at_s(first) > 0);
}

TEST_CASE("Nothing that an origin is set to do is done", "[service][source]") {
    CloneScene scene;
    scene.origin.write("a", "1");
    scene.origin.commit("one");
    const auto trace = scene.scratch.path() / "trace";
    const auto order = "sh -c \"echo ran >" + trace.string() + "; cat\"";
    scene.origin.git("config uploadpack.packObjectsHook '" + order + "'");
    const auto address =
        GENERATE(values<std::string>({"", "file://"})) + scene.origin.folder().string();
    auto clone = GitClone::open_or_clone(scene.mirror, address);
    scene.origin.commit("two");
    clone.fetch();
    CHECK(clone.tip("main") == scene.origin.revision("main"));
    CHECK_FALSE(fs::exists(trace));
}
