#include "service/source/npm_source.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <openssl/evp.h>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "service/source/npm_client.hpp"
#include "service/store/content_store.hpp"
#include "tests/support/scratch_folder.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

const Revision first_head(std::string(40, '1'));
const Revision second_head(std::string(40, '2'));

/// A client of our own first on PATH, which plays a registry from files, and the faults of one.
struct NpmScene {
    test::ScratchFolder scratch;
    fs::path registry = scratch.path() / "registry";
    ContentStore content{scratch.path() / "content"};
    SourceConfig config;
    std::string path_before = std::getenv("PATH");

    NpmScene() {
        fs::create_directories(scratch.path() / "bin");
        fs::create_directories(registry / "tree/package");
        std::ofstream(registry / "tree/package/program") << "#!/bin/sh\n";
        run("tar -C '" + (registry / "tree").string() + "' -czf '" +
            (registry / "pkg.tgz").string() + "' package");
        npm(R"(case "$1" in
view) case "$2" in
      *@*) cat "$REGISTRY/versions/${2#*@}" ;;
      *) cat "$REGISTRY/package" ;;
      esac ;;
pack) cp "$REGISTRY/pkg.tgz" "$4/anything.tgz" ;;
esac)");
        ::setenv("PATH", ((scratch.path() / "bin").string() + ":" + path_before).c_str(), 1);
        ::setenv("REGISTRY", registry.c_str(), 1);
        config.package = "pkg";
        offer("1.0.0-dev.20251112.1", first_head);
        package("1.0.0-dev.20251112.1", R"("1.0.0-dev.20251111.1", "1.0.0-dev.20251112.1")");
    }
    ~NpmScene() {
        ::setenv("PATH", path_before.c_str(), 1);
        ::unsetenv("REGISTRY");
    }

    static void run(const std::string& command) { REQUIRE(std::system(command.c_str()) == 0); }
    void npm(const std::string& script) const {
        const auto program = scratch.path() / "bin/npm";
        std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(program, fs::perms::owner_all);
    }
    void package(const std::string& tagged, const std::string& versions) const {
        std::ofstream(registry / "package") << R"({"dist-tags": {"latest": ")" << tagged
                                            << R"("}, "versions": [)" << versions << "]}";
    }
    std::string integrity() const {
        std::ifstream input(registry / "pkg.tgz", std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(input), {}};
        std::array<unsigned char, 64> digest{};
        std::array<unsigned char, 128> text{};
        REQUIRE(
            EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha512(), nullptr));
        const int size = EVP_EncodeBlock(text.data(), digest.data(), 64);
        return "sha512-" + std::string(text.begin(), text.begin() + size);
    }
    std::string facts(const std::string& version, const Revision& revision) const {
        return R"({"version": ")" + version + R"(", "gitHead": ")" + revision.str() +
               R"(", "dist.integrity": ")" + integrity() + R"("})";
    }
    void answer(const std::string& range, const std::string& text) const {
        fs::create_directories(registry / "versions");
        std::ofstream(registry / "versions" / range) << text;
    }
    void offer(const std::string& version, const Revision& revision) const {
        answer(version, facts(version, revision));
    }
    NpmSource source() { return NpmSource(config, content); }
    Error failure(const std::optional<Revision>& wanted = std::nullopt) {
        try {
            source().newest(wanted);
        } catch (const Error& error) {
            return error;
        }
        FAIL("there was an offer");
        throw 0;
    }
};

}  // namespace

TEST_CASE("The nightly of a package is what its tag points at", "[service][source]") {
    NpmScene scene;
    const auto offer = scene.source().newest(std::nullopt);
    REQUIRE(offer);
    CHECK(offer->version == "1.0.0-dev.20251112.1");
    CHECK(offer->day == "2025-11-12");
    CHECK(offer->revision == first_head);
    CHECK(offer->input_kind == InputKind::archive);
    CHECK(offer->url == "npm:pkg@1.0.0-dev.20251112.1");
    CHECK(
        offer->input_bytes == static_cast<std::int64_t>(fs::file_size(scene.registry / "pkg.tgz")));
    const auto unpacked = scene.scratch.path() / "unpacked";
    archive::unpack(scene.content.path(offer->input), unpacked);
    CHECK(fs::exists(unpacked / "package/program"));
}

