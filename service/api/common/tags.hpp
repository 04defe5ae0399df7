#pragma once

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

/// Whether a list of `If-Match` names what this tag is of: SEEN is compared, whatever follows it.
bool names_seen(std::string_view list, std::string_view tag);

}  // namespace vigil::service
