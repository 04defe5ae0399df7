#pragma once

#include <cstdlib>
#include <fstream>

#include "tests/support/scratch_folder.hpp"
#include "tests/support/tls_side.hpp"

namespace vigil::test {

/// As long as it lives, this process believes a certificate.
class Believed {
  public:
    explicit Believed(const Certificate& certificate) {
        const auto file = folder_ / "authority.pem";
        std::ofstream(file) << certificate.pem();
        ::setenv("SSL_CERT_FILE", file.c_str(), 1);
    }
    ~Believed() { ::unsetenv("SSL_CERT_FILE"); }
    Believed(const Believed&) = delete;
    Believed& operator=(const Believed&) = delete;

  private:
    ScratchFolder folder_;
};

}  // namespace vigil::test
