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
#include "service/source/index_intake.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/versions.hpp"
#include "service/source/words.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_page_bytes = std::int64_t{64} << 20;
constexpr int nights_of_a_commit = 3;  // from its day on: when it may first be in a nightly
constexpr std::size_t max_known = 10'000;

}  // namespace

/// What a file told when it was here.
struct HttpIndexSource::Known {
    Revision built;     ///< as the file says
    Revision revision;  ///< on the main branch
};

struct HttpIndexSource::Taken {
    TakenArchive archive;
    Revision built;
    std::vector<std::string> missing;  ///< local versions, with the reasons
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

/// Every local version in a folder of its own, where there are several. One that cannot be had
/// leaves its folder empty; the others are a night without it.
HttpIndexSource::Taken HttpIndexSource::take_together(const IndexNight& night) {
    const SourceConfig& source = project_.source;
    const TemporaryFile work{content_.temporary_path()};
    fs::create_directory(work.path);
    const fs::path whole = work.path / "night";
    fs::create_directory(whole);
    Taken taken;
    taken.missing = night.missing;
    if (source.local_versions.size() > 1) {
        for (const auto& local : source.local_versions) {
            fs::create_directory(whole / folder_of(source, local));
        }
    }
    std::vector<PackageSet> unpacked;
    std::optional<Error> failed;
    for (const auto& set : night.sets) {
        const auto folder = folder_of(source, set.local_version);
        const fs::path place = folder.empty() ? whole : whole / folder;
        try {
            auto one = unpack_set(set, builds_, source, fetcher(), work.path / "set");
            if (!taken.built.empty() && one.built != taken.built) {
                refuse("its commit is " + one.built.brief() + ", not " + taken.built.brief());
            }
            taken.built = one.built;
            fs::rename(work.path / "set", place);  // in place of the empty folder
            unpacked.push_back(std::move(one.set));
        } catch (const Error& error) {
            if (folder.empty() || error.code() == Errc::unavailable) throw;
            fs::remove_all(work.path / "set");
            for (const auto& build : set.builds) fetcher().drop(build.link.url);
            taken.missing.push_back(set.local_version + ": " + error.what());
            if (!failed) failed = error;
        }
    }
    if (unpacked.empty() && failed) throw *failed;
    const fs::path packed = work.path / "night.tar";
    archive::pack_folder(whole, {"."}, packed, limits_of(source));
    SourceConfig together = source;
    together.max_archive_bytes = source.max_unpacked_bytes;  // it is not compressed
    taken.archive = take_archive(packed, std::nullopt, together, content_);
    for (const auto& set : unpacked) {
        for (const auto& build : set.builds) fetcher().drop(build.link.url);
    }
    return taken;
}

NightlyOffer HttpIndexSource::fetch(const IndexNight& night) {
    const IndexBuild& main = night.main();
    const std::string name = main.package + " " + night.version;
    const bool is_one = night.sets.front().builds.size() == 1;
    const bool several = project_.source.local_versions.size() > 1;
    try {
        Taken taken = is_one && !several ? take_one(main) : take_together(night);
        NightlyOffer offer;
        offer.version = night.version;
        offer.missing = std::move(taken.missing);
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
        const auto found = known.find(night->version);
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
        if (main.day < first || main.day > last || known.contains(night->version)) continue;
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
        if (night.order == *order) return fetch(night);
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
        const auto& night = nights[i];
        const auto found = known.find(night.version);
        const auto revision = found == known.end() ? Revision() : found->second.revision;
        versions.push_back({night.version, night.main().day, revision});
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
    all[night.version] = known;
    while (all.size() > max_known) all.erase(all.begin());
    nlohmann::json value = nlohmann::json::object();
    for (const auto& [version, one] : all) {
        value[version] = {{"built", one.built.str()}, {"revision", one.revision.str()}};
    }
    // Where it cannot be kept, it is found out again when it is needed.
    replace_file(folder_ / "commits.json", wire::write_json(value));
}

}  // namespace vigil::service
