#include "service/source/npm_source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include <openssl/evp.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/source/archive_intake.hpp"
#include "service/source/npm_client.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/versions.hpp"
#include "service/source/words.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

/// The client's working folder, gone at the end with its cache.
TemporaryFile work_folder(const fs::path& path) {
    std::error_code code;
    fs::create_directories(path, code);
    if (code) throw Error(Errc::unavailable, "making " + path.string() + ": " + code.message());
    return {path};
}

/// "sha512-<base64>" of a file, as registries write it.
std::string integrity_of(const fs::path& file) {
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
        EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    VIGIL_ASSERT(context && EVP_DigestInit_ex(context.get(), EVP_sha512(), nullptr) == 1);
    std::ifstream input(file, std::ios::binary);
    std::array<char, 64 * 1024> buffer;
    while (input) {
        input.read(buffer.data(), std::ssize(buffer));
        const auto got = static_cast<std::size_t>(input.gcount());
        VIGIL_ASSERT(EVP_DigestUpdate(context.get(), buffer.data(), got) == 1);
    }
    if (!input.eof()) throw Error(Errc::unavailable, "reading " + file.string() + " failed");
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    VIGIL_ASSERT(EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1);
    std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
    const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(size));
    return "sha512-" + std::string(text.begin(), text.begin() + length);
}

void check_integrity(const fs::path& file, const std::string& stated) {
    const std::string mark = "sha512-";
    const auto begin = stated.find(mark);
    if (begin == stated.npos) {
        refuse("the registry states no sha512 integrity for it");
    }
    const auto expected = stated.substr(begin, stated.find(' ', begin) - begin);
    if (integrity_of(file) == expected) return;
    refuse("its SHA-512 is not the one that the registry states: it is damaged or was changed");
}

/// The versions that could be nightlies, oldest first.
std::vector<std::string> nightly_versions(
    const std::vector<std::string>& versions, const std::string& part) {
    std::vector<std::string> found;
    for (const auto& version : versions) {
        const bool fits = part.empty() || version.find(part) != version.npos;
        if (fits && day_in_version(version)) found.push_back(version);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return compare_versions(a, b) < 0;
    });
    return found;
}

Revision commit_of(const NpmVersion& version) {
    try {
        return Revision(version.commit);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

NpmSource::NpmSource(
    const SourceConfig& source, ContentStore& content, const std::atomic<bool>* stop)
    : source_(source), content_(content), stop_(stop) {}

std::optional<NightlyOffer> NpmSource::newest(const std::optional<Revision>& wanted) {
    if (wanted) {
        const auto versions = with_commits();
        const auto found = std::find_if(versions.rbegin(), versions.rend(), [&](const auto& each) {
            return each.revision == *wanted;
        });
        if (found != versions.rend()) return fetch(found->version);
        throw Error(
            Errc::not_found,
            "no nightly of " + source_.package + " was built from revision " + wanted->str());
    }
    std::string version;
    {
        const auto work = work_folder(content_.temporary_path());
        const auto package = NpmClient(source_.package, work.path, stop_).package(source_.dist_tag);
        version = package.tagged;
        if (version.find(source_.version) == version.npos) version.clear();
        if (version.empty() && source_.version.empty()) {
            throw Error(
                Errc::not_found,
                source_.package + " has no tag \"" + source_.dist_tag +
                    "\"; it has: " + (package.tags.empty() ? "none" : package.tags));
        }
        const auto dated = nightly_versions(package.versions, source_.version);
        if (version.empty() && !dated.empty()) version = dated.back();
    }
    if (version.empty()) return std::nullopt;
    auto offer = fetch(version);
    if (offer) return offer;
    throw Error(
        Errc::not_found, source_.package + " has no version " + text::one_line(version, 100));
}

std::optional<NightlyOffer> NpmSource::find_version(const std::string& version) {
    return fetch(version);
}

std::optional<NightlyOffer> NpmSource::fetch(const std::string& version) {
    if (!is_npm_version(version)) return std::nullopt;
    const std::string name = source_.package + " " + version;
    const auto day = day_in_version(version);
    if (!day) {
        refuse("taking " + name + ": its version carries no day, YYYYMMDD");
    }
    const auto work = work_folder(content_.temporary_path());
    const NpmClient client(source_.package, work.path, stop_);
    const auto known = client.package(source_.dist_tag).versions;
    if (std::find(known.begin(), known.end(), version) == known.end()) return std::nullopt;
    const auto found = client.versions(version);
    if (found.size() != 1 || found.front().version != version) return std::nullopt;
    NightlyOffer offer;
    offer.version = version;
    offer.day = *day;
    offer.revision = commit_of(found.front());
    offer.input_kind = InputKind::archive;
    offer.url = "npm:" + source_.package + "@" + version;
    return attempting("taking " + name, [&]() -> std::optional<NightlyOffer> {
        if (offer.revision.empty()) {
            refuse("it states no commit (gitHead)");
        }
        if (found.front().unpacked_bytes > source_.max_unpacked_bytes) {
            refuse("it is larger than source.max_unpacked_bytes");
        }
        const fs::path file = client.pack(version, source_.max_archive_bytes);
        check_integrity(file, found.front().integrity);
        const auto taken = take_archive(file, std::nullopt, source_, content_);
        offer.input = taken.digest;
        offer.input_bytes = taken.bytes;
        return offer;
    });
}

std::vector<NightlyVersion> NpmSource::with_commits() {
    const auto work = work_folder(content_.temporary_path());
    const NpmClient client(source_.package, work.path, stop_);
    const auto dated = nightly_versions(client.package(source_.dist_tag).versions, source_.version);
    if (dated.empty()) return {};
    // A range reaches pre-releases only of the release that it names.
    const std::string& newest = dated.back();
    const auto dash = newest.substr(0, newest.find('+')).find('-');
    const auto range = dash == newest.npos ? ">=0.0.0" : ">=" + newest.substr(0, dash) + "-0";
    std::vector<NightlyVersion> versions;
    for (const auto& version : client.versions(range)) {
        if (std::find(dated.begin(), dated.end(), version.version) == dated.end()) continue;
        versions.push_back({version.version, *day_in_version(version.version), commit_of(version)});
    }
    std::sort(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
        return compare_versions(a.version, b.version) < 0;
    });
    return versions;
}

std::vector<NightlyVersion> NpmSource::list_versions(int limit) {
    VIGIL_ASSERT(limit >= 0);
    auto versions = with_commits();
    const auto surplus = std::ssize(versions) - std::int64_t{limit};
    if (surplus > 0) versions.erase(versions.begin(), versions.begin() + surplus);
    return versions;
}

}  // namespace vigil::service
