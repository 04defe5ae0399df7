// The place of a connection among all others: who it is counted for, and who makes room.

#include <algorithm>

#include "service/http/session.hpp"

namespace vigil::service {

void HttpSession::end_if_idle() {
    if (idle_) connection_.close();
}

void HttpSession::evict() {
    leave_limits();
    ++core_->counters.evicted_connections;
    if (silent_) {
        connection_.close();
    } else {
        turn_away(connection_.socket());
    }
}

void HttpSession::leave_limits() {
    core_->guests.remove(peer_, this);
    if (!token_.empty()) core_->known.remove(token_, this);
}

void HttpSession::become_known(const std::string& token) {
    if (token_ == token) return;
    leave_limits();
    token_ = token;
    core_->known.add(token_, this);
    const auto most = std::max(core_->api.config.now().http.max_connections / 4, 8);
    if (core_->known.size_of(token_) > static_cast<std::size_t>(most)) {
        core_->known.oldest_of(token_)->evict();
    }
}

void HttpSession::count_as(std::string peer) {
    if (peer == peer_) return;
    core_->guests.remove(peer_, this);
    peer_ = std::move(peer);
    if (!token_.empty()) return;
    core_->guests.add(peer_, this);
    const auto limit = static_cast<std::size_t>(core_->api.config.now().http.max_connections);
    if (core_->guests.size_of(peer_) > most_guests_of_peer(limit)) {
        core_->guests.oldest_of(peer_)->evict();
    }
}

}  // namespace vigil::service
