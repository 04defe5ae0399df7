#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/config/keys.hpp"

// What the config's texts may be.

namespace vigil::service {

/// Names the operator gives: 1 to 64 letters, digits and . _ + = -, letters or digits first. Fit
/// for file names and URLs.
std::string name_problem(std::string_view text);

/// Letters, digits and underscores; may be empty.
std::string word_problem(std::string_view text);

extern const TextRule any_path;
extern const TextRule needed_path;
extern const TextRule secret_path;  ///< a file of its own
extern const TextRule optional_secret_path;
extern const TextRule name_rule;
extern const TextRule repository_rule;      ///< path or URL of a git repository, no password
extern const TextRule needed_repository;    ///< the same, required
extern const TextRule branch_rule;          ///< a git branch name
extern const TextRule package_rule;         ///< an npm package name
extern const TextRule index_package_rule;   ///< a Python package, or the start of an archive's name
extern const TextRule owner_and_name_rule;  ///< "owner/name"
extern const TextRule account_rule;         ///< a login, perhaps an app's "name[bot]"; may be empty
extern const TextRule base_url_rule;        ///< https, or http on this machine
extern const TextRule index_rule;           ///< the same
extern const TextRule public_url_rule;      ///< http or https, no query; may be empty
extern const TextRule commit_url_rule;      ///< the same, with {revision}
extern const TextRule compare_url_rule;     ///< the same, with {good} and {bad}
extern const TextRule address_rule;         ///< an IP address
extern const TextRule output_rule;          ///< a relative path that stays inside

/// Whether a repository is spelled as a path: neither an address nor machine:path.
bool is_path(std::string_view repository);

/// Where a repository lies on this machine, be it spelled as a path or as a file:// address;
/// nullopt: elsewhere.
std::optional<std::string> path_here(std::string_view repository);

}  // namespace vigil::service
