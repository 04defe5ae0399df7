#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace vigil::service {

/// A file of the documentation site (deploy/docs/build makes it).
struct DocsFile {
    std::string type;  ///< content type
    std::string text;
};

/// By path below /docs, such as "index.html" and "figures/README.html"; empty without a site.
using DocsSite = std::map<std::string, DocsFile, std::less<>>;

/// Reads a site: plain files at most one folder deep; no link is followed. At most 5,000 files and
/// 64 MiB: what is beyond either is left out.
DocsSite read_docs_site(const std::filesystem::path& folder);

/// The site that lies beside this program, in ../share/vigil/docs-site or, in a build folder, in
/// docs-site. It is read once.
const DocsSite& docs_site();

}  // namespace vigil::service
