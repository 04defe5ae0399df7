#pragma once

#include "schema/model/enum_names.hpp"

namespace vigil {

enum class Finding { same, better, worse, unknown };

template <>
struct EnumNames<Finding> {
    static constexpr std::string_view noun = "finding";
    static constexpr std::array names{
        std::pair{Finding::same, std::string_view("same")},
        std::pair{Finding::better, std::string_view("better")},
        std::pair{Finding::worse, std::string_view("worse")},
        std::pair{Finding::unknown, std::string_view("unknown")}};
};

/// B against A, from interleaved runs.
struct Comparison {
    double before = 0;        ///< A's level, metric's unit
    double after = 0;         ///< B's level
    double change_ratio = 0;  ///< how much worse, whatever the direction
    double low = 0;           ///< 90 % interval of change_ratio
    double high = 0;
    double above = 0;  ///< probability that change_ratio exceeds the threshold, 0..1
    int runs_before = 0;
    int runs_after = 0;
    Finding finding = Finding::unknown;
};

}  // namespace vigil
