#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "service/local/log_entry.hpp"
#include "service/local/repository.hpp"
#include "service/local/workshop.hpp"
#include "service/local/world.hpp"

namespace vigil::local {

/// What was asked on the command line, commits by any name that git knows.
struct Request {
    std::filesystem::path repository = ".";
    std::filesystem::path state;  ///< the state folder of all searches
    std::string good;
    std::string bad;
    Order order;  ///< commands, measure, threshold ...; repository and commits still open
    int jobs = 1;
    Spending spending;
    int max_blocks = 12;  ///< of a comparison
    bool again = false;   ///< begin anew although there is a log
};

/// Everything that compares or searches: the repository, its commits resolved, a locked folder of
/// the state folder, and the workshop in it.
class Bench {
  public:
    /// @throws Error as Repository, FolderLock and Workshop do
    Bench(const Request& request, const World& world);

    Repository& repository() { return *repository_; }
    Workshop& workshop() { return *workshop_; }
    const Order& order() const { return order_; }
    const std::filesystem::path& folder() const { return folder_; }

  private:
    Order order_;
    std::unique_ptr<Commands> commands_;
    std::unique_ptr<Repository> repository_;
    std::filesystem::path folder_;
    std::unique_ptr<FolderLock> lock_;
    std::unique_ptr<Workshop> workshop_;
};

/// @throws Error{conflict} that the build (or the benchmark) fails at one of the ends
[[noreturn]] void refuse_end(
    const std::string& what,
    const std::string& end,
    const Revision& revision,
    const std::string& message,
    const std::filesystem::path& log);

}  // namespace vigil::local
