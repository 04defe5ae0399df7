#include <cstdlib>
#include <fstream>

#include "tests/integration/service/source/index_scene.hpp"

// An index that leaves things out, leads astray, or sends what is not fit.

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

TEST_CASE("Limits of size hold before and while a file comes", "[service][source]") {
    IndexScene scene;
    SECTION("announced") {
        scene.project.source.max_archive_bytes = 2000;
        CHECK(scene.failure().code() == Errc::invalid_argument);
        CHECK_THAT(scene.failure().what(), Contains("max_archive_bytes"));
        CHECK(scene.server.log.back().starts_with("HEAD"));
    }
    SECTION("not announced") {
        scene.server.knows_head = false;
        scene.project.source.max_archive_bytes = 2000;
        CHECK_THAT(scene.failure().what(), Contains("larger than the limit"));
    }
    SECTION("unpacked") {
        scene.project.source.max_unpacked_bytes = 2000;
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
    SECTION("of a night") {
        scene.project.source.packages = {"torch", "torchvision"};
        scene.add_wheel("torchvision", "0.25.0.dev20251113+cpu", std::string(40, '7'));
        scene.project.source.max_entries = 6;
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
}

TEST_CASE("Redirects are followed within the rules of links", "[service][source]") {
    IndexScene scene;
    const auto path = IndexScene::wheel_path("torch", newest_version);
    SECTION("to another path") {
        scene.server.put("/moved.whl", scene.wheels[path]);
        scene.server.redirect(path, "/moved.whl");
        CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
        CHECK(scene.server.count("GET 200 /moved.whl") == 1);
    }
    SECTION("in a circle") {
        scene.server.redirect(path, path);
        CHECK(scene.failure().code() == Errc::unavailable);
    }
    SECTION("to another server") {
        scene.server.redirect(path, "http://192.0.2.1/x.whl");
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
    SECTION("nowhere") {
        scene.server.redirect(path, "");
        CHECK(scene.failure().code() == Errc::invalid_argument);
    }
}

TEST_CASE("What an index leaves out is said", "[service][source]") {
    IndexScene scene;
    SECTION("the package") {
        scene.project.source.packages = {"torchaudio"};
        CHECK(scene.failure().code() == Errc::not_found);
        CHECK_THAT(scene.failure().what(), Contains("/torchaudio/"));
    }
    SECTION("the file") {
        scene.server.put(
            "/whl/nightly/cpu/torch/",
            "<a href=\"torch-2.10.0.dev20251113-cp311-cp311-linux_x86_64.whl\">x</a>");
        CHECK(scene.failure().code() == Errc::not_found);
    }
    SECTION("nightlies at all") {
        scene.server.put("/whl/nightly/cpu/torch/", "<html>Welcome!</html>");
        CHECK_FALSE(scene.source().newest(std::nullopt));
    }
    SECTION("the commit") {
        scene.add_wheel("torch", "2.10.0.dev20251114+cpu", "unknown");
        CHECK_THAT(scene.failure().what(), Contains("states no commit"));
    }
    SECTION("the server") {
        scene.project.source.index = "http://127.0.0.1:1/whl";
        CHECK(scene.failure().code() == Errc::unavailable);
    }
}

TEST_CASE("A file that is no archive, or a hostile one, is refused", "[service][source]") {
    IndexScene scene;
    const auto offer_bytes = [&](const std::string& bytes) {
        scene.server.put("/x/torch-2.11.0.dev20251115-cp311-cp311-linux_x86_64.whl", bytes);
        scene.server.put(
            "/whl/nightly/cpu/torch/",
            "<a href=\"/x/torch-2.11.0.dev20251115-cp311-cp311-linux_x86_64.whl\">x</a>");
    };
    offer_bytes("no archive");
    CHECK(scene.failure().code() == Errc::invalid_argument);
    offer_bytes("");
    CHECK(scene.failure().code() != Errc::not_found);
    const auto evil = scene.scratch.path() / "evil.zip";
    const std::string command =
        "python3 -c \"import zipfile; z = zipfile.ZipFile('" + evil.string() +
        "', 'w'); z.writestr('../evil', 'x'); z.writestr('torch/version.py', 'y')\"";
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream in(evil, std::ios::binary);
    offer_bytes({std::istreambuf_iterator<char>(in), {}});
    CHECK(scene.failure().code() == Errc::invalid_argument);
    CHECK_FALSE(fs::exists(scene.scratch.path() / "evil"));
}

TEST_CASE("What was kept and is spoiled does no harm", "[service][source]") {
    IndexScene scene;
    CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
    const auto folder = fs::path(scene.config.state_dir) / "index/torch";
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".part") FAIL("a part was left");
    }
    std::ofstream(folder / "commits.json") << "{]";
    CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
    fs::remove_all(folder);
    CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
}
