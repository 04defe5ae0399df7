#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string>

namespace vigil::service {

class HttpSession;

/// Connections by owner (a peer or a token), each owner's oldest first. Used on the io thread only.
class ConnectionsByOwner {
  public:
    void add(const std::string& owner, HttpSession* session);
    void remove(const std::string& owner, HttpSession* session);
    std::size_t size() const { return size_; }
    std::size_t size_of(const std::string& owner) const;

    /// The oldest connection of an owner; null when it has none.
    HttpSession* oldest_of(const std::string& owner) const;
    /// The oldest connection of the owner with the most connections; null when there is none.
    HttpSession* oldest_of_largest() const;

  private:
    std::map<std::string, std::list<HttpSession*>> sessions_;
    std::size_t size_ = 0;
};

/// The decision about a new connection.
enum class Admission {
    admit,        ///< there is room
    replace_own,  ///< closes the oldest guest of the same peer
    replace,      ///< closes the oldest guest of the peer with the most guests
    turn_away     ///< all connections have shown a token
};

/// The most guests of one peer. @param limit  as below
std::size_t most_guests_of_peer(std::size_t limit);

/// Guests are connections that have shown no token yet, as any new one. A quarter of all places is
/// kept for connections with a token; one peer has at most half of the remaining places; a guest
/// too many replaces an older guest. So clients without a token cannot lock workers out. A pure
/// function.
/// @param limit   connections in all, http.max_connections
/// @param known   connections that have shown a token
/// @param guests  the others, of all peers
/// @param guests_of_peer  the others of the newcomer's peer
Admission admission_of(
    std::size_t limit, std::size_t known, std::size_t guests, std::size_t guests_of_peer);

}  // namespace vigil::service
