#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "schema/model/states.hpp"

namespace vigil {

/// What a token may do: one scope or several. None holds another, but `admin` holds all that people
/// and programs do; a worker's work is `worker` alone.
class Scopes {
  public:
    constexpr Scopes() = default;
    constexpr Scopes(Scope one) : Scopes{std::initializer_list<Scope>{one}} {}
    constexpr Scopes(std::initializer_list<Scope> all) {
        for (const auto one : all) add(one);
    }

    constexpr void add(Scope one) { bits_ |= bit(one); }
    constexpr bool has(Scope one) const { return (bits_ & bit(one)) != 0; }
    constexpr bool may(Scope asked) const {
        return has(asked) || (has(Scope::admin) && asked != Scope::worker);
    }
    constexpr bool operator==(const Scopes&) const = default;

  private:
    static constexpr unsigned bit(Scope one) { return 1U << static_cast<unsigned>(one); }

    unsigned bits_ = 0;
};

/// "read,triage", in the order of the enum.
std::string to_string(Scopes scopes);

/// Reads "read,triage". @throws Error{invalid_argument} naming the choices
Scopes parse_scopes(std::string_view words);

}  // namespace vigil
