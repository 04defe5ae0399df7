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
    std::pair{std::string_view("setting"), &Result::setting},
    std::pair{std::string_view("version"), &Result::version},
    std::pair{std::string_view("status"), &Result::status}};

inline constexpr std::array count_members{
    std::pair{std::string_view("batch"), &Result::batch},
    std::pair{std::string_view("threads"), &Result::threads},
    std::pair{std::string_view("processes"), &Result::processes},
    std::pair{std::string_view("gpus"), &Result::gpus}};

}  // namespace vigil::tables
