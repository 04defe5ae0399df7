#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "service/source/http_fetcher.hpp"
#include "service/source/index_nights.hpp"
#include "service/source/nightly_source.hpp"

namespace vigil::service {

/// Dated builds of an index over HTTP: wheels (PEP 503), of which each holds a whole LibTorch, or a
/// page of LibTorch archives. Versions are ordered by PEP 440. A night is a version of the first
/// package with the newest version of the same day (and the same local part, "+cpu") of each other
/// package; one that is not complete is not there yet. Packages that do not say the day
/// (source.day_from) come in the version that the first one asks for, else in their newest.
///
/// The commit is git_version of torch/version.py, or build-hash of the archive; a commit of the
/// nightly branch is resolved to the one that its message names, when the project's repository has
/// it. The input is the file as it is, or with several packages one tar of all they hold.
///
/// Which night has which commit is only known when its file was here: it is remembered in the state
/// folder. For a revision that is wanted, the nights from its day to two days later are tried.
class HttpIndexSource : public NightlySource {
  public:
    HttpIndexSource(
        const ProjectConfig& project,
        const Config& config,
        ContentStore& content,
        const std::atomic<bool>* stop = nullptr);

    std::optional<NightlyOffer> newest(const std::optional<Revision>& wanted) override;
    std::optional<NightlyOffer> find_version(const std::string& version) override;
    std::vector<NightlyVersion> list_versions(int limit) override;

  private:
    struct Known;
    struct Taken;

    HttpFetcher& fetcher();
    std::vector<IndexNight> list_nights(std::string& missing);
    NightlyOffer fetch(const IndexNight& night);
    Taken take_one(const IndexBuild& build);
    Taken take_together(const IndexNight& night);
    Revision resolved(const Revision& built) const;
    std::optional<NightlyOffer> try_nights_of(
        const Revision& wanted, const std::vector<IndexNight>& nights);
    std::map<std::string, Known> read_known() const;
    void remember(const IndexNight& night, const Known& known) const;

    ProjectConfig project_;
    const Config& config_;
    ContentStore& content_;
    const std::atomic<bool>* stop_;
    std::filesystem::path folder_;
    std::vector<std::vector<IndexBuild>> builds_;  ///< what the pages had when last asked
    std::optional<HttpFetcher> fetcher_;           ///< made when first asked: its folder is on disk
};

}  // namespace vigil::service
