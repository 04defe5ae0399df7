#include "service/cli/common/input.hpp"

#include "schema/model/error.hpp"

namespace vigil::cli {

std::string read_whole(std::istream& in, const std::string& name, std::size_t most_bytes) {
    std::string text;
    std::string piece(std::size_t{1} << 20, '\0');
    while (in && text.size() <= most_bytes) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) throw Error(Errc::not_found, "reading " + name + " failed");
    return text;
}

}  // namespace vigil::cli
