#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/profile/why.hpp"
#include "service/local/builds/repository.hpp"
#include "service/local/builds/workshop.hpp"
#include "service/local/request.hpp"
#include "service/local/story.hpp"

namespace vigil::local {

inline constexpr int profile_timeout_s = 600;  ///< of one profiled run

/// Two commits whose products are there.
struct WhySides {
    Revision good;
    Revision bad;
    double change_ratio = 0;                                  ///< that was measured
    std::vector<Profiler> profilers = {Profiler::callgrind};  ///< the first tells most
    bool is_memory = false;                                   ///< what was measured
    int timeout_s = profile_timeout_s;
};

/// What their profiles tell, or why there is nothing to tell.
struct LocalWhy {
    std::optional<profile::Why> found;
    std::string why_none;  ///< one sentence
    double seconds = 0;    ///< of both profiled runs
    std::string flame;     ///< SVG; empty: the profiler has no true stacks, or nothing was found
};

/// By what it is profiled: memory by who asks for it, all else by instructions; vigil-bench by its
/// operators too.
/// @param wish  of a person
std::vector<Profiler> profilers_for(const Order& order, std::optional<Profiler> wish);

/// Profiles one run of each side, and says which functions execute more, or ask for more memory.
/// Where instructions tell nothing, samples by perf come first. Where vigil-bench's operators tell
/// who holds the memory, dhat is not asked. Its limits are said in the answer, and are no error.
/// When stopped, the result means nothing.
LocalWhy explain_sides(
    Workshop& workshop,
    Repository& repository,
    const WhySides& sides,
    const std::function<void(const std::string&)>& say);

/// The same of the culprit that a search named, against its parent; what is not there any more is
/// built. @return nothing: it named none
std::optional<LocalWhy> explain_culprit(
    const SearchAccount& account,
    Bench& bench,
    std::optional<Profiler> wish,
    const std::function<void(const std::string&)>& say);

/// Several lines below a verdict.
/// @param width  of the terminal; 0: not one
std::string why_text(const LocalWhy& why, std::size_t width);

/// The fields of profile::why_json, or "words" alone where nothing was found.
nlohmann::json why_json(const LocalWhy& why);

}  // namespace vigil::local
