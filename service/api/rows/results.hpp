#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/api/common/handlers.hpp"
#include "service/api/rows/asker.hpp"
#include "service/store/lists/lists.hpp"

// Projects, nights and what they measured as the API lists them (asker.hpp).

namespace vigil::service {

struct ProjectsNight {
    NightlyId id;
};

struct ListedProject {
    static constexpr Handler list = list_of<lists::projects, add_config>;

    std::string name;
    std::optional<ProjectsNight> newest_nightly;
};

struct ListedNightly {
    static constexpr Handler list = list_of<lists::nightlies>;
    static constexpr Handler one = get_nightly;

    NightlyId id;
    std::string name, state;
    std::optional<std::string> beside;     ///< why it is no night
    std::optional<std::int64_t> backfill;  ///< that had it measured afterwards
};

}  // namespace vigil::service
