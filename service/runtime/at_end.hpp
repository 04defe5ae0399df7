#pragma once

#include <utility>

namespace vigil::service {

/// Does something at the end of its scope, however that comes.
template <class Act>
class AtEnd {
  public:
    /// @param act  throws nothing
    explicit AtEnd(Act act) : act_(std::move(act)) {}
    ~AtEnd() { act_(); }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;

  private:
    Act act_;
};

}  // namespace vigil::service
