#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <boost/algorithm/string/replace.hpp>
#include <catch2/catch.hpp>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "service/source/http_index_source.hpp"
#include "service/store/content_store.hpp"
#include "tests/integration/service/source/index_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {

inline const Revision monday(std::string(40, '1'));
inline const Revision tuesday(std::string(40, '2'));

inline const std::string old_version = "2.9.0.dev20251109+cpu";
inline const std::string monday_version = "2.10.0.dev20251110+cpu";
inline const std::string again_version = "2.10.0.dev20251111+cpu";   // of the same commit
inline const std::string newest_version = "2.10.0.dev20251113+cpu";  // the 12th is missing

inline std::string encoded(std::string text) {
    for (auto at = text.find('+'); at != text.npos; at = text.find('+', at)) {
        text.replace(at, 1, "%2B");
    }
    return text;
}

/// An index of wheels with four nights, on a real server of the loopback.
struct IndexScene {
    test::ScratchFolder scratch;
    test::IndexServer server;
    test::TorchMaker maker{scratch.path() / "made"};
    ContentStore content{scratch.path() / "content"};
    Config config;
    ProjectConfig project;
    std::map<std::string, std::string> pages;
    std::map<std::string, std::string> wheels;  ///< by path, as they should be

    IndexScene() {
        config.state_dir = (scratch.path() / "state").string();
        project.name = "torch";
        project.source.kind = SourceKind::http_index;
        project.source.index = server.url() + "/whl/nightly/cpu";
        project.source.packages = {"torch"};
        add_wheel("torch", old_version, std::string(40, '0'));
        add_wheel("torch", monday_version, monday.str());
        add_wheel("torch", again_version, monday.str());
        add_wheel("torch", newest_version, tuesday.str());
    }

    static std::string wheel_path(
        const std::string& package,
        const std::string& version,
        const std::string& tags = "cp311-cp311") {
        return "/whl/nightly/cpu/" + package + "-" + encoded(version) + "-" + tags +
               "-manylinux_2_28_x86_64.whl";
    }

    void add_wheel(
        const std::string& package,
        const std::string& version,
        const std::string& commit,
        const std::string& requires_torch = "",
        const std::string& tags = "cp311-cp311") {
        put_wheel(
            package,
            wheel_path(package, version, tags),
            maker.wheel(package, version, commit, requires_torch));
    }

    /// See TorchMaker::parted_wheel.
    void add_parted_wheel(
        const std::string& package, const std::string& version, const std::string& folder) {
        auto path = wheel_path(package, version, "py3-none");
        path.replace(
            path.rfind(package), package.size(), boost::replace_all_copy(package, "-", "_"));
        put_wheel(package, path, maker.parted_wheel(package, version, folder));
    }

    void put_wheel(const std::string& package, const std::string& path, const std::string& bytes) {
        server.put(path, bytes);
        wheels[path] = bytes;
        pages[package] += "<a href=\"" + path + "#sha256=" + wire::sha256(bytes).str() +
                          "\" data-requires-python=\"&gt;=3.10\">" + package + "</a><br/>\n";
        server.put(
            "/whl/nightly/cpu/" + package + "/",
            "<!DOCTYPE html>\n<html><body><h1>Links for " + package + "</h1>\n" + pages[package] +
                "</body></html>\n");
    }

    void use_archives() {
        project.source.layout = IndexLayout::archives;
        project.source.index = server.url() + "/libtorch/nightly/cpu";
        project.source.packages = {"libtorch-shared-with-deps"};
        std::string page = "<a href=\"libtorch-shared-with-deps-latest.zip\">latest</a>\n";
        for (const auto& [version, commit] :
             std::map<std::string, Revision>{{monday_version, monday}, {newest_version, tuesday}}) {
            const std::string file = "libtorch-shared-with-deps-" + encoded(version) + ".zip";
            server.put("/libtorch/nightly/cpu/" + file, maker.archive(version, commit.str()));
            page += "<a href=\"" + file + "\">" + file + "</a>\n";
        }
        server.put("/libtorch/nightly/cpu/", page);
    }

    HttpIndexSource source() { return HttpIndexSource(project, config, content); }

    Error failure(const std::optional<Revision>& wanted = std::nullopt) {
        try {
            source().newest(wanted);
        } catch (const Error& error) {
            return error;
        }
        FAIL("there was an offer");
        throw 0;
    }

    std::filesystem::path unpacked(const NightlyOffer& offer) {
        const auto folder = scratch.path() / "unpacked";
        archive::unpack(content.path(offer.input), folder);
        return folder;
    }
};

}  // namespace vigil::service
