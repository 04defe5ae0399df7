#include "service/source/http_index_source.hpp"

#include "service/source/temporary_file.hpp"
#include "tests/integration/service/source/git_repository.hpp"
#include "tests/integration/service/source/index_scene.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

TEST_CASE("The newest wheel by PEP 440 is the nightly", "[service][source]") {
    IndexScene scene;
    const auto offer = scene.source().newest(std::nullopt);
    REQUIRE(offer);
    CHECK(offer->version == newest_version);
    CHECK(offer->day == "2025-11-13");
    CHECK(offer->revision == tuesday);
    CHECK(offer->input_kind == InputKind::archive);
    CHECK_THAT(offer->url, Contains("torch-2.10.0.dev20251113%2Bcpu-cp311"));
    const auto folder = scene.unpacked(*offer);
    CHECK(fs::exists(folder / "torch/lib/libtorch_cpu.so"));
    CHECK(fs::exists(folder / "torch/share/cmake/Torch/TorchConfig.cmake"));
}

TEST_CASE("A free-threaded wheel is another interpreter's", "[service][source]") {
    IndexScene scene;
    const std::string version = "2.10.0.dev20251114+cpu";
    scene.add_wheel("torch", version, std::string(40, '4'), "", "cp313-cp313t");
    scene.add_wheel("torch", version, monday.str(), "", "cp313-cp313");
    scene.project.source.python = "cp313t";
    const auto free = scene.source().newest(std::nullopt);
    REQUIRE(free);
    CHECK_THAT(free->url, Contains("-cp313-cp313t-"));
    CHECK(free->revision == Revision(std::string(40, '4')));
    scene.project.source.python = "cp313";
    CHECK(scene.source().newest(std::nullopt)->revision == monday);
    scene.project.source.python = "cp311";
    CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
}

TEST_CASE("Files are where the base of their page says", "[service][source]") {
    IndexScene scene;
    const std::string version = "2.10.0.dev20251114+cpu";
    const std::string name = "torch-" + encoded(version) + "-cp311-cp311-linux_x86_64.whl";
    scene.server.put("/files/" + name, scene.maker.wheel("torch", version, monday.str()));
    const auto page = [&](const std::string& base) {
        scene.server.put(
            "/whl/nightly/cpu/torch/",
            "<head><base href=\"" + base + "\"></head><a href=\"" + name + "\">torch</a>");
    };
    page("/files/");
    CHECK(scene.source().newest(std::nullopt)->revision == monday);
    CHECK(scene.server.count("GET 200 /files/" + name) == 1);
    page("http://127.0.0.2:9/files/");  // another server is not followed
    CHECK(scene.failure().code() == Errc::not_found);
    CHECK(scene.server.count("HEAD 404 /whl/nightly/cpu/torch/" + name) == 1);
}

TEST_CASE("Nights are listed by PEP 440, a missing one is missing", "[service][source]") {
    IndexScene scene;
    auto source = scene.source();
    const auto versions = source.list_versions(10);
    REQUIRE(versions.size() == 4);
    CHECK(versions[0].version == old_version);
    CHECK(versions[2].day == "2025-11-11");
    CHECK(versions[3].version == newest_version);
    CHECK(versions[3].revision.empty());
    CHECK(source.list_versions(1).front().version == newest_version);
    CHECK_FALSE(source.find_version("2.10.0.dev20251112+cpu"));
    CHECK_FALSE(source.find_version("latest"));
    CHECK(source.newest(std::nullopt)->revision == tuesday);
    CHECK(source.list_versions(1).front().revision == tuesday);  // it was here
}

TEST_CASE("Two nights of one commit are two versions", "[service][source]") {
    IndexScene scene;
    auto source = scene.source();
    const auto first = source.find_version(monday_version);
    const auto second = source.find_version(again_version);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->revision == second->revision);
    CHECK(first->day != second->day);
    CHECK(source.newest(monday)->version == again_version);
    CHECK(scene.failure(Revision(std::string(40, '9'))).code() == Errc::not_found);
}

TEST_CASE("Archives name their commit in build-hash", "[service][source]") {
    IndexScene scene;
    scene.use_archives();
    const auto offer = scene.source().newest(std::nullopt);
    REQUIRE(offer);
    CHECK(offer->version == newest_version);
    CHECK(offer->revision == tuesday);
    CHECK(fs::exists(scene.unpacked(*offer) / "libtorch/lib/libc10.so"));
}

TEST_CASE("An archive of another version than its name says is refused", "[service][source]") {
    IndexScene scene;
    scene.use_archives();
    scene.server.put(
        "/libtorch/nightly/cpu/libtorch-shared-with-deps-" + encoded(newest_version) + ".zip",
        scene.maker.archive(monday_version, monday.str()));
    CHECK(scene.failure().code() == Errc::invalid_argument);
    CHECK_THAT(scene.failure().what(), Contains("build-version says " + monday_version));
}

