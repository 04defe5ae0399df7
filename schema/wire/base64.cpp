#include "schema/wire/base64.hpp"

#include <openssl/evp.h>

namespace vigil::wire {

std::string base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a zero behind it
    EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(out.data()),
        reinterpret_cast<const unsigned char*>(bytes.data()),
        static_cast<int>(bytes.size()));
    out.pop_back();
    return out;
}

std::string base64_url(std::string_view bytes) {
    std::string out = base64(bytes);
    for (char& c : out) {
        if (c == '+') c = '-';
        if (c == '/') c = '_';
    }
    while (out.ends_with('=')) out.pop_back();
    return out;
}

}  // namespace vigil::wire
