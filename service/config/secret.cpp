#include "service/config/secret.hpp"

#include <fstream>
#include <iterator>

#include "schema/model/error.hpp"

namespace vigil::service {

std::string read_secret_file(const std::string& file, const std::string& whose) {
    if (file.empty()) return "";
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(Errc::unavailable, "reading " + whose + ": cannot open " + file);
    std::string secret{std::istreambuf_iterator<char>(in), {}};
    while (!secret.empty() &&
           (secret.back() == '\n' || secret.back() == '\r' || secret.back() == ' ')) {
        secret.pop_back();
    }
    if (secret.empty()) {
        throw Error(Errc::unavailable, "reading " + whose + ": " + file + " is empty");
    }
    return secret;
}

}  // namespace vigil::service