TEST_CASE("A file that was tampered with is refused, and asked for anew", "[service][source]") {
    IndexScene scene;
    const auto path = IndexScene::wheel_path("torch", newest_version);
    scene.server.put(path, scene.maker.wheel("torch", newest_version, monday.str()));
    CHECK(scene.failure().code() == Errc::invalid_argument);
    CHECK_THAT(scene.failure().what(), Contains("SHA-256") && Contains(newest_version));
    SECTION("until it is whole again") {
        scene.server.put(path, scene.wheels[path]);
        CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
    }
    SECTION("and it blocks no later night") {
        scene.add_wheel("torch", "2.10.0.dev20251114+cpu", tuesday.str());
        CHECK(scene.source().newest(std::nullopt)->day == "2025-11-14");
    }
    SECTION("in a night of several packages too") {
        scene.project.source.packages = {"torch", "torchvision"};
        scene.add_wheel("torchvision", "0.25.0.dev20251113+cpu", std::string(40, '7'));
        CHECK_THAT(scene.failure().what(), Contains("SHA-256") && Contains(newest_version));
    }
}

TEST_CASE("A transfer that breaks goes on where it stopped", "[service][source]") {
    IndexScene scene;
    const auto path = IndexScene::wheel_path("torch", newest_version);
    SECTION("within one attempt") {
        scene.server.cut(path, {5000, 3000, 100});
        CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
        CHECK(scene.server.count("GET 200 " + path + " cut") == 1);
        CHECK(scene.server.count("GET 206 " + path + " cut") == 2);
        CHECK(scene.server.count("GET 206 " + path) == 1);
        CHECK(scene.server.requests.back().headers.at("range") == "bytes=8100-");
    }
    SECTION("in the next attempt") {
        scene.server.cut(path, {5000, 0, 0});
        CHECK(scene.failure().code() == Errc::unavailable);
        CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
        CHECK(scene.server.requests.back().headers.at("range") == "bytes=5000-");
    }
    SECTION("not when the file has changed meanwhile") {
        scene.server.cut(path, {5000, 0, 0});
        CHECK(scene.failure().code() == Errc::unavailable);
        scene.add_wheel("torch", newest_version, monday.str());
        scene.server.put(
            "/whl/nightly/cpu/torch/",
            scene.pages["torch"].substr(scene.pages["torch"].rfind("<a ")));
        CHECK(scene.source().newest(std::nullopt)->revision == monday);
        CHECK(scene.server.log.back() == "GET 200 " + path);
    }
    SECTION("from the start where the server knows no ranges") {
        scene.server.knows_etags = false;
        scene.server.cut(path, {5000});
        CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
        CHECK(scene.server.count("GET 200 " + path) == 1);
    }
    SECTION("also when it knows no HEAD") {
        scene.server.knows_head = false;
        scene.server.cut(path, {5000});
        CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
    }
}

TEST_CASE("A page that did not change is not sent again", "[service][source]") {
    IndexScene scene;
    const std::string page = "/whl/nightly/cpu/torch/";
    CHECK(scene.source().list_versions(9).size() == 4);
    CHECK(scene.source().list_versions(9).size() == 4);
    CHECK(scene.server.count("GET 200 " + page) == 1);
    CHECK(scene.server.count("GET 304 " + page) == 1);
    scene.add_wheel("torch", "2.10.0.dev20251114+cpu", tuesday.str());
    CHECK(scene.source().list_versions(9).size() == 5);
}

TEST_CASE("Packages of one night come together", "[service][source]") {
    IndexScene scene;
    scene.project.source.packages = {"torch", "torchvision"};
    CHECK_THAT(scene.failure().what(), Contains("404"));
    scene.add_wheel(
        "torchvision", "0.25.0.dev20251111+cpu", std::string(40, '7'), "2.10.0.dev20251111");
    const auto offer = scene.source().newest(std::nullopt);
    REQUIRE(offer);
    CHECK(offer->version == again_version);  // the newest night that is complete
    CHECK(offer->revision == monday);
    const auto folder = scene.unpacked(*offer);
    CHECK(fs::exists(folder / "torch/lib/libtorch.so"));
    CHECK(fs::exists(folder / "torchvision/version.py"));
    CHECK(scene.source().newest(std::nullopt)->input == offer->input);  // the same bytes again
}

