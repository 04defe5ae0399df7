#include "service/source/directory_source.hpp"

#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/content_store.hpp"
#include "tests/support/scratch_folder.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

const Revision one(std::string(40, '1'));
const Revision two(std::string(40, '2'));

struct Scene {
    test::ScratchFolder scratch;
    fs::path folder = scratch.path() / "drop";
    ContentStore content{scratch.path() / "content"};
    SourceConfig config;
    int written = 0;

    Scene() {
        fs::create_directory(folder);
        config.kind = SourceKind::directory;
        config.path = folder.string();
    }
    DirectorySource source() { return DirectorySource(config, content); }

    void archive(const std::string& name, const std::string& text) const {
        const auto tree = scratch.path() / ("tree-" + name);
        fs::create_directory(tree);
        std::ofstream(tree / "program") << text;
        archive::pack_folder(tree, {"."}, folder / name);
    }
    /// Every file a second younger than the one before, whatever the clock does.
    void put(const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
        fs::last_write_time(
            folder / name, fs::file_time_type(std::chrono::seconds(1'000'000 + written++)));
    }
    static std::string manifest(
        const std::string& version,
        const std::string& day,
        const Revision& revision,
        const std::string& archive,
        const std::string& sha256) {
        return R"({"version": ")" + version + R"(", "day": ")" + day + R"(", "revision": ")" +
               revision.str() + R"(", "archive": ")" + archive + R"(", "sha256": ")" + sha256 +
               "\"}";
    }
    void drop(const std::string& version, const std::string& day, const Revision& revision) {
        archive(version + ".tar", version);
        const auto digest = wire::sha256_file(folder / (version + ".tar")).str();
        put(version + ".json", manifest(version, day, revision, version + ".tar", digest));
    }
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

TEST_CASE("The newest is the latest day, then the greatest version", "[service][source]") {
    Scene scene;
    CHECK_FALSE(scene.source().newest(std::nullopt));
    scene.drop("1.0.dev20251112", "2025-11-12", one);
    scene.drop("1.0.dev20251112.10", "2025-11-12", two);
    scene.drop("1.0.dev20251112.9", "2025-11-12", one);
    scene.drop("9.9", "2025-11-01", one);
    const auto offer = scene.source().newest(std::nullopt);
    REQUIRE(offer);
    CHECK(offer->version == "1.0.dev20251112.10");
    CHECK(offer->day == "2025-11-12");
    CHECK(offer->revision == two);
    CHECK(offer->input_kind == InputKind::archive);
    CHECK(offer->input_bytes > 0);
    CHECK(scene.content.has(offer->input));
    const auto unpacked = scene.scratch.path() / "unpacked";
    archive::unpack(scene.content.path(offer->input), unpacked);
    CHECK(fs::exists(unpacked / "program"));
}

TEST_CASE("A nightly can be asked for by revision and by version", "[service][source]") {
    Scene scene;
    scene.drop("1.1", "2025-11-11", one);
    scene.drop("1.2", "2025-11-12", one);
    scene.drop("1.3", "2025-11-13", two);
    CHECK(scene.source().newest(one)->version == "1.2");
    CHECK(scene.source().find_version("1.1")->version == "1.1");
    CHECK_FALSE(scene.source().find_version("1.4"));
    CHECK_FALSE(scene.source().find_version("../drop/1.1"));
    CHECK(scene.failure(Revision(std::string(40, '3'))).code() == Errc::not_found);

    auto source = scene.source();
    CHECK(offer_for(source, std::nullopt)->version == "1.3");
    CHECK(offer_for(source, one.str())->version == "1.2");
    CHECK(offer_for(source, "1.1")->version == "1.1");
    CHECK_THROWS_AS(offer_for(source, "1.4"), Error);
    const NightlyVersion night{"1.2", "2025-11-12", one};
    CHECK(offer_for(source, "1.1", night)->standing == Standing::not_newer);
    CHECK(offer_for(source, "1.2", night)->standing == Standing::not_newer);
    CHECK(offer_for(source, "1.3", night)->standing == Standing::newer);
    CHECK(
        offer_for(source, "1.3", NightlyVersion{"1.10", "2025-11-13", two})->standing ==
        Standing::not_newer);
}

