#pragma once

#include <unistd.h>
#include <utility>

namespace vigil::worker {

/// A file descriptor that is closed with this.
class OwnDescriptor {
  public:
    explicit OwnDescriptor(int fd = -1) : fd_(fd) {}
    OwnDescriptor(OwnDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~OwnDescriptor() { close(); }
    int get() const { return fd_; }
    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

  private:
    int fd_;
};

}  // namespace vigil::worker
