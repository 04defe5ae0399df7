#include "service/source/index_nights.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "schema/model/error.hpp"
#include "service/source/versions.hpp"

namespace vigil::service {

namespace {

constexpr std::ptrdiff_t max_builds_of_package =
    5000;  // the newest: more than a dozen years of nights

bool has_tag(const std::string& tags, const std::string& wanted) {
    const std::string padded = "." + tags + ".";
    return wanted.empty() || padded.find("." + wanted + ".") != padded.npos;
}

std::optional<IndexBuild> build_of_link(
    const IndexLink& link, const std::string& package, const SourceConfig& source) {
    IndexBuild build;
    build.package = package;
    build.link = link;
    if (source.layout == IndexLayout::wheels) {
        const auto wheel = parse_wheel_name(link.file);
        if (!wheel || wheel->package != normalised_package(package)) return std::nullopt;
        if (!runs_on(wheel->platform, source.machine)) return std::nullopt;
        if (!has_tag(wheel->python, source.python) && !has_tag(wheel->python, "py3")) {
            return std::nullopt;
        }
        build.version = wheel->version;
        build.tags = wheel->python + "-" + wheel->platform;
    } else {
        const auto version = version_in_archive_name(link.file, package);
        if (!version) return std::nullopt;
        build.version = *version;
    }
    const auto day = day_in_version(build.version);
    const auto order = parse_python_version(build.version);
    if (!day || !order || link.yanked) return std::nullopt;
    build.day = *day;
    build.order = *order;
    return build;
}

}  // namespace

std::vector<IndexBuild> builds_among(
    const std::vector<IndexLink>& links, const std::string& package, const SourceConfig& source) {
    std::vector<IndexBuild> builds;
    for (const auto& link : links) {
        auto build = build_of_link(link, package, source);
        if (!build || build->version.find(source.version) == build->version.npos) continue;
        builds.push_back(std::move(*build));
    }
    std::sort(builds.begin(), builds.end(), [](const IndexBuild& a, const IndexBuild& b) {
        const auto order = a.order <=> b.order;
        return order != 0 ? order < 0 : a.tags < b.tags;
    });
    const auto same = [](const IndexBuild& a, const IndexBuild& b) { return a.order == b.order; };
    builds.erase(std::unique(builds.begin(), builds.end(), same), builds.end());
    if (std::ssize(builds) > max_builds_of_package) {
        builds.erase(builds.begin(), builds.end() - max_builds_of_package);
    }
    return builds;
}

std::vector<IndexNight> complete_nights(
    const std::vector<std::vector<IndexBuild>>& builds,
    const std::vector<std::string>& packages,
    std::string& missing) {
    VIGIL_ASSERT(!builds.empty() && builds.size() == packages.size());
    std::vector<IndexNight> nights;
    for (const auto& build : builds.front()) nights.push_back({{build}});
    for (std::size_t i = 1; i < builds.size(); ++i) {
        const auto& others = builds[i];
        std::erase_if(nights, [&](IndexNight& night) {
            const auto found =
                std::find_if(others.rbegin(), others.rend(), [&](const IndexBuild& other) {
                    return other.day == night.main().day &&
                           other.order.local == night.main().order.local;
                });
            if (found == others.rend()) {
                missing = packages[i] + " of " + night.main().day;
                return true;
            }
            night.builds.push_back(*found);
            return false;
        });
    }
    return nights;
}

}  // namespace vigil::service
