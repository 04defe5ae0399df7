#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "schema/http/message.hpp"
#include "service/api/route.hpp"

namespace vigil::service {

/// Who sends a body, as far as others could be kept out by its length.
enum class BodyShare {
    workers,  ///< what workers tell: claims, heartbeats, short results
    callers,  ///< all others with a token
    guests    ///< nobody has vouched for them: webhooks, before their signature is checked
};
BodyShare body_share_of(const Route& route, const std::optional<http::Caller>& caller);

/// Memory of bodies that are in memory, in shares of which none takes from another. One owner has
/// at most half of a share, unless it is there alone. io thread only.
class BodyMemory {
  public:
    /// @return  false: there is not so much left. @param mine  of these bytes what this body has
    bool take(
        BodyShare share, const std::string& owner, std::int64_t mine, std::int64_t more_bytes);
    void give_back(BodyShare share, const std::string& owner, std::int64_t bytes);
    std::int64_t taken(BodyShare share) const;

  private:
    struct Taken {
        std::int64_t all = 0;
        std::map<std::string, std::int64_t> of_owner = {};
    };
    std::array<Taken, 3> shares_;
};

/// What one body takes of it, given back at its end.
class BodyHolding {
  public:
    BodyHolding(BodyMemory& memory, BodyShare share, std::string owner)
        : memory_(memory), share_(share), owner_(std::move(owner)) {}
    ~BodyHolding() { shrink_to(0); }
    BodyHolding(const BodyHolding&) = delete;
    BodyHolding& operator=(const BodyHolding&) = delete;

    /// @return  false when its share has not so much left
    bool grow_to(std::int64_t bytes);
    void shrink_to(std::int64_t bytes);

  private:
    BodyMemory& memory_;
    const BodyShare share_;
    const std::string owner_;
    std::int64_t mine_ = 0;
};

}  // namespace vigil::service
