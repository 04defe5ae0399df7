#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "schema/http/target.hpp"

namespace vigil::http {

/// Who signs requests to a store that speaks S3.
struct SigningKey {
    std::string id;
    std::string secret;
};

/// A request that whoever has its address may make, for a while.
struct PresignedRequest {
    std::string method = "GET";
    BaseUrl base;
    std::string path = "/";                    ///< below the base's prefix, encoded
    std::map<std::string, std::string> query;  ///< not encoded, no empty values
    std::string region;
    std::string service = "s3";
    std::int64_t now_s = 0;                    ///< UTC; the request may be made from now on
    std::int64_t lasts_s = 0;                  ///< S3 takes at most 604,800
    std::string payload = "UNSIGNED-PAYLOAD";  ///< SHA-256 of the body in hexadecimal, or this
};

/// The request's path with its query and signature. A pure function.
/// @source  AWS Signature Version 4, query string authentication
std::string presign(const PresignedRequest& request, const SigningKey& key);

}  // namespace vigil::http
