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

/// Whether what the set has so far and this build are for one interpreter.
bool fits(const PackageSet& set, const IndexBuild& build) {
    return std::ranges::all_of(set.builds, [&](const IndexBuild& one) {
        return (one.interpreter.empty() || fit_of(build.wheel, one.interpreter)) &&
               (build.interpreter.empty() || fit_of(one.wheel, build.interpreter));
    });
}

/// @param build  not less than what was found; of equal ones the first stays
void take_greater(const IndexBuild*& found, const IndexBuild& build, const PackageSet& set) {
    if (found && build.order == found->order) return;
    if (fits(set, build)) found = &build;
}

using BuildsByDay = std::map<std::string_view, std::vector<const IndexBuild*>>;

BuildsByDay sorted_by_day(const std::vector<IndexBuild>& builds) {
    BuildsByDay by_day;
    for (const auto& build : builds) by_day[build.day].push_back(&build);
    return by_day;
}

const IndexBuild* find_of_day(const BuildsByDay& by_day, const PackageSet& set) {
    const IndexBuild* found = nullptr;
    const auto builds = by_day.find(set.main().day);
    if (builds == by_day.end()) return found;
    for (const auto* build : builds->second) {
        if (build->order.local == set.main().order.local) take_greater(found, *build, set);
    }
    return found;
}

/// The greatest that the night may have by its day: of its local part, else of any.
const IndexBuild* find_newest(const std::vector<IndexBuild>& builds, const PackageSet& set) {
    const IndexBuild* found = nullptr;
    const IndexBuild* found_local = nullptr;
    for (const auto& build : builds) {
        if (build.day > set.main().day) continue;
        const bool local = build.order.local == set.main().order.local;
        take_greater(local ? found_local : found, build, set);
    }
    return found_local ? found_local : found;
}

/// The complete sets of these builds of the first package, in their order.
std::vector<PackageSet> complete_sets(
    const std::vector<IndexBuild>& main,
    const std::vector<std::vector<IndexBuild>>& builds,
    const SourceConfig& source,
    std::string& missing) {
    std::vector<PackageSet> sets;
    for (const auto& build : main) sets.push_back({{build}});
    for (std::size_t i = 1; i < builds.size(); ++i) {
        const bool dated = says_day(source, source.packages[i]);
        const auto by_day = dated ? sorted_by_day(builds[i]) : BuildsByDay();
        std::erase_if(sets, [&](PackageSet& set) {
            const auto* found = dated ? find_of_day(by_day, set) : find_newest(builds[i], set);
            if (found) {
                set.builds.push_back(*found);
            } else {
                missing = source.packages[i] + (dated ? " of " : " up to ") + set.main().day;
            }
            return found == nullptr;
        });
    }
    const auto same = [](const PackageSet& a, const PackageSet& b) {
        return a.main().order == b.main().order;
    };
    sets.erase(std::unique(sets.begin(), sets.end(), same), sets.end());
    return sets;
}

std::vector<IndexBuild> builds_of_local(
    const std::vector<IndexBuild>& builds, const std::string& local_version) {
    const auto wanted = parse_python_version("0" + local_version);
    std::vector<IndexBuild> some;
    std::ranges::copy_if(builds, std::back_inserter(some), [&](const IndexBuild& build) {
        return wanted && build.order.local == wanted->local;
    });
    return some;
}

PythonVersion without_local(PythonVersion order) {
    order.local.clear();
    return order;
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
    VIGIL_ASSERT(!builds.empty() && builds.size() == source.packages.size());
    const auto& locals = source.local_versions;
    std::vector<IndexNight> nights;
    if (locals.size() < 2) {
        const auto main =
            locals.empty() ? builds.front() : builds_of_local(builds.front(), locals.front());
        for (auto& set : complete_sets(main, builds, source, missing)) {
            const auto& build = set.main();
            nights.push_back({build.version, build.order, {set}, {}});
        }
        return nights;
    }
    std::map<PythonVersion, IndexNight> by_version;
    for (const auto& local : locals) {
        std::string lack;
        const auto main = builds_of_local(builds.front(), local);
        for (auto& set : complete_sets(main, builds, source, lack)) {
            auto& night = by_version[without_local(set.main().order)];
            night.version = set.main().version.substr(0, set.main().version.find('+'));
            night.order = without_local(set.main().order);
            set.local_version = local;
            night.sets.push_back(std::move(set));
        }
        if (!lack.empty()) missing = lack + " for " + local;
    }
    for (auto& [order, night] : by_version) {
        for (const auto& local : locals) {
            if (std::ranges::count(night.sets, local, &PackageSet::local_version) > 0) continue;
            night.missing.push_back(local + ": not all its packages are in the index");
        }
        nights.push_back(std::move(night));
    }
    return nights;
}

const IndexBuild* find_pinned_build(
    const std::vector<IndexBuild>& builds, const PackageSet& set, const PythonVersion& wanted) {
    const IndexBuild* found = nullptr;
    for (const auto& build : builds) {
        auto order = build.order;
        if (wanted.local.empty()) order.local.clear();
        if (order == wanted) take_greater(found, build, set);
    }
    return found;
}

}  // namespace vigil::service
