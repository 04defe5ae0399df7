#pragma once

#include <string>

namespace vigil_bench {

/// The text of --help, without the list of models.
std::string help_text();

}  // namespace vigil_bench
