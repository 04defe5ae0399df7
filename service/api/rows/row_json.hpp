#pragma once

#include "schema/wire/json_types.hpp"
#include "service/api/rows/asker.hpp"

// For the sources of rows, with <nlohmann/json.hpp>: VIGIL_ROW(ListedWorker, id, name) reads a row
// by its members, VIGIL_ROW_OF_BASE one that has the keys of its base as well. As nlohmann's
// macros, but a row is never written. What is a part of rows of other sources, too, has its
// from_json in its header.

namespace vigil::service {

template <class Row>
Row row_of(const nlohmann::json& object) {
    return object.template get<Row>();
}

// clang-format off
#define VIGIL_ROW_OF_BASE(Row, Base, ...)                                                \
    void from_json(const nlohmann::json& nlohmann_json_j, Row& nlohmann_json_t) {        \
        from_json(nlohmann_json_j, static_cast<Base&>(nlohmann_json_t));                 \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__))       \
    }                                                                                    \
    template Row row_of(const nlohmann::json&);
#define VIGIL_ROW(Row, ...)                                                              \
    void from_json(const nlohmann::json& nlohmann_json_j, Row& nlohmann_json_t) {        \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__))       \
    }                                                                                    \
    template Row row_of(const nlohmann::json&);
// clang-format on

}  // namespace vigil::service
