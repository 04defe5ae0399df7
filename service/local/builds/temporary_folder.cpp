#include "service/local/builds/temporary_folder.hpp"

#include <cstdlib>

#include "schema/model/error.hpp"

namespace vigil::local {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
    std::string name = (fs::temp_directory_path() / (prefix + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw Error(Errc::unavailable, "making a temporary folder " + name);
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace vigil::local
