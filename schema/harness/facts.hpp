#pragma once

#include <initializer_list>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/harness/report.hpp"

// Facts of the environment in files of JSON. A fact is only a note: whatever shape it has, it
// refuses nothing.

namespace vigil::harness {

/// A text, number or flag in one line; of an object its "Value"; else empty.
std::string fact_of(const nlohmann::json& value);

/// The member `key` as a fact; empty where there is none.
std::string fact_in(const nlohmann::json& object, const char* key);

/// Notes those members that are facts, each under its own key.
void note_facts(
    const nlohmann::json& object, std::initializer_list<const char*> keys, Report& report);

/// "L2 1048576 x 2, L3 33554432 x 8": what Google Benchmark says of caches.
std::string caches_of(const nlohmann::json& context);

}  // namespace vigil::harness
