#include "service/http/connection_limits.hpp"

#include <algorithm>

namespace vigil::service {

void ConnectionsByOwner::add(const std::string& owner, HttpSession* session) {
    sessions_[owner].push_back(session);
    ++size_;
}

void ConnectionsByOwner::remove(const std::string& owner, HttpSession* session) {
    const auto found = sessions_.find(owner);
    if (found == sessions_.end()) return;
    size_ -= found->second.remove(session);
    if (found->second.empty()) sessions_.erase(found);
}

std::size_t ConnectionsByOwner::size_of(const std::string& owner) const {
    const auto found = sessions_.find(owner);
    return found == sessions_.end() ? 0 : found->second.size();
}

HttpSession* ConnectionsByOwner::oldest_of(const std::string& owner) const {
    const auto found = sessions_.find(owner);
    return found == sessions_.end() ? nullptr : found->second.front();
}

HttpSession* ConnectionsByOwner::oldest_of_largest() const {
    const auto largest =
        std::max_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
            return a.second.size() < b.second.size();
        });
    return largest == sessions_.end() ? nullptr : largest->second.front();
}

std::size_t most_guests_of_peer(std::size_t limit) {
    return std::max<std::size_t>(1, (limit - limit / 4) / 2);
}

Admission admission_of(
    std::size_t limit, std::size_t known, std::size_t guests, std::size_t guests_of_peer) {
    const auto reserved = limit / 4;
    const auto most_guests = limit - std::max(std::min(known, limit), reserved);
    if (guests_of_peer >= most_guests_of_peer(limit)) return Admission::replace_own;
    if (guests < most_guests && known + guests < limit) return Admission::admit;
    return guests > 0 ? Admission::replace : Admission::turn_away;
}

}  // namespace vigil::service
