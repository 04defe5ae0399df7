#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schema/profile/profile.hpp"

namespace vigil::profile {

/// What a line of the project costs, with the code of other headers that is inlined there. A line
/// may come several times.
struct LineCost {
    std::uint32_t file = 0;  ///< place in CallGraph::line_files
    std::uint32_t line = 0;  ///< from 1
    std::int64_t cost = 0;
};

/// Calls of one function by another.
struct CallEdge {
    std::size_t to = 0;  ///< place in CallGraph::functions
    std::int64_t count = 0;
    std::int64_t cost = 0;             ///< of the called function and of all that it calls
    std::vector<LineCost> lines = {};  ///< parts of `cost` by the line that calls
};

struct GraphFunction {
    std::string name;
    std::string file;
    std::string object;     ///< path of the program or library
    std::int64_t self = 0;  ///< without what it calls
    std::vector<CallEdge> calls;
    std::map<std::string, std::int64_t> inlined = {};  ///< parts of `self` by file: inlined code
    std::vector<LineCost> lines = {};                  ///< parts of `self`
};

/// Functions of a run and who calls whom. Nodes of several processes may be the same function.
struct CallGraph {
    std::vector<GraphFunction> functions;
    std::vector<std::string> line_files = {};  ///< that lines are of, as the project names them
};

/// The graph as functions with their costs; see read_callgrind.
/// @throws Error{invalid_argument} when nothing has a cost
Profile fold(const CallGraph& graph, const std::string& own, const std::string& source = {});

/// The largest `most` of them, largest first.
std::vector<NamedCost> largest(const std::map<std::string, std::int64_t>& of, std::size_t most);

/// Sorts functions, largest first, and keeps max_functions.
void keep_largest(std::vector<Function>& functions);

/// Puts the largest max_stacks into a profile.
/// @param all    costs by stacks: places in `names`, the outermost first; at most max_stack_frames
/// @param names  of what a flame graph shows
void keep_largest_stacks(
    Profile& profile,
    const std::map<std::vector<std::uint32_t>, std::int64_t>& all,
    const std::vector<std::string>& names);

/// Templates of the standard library are compiled into the program, and are no more its own than
/// the rest of that library.
bool is_of_standard_library(const std::string& name);

inline constexpr std::string_view no_name = "???";  ///< valgrind's, of what has no symbol
inline constexpr std::size_t most_libraries = 3;    ///< that a Function has
inline constexpr std::size_t most_callers = 8;      ///< likewise
inline constexpr std::size_t most_lines = 5;        ///< likewise

}  // namespace vigil::profile