TEST_CASE("Packages with days of their own come as the first one asks", "[service][source]") {
    IndexScene scene;
    const std::string commit(40, '7');
    const std::string none = "py3-none";
    auto& source = scene.project.source;
    source.packages = {"torch", "nvidia-cublas", "nvidia-nccl"};
    source.version = "+cpu";
    source.day_from = {"torch"};
    // Both have files below one folder.
    scene.add_parted_wheel("nvidia-cublas", "12.8.4", "nvidia");
    scene.add_parted_wheel("nvidia-cublas", "12.9.1", "nvidia");
    scene.add_parted_wheel("nvidia-nccl", "2.27.5", "nvidia");
    SECTION("by a pin") {
        scene.maker.more_metadata =
            "Requires-Dist: nvidia-cublas==12.8.4; platform_system == \"Linux\"\n"
            "Requires-Dist: nvidia-nccl; platform_system == \"Linux\"\n";
        scene.add_wheel("torch", "2.10.0.dev20251114+cpu", monday.str());
        const auto offer = scene.source().newest(std::nullopt);
        REQUIRE(offer);
        CHECK(offer->version == "2.10.0.dev20251114+cpu");
        const auto folder = scene.unpacked(*offer);
        CHECK(text_of_file(folder / "nvidia/nvidia-cublas.txt") == "12.8.4");
        CHECK(text_of_file(folder / "nvidia/nvidia-nccl.txt") == "2.27.5");
        CHECK(scene.source().newest(std::nullopt)->input == offer->input);
    }
    SECTION("in their newest version without one") {
        const auto folder = scene.unpacked(*scene.source().newest(std::nullopt));
        CHECK(text_of_file(folder / "nvidia/nvidia-cublas.txt") == "12.9.1");
        CHECK(fs::exists(folder / "torch/lib/libtorch.so"));
    }
    SECTION("and what the index lacks is said by name") {
        scene.maker.more_metadata = "Requires-Dist: nvidia-cublas==13.0\n";
        scene.add_wheel("torch", "2.10.0.dev20251114+cpu", monday.str());
        CHECK(scene.failure().code() == Errc::not_found);
        CHECK_THAT(
            scene.failure().what(),
            Contains("2.10.0.dev20251114+cpu") &&
                Contains("asks for nvidia-cublas 13.0, which the index"));
    }
}

TEST_CASE("A package made for another night is refused", "[service][source]") {
    IndexScene scene;
    scene.project.source.packages = {"torch", "torchvision"};
    scene.add_wheel(
        "torchvision", "0.25.0.dev20251113+cpu", std::string(40, '7'), "2.10.0.dev20251111");
    CHECK(scene.failure().code() == Errc::invalid_argument);
    CHECK_THAT(scene.failure().what(), Contains("asks for torch 2.10.0.dev20251111"));
}

TEST_CASE("Packages whose files collide are refused", "[service][source]") {
    IndexScene scene;
    scene.project.source.packages = {"torch", "torchvision"};
    const std::string version = "0.25.0.dev20251113+cpu";
    const auto path = IndexScene::wheel_path("torchvision", version);
    scene.server.put("/whl/nightly/cpu/torchvision/", "<a href=\"" + path + "\">torchvision</a>");
    scene.server.put(path, scene.maker.wheel("torch", version, monday.str()));
    CHECK_THAT(scene.failure().what(), Contains("two packages of the night hold different"));
}

TEST_CASE("A night of which no day is complete says what it lacks", "[service][source]") {
    IndexScene scene;
    scene.project.source.packages = {"torch", "torchvision"};
    scene.add_wheel("torchvision", "0.25.0.dev20251112+cpu", std::string(40, '7'));
    CHECK(scene.failure().code() == Errc::not_found);
    CHECK_THAT(scene.failure().what(), Contains("torchvision of 2025-11-13"));
}

TEST_CASE("A commit of the nightly branch is resolved to the main branch", "[service][source]") {
    IndexScene scene;
    test::GitRepository repository(scene.scratch.path() / "repository");
    const auto on_main = repository.commit("Make it faster");
    repository.git("checkout -q -b nightly");
    const auto on_nightly = repository.commit("2025-11-14 nightly release (" + on_main.str() + ")");
    repository.git("checkout -q main");
    scene.project.source.repository = repository.folder().string();
    scene.add_wheel("torch", "2.10.0.dev20251114+cpu", on_nightly.str());
    SECTION("when it is fetched") {
        CHECK(scene.source().newest(std::nullopt)->revision == on_main);
    }
    SECTION("when the commit of the main branch is asked for: its nights are tried") {
        scene.add_wheel("torch", "2.10.0.dev20251115+cpu", on_main.str());
        scene.add_wheel("torch", "2.10.0.dev20251116+cpu", std::string(40, '5'));
        scene.add_wheel("torch", "2.10.0.dev20251122+cpu", std::string(40, '6'));
        // Commits of this repository are of 15 November 2025.
        const auto offer = scene.source().newest(on_main);
        REQUIRE(offer);
        CHECK(offer->day == "2025-11-15");
        const auto far = IndexScene::wheel_path("torch", "2.10.0.dev20251122+cpu");
        CHECK(scene.server.count("GET 200 " + far) == 0);
    }
    SECTION("a commit that the repository does not have stays as it is") {
        scene.add_wheel("torch", "2.10.0.dev20251115+cpu", tuesday.str());
        CHECK(scene.source().newest(std::nullopt)->revision == tuesday);
    }
}
