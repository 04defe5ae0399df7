#include "schema/http/presigned.hpp"

#include <ctime>

#include "schema/wire/digest.hpp"

namespace vigil::http {

namespace {

/// "20130524T000000Z".
std::string basic_time(std::int64_t time_s) {
    const auto time = static_cast<std::time_t>(time_s);
    std::tm utc{};
    gmtime_r(&time, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc)};
}

}  // namespace

std::string presign(const PresignedRequest& request, const SigningKey& key) {
    const std::string algorithm = "AWS4-HMAC-SHA256";
    const std::string last = "aws4_request";
    const auto time = basic_time(request.now_s);
    const auto day = time.substr(0, 8);
    const auto scope = day + "/" + request.region + "/" + request.service + "/" + last;
    auto query = request.query;
    query["X-Amz-Algorithm"] = algorithm;
    query["X-Amz-Credential"] = key.id + "/" + scope;
    query["X-Amz-Date"] = time;
    query["X-Amz-Expires"] = std::to_string(request.lasts_s);
    query["X-Amz-SignedHeaders"] = "host";
    const auto text = query_string(query);
    const auto canonical = request.method + "\n" + request.base.prefix + request.path + "\n" +
                           text.substr(1) + "\nhost:" + request.base.authority() + "\n\nhost\n" +
                           request.payload;
    auto signing = wire::hmac_sha256("AWS4" + key.secret, day);
    for (const auto& part : {request.region, request.service, last}) {
        signing = wire::hmac_sha256(signing, part);
    }
    const auto signature = wire::hmac_sha256_hex(
        signing, algorithm + "\n" + time + "\n" + scope + "\n" + wire::sha256(canonical).str());
    return request.path + text + "&X-Amz-Signature=" + signature;
}

}  // namespace vigil::http
