#include "service/source/temporary_file.hpp"
#include "tests/integration/service/source/index_scene.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

const std::string night_version = "2.10.0.dev20251114";
const auto cuda_path = IndexScene::wheel_path("torch", night_version + "+cu126");

/// An index whose newest version is there for the CPU.
struct CpuAndCuda : IndexScene {
    CpuAndCuda() {
        project.source.local_versions = {"+cpu", "+cu126"};
        add_wheel("torch", night_version + "+cpu", monday.str());
    }
};

}  // namespace

TEST_CASE("Local versions of a night lie side by side", "[service][source]") {
    CpuAndCuda scene;
    SECTION("each in its folder") {
        scene.add_wheel("torch", night_version + "+cu126", monday.str());
        const auto offer = scene.source().newest(std::nullopt);
        REQUIRE(offer);
        CHECK(offer->version == night_version);
        CHECK(offer->revision == monday);
        CHECK(offer->missing.empty());
        const auto folder = scene.unpacked(*offer);
        CHECK_THAT(
            text_of_file(folder / "cpu/torch/version.py"), Contains(night_version + "+cpu'"));
        CHECK_THAT(
            text_of_file(folder / "cu126/torch/version.py"), Contains(night_version + "+cu126'"));
        CHECK(scene.source().find_version(night_version)->input == offer->input);  // the same bytes
        CHECK(scene.source().list_versions(1).front().version == night_version);
        CHECK(scene.source().list_versions(1).front().revision == monday);
    }
    SECTION("one that is not there leaves its folder empty until it is") {
        const auto first = scene.source().newest(std::nullopt);
        REQUIRE(first);
        CHECK(first->version == night_version);
        REQUIRE(first->missing.size() == 1);
        CHECK_THAT(first->missing[0], Contains("+cu126: not all its packages"));
        const auto folder = scene.unpacked(*first);
        CHECK(fs::exists(folder / "cpu/torch/lib/libtorch.so"));
        CHECK(fs::is_empty(folder / "cu126"));
        scene.add_wheel("torch", night_version + "+cu126", monday.str());
        const auto second = scene.source().newest(std::nullopt);
        CHECK(second->version == night_version);
        CHECK(second->missing.empty());
        CHECK(second->input != first->input);
    }
}

TEST_CASE("A local version that cannot be taken is told by name", "[service][source]") {
    CpuAndCuda scene;
    SECTION("one that is broken") {
        scene.add_wheel("torch", night_version + "+cu126", monday.str());
        scene.server.put(cuda_path, "no wheel");
        const auto offer = scene.source().newest(std::nullopt);
        REQUIRE(offer->missing.size() == 1);
        CHECK_THAT(offer->missing[0], Contains("+cu126: torch") && Contains("SHA-256"));
        CHECK(offer->revision == monday);
    }
    SECTION("one of another commit") {
        scene.add_wheel("torch", night_version + "+cu126", tuesday.str());
        const auto offer = scene.source().newest(std::nullopt);
        REQUIRE(offer->missing.size() == 1);
        CHECK_THAT(offer->missing[0], Contains("its commit is 2222222222, not 1111111111"));
        CHECK(fs::is_empty(scene.unpacked(*offer) / "cu126"));
    }
    SECTION("where none can be taken there is no night") {
        scene.add_wheel("torch", night_version + "+cu126", monday.str());
        scene.server.put(cuda_path, "no wheel");
        scene.server.put(IndexScene::wheel_path("torch", night_version + "+cpu"), "no wheel");
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
    SECTION("one that does not answer is waited for") {
        scene.add_wheel("torch", night_version + "+cu126", monday.str());
        scene.server.cut(cuda_path, {100, 0, 0});
        CHECK(scene.failure().code() == Errc::unavailable);
        CHECK(scene.source().newest(std::nullopt)->missing.empty());
    }
    SECTION("a single one is picked as it is") {
        scene.add_wheel("torch", night_version + "+cu126", monday.str());
        scene.project.source.local_versions = {"+cu126"};
        const auto offer = scene.source().newest(std::nullopt);
        CHECK(offer->version == night_version + "+cu126");
        CHECK(fs::exists(scene.unpacked(*offer) / "torch/version.py"));
    }
}
