#include "service/source/index_nights.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "schema/model/error.hpp"
#include "service/source/versions.hpp"

namespace vigil::service {

namespace {

constexpr std::ptrdiff_t max_builds_of_package =
    5000;  // the newest: more than a dozen years of nights

auto tags_of(const IndexBuild& build) {
    return std::tie(build.wheel.python, build.wheel.abi);
}

std::optional<IndexBuild> build_of_link(
    const IndexLink& link, const std::string& package, const SourceConfig& source) {
    IndexBuild build;
    build.package = package;
    build.link = link;
    if (source.layout == IndexLayout::wheels) {
        auto wheel = parse_wheel_name(link.file);
        if (!wheel || wheel->package != normalised_package(package)) return std::nullopt;
        if (!runs_on(wheel->platform, source.machine)) return std::nullopt;
        const auto fit = source.python.empty() ? 0 : fit_of(*wheel, source.python);
        if (!fit) return std::nullopt;
        build.fit = *fit;
        build.interpreter = interpreter_of(*wheel);
        build.version = wheel->version;
        build.wheel = std::move(*wheel);
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

/// Whether what the night has so far and this build are for one interpreter.
bool fits(const IndexNight& night, const IndexBuild& build) {
    return std::ranges::all_of(night.builds, [&](const IndexBuild& one) {
        return (one.interpreter.empty() || fit_of(build.wheel, one.interpreter)) &&
               (build.interpreter.empty() || fit_of(one.wheel, build.interpreter));
    });
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
        if (const auto order = a.order <=> b.order; order != 0) return order < 0;
        if (a.fit != b.fit) return a.fit < b.fit;
        if (tags_of(a) != tags_of(b)) return tags_of(a) < tags_of(b);
        if (a.wheel.build != b.wheel.build) return a.wheel.build > b.wheel.build;
        return a.wheel.platform < b.wheel.platform;
    });
    const bool any = source.python.empty();
    const auto same = [&](const IndexBuild& a, const IndexBuild& b) {
        return a.order == b.order && (!any || tags_of(a) == tags_of(b));
    };
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
        std::map<std::string_view, std::vector<const IndexBuild*>> by_day;
        for (const auto& other : builds[i]) by_day[other.day].push_back(&other);
        std::erase_if(nights, [&](IndexNight& night) {
            const IndexBuild* found = nullptr;
            for (const auto* other : by_day[night.main().day]) {
                if (found && other->order == found->order) continue;  // the first by its tags
                if (other->order.local == night.main().order.local && fits(night, *other)) {
                    found = other;
                }
            }
            if (!found) {
                missing = packages[i] + " of " + night.main().day;
                return true;
            }
            night.builds.push_back(*found);
            return false;
        });
    }
    const auto same = [](const IndexNight& a, const IndexNight& b) {
        return a.main().order == b.main().order;
    };
    nights.erase(std::unique(nights.begin(), nights.end(), same), nights.end());
    return nights;
}

}  // namespace vigil::service
