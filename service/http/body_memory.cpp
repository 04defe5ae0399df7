#include "service/http/body_memory.hpp"

#include <algorithm>

namespace vigil::service {

namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

std::int64_t bytes_of_share(BodyShare share) {
    switch (share) {
        case BodyShare::workers: return 24 * mib;
        case BodyShare::callers: return 24 * mib;
        case BodyShare::guests: return 16 * mib;
    }
    return 0;
}

}  // namespace

BodyShare body_share_of(const Route& route, const std::optional<http::Caller>& caller) {
    if (!caller) return BodyShare::guests;
    const bool is_worker = route.access == Access::worker || route.access == Access::transfer;
    return is_worker ? BodyShare::workers : BodyShare::callers;
}

bool BodyMemory::take(
    BodyShare share, const std::string& owner, std::int64_t mine, std::int64_t more_bytes) {
    auto& taken = shares_.at(static_cast<std::size_t>(share));
    const auto most = bytes_of_share(share);
    const auto found = taken.of_owner.find(owner);
    const auto of_owner = found == taken.of_owner.end() ? 0 : found->second;
    const bool fits = taken.all + more_bytes <= most && of_owner + more_bytes <= most / 2;
    const bool alone = taken.all == mine;  // the config may allow a longer body
    if (!fits && !alone) return false;
    taken.all += more_bytes;
    taken.of_owner[owner] += more_bytes;
    return true;
}

void BodyMemory::give_back(BodyShare share, const std::string& owner, std::int64_t bytes) {
    auto& taken = shares_.at(static_cast<std::size_t>(share));
    taken.all -= bytes;
    const auto found = taken.of_owner.find(owner);
    if (found != taken.of_owner.end() && (found->second -= bytes) == 0) {
        taken.of_owner.erase(found);
    }
}

std::int64_t BodyMemory::taken(BodyShare share) const {
    return shares_.at(static_cast<std::size_t>(share)).all;
}

bool BodyHolding::grow_to(std::int64_t bytes) {
    const auto more = std::max<std::int64_t>(bytes - mine_, 0);
    if (!memory_.take(share_, owner_, mine_, more)) return false;
    mine_ += more;
    return true;
}

void BodyHolding::shrink_to(std::int64_t bytes) {
    const auto less = std::max<std::int64_t>(mine_ - bytes, 0);
    memory_.give_back(share_, owner_, less);
    mine_ -= less;
}

}  // namespace vigil::service