TEST_CASE(
    "Where the tag is no nightly, the greatest version that is one counts", "[service][source]") {
    NpmScene scene;
    scene.config.version = "-dev.";
    scene.package("1.0.0", R"("1.0.0", "1.0.0-dev.20251112.1", "1.0.0-dev.20251109.12")");
    CHECK(scene.source().newest(std::nullopt)->version == "1.0.0-dev.20251112.1");
    scene.package("1.0.0", R"("1.0.0")");
    CHECK_FALSE(scene.source().newest(std::nullopt));
}

TEST_CASE("A version is found by its name, and nothing else is", "[service][source]") {
    NpmScene scene;
    CHECK(scene.source().find_version("1.0.0-dev.20251112.1")->revision == first_head);
    CHECK_FALSE(scene.source().find_version("1.0.0-dev.20251113.1"));
    for (const auto* name : {"latest", ">=1.0.0-0", "--help", "", "1.x", "../x"}) {
        CHECK_FALSE(scene.source().find_version(name));
    }
}

TEST_CASE("The list for catching up has commits, oldest first", "[service][source]") {
    NpmScene scene;
    scene.answer(
        ">=1.0.0-0",
        "[" + scene.facts("1.0.0-dev.20251112.1", first_head) + "," +
            scene.facts("1.0.0-dev.20251111.1", second_head) + "," +
            scene.facts("1.0.0", second_head) + ", \"bare\", 7, {\"version\": 3}]");
    const auto versions = scene.source().list_versions(10);
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].version == "1.0.0-dev.20251111.1");
    CHECK(versions[0].revision == second_head);
    CHECK(versions[1].day == "2025-11-12");
    CHECK(scene.source().list_versions(1).front().version == "1.0.0-dev.20251112.1");

    CHECK(scene.source().newest(first_head)->version == "1.0.0-dev.20251112.1");
    CHECK(scene.failure(Revision(std::string(40, '3'))).code() == Errc::not_found);
}

TEST_CASE("A tarball that is not the one the registry states is refused", "[service][source]") {
    NpmScene scene;
    std::ofstream(scene.registry / "pkg.tgz", std::ios::app) << "more";
    CHECK(scene.failure().code() == Errc::invalid_argument);
    CHECK_THAT(scene.failure().what(), Contains("SHA-512"));
}

TEST_CASE("A tarball that is no archive is refused", "[service][source]") {
    NpmScene scene;
    std::ofstream(scene.registry / "pkg.tgz") << "no archive";
    scene.offer("1.0.0-dev.20251112.1", first_head);
    CHECK(scene.failure().code() == Errc::invalid_argument);
}

