#include "service/source/index_nights.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

IndexLink link_to(const std::string& file) {
    IndexLink link;
    link.file = file;
    link.url = "https://index.example.org/whl/" + file;
    return link;
}

/// The builds of the nights that wheels with these names make, by file.
std::vector<std::vector<std::string>> files_of_nights(
    const SourceConfig& source, const std::vector<std::string>& files) {
    std::vector<IndexLink> links;
    for (const auto& file : files) links.push_back(link_to(file + "-linux_x86_64.whl"));
    std::vector<std::vector<IndexBuild>> builds;
    for (const auto& package : source.packages) {
        builds.push_back(builds_among(links, package, source));
    }
    std::string missing;
    std::vector<std::vector<std::string>> names;
    for (const auto& night : complete_nights(builds, source, missing)) {
        auto& one = names.emplace_back();
        for (const auto& build : night.sets.front().builds) {
            one.push_back(build.link.file.substr(0, build.link.file.rfind("-linux")));
        }
    }
    return names;
}

using Names = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("Nightlies are the dated wheels of the machine, oldest first", "[service][source]") {
    SourceConfig source;
    source.version = "+cpu";
    auto withdrawn = link_to("torch-2.11.0.dev20251114+cpu-cp311-cp311-linux_x86_64.whl");
    withdrawn.yanked = true;
    const std::vector<IndexLink> links{
        link_to("torch-2.10.0.dev20251112+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"),
        link_to("torch-2.10.0.dev20251112+cpu-cp310-cp310-manylinux_2_28_x86_64.whl"),
        link_to("torch-2.9.0.dev20251113+cpu-cp311-cp311-manylinux2014_x86_64.whl"),
        link_to("torch-2.10.0.dev20251113+cpu-cp311-cp311-win_amd64.whl"),
        link_to("torch-2.10.0.dev20251113+cu126-cp311-cp311-linux_x86_64.whl"),
        link_to("torch-2.9.0+cpu-cp311-cp311-linux_x86_64.whl"),
        link_to("torchvision-2.10.0.dev20251112+cpu-cp311-cp311-linux_x86_64.whl"),
        withdrawn};
    const auto builds = builds_among(links, "torch", source);
    REQUIRE(builds.size() == 3);                          // one for each Python
    CHECK(builds[0].version == "2.9.0.dev20251113+cpu");  // 2.10 follows 2.9
    CHECK(builds[1].day == "2025-11-12");
    CHECK(builds[1].wheel.python == "cp310");
    source.python = "cp311";
    CHECK(builds_among(links, "torch", source)[1].wheel.python == "cp311");
    source.machine = "aarch64";
    CHECK(builds_among(links, "torch", source).empty());
}

TEST_CASE("A night is complete when every package has a build of its day", "[service][source]") {
    const auto build = [](const std::string& version, const std::string& day) {
        IndexBuild one;
        one.version = version;
        one.order = *parse_python_version(version);
        one.day = day;
        return one;
    };
    const std::vector<std::vector<IndexBuild>> builds{
        {build("2.10.dev1+cpu", "2025-11-11"), build("2.10.dev2+cpu", "2025-11-12")},
        {build("0.1.dev1+cpu", "2025-11-11"),
         build("0.1.dev2+cu1", "2025-11-12"),
         build("0.2.dev1+cpu", "2025-11-11")}};
    std::string missing;
    SourceConfig source;
    source.packages = {"torch", "torchvision"};
    const auto nights = complete_nights(builds, source, missing);
    REQUIRE(nights.size() == 1);
    CHECK(nights[0].sets[0].builds[1].version == "0.2.dev1+cpu");
    CHECK(missing == "torchvision of 2025-11-12");
}

TEST_CASE("A free-threaded wheel is no wheel of the other interpreter", "[service][source]") {
    const std::string free = "torch-2.10.0.dev20251112-cp313-cp313t";
    const std::string usual = "torch-2.10.0.dev20251112-cp313-cp313";
    SourceConfig source;
    source.packages = {"torch"};
    source.python = "cp313";
    CHECK(files_of_nights(source, {free, usual}) == Names{{usual}});
    CHECK(files_of_nights(source, {free}).empty());
    source.python = "cp313t";
    CHECK(files_of_nights(source, {usual, free}) == Names{{free}});
    CHECK(files_of_nights(source, {usual}).empty());
}

TEST_CASE("Of the wheels that fit the one made for the Python is taken", "[service][source]") {
    SourceConfig source;
    source.packages = {"x"};
    source.python = "cp313";
    const std::string version = "x-1.0.dev20251112-";
    CHECK(
        files_of_nights(
            source, {version + "py3-none", version + "cp39-abi3", version + "cp313-cp313"}) ==
        Names{{version + "cp313-cp313"}});
    CHECK(
        files_of_nights(source, {version + "py3-none", version + "cp39-abi3"}) ==
        Names{{version + "cp39-abi3"}});
    CHECK(
        files_of_nights(
            source,
            {version + "2-cp313-cp313", version + "cp313-cp313", version + "10-cp313-cp313"}) ==
        Names{{version + "10-cp313-cp313"}});
}

