#pragma once

#include <vector>

#include "tests/support/hostile_texts.hpp"

namespace vigil::test {

/// A file of each format as its program writes it, of about so many bytes.
std::vector<HostileText> usual_files();

}  // namespace vigil::test
