#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Programs that run other programs: what valgrind counts of them are functions of theirs.

namespace vigil::profile {

inline constexpr std::size_t max_interpreter_bytes = 255;  ///< no file has a longer name

/// The interpreter that a program or library is, by the name of its file: "python3.11" of
/// "/usr/bin/python3.11", "libjvm.so" of the Java machine's library. @return  empty: it is none
std::string interpreter_of(std::string_view object);

/// What shows the functions of a program that this interpreter runs, as the end of a sentence.
std::string_view profiler_for(std::string_view interpreter);

}  // namespace vigil::profile
