#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"

// How types of the model stand in JSON: enums by their names, ids as numbers, digests as hex,
// revisions as their hash, or "" where there is none, an optional as null where there is none. With
// these, a struct whose keys are the names of its members is NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE in
// one source.

namespace nlohmann {

template <vigil::NamedEnum Enum>
struct adl_serializer<Enum> {
    template <class Json>
    static void to_json(Json& json, Enum value) {
        json = std::string(vigil::to_string(value));
    }
    template <class Json>
    static void from_json(const Json& json, Enum& value) {
        value = vigil::parse_enum<Enum>(json.template get<std::string>());
    }
};

template <class Tag>
struct adl_serializer<vigil::Id<Tag>> {
    template <class Json>
    static void to_json(Json& json, vigil::Id<Tag> id) {
        json = id.value;
    }
    template <class Json>
    static void from_json(const Json& json, vigil::Id<Tag>& id) {
        id.value = json.template get<std::int64_t>();
    }
};

template <>
struct adl_serializer<vigil::Revision> {
    template <class Json>
    static void to_json(Json& json, const vigil::Revision& revision) {
        json = revision.str();
    }
    template <class Json>
    static void from_json(const Json& json, vigil::Revision& revision) {
        const auto hash = json.template get<std::string>();
        revision = hash.empty() ? vigil::Revision{} : vigil::Revision(hash);
    }
};

template <>
struct adl_serializer<vigil::Digest> {
    template <class Json>
    static void to_json(Json& json, const vigil::Digest& digest) {
        json = digest.str();
    }
    template <class Json>
    static void from_json(const Json& json, vigil::Digest& digest) {
        digest = vigil::Digest(json.template get<std::string>());
    }
};

template <class Value>
struct adl_serializer<std::optional<Value>> {
    template <class Json>
    static void to_json(Json& json, const std::optional<Value>& value) {
        if (value) {
            json = *value;
        } else {
            json = nullptr;
        }
    }
    template <class Json>
    static void from_json(const Json& json, std::optional<Value>& value) {
        value.reset();
        if (!json.is_null()) value = json.template get<Value>();
    }
};

}  // namespace nlohmann
