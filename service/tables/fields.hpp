#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "schema/model/enum_names.hpp"
#include "service/tables/result.hpp"

// How the parts of a result are called in files.

namespace vigil::tables {

inline constexpr std::array text_members{
    std::pair{std::string_view("suite"), &Result::suite},
    std::pair{std::string_view("domain"), &Result::domain},
    std::pair{std::string_view("mode"), &Result::mode},
    std::pair{std::string_view("device"), &Result::device},
    std::pair{std::string_view("precision"), &Result::precision},
    std::pair{std::string_view("backend"), &Result::backend},
    std::pair{std::string_view("status"), &Result::status}};

inline constexpr std::array count_members{
    std::pair{std::string_view("batch"), &Result::batch},
    std::pair{std::string_view("threads"), &Result::threads},
    std::pair{std::string_view("gpus"), &Result::gpus}};

}  // namespace vigil::tables

namespace vigil {

template <>
struct EnumNames<tables::Field> {
    static constexpr std::string_view noun = "field";
    static constexpr std::array names{
        std::pair{tables::Field::time_s, std::string_view("time_s")},
        std::pair{tables::Field::compile_s, std::string_view("compile_s")},
        std::pair{tables::Field::throughput_per_s, std::string_view("throughput_per_s")},
        std::pair{tables::Field::peak_bytes, std::string_view("peak_bytes")},
        std::pair{tables::Field::speedup, std::string_view("speedup")},
        std::pair{tables::Field::memory_ratio, std::string_view("memory_ratio")},
        std::pair{tables::Field::active, std::string_view("active")},
        std::pair{tables::Field::movement, std::string_view("movement")},
        std::pair{tables::Field::idle, std::string_view("idle")}};
};

}  // namespace vigil
