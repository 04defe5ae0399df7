#include "service/source/http_index_source.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/source/archive_intake.hpp"
#include "service/source/git_clone.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/versions.hpp"
#include "service/source/words.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_page_bytes = std::int64_t{64} << 20;
constexpr std::uintmax_t max_metadata_bytes = std::uintmax_t{4} << 20;
constexpr int nights_of_a_commit = 3;  // from its day on: when it may first be in a nightly
constexpr std::size_t max_known = 10'000;

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

/// The commit that a file states.
Revision revision_stated_by(const fs::path& file, const IndexBuild& build) {
    auto files = archive::read_files(
        file, {"torch/version.py", "libtorch/build-hash", "build-hash", "libtorch/build-version"});
    const auto line_of = [&](const char* name) { return text::one_line(files[name], 200); };
    const std::string stated = line_of("libtorch/build-version");
    const auto version = parse_python_version(stated);
    if (!stated.empty() && (!version || !(*version == build.order))) {
        refuse("its build-version says " + stated + ", its name " + build.version);
    }
    if (const auto revision = revision_in_version_py(files["torch/version.py"])) return *revision;
    for (const char* name : {"libtorch/build-hash", "build-hash"}) {
        const std::string hash = line_of(name);
        if ((hash.size() == 40 || hash.size() == 64) && is_lower_hex(hash)) return Revision(hash);
    }
    refuse("it states no commit (git_version in torch/version.py, or libtorch/build-hash)");
}

}  // namespace

/// What a file told when it was here.
struct HttpIndexSource::Known {
    Revision built;     ///< as the file says
    Revision revision;  ///< on the main branch
};

struct HttpIndexSource::Taken {
    TakenArchive archive;
    Revision built;
};

HttpIndexSource::HttpIndexSource(
    const ProjectConfig& project,
    const Config& config,
    ContentStore& content,
    const std::atomic<bool>* stop)
    : project_(project),
      config_(config),
      content_(content),
      stop_(stop),
      folder_(fs::path(config.state_dir) / "index" / project.name) {}

HttpFetcher& HttpIndexSource::fetcher() {
    if (!fetcher_) fetcher_.emplace(folder_, stop_);
    return *fetcher_;
}

/// Oldest first.
std::vector<IndexNight> HttpIndexSource::list_nights(std::string& missing) {
    const SourceConfig& source = project_.source;
    builds_.clear();
    for (const auto& package : source.packages) {
        const bool wheels = source.layout == IndexLayout::wheels;
        const std::string page =
            source.index + "/" + (wheels ? normalised_package(package) + "/" : std::string());
        const auto links = parse_index_page(fetcher().page(page, max_page_bytes), page);
        builds_.push_back(builds_among(links, package, source));
    }
    return complete_nights(builds_, source, missing);
}

/// What the first package asks for by "==" comes in place of what is newest.
void HttpIndexSource::take_pins(IndexNight& night, const std::string& metadata) const {
    for (std::size_t i = 1; i < night.builds.size(); ++i) {
        const auto& package = project_.source.packages[i];
        if (says_day(project_.source, package)) continue;
        const auto wanted = required_version(metadata, package);
        const auto version = wanted ? parse_python_version(*wanted) : std::nullopt;
        if (!version) continue;
        const auto* found = find_pinned_build(builds_[i], night, *version);
        if (!found) {
            throw Error(
                Errc::not_found,
                "it asks for " + package + " " + text::one_line(*wanted, 100) +
                    ", which the index does not have for this machine and Python");
        }
        night.builds[i] = *found;
    }
}

Revision HttpIndexSource::resolved(const Revision& built) const {
    if (project_.source.repository.empty()) return built;
    auto clone = GitClone::open_or_clone(project_, config_, {.stop = stop_});
    if (!clone.contains(built)) clone.fetch();
    if (!clone.contains(built)) return built;
    return revision_in_nightly_message(clone.message(built)).value_or(built);
}

HttpIndexSource::Taken HttpIndexSource::take_one(const IndexBuild& build) {
    const SourceConfig& source = project_.source;
    const auto& link = build.link;
    const fs::path file = fetcher().file(link.url, link.sha256, source.max_archive_bytes);
    try {
        Taken taken;
        taken.archive = take_archive(file, link.sha256, source, content_);
        taken.built = revision_stated_by(file, build);
        fetcher().drop(link.url);
        return taken;
    } catch (const Error& error) {
        if (error.code() == Errc::invalid_argument) fetcher().drop(link.url);
        throw;
    }
}

HttpIndexSource::Taken HttpIndexSource::take_together(IndexNight night) {
    const SourceConfig& source = project_.source;
    const TemporaryFile work{content_.temporary_path()};
    fs::create_directory(work.path);
    const fs::path whole = work.path / "night";
    fs::create_directory(whole);
    Taken taken;
    for (std::size_t i = 0; i < night.builds.size(); ++i) {
        const auto& build = night.builds[i];
        const auto& link = build.link;
        const fs::path file = fetcher().file(link.url, link.sha256, source.max_archive_bytes);
        try {
            if (link.sha256 && wire::sha256_file(file) != *link.sha256) {
                refuse("its SHA-256 is not the one of its link: it is damaged or was changed");
            }
            archive::unpack(file, work.path / "one", limits_of(source));
            if (i == 0) {
                taken.built = revision_stated_by(file, build);
                take_pins(night, metadata_of(work.path / "one"));
            } else {
                check_requirement(work.path / "one", build, night.main());
            }
        } catch (const Error& error) {
            if (error.code() == Errc::invalid_argument) fetcher().drop(link.url);
            throw Error(error.code(), build.package + " " + build.version + ": " + error.what());
        }
        move_into(work.path / "one", whole);
        fs::remove_all(work.path / "one");
    }
    const fs::path packed = work.path / "night.tar";
    archive::pack_folder(whole, {"."}, packed, limits_of(source));
    SourceConfig together = source;
    together.max_archive_bytes = source.max_unpacked_bytes;  // it is not compressed
    taken.archive = take_archive(packed, std::nullopt, together, content_);
    for (const auto& build : night.builds) fetcher().drop(build.link.url);
    return taken;
}