TEST_CASE("A package without the night's day comes in its newest version", "[service][source]") {
    SourceConfig source;
    source.packages = {"torch", "nvidia-cublas", "pytorch-triton"};
    source.day_from = {"torch"};
    source.version = "+cu126";
    const std::string torch = "torch-2.10.0.dev202511";
    const std::string wheel = "+cu126-cp313-cp313";
    const std::string cublas = "nvidia_cublas-12.";
    const std::string triton = "pytorch_triton-3.5.";
    const auto files = std::vector<std::string>{
        torch + "12" + wheel,
        torch + "14" + wheel,
        cublas + "8.4.1-py3-none",
        cublas + "10.0.1-py3-none",
        triton + "0.dev20251110+gitabc-cp313-cp313",
        triton + "0.dev20251113+gitdef-cp313-cp313",
        triton + "1.dev20251113+gitdef-cp313-cp313t"};
    CHECK(
        files_of_nights(source, files) ==
        Names{{files[0], files[3], files[4]}, {files[1], files[3], files[5]}});
    CHECK(files_of_nights(source, {files[0], files[3]}).empty());
    source.day_from.clear();
    CHECK(files_of_nights(source, files).empty());
}

TEST_CASE("A package of several local versions comes in the night's", "[service][source]") {
    SourceConfig source;
    source.packages = {"torch", "vision"};
    source.day_from = {"torch"};
    const std::string torch = "torch-2.10.0.dev20251112+cpu-cp313-cp313";
    const std::string vision = "vision-0.2.dev20251101+cpu-cp313-cp313";
    const std::string other = "vision-0.3.dev20251102+cu126-cp313-cp313";
    CHECK(files_of_nights(source, {torch, vision, other}) == Names{{torch, vision}});
    CHECK(files_of_nights(source, {torch, other}) == Names{{torch, other}});
}

TEST_CASE("A version that is asked for is found among a package's builds", "[service][source]") {
    SourceConfig source;
    source.packages = {"torch", "triton"};
    source.day_from = {"torch"};
    source.python = "cp313";
    const auto build = [&](const std::string& file) {
        return builds_among({link_to(file + "-linux_x86_64.whl")}, "triton", source).at(0);
    };
    const std::vector<IndexBuild> builds{
        build("triton-3.5.0+git1-cp313-cp313"), build("triton-3.5.0+git2-cp313-cp313")};
    const auto version_of = [&](const std::string& wanted) {
        const auto* found = find_pinned_build(builds, {}, *parse_python_version(wanted));
        return found ? found->version : "";
    };
    CHECK(version_of("3.5.0+git1") == "3.5.0+git1");
    CHECK(version_of("3.5") == "3.5.0+git2");
    CHECK(version_of("3.6").empty());
    CHECK(version_of("3.5.0+git3").empty());
}

TEST_CASE("Local versions of one version are one night", "[service][source]") {
    SourceConfig source;
    source.packages = {"torch", "vision"};
    source.local_versions = {"+cpu", "+cu126"};
    const std::string torch = "torch-2.10.0.dev202511";
    const std::string vision = "vision-0.2.dev202511";
    const auto nights_of = [&](const std::vector<std::string>& files, std::string& missing) {
        std::vector<std::vector<IndexBuild>> builds;
        for (const auto& package : source.packages) {
            std::vector<IndexLink> links;
            for (const auto& file : files) {
                links.push_back(link_to(file + "-cp313-cp313-linux_x86_64.whl"));
            }
            builds.push_back(builds_among(links, package, source));
        }
        return complete_nights(builds, source, missing);
    };
    std::string missing;
    const auto nights = nights_of(
        {torch + "12+cpu",
         torch + "12+cu126",
         torch + "12+cu1261",
         torch + "13+cu126",
         torch + "14+cpu",
         vision + "12+cu126",
         vision + "12+cpu",
         vision + "13+cpu",
         vision + "13+cu126"},
        missing);
    REQUIRE(nights.size() == 2);  // the 14th has no vision
    CHECK(nights[0].version == "2.10.0.dev20251112");
    CHECK(nights[0].missing.empty());
    REQUIRE(nights[0].sets.size() == 2);
    CHECK(nights[0].sets[1].local_version == "+cu126");
    CHECK(nights[0].sets[1].builds[1].version == "0.2.dev20251112+cu126");
    REQUIRE(nights[1].sets.size() == 1);
    CHECK(nights[1].main().version == "2.10.0.dev20251113+cu126");
    CHECK(
        nights[1].missing ==
        std::vector<std::string>{"+cpu: not all its packages are in the index"});
    CHECK(missing == "vision of 2025-11-14 for +cpu");
    // A single one is picked, and is the night's version.
    source.local_versions = {"+cu126"};
    const auto picked = nights_of(
        {torch + "12+cpu", torch + "12+cu1261", torch + "12+cu126", vision + "12+cu126"}, missing);
    REQUIRE(picked.size() == 1);
    CHECK(picked[0].version == "2.10.0.dev20251112+cu126");
    CHECK(picked[0].sets.front().local_version.empty());
}

TEST_CASE("Without a Python a night is still of one interpreter", "[service][source]") {
    SourceConfig source;
    source.packages = {"torch", "vision", "data"};
    const std::string torch = "torch-2.10.0.dev20251112-";
    const std::string vision = "vision-0.1.dev20251112-";
    const std::string data = "data-0.1.dev20251112-py3-none";
    CHECK(
        files_of_nights(
            source,
            {torch + "cp312-cp312",
             torch + "cp313-cp313",
             torch + "cp313-cp313t",
             vision + "cp313-cp313t",
             vision + "cp313-cp313",
             data}) == Names{{torch + "cp313-cp313", vision + "cp313-cp313", data}});
    CHECK(files_of_nights(source, {torch + "cp313-cp313", vision + "cp313-cp313t", data}).empty());
}
