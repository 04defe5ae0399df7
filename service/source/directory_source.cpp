#include "service/source/directory_source.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/source/archive_intake.hpp"
#include "service/source/versions.hpp"
#include "service/source/words.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_manifest_bytes = 64 * 1024;
constexpr std::size_t max_manifests = 20'000;
constexpr std::size_t max_name = 200;

bool is_plain_name(const std::string& name) {
    return !name.empty() && name.size() <= max_name && name.front() != '.' &&
           std::none_of(name.begin(), name.end(), [](unsigned char c) {
               return c <= 0x20 || c == 0x7f || c == '/';
           });
}

std::string read_text(const fs::path& file) {
    std::ifstream input(file, std::ios::binary);
    std::string text(max_manifest_bytes + 1, '\0');
    input.read(text.data(), std::ssize(text));
    if (input.bad() || (!input && !input.eof())) {
        throw Error(Errc::unavailable, "it cannot be read");
    }
    text.resize(static_cast<std::size_t>(input.gcount()));
    return text;
}

}  // namespace

struct DirectorySource::Manifest {
    std::string version;
    std::string day;
    Revision revision;
    std::string archive;
    Digest sha256;
};

struct DirectorySource::Listing {
    std::vector<Manifest> manifests;      ///< oldest first
    std::optional<Error> youngest_error;  ///< of the youngest manifest, when it cannot be read
};

DirectorySource::DirectorySource(const SourceConfig& source, ContentStore& content)
    : source_(source), content_(content) {}

DirectorySource::Manifest DirectorySource::read_manifest(const fs::path& file) const {
    const std::string name = text::one_line(file.filename().string(), max_name);
    return attempting("reading the nightly's manifest " + name, [&] {
        std::error_code code;
        if (!fs::is_regular_file(fs::symlink_status(file, code))) {
            refuse("it is no regular file");
        }
        const auto json =
            wire::parse_json(read_text(file), name, {.max_bytes = max_manifest_bytes});
        wire::ObjectReader reader(json, "manifest");
        Manifest manifest;
        manifest.version = reader.text("version", max_name);
        manifest.day = reader.text("day", max_name);
        manifest.revision = reader.revision("revision");
        manifest.archive = reader.text("archive", max_name);
        manifest.sha256 = reader.digest("sha256");
        reader.done();
        if (!is_plain_name(manifest.version) || manifest.version != file.stem().string()) {
            wire::refuse("manifest.version", "must be the file's name without .json");
        }
        if (!is_day(manifest.day)) wire::refuse("manifest.day", "must be a day, YYYY-MM-DD");
        if (!is_plain_name(manifest.archive)) {
            wire::refuse("manifest.archive", "must be the name of a file in the same folder");
        }
        return manifest;
    });
}

DirectorySource::Listing DirectorySource::list() const {
    const std::string attempt = "looking for nightlies in " + source_.path;
    std::error_code code;
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    for (fs::directory_iterator at(source_.path, code), end; !code && at != end;
         at.increment(code)) {
        if (at->path().extension() != ".json" || at->path().filename().string().front() == '.') {
            continue;
        }
        std::error_code gone;  // between listing and looking: then it is not there
        const auto written = fs::last_write_time(at->path(), gone);
        if (!gone) files.emplace_back(written, at->path());
        if (files.size() > max_manifests) {
            refuse(
                attempt + ": there are more than " + std::to_string(max_manifests) + " manifests");
        }
    }
    if (code) {
        const bool missing = code == std::errc::no_such_file_or_directory;
        throw Error(missing ? Errc::not_found : Errc::unavailable, attempt + ": " + code.message());
    }
    std::sort(files.begin(), files.end());
    Listing listing;
    for (const auto& [written, file] : files) {
        listing.youngest_error.reset();
        try {
            listing.manifests.push_back(read_manifest(file));
        } catch (const Error& error) {
            listing.youngest_error = error;
        }
    }
    const auto older = [](const Manifest& a, const Manifest& b) {
        if (a.day != b.day) return a.day < b.day;
        return compare_versions(a.version, b.version) < 0;
    };
    std::sort(listing.manifests.begin(), listing.manifests.end(), older);
    return listing;
}

NightlyOffer DirectorySource::offer(const Manifest& manifest) {
    const fs::path file = fs::path(source_.path) / manifest.archive;
    NightlyOffer offer;
    offer.version = manifest.version;
    offer.day = manifest.day;
    offer.revision = manifest.revision;
    offer.input_kind = InputKind::archive;
    offer.url = file.string();
    const auto taken = take_archive(file, manifest.sha256, source_, content_);
    offer.input = taken.digest;
    offer.input_bytes = taken.bytes;
    return offer;
}

std::optional<NightlyOffer> DirectorySource::newest(const std::optional<Revision>& wanted) {
    const Listing listing = list();
    if (!wanted) {
        if (listing.youngest_error) throw *listing.youngest_error;
        if (listing.manifests.empty()) return std::nullopt;
        return offer(listing.manifests.back());
    }
    const auto found = std::find_if(
        listing.manifests.rbegin(), listing.manifests.rend(), [&](const Manifest& manifest) {
            return manifest.revision == *wanted;
        });
    if (found != listing.manifests.rend()) return offer(*found);
    throw Error(Errc::not_found, source_.path + " has no nightly of revision " + wanted->str());
}

std::optional<NightlyOffer> DirectorySource::find_version(const std::string& version) {
    if (!is_plain_name(version)) return std::nullopt;
    const fs::path file = fs::path(source_.path) / (version + ".json");
    std::error_code code;
    if (!fs::exists(fs::symlink_status(file, code))) return std::nullopt;
    return offer(read_manifest(file));
}

std::vector<NightlyVersion> DirectorySource::list_versions(int limit) {
    VIGIL_ASSERT(limit >= 0);
    const Listing listing = list();
    const auto count = std::min(listing.manifests.size(), static_cast<std::size_t>(limit));
    std::vector<NightlyVersion> versions;
    for (auto i = listing.manifests.size() - count; i < listing.manifests.size(); ++i) {
        const auto& manifest = listing.manifests[i];
        versions.push_back({manifest.version, manifest.day, manifest.revision});
    }
    return versions;
}

}  // namespace vigil::service
