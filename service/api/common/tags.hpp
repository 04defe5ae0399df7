#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "schema/http/message.hpp"

// Tags of replies that `If-Match` names: "SEEN-REST". SEEN is of what a person decides upon, REST
// of the whole body, so that a cache takes no reply for another.

namespace vigil::service {

/// Writes the document of a reply as its body, and gives it such a tag. A reply without a document
/// stays as it is.
/// @param moving  keys, with blanks between, that SEEN leaves out wherever they stand
void write_tagged(http::Response& response, std::string_view moving);

/// Whether a list of tags (RFC 9110, section 13.1) has "*" or one that fits; weak tags are looked
/// at by what they name.
template <class Fits>
bool has_tag(std::string_view list, const Fits& fits) {
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        auto one = list.substr(0, end);
        const auto begin = std::min(one.find_first_not_of(" \t"), one.size());
        one = one.substr(begin, one.find_last_not_of(" \t") + 1 - begin);
        if (one == "*") return true;
        if (one.starts_with("W/")) one.remove_prefix(2);
        if (fits(one)) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

/// Whether a list of `If-Match` names what this tag is of: SEEN is compared, whatever follows it.
bool names_seen(std::string_view list, std::string_view tag);

}  // namespace vigil::service
