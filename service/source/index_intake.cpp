#include "service/source/index_intake.hpp"

#include <algorithm>
#include <array>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "service/source/archive_intake.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_metadata_bytes = std::uintmax_t{4} << 20;

/// Moves what lies in one folder into another. Both may have the same folders ("nvidia"), and the
/// same file where its bytes are the same.
void move_into(const fs::path& from, const fs::path& to) {
    for (const auto& entry : fs::directory_iterator(from)) {
        const fs::path target = to / entry.path().filename();
        const auto there = fs::symlink_status(target);
        const auto here = entry.symlink_status();
        if (!fs::exists(there)) {
            fs::rename(entry.path(), target);
        } else if (fs::is_directory(there) && fs::is_directory(here)) {
            move_into(entry.path(), target);
        } else if (
            !fs::is_regular_file(there) || !fs::is_regular_file(here) ||
            wire::sha256_file(entry.path()) != wire::sha256_file(target)) {
            refuse(
                "two packages of the night hold different files " +
                text::one_line(target.filename().string(), 100));
        }
    }
}

/// The METADATA of a package that was unpacked.
std::string metadata_of(const fs::path& unpacked) {
    for (const auto& entry : fs::directory_iterator(unpacked)) {
        const fs::path file = entry.path() / "METADATA";
        if (entry.path().extension() != ".dist-info" || !fs::is_regular_file(file)) continue;
        if (fs::file_size(file) > max_metadata_bytes) refuse("its METADATA is larger than 4 MiB");
        return text_of_file(file);
    }
    return "";
}

/// A wheel says in its METADATA which version of another package it is made for.
void check_requirement(const fs::path& unpacked, const IndexBuild& build, const IndexBuild& main) {
    const auto wanted = required_version(metadata_of(unpacked), main.package);
    if (!wanted) return;
    const auto version = parse_python_version(*wanted);
    auto have = main.order;
    if (version && version->local.empty()) have.local.clear();
    if (version && *version == have) return;
    refuse(
        "it asks for " + main.package + " " + text::one_line(*wanted, 100) + ", not for " +
        main.version + "; " + build.package + " is of another night");
}

/// What the first package asks for by "==" comes in place of what is newest.
void take_pins(
    PackageSet& set,
    const std::vector<std::vector<IndexBuild>>& builds,
    const SourceConfig& source,
    const std::string& metadata) {
    for (std::size_t i = 1; i < set.builds.size(); ++i) {
        const auto& package = source.packages[i];
        if (says_day(source, package)) continue;
        const auto wanted = required_version(metadata, package);
        const auto version = wanted ? parse_python_version(*wanted) : std::nullopt;
        if (!version) continue;
        const auto* found = find_pinned_build(builds[i], set, *version);
        if (!found) {
            throw Error(
                Errc::not_found,
                "it asks for " + package + " " + text::one_line(*wanted, 100) +
                    ", which the index does not have for this machine and Python");
        }
        set.builds[i] = *found;
    }
}

}  // namespace

Revision revision_stated_by(const fs::path& file, const IndexBuild& build) {
    std::string module = build.package;
    std::ranges::replace(module, '-', '_');
    const std::array stating{
        module + "/version.py",
        module + "/_version.py",
        module + "/_version_meson.py",
        std::string("torch/version.py")};
    std::vector<std::string> names{"libtorch/build-hash", "build-hash", "libtorch/build-version"};
    names.insert(names.end(), stating.begin(), stating.end());
    auto files = archive::read_files(file, names);
    const auto line_of = [&](const char* name) { return text::one_line(files[name], 200); };
    const std::string stated = line_of("libtorch/build-version");
    const auto version = parse_python_version(stated);
    if (!stated.empty() && (!version || !(*version == build.order))) {
        refuse("its build-version says " + stated + ", its name " + build.version);
    }
    for (const auto& name : stating) {
        if (const auto revision = revision_in_version_py(files[name])) return *revision;
    }
    for (const char* name : {"libtorch/build-hash", "build-hash"}) {
        const std::string hash = line_of(name);
        if ((hash.size() == 40 || hash.size() == 64) && is_lower_hex(hash)) return Revision(hash);
    }
    refuse("it states no commit (git_version in " + stating[0] + ", or libtorch/build-hash)");
}

UnpackedSet unpack_set(
    PackageSet set,
    const std::vector<std::vector<IndexBuild>>& builds,
    const SourceConfig& source,
    HttpFetcher& fetcher,
    const fs::path& folder) {
    UnpackedSet unpacked;
    const fs::path one = folder.parent_path() / "one";
    fs::create_directory(folder);
    for (std::size_t i = 0; i < set.builds.size(); ++i) {
        const auto& build = set.builds[i];
        const auto& link = build.link;
        const fs::path file = fetcher.file(link.url, link.sha256, source.max_archive_bytes);
        try {
            if (link.sha256 && wire::sha256_file(file) != *link.sha256) {
                refuse("its SHA-256 is not the one of its link: it is damaged or was changed");
            }
            fs::remove_all(one);
            archive::unpack(file, one, limits_of(source));
            if (i == 0) {
                unpacked.built = revision_stated_by(file, build);
                take_pins(set, builds, source, metadata_of(one));
            } else {
                check_requirement(one, build, set.main());
            }
            move_into(one, folder);
        } catch (const Error& error) {
            if (error.code() == Errc::invalid_argument) fetcher.drop(link.url);
            throw Error(error.code(), build.package + " " + build.version + ": " + error.what());
        }
    }
    fs::remove_all(one);
    unpacked.set = std::move(set);
    return unpacked;
}

}  // namespace vigil::service
