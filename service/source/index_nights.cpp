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
    const auto order = parse_python_version(build.version);
    if (!order || link.yanked) return std::nullopt;
    build.order = *order;
    build.day = day_in_version(build.version).value_or("");
    if (!says_day(source, package)) return build;
    const bool is_wanted = build.version.find(source.version) != build.version.npos;
    return is_wanted && !build.day.empty() ? std::optional(std::move(build)) : std::nullopt;
}

/// Whether what the night has so far and this build are for one interpreter.
bool fits(const IndexNight& night, const IndexBuild& build) {
    return std::ranges::all_of(night.builds, [&](const IndexBuild& one) {
        return (one.interpreter.empty() || fit_of(build.wheel, one.interpreter)) &&
               (build.interpreter.empty() || fit_of(one.wheel, build.interpreter));
    });
}

/// @param build  not less than what was found; of equal ones the first stays
void take_greater(const IndexBuild*& found, const IndexBuild& build, const IndexNight& night) {
    if (found && build.order == found->order) return;
    if (fits(night, build)) found = &build;
}

using BuildsByDay = std::map<std::string_view, std::vector<const IndexBuild*>>;

BuildsByDay sorted_by_day(const std::vector<IndexBuild>& builds) {
    BuildsByDay by_day;
    for (const auto& build : builds) by_day[build.day].push_back(&build);
    return by_day;
}

const IndexBuild* find_of_day(const BuildsByDay& by_day, const IndexNight& night) {
    const IndexBuild* found = nullptr;
    const auto builds = by_day.find(night.main().day);
    if (builds == by_day.end()) return found;
    for (const auto* build : builds->second) {
        if (build->order.local == night.main().order.local) take_greater(found, *build, night);
    }
    return found;
}

/// The greatest that the night may have by its day: of its local part, else of any.
const IndexBuild* find_newest(const std::vector<IndexBuild>& builds, const IndexNight& night) {
    const IndexBuild* found = nullptr;
    const IndexBuild* found_local = nullptr;
    for (const auto& build : builds) {
        if (build.day > night.main().day) continue;
        const bool local = build.order.local == night.main().order.local;
        take_greater(local ? found_local : found, build, night);
    }
    return found_local ? found_local : found;
}

}  // namespace

bool says_day(const SourceConfig& source, const std::string& package) {
    return source.day_from.empty() || std::ranges::count(source.day_from, package) > 0;
}

std::vector<IndexBuild> builds_among(
    const std::vector<IndexLink>& links, const std::string& package, const SourceConfig& source) {
    std::vector<IndexBuild> builds;
    for (const auto& link : links) {
        auto build = build_of_link(link, package, source);
        if (build) builds.push_back(std::move(*build));
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
    const SourceConfig& source,
    std::string& missing) {
    const auto& packages = source.packages;
    VIGIL_ASSERT(!builds.empty() && builds.size() == packages.size());
    std::vector<IndexNight> nights;
    for (const auto& build : builds.front()) nights.push_back({{build}});
    for (std::size_t i = 1; i < builds.size(); ++i) {
        const bool dated = says_day(source, packages[i]);
        const auto by_day = dated ? sorted_by_day(builds[i]) : BuildsByDay();
        std::erase_if(nights, [&](IndexNight& night) {
            const auto* found = dated ? find_of_day(by_day, night) : find_newest(builds[i], night);
            if (found) {
                night.builds.push_back(*found);
            } else {
                missing = packages[i] + (dated ? " of " : " up to ") + night.main().day;
            }
            return found == nullptr;
        });
    }
    const auto same = [](const IndexNight& a, const IndexNight& b) {
        return a.main().order == b.main().order;
    };
    nights.erase(std::unique(nights.begin(), nights.end(), same), nights.end());
    return nights;
}

const IndexBuild* find_pinned_build(
    const std::vector<IndexBuild>& builds, const IndexNight& night, const PythonVersion& wanted) {
    const IndexBuild* found = nullptr;
    for (const auto& build : builds) {
        auto order = build.order;
        if (wanted.local.empty()) order.local.clear();
        if (order == wanted) take_greater(found, build, night);
    }
    return found;
}

}  // namespace vigil::service