TEST_CASE("Limits of size hold for packages", "[service][source]") {
    NpmScene scene;
    SECTION("packed") {
        scene.config.max_archive_bytes = 10;
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
    SECTION("unpacked, when read through") {
        scene.config.max_unpacked_bytes = 3;
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
    SECTION("unpacked, as stated") {
        auto facts = scene.facts("1.0.0-dev.20251112.1", first_head);
        facts.insert(1, "\"dist.unpackedSize\": 99999999999,");
        scene.answer("1.0.0-dev.20251112.1", facts);
        CHECK_THAT(scene.failure().what(), Contains("max_unpacked_bytes"));
    }
}

TEST_CASE("What a registry leaves out is said", "[service][source]") {
    NpmScene scene;
    SECTION("the tag") {
        scene.config.dist_tag = "nightly";
        CHECK(scene.failure().code() == Errc::not_found);
        CHECK_THAT(scene.failure().what(), Contains("\"nightly\"") && Contains("latest"));
    }
    SECTION("the commit") {
        scene.answer("1.0.0-dev.20251112.1", "\"1.0.0-dev.20251112.1\"");
        CHECK_THAT(scene.failure().what(), Contains("gitHead"));
    }
    SECTION("the integrity") {
        scene.answer(
            "1.0.0-dev.20251112.1",
            R"({"version": "1.0.0-dev.20251112.1", "gitHead": ")" + first_head.str() + "\"}");
        CHECK_THAT(scene.failure().what(), Contains("integrity"));
    }
    SECTION("the day") {
        scene.package("1.0.0", "\"1.0.0\"");
        CHECK_THAT(scene.failure().what(), Contains("no day"));
    }
    SECTION("the version that its tag names") {
        scene.package("1.0.0-dev.20251119.1", "\"1.0.0-dev.20251112.1\"");
        CHECK(scene.failure().code() == Errc::not_found);
    }
}

TEST_CASE("A client that fails is told in its own words, without addresses", "[service][source]") {
    NpmScene scene;
    SECTION("the package is not there") {
        scene.npm(R"(echo '{"error": {"code": "E404", "summary": "Not Found - GET http://x.y/pkg"}}'
exit 1)");
        CHECK(scene.failure().code() == Errc::not_found);
        CHECK_THAT(scene.failure().what(), Contains("GET <address>") && !Contains("x.y"));
    }
    SECTION("the network is down") {
        scene.npm("echo 'npm error code ENOTFOUND' >&2; exit 1");
        CHECK(scene.failure().code() == Errc::unavailable);
        CHECK_THAT(scene.failure().what(), Contains("code 1: npm error code ENOTFOUND"));
    }
    SECTION("it is killed") {
        scene.npm("kill -9 $$");
        CHECK_THAT(scene.failure().what(), Contains("signal 9"));
    }
    SECTION("it prints nonsense") {
        scene.npm("echo 'Welcome!'");
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
    SECTION("it prints another kind of JSON") {
        scene.npm("echo '[[[]]]'");
        CHECK(scene.failure().code() == Errc::not_found);
    }
    SECTION("it packs nothing") {
        scene.npm(R"(case "$1" in
view) case "$2" in *@*) cat "$REGISTRY/versions/${2#*@}" ;; *) cat "$REGISTRY/package" ;; esac ;;
esac)");
        CHECK_THAT(scene.failure().what(), Contains("0 files"));
    }
    SECTION("it is not installed") {
        ::setenv("PATH", "/nonexistent", 1);
        CHECK(scene.failure().code() == Errc::unavailable);
        CHECK_THAT(scene.failure().what(), Contains("not on PATH"));
    }
}

TEST_CASE("A package's name that could be an option or a path is refused", "[service][source]") {
    NpmScene scene;
    for (const auto* name : {"--global", "", "../x", "a/b", "@a", "@/b", "@a/@b", "a b", "a@1"}) {
        CAPTURE(name);
        scene.config.package = name;
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
}

TEST_CASE("A real package's nightlies are pulled from its registry", "[.long][service][source]") {
    test::ScratchFolder scratch;
    ContentStore content(scratch.path() / "content");
    SourceConfig config;
    config.package = "@typescript/native-preview-linux-x64";
    config.version = "-dev.";
    NpmSource source(config, content);
    std::vector<NightlyVersion> versions;
    try {
        versions = source.list_versions(10);
    } catch (const Error& error) {
        if (error.code() != Errc::unavailable) throw;
        WARN("not checked: " << error.what());  // no client or no network here
        SUCCEED();
        return;
    }
    REQUIRE(versions.size() == 10);
    for (const auto& version : versions) {
        CHECK_FALSE(version.revision.empty());
        CHECK_FALSE(version.day.empty());
    }
    const auto offer = source.find_version(versions.front().version);
    REQUIRE(offer);
    CHECK(offer->revision == versions.front().revision);
    archive::unpack(content.path(offer->input), scratch.path() / "unpacked");
    CHECK(fs::exists(scratch.path() / "unpacked/package/package.json"));
    CHECK(source.newest(std::nullopt)->day >= versions.back().day);
}
