#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"

// Addresses of what reports and replies speak of. Templates are the operator's; all that is put
// into them is percent-encoded, and no text of a stranger is ever a part of an address.

namespace vigil::service {

/// What the addresses of one project are made of; an empty text makes no address.
struct Links {
    std::string project;
    LinkConfig templates;
};

/// The project's own keys, else the daemon's, else what the repository's address tells: see
/// guess_links.
Links links_of(const Config& config, const std::string& project);

/// Templates for a repository on a forge that is known by name; empty ones for any other.
/// @param repository  as git takes it: https://github.com/owner/name.git, git@github.com:owner/name
LinkConfig guess_links(std::string_view repository);

/// Each is empty where nothing says how the address is made.
std::string commit_url(const Links& links, const Revision& revision);
std::string range_url(const Links& links, const Revision& good, const Revision& bad);
/// A pull request of the forge that commit_url leads to, where it names them as GitHub does.
std::string pull_url(const Links& links, std::int64_t number);
/// The pages of the daemon, for people.
std::string regression_url(const Links& links, RegressionId regression);
/// The list of those of the project that are open.
std::string open_regressions_url(const Links& links);
std::string nightly_url(const Links& links, NightlyId nightly);
std::string series_url(const Links& links, SeriesId series);
std::string bisection_url(const Links& links, BisectionId bisection);
std::string request_url(const Links& links, RequestId request);
std::string trust_url(const Links& links);
std::string log_url(const Links& links, const Digest& digest);
/// What the API answers of it.
std::string regression_data_url(const Links& links, RegressionId regression);

/// Whether a text from a tracker or a ledger may stand as a link: http or https, printable ASCII
/// without what could end a link in Markdown or HTML, at most 2,000 bytes.
bool is_plain_url(std::string_view text);

}  // namespace vigil::service