NightlyOffer HttpIndexSource::fetch(const IndexNight& night) {
    const IndexBuild& main = night.main();
    const std::string name = main.package + " " + main.version;
    try {
        const Taken taken = night.builds.size() == 1 ? take_one(main) : take_together(night);
        NightlyOffer offer;
        offer.version = main.version;
        offer.day = main.day;
        offer.revision = resolved(taken.built);
        offer.input_kind = InputKind::archive;
        offer.input = taken.archive.digest;
        offer.input_bytes = taken.archive.bytes;
        offer.url = main.link.url;
        remember(night, {taken.built, offer.revision});
        return offer;
    } catch (const Error& error) {
        throw Error(error.code(), "taking " + name + ": " + error.what());
    } catch (const fs::filesystem_error& error) {
        throw Error(Errc::unavailable, "taking " + name + ": " + text::one_line(error.what(), 300));
    }
}

std::optional<NightlyOffer> HttpIndexSource::newest(const std::optional<Revision>& wanted) {
    std::string missing;
    const auto nights = list_nights(missing);
    if (!wanted) {
        if (nights.empty() && missing.empty()) return std::nullopt;
        if (nights.empty()) {
            throw Error(Errc::not_found, "no night is complete; the last lacks " + missing);
        }
        return fetch(nights.back());
    }
    const auto known = read_known();
    for (auto night = nights.rbegin(); night != nights.rend(); ++night) {
        const auto found = known.find(night->main().version);
        if (found == known.end()) continue;
        if (found->second.revision == *wanted || found->second.built == *wanted) {
            return fetch(*night);
        }
    }
    if (auto offer = try_nights_of(*wanted, nights)) return offer;
    throw Error(
        Errc::not_found,
        "no nightly of " + project_.source.packages.front() +
            " is known to be built from revision " + wanted->str());
}

std::optional<NightlyOffer> HttpIndexSource::try_nights_of(
    const Revision& wanted, const std::vector<IndexNight>& nights) {
    if (project_.source.repository.empty()) return std::nullopt;
    std::string first;
    {
        auto clone = GitClone::open_or_clone(project_, config_, {.stop = stop_});
        if (!clone.contains(wanted)) clone.fetch();
        if (!clone.contains(wanted)) return std::nullopt;
        first = day_of(clone.committed_at_s(wanted));
    }
    const auto known = read_known();
    const std::string last = days_after(first, nights_of_a_commit - 1);
    for (auto night = nights.rbegin(); night != nights.rend(); ++night) {
        const auto& main = night->main();
        if (main.day < first || main.day > last || known.contains(main.version)) continue;
        auto offer = fetch(*night);
        if (offer.revision == wanted) return offer;
    }
    return std::nullopt;
}

std::optional<NightlyOffer> HttpIndexSource::find_version(const std::string& version) {
    const auto order = parse_python_version(version);
    if (!order) return std::nullopt;
    std::string missing;
    for (const auto& night : list_nights(missing)) {
        if (night.main().order == *order) return fetch(night);
    }
    return std::nullopt;
}

std::vector<NightlyVersion> HttpIndexSource::list_versions(int limit) {
    VIGIL_ASSERT(limit >= 0);
    std::string missing;
    const auto nights = list_nights(missing);
    const auto known = read_known();
    const auto count = std::min(nights.size(), static_cast<std::size_t>(limit));
    std::vector<NightlyVersion> versions;
    for (auto i = nights.size() - count; i < nights.size(); ++i) {
        const auto& main = nights[i].main();
        const auto found = known.find(main.version);
        versions.push_back(
            {main.version, main.day, found == known.end() ? Revision() : found->second.revision});
    }
    return versions;
}

/// Our own file; when it cannot be read it is as good as empty.
std::map<std::string, HttpIndexSource::Known> HttpIndexSource::read_known() const {
    std::map<std::string, Known> known;
    const std::string text = text_of_file(folder_ / "commits.json");
    if (text.empty()) return known;
    try {
        const auto root = wire::parse_json(text, "commits.json");
        for (const auto& [version, item] : wire::members_of({&root, "commits.json"})) {
            wire::ObjectReader reader(item);
            known[version] = {reader.revision("built"), reader.revision("revision")};
        }
    } catch (const Error&) {
        known.clear();
    }
    return known;
}

void HttpIndexSource::remember(const IndexNight& night, const Known& known) const {
    auto all = read_known();
    all[night.main().version] = known;
    while (all.size() > max_known) all.erase(all.begin());
    nlohmann::json value = nlohmann::json::object();
    for (const auto& [version, one] : all) {
        value[version] = {{"built", one.built.str()}, {"revision", one.revision.str()}};
    }
    // Where it cannot be kept, it is found out again when it is needed.
    replace_file(folder_ / "commits.json", wire::write_json(value));
}

}  // namespace vigil::service
