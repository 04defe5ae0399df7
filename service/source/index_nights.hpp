#pragma once

#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/source/index_page.hpp"
#include "service/source/wheel_name.hpp"

// Which links of an index are nightlies, and what belongs to one night. Pure.

namespace vigil::service {

/// One file of one package.
struct IndexBuild {
    std::string package;
    std::string version;
    PythonVersion order;
    std::string day;          ///< YYYY-MM-DD, out of the version; or empty
    WheelName wheel;          ///< of an archive: empty
    int fit = 0;              ///< to the Python of the config, less is better
    std::string interpreter;  ///< the one whose ABI it needs, or empty
    IndexLink link;
};

/// The first package's build, and those of the other packages that belong to it.
struct PackageSet {
    std::vector<IndexBuild> builds;
    std::string local_version = {};  ///< "+cpu", where source.local_version lists several
    const IndexBuild& main() const { return builds.front(); }
};

/// What is measured of one version.
struct IndexNight {
    std::string version;  ///< the source's name for it: without a local part where it has several
    PythonVersion order;  ///< of that name
    /// One; where source.local_version lists several, those of them that are complete, in its
    /// order.
    std::vector<PackageSet> sets;
    std::vector<std::string> missing;  ///< why others are not, "+cu126: ..."
    const IndexBuild& main() const { return sets.front().main(); }
};

/// Whether the day of a night stands in the versions of this package (source.day_from).
bool says_day(const SourceConfig& source, const std::string& package);

/// The builds of a package among the links of its page, oldest first by PEP 440: not withdrawn, of
/// this machine and Python, and where the package says the day, of the config's version and with a
/// day in theirs. Of several files of one version the one that fits best by its tags, and then the
/// one of the greatest build. Where the config names no Python, a version has one for each Python
/// and ABI tag.
std::vector<IndexBuild> builds_among(
    const std::vector<IndexLink>& links, const std::string& package, const SourceConfig& source);

/// The nights that are complete, oldest first: to each build of the first package the greatest of
/// each other one of the same day and the same local part ("+cpu"). Of a package that does not say
/// the day it is the greatest that has no later day, of the same local part where it has such. All
/// are made for one interpreter, or for none of their own; where several would do it is the first
/// by its tags. Where source.local_version names local parts, only these are nights; a night of
/// several is there when one of them is.
/// @param builds   by package, in the order of the config; at least one
/// @param missing  gets what the newest incomplete night lacks, e.g. "torchvision of 2025-11-12"
std::vector<IndexNight> complete_nights(
    const std::vector<std::vector<IndexBuild>>& builds,
    const SourceConfig& source,
    std::string& missing);

/// The greatest of a package's builds that fits a set and is of the version that "==" asks for;
/// nullptr: there is none. A version without a local part is that with any.
const IndexBuild* find_pinned_build(
    const std::vector<IndexBuild>& builds, const PackageSet& set, const PythonVersion& wanted);

}  // namespace vigil::service
