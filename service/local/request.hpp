#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "service/local/builds/repository.hpp"
#include "service/local/builds/workshop.hpp"
#include "service/local/builds/world.hpp"
#include "service/local/log_entry.hpp"

namespace vigil::local {

/// What was asked on the command line, commits by any name that git knows.
struct LocalRequest {
    std::filesystem::path repository = ".";
    std::filesystem::path state;  ///< the state folder of all searches
    std::string good;
    std::string bad;
    Order order;  ///< commands, measure, threshold ...; repository and commits still open
    int jobs = 1;
    Spending spending;
    int max_blocks = 12;  ///< of a comparison
    int at_once = 0;      ///< runs that are alive together; 0: as the measure wants, where possible
    bool why = false;     ///< profiles both sides, too
    std::optional<Profiler> profiler = {};  ///< by which; nothing: as the measure wants
    bool again = false;                     ///< begin anew although there is a log
};

/// @throws Error{invalid_argument} when runs are wanted at once of a measure that is measured alone
void check_at_once(const LocalRequest& request);

/// Everything that compares or searches: the repository, its commits resolved, a locked folder of
/// the state folder, and the workshop in it.
class Bench {
  public:
    /// @throws Error as Repository, FolderLock and Workshop do; Error{invalid_argument} when runs
    ///         cannot be measured at once as asked, Error{unavailable} when this machine cannot
    Bench(const LocalRequest& request, const World& world);

    Repository& repository() { return *repository_; }
    Workshop& workshop() { return *workshop_; }
    const Order& order() const { return order_; }
    const std::filesystem::path& folder() const { return folder_; }
    /// Why runs follow one another although the measure wants them at once; empty when not so.
    const std::string& note() const { return note_; }

  private:
    void decide_at_once(const LocalRequest& request, Commands& commands);

    Order order_;
    std::string note_;
    std::unique_ptr<Commands> commands_;
    std::unique_ptr<Repository> repository_;
    std::filesystem::path folder_;
    std::unique_ptr<FolderLock> lock_;
    std::unique_ptr<Workshop> workshop_;
};

/// The log of a search; with `again` an older one is put aside.
std::filesystem::path log_of(const Bench& bench, const LocalRequest& request);

/// "the good commit 1a2b3c4d5e"
std::string end_text(const std::string& side, const Revision& revision);

/// @param where  the end, or both, as end_text names them
/// @throws Error{conflict} that the build (or the benchmark) fails there
[[noreturn]] void refuse_end(
    const std::string& what,
    const std::string& where,
    const std::string& message,
    const std::filesystem::path& log);

}  // namespace vigil::local