TEST_CASE("The list for catching up is oldest first", "[service][source]") {
    Scene scene;
    scene.drop("1.2", "2025-11-12", one);
    scene.drop("1.10", "2025-11-12", two);
    scene.drop("1.1", "2025-11-11", one);
    const auto all = scene.source().list_versions(10);
    REQUIRE(all.size() == 3);
    CHECK(all[0].version == "1.1");
    CHECK(all[2].version == "1.10");
    CHECK(all[2].revision == two);
    const auto last = scene.source().list_versions(1);
    REQUIRE(last.size() == 1);
    CHECK(last[0].version == "1.10");
}

TEST_CASE("An archive without manifest is still being written", "[service][source]") {
    Scene scene;
    scene.drop("1.1", "2025-11-11", one);
    scene.put("1.2.tar", "half of an arch");
    scene.put(".1.2.json", "{\"versi");
    CHECK(scene.source().newest(std::nullopt)->version == "1.1");
}

TEST_CASE(
    "An archive that was changed is refused, and the next night goes on", "[service][source]") {
    Scene scene;
    scene.drop("1.1", "2025-11-11", one);
    scene.drop("1.2", "2025-11-12", two);
    std::ofstream(scene.folder / "1.2.tar", std::ios::app) << "more";
    const auto error = scene.failure();
    CHECK(error.code() == Errc::invalid_argument);
    CHECK_THAT(error.what(), Contains("1.2.tar") && Contains("SHA-256"));
    scene.drop("1.3", "2025-11-13", two);
    CHECK(scene.source().newest(std::nullopt)->version == "1.3");
}

TEST_CASE("An archive that is none or is gone is refused in words", "[service][source]") {
    Scene scene;
    const std::string noise = "this is no archive at all";
    scene.put("1.tgz", noise);
    const auto digest = wire::sha256(noise).str();
    scene.put("1.json", Scene::manifest("1", "2025-11-11", one, "1.tgz", digest));
    CHECK(scene.failure().code() == Errc::invalid_argument);

    scene.put("2.json", Scene::manifest("2", "2025-11-12", one, "2.tgz", digest));
    CHECK(scene.failure().code() == Errc::not_found);
    CHECK_THAT(scene.failure().what(), Contains("2.tgz"));

    fs::create_symlink("/etc/hostname", scene.folder / "3.tgz");
    scene.put("3.json", Scene::manifest("3", "2025-11-13", one, "3.tgz", digest));
    CHECK_THAT(scene.failure().what(), Contains("a link"));

    REQUIRE(::mkfifo((scene.folder / "4.tgz").c_str(), 0600) == 0);
    scene.put("4.json", Scene::manifest("4", "2025-11-14", one, "4.tgz", digest));
    CHECK_THAT(scene.failure().what(), Contains("no regular file"));
}

TEST_CASE("Archives over a limit are refused before they are kept", "[service][source]") {
    Scene scene;
    scene.drop("1.1", "2025-11-11", one);
    const bool packed = GENERATE(true, false);
    (packed ? scene.config.max_archive_bytes : scene.config.max_unpacked_bytes) = 1;
    CHECK(scene.failure().code() == Errc::invalid_argument);
    scene.config = SourceConfig{};
    scene.config.path = scene.folder.string();
    CHECK(scene.source().newest(std::nullopt));
}

TEST_CASE(
    "The youngest manifest is an error when it is wrong, an older one is not",
    "[service][source]") {
    Scene scene;
    scene.drop("1.1", "2025-11-11", one);
    const std::string digest(64, 'a');
    const auto wrong = GENERATE_COPY(
        std::string("{"),
        std::string("[]"),
        std::string(70'000, ' '),
        std::string("{\"version\": \"1.2\"}"),
        Scene::manifest("1.3", "2025-11-12", one, "x.tar", digest),
        Scene::manifest("1.2", "2025-11-32", one, "x.tar", digest),
        Scene::manifest("1.2", "2025-11-12", one, "../x.tar", digest),
        Scene::manifest("1.2", "2025-11-12", one, "/etc/passwd", digest),
        Scene::manifest("1.2", "2025-11-12", one, "x.tar", "abc"));
    CAPTURE(wrong.substr(0, 200));
    scene.put("1.2.json", wrong);
    CHECK(scene.failure().code() == Errc::invalid_argument);
    CHECK_THAT(scene.failure().what(), Contains("1.2.json"));
    scene.drop("1.4", "2025-11-14", two);
    CHECK(scene.source().newest(std::nullopt)->version == "1.4");
}

TEST_CASE("A drop folder that is gone is not found", "[service][source]") {
    Scene scene;
    fs::remove_all(scene.folder);
    CHECK(scene.failure().code() == Errc::not_found);
}
