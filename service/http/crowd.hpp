#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string>

namespace vigil::service {

class HttpSession;

/// Connections by whom they belong to, each one's oldest first. io thread only.
class Crowd {
  public:
    void add(const std::string& owner, HttpSession* session);
    void remove(const std::string& owner, HttpSession* session);
    std::size_t size() const { return size_; }
    std::size_t size_of(const std::string& owner) const;

    /// The oldest connection of an owner; null when it has none.
    HttpSession* oldest_of(const std::string& owner) const;
    /// The oldest connection of the owner that has most; null when there is none.
    HttpSession* oldest_of_largest() const;

  private:
    std::map<std::string, std::list<HttpSession*>> sessions_;
    std::size_t size_ = 0;
};

/// What becomes of a connection that is one too many.
enum class Admission {
    admit,        ///< there is room
    replace_own,  ///< the oldest guest of the same peer goes
    replace,      ///< the oldest guest of the peer that has most of them goes
    turn_away     ///< everybody in shows a token
};

/// How many guests of one peer there may be. @param limit  as below
std::size_t most_guests_of_peer(std::size_t limit);

/// Guests are connections that have shown no token yet; a worker's next connection is one too. They
/// never fill the house: a quarter is left for those who have shown a token, no peer has more than
/// half of what is left, and a guest that is one too many takes the place of an older one. A pure
/// function.
/// @param limit   connections in all, http.max_connections
/// @param known   of those who have shown a token
/// @param guests  of all others, and of the newcomer's peer
Admission admission_of(
    std::size_t limit, std::size_t known, std::size_t guests, std::size_t guests_of_peer);

}  // namespace vigil::service
