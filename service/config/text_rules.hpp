#pragma once

#include <optional>
#include <string>
#include <string_view>

// What the config's texts may be.

namespace vigil::service {

/// Names the operator gives: 1 to 64 letters, digits and . _ + = -, letters or digits first. Fit
/// for file names and URLs.
std::string name_problem(std::string_view text);

/// Letters, digits and underscores; may be empty.
std::string word_problem(std::string_view text);

// Each is empty, or says what is wrong.

std::string path_problem(std::string_view text);
std::string free_path_problem(std::string_view text);          ///< may be empty
std::string repository_problem(std::string_view text);         ///< path or URL of git, no password
std::string needed_repository_problem(std::string_view text);  ///< the same, not empty
std::string branch_problem(std::string_view text);             ///< a git branch name
std::string package_problem(std::string_view text);            ///< an npm package name
std::string index_package_problem(
    std::string_view text);  ///< of Python, or a start of an archive's
std::string local_version_problem(std::string_view text);   ///< of Python, "+cpu"; or empty
std::string owner_and_name_problem(std::string_view text);  ///< "owner/name"
std::string account_problem(std::string_view text);         ///< a login, "name[bot]", or empty
std::string needed_login_problem(std::string_view text);    ///< a login, not empty
std::string mail_address_problem(std::string_view text);    ///< "ada@example.org"
std::string server_problem(std::string_view text);          ///< machine:port
std::string free_server_problem(std::string_view text);     ///< machine:port, or empty
std::string user_problem(std::string_view text);            ///< who signs in, or empty
std::string label_problem(std::string_view text);           ///< of an issue
std::string base_url_problem(std::string_view text);        ///< https, or http on this machine
std::string index_problem(std::string_view text);           ///< the same
std::string public_url_problem(std::string_view text);      ///< http or https, no query; or empty
std::string commit_url_problem(std::string_view text);      ///< the same, with {revision}
std::string compare_url_problem(std::string_view text);     ///< the same, with {good} and {bad}
std::string address_problem(std::string_view text);         ///< an IP address
std::string output_problem(std::string_view text);          ///< a relative path that stays inside
std::string slurm_problem(std::string_view text);           ///< a value of an option, or empty
std::string slurmrestd_problem(std::string_view text);      ///< unix:PATH, a URL, or empty
std::string endpoint_problem(std::string_view text);        ///< http or https, no query
std::string bucket_problem(std::string_view text);          ///< a bucket of S3
std::string region_problem(std::string_view text);          ///< a region of S3
std::string fleet_name_problem(std::string_view text);      ///< begins the names of Slurm's jobs

/// Whether a repository is spelled as a path: neither an address nor machine:path.
bool is_path(std::string_view repository);

/// Whether "machine:port" is on this machine.
bool is_here(std::string_view server);

/// Where a repository lies on this machine, be it spelled as a path or as a file:// address;
/// nullopt: elsewhere.
std::optional<std::string> path_here(std::string_view repository);

}  // namespace vigil::service
