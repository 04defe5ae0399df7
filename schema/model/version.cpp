#include "schema/model/version.hpp"

namespace vigil {

std::string_view program_version() {
    return VIGIL_VERSION;
}

}  // namespace vigil
