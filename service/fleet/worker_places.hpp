#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace vigil::service {

/// The folder that the daemon shares with the nodes: for each allocation a folder of its own with
/// its worker's settings, token and log. All is for the daemon's user alone, who is the user of the
/// jobs, too. A file system may be slow: used from the fleet's lane only.
class WorkerPlaces {
  public:
    explicit WorkerPlaces(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Makes the folder of an allocation and the script of all.
    /// @throws Error{unavailable} when the file system fails
    void prepare(const std::string& allocation) const;

    std::filesystem::path script() const { return folder_ / "run-worker.sh"; }
    std::filesystem::path place(const std::string& allocation) const {
        return folder_ / allocation;
    }
    std::filesystem::path log(const std::string& allocation) const;

    /// Puts the token there, and then the settings, for which the script waits.
    /// @param settings  the text of the operator's file for such workers
    /// @param worker    its name
    /// @throws Error{invalid_argument} when the settings are no JSON object; Error{unavailable}
    void give(
        const std::string& allocation,
        const std::string& settings,
        const std::string& worker,
        const std::string& token) const;

    /// Takes settings and token away; the log stays.
    void take(const std::string& allocation) const;

    /// Removes the folder of an allocation.
    void clear(const std::string& allocation) const;

    /// Removes the folders of allocations that are over and have not changed for `kept_log_s`: what
    /// failed leaves its log so long, and a daemon that was killed anything.
    /// @param fleet_name  begins the names of the allocations
    /// @param open        allocations that are not over
    /// @return how many
    int clear_old(
        const std::string& fleet_name, const std::set<std::string>& open, std::int64_t now_s) const;

  private:
    std::filesystem::path folder_;
};

/// How long the log of an allocation that failed is kept.
inline constexpr std::int64_t kept_log_s = std::int64_t{7} * 86'400;

/// Settings of a worker as the operator wrote them, with its name and its token's file.
/// @throws Error{invalid_argument}
std::string worker_settings(
    const std::string& settings, const std::string& worker, const std::string& token_file);

/// The text of a file of settings. @throws Error{unavailable} when it cannot be read
std::string read_settings(const std::filesystem::path& file);

}  // namespace vigil::service
