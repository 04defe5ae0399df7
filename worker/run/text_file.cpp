#include "worker/run/text_file.hpp"

#include <fstream>
#include <iterator>

namespace vigil::worker {

std::string read_text(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace vigil::worker
