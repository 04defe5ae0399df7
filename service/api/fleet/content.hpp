#pragma once

#include "schema/http/message.hpp"
#include "schema/model/job.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// What a PUT of content says it is.
struct ContentUpload {
    Digest digest;
    ContentKind kind = ContentKind::product;  ///< or log
};

/// The digest in the path. @throws Error{not_found} when it is not one
Digest content_digest(const http::Request& request);

/// @throws Error{invalid_argument} unless ?kind=product|log
ContentUpload content_upload(const http::Request& request);

}  // namespace vigil::service
