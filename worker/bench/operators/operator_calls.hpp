#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

// Single calls of LibTorch's operators, as models make them. Free of LibTorch's headers.

namespace vigil_bench {

/// One operator with the shapes, types and other arguments of a call.
class OperatorCall {
  public:
    virtual ~OperatorCall() = default;

    /// "aten::addmm/f32[64] f32[8x32] f32[32x64]": operator, overload and arguments; at most 200
    /// bytes. The same for equal calls of any model.
    virtual const std::string& name() const = 0;

    /// Makes the inputs, random ones in place of floating-point values; they live as long as what
    /// is returned, which calls the operator once.
    /// @throws std::exception when the operator refuses them
    virtual std::function<void()> prepare() const = 0;
};

using OperatorCalls = std::vector<std::shared_ptr<OperatorCall>>;

/// The calls that `run` makes on the CPU, each once, in the order of their names: of operators
/// below aten:: that have a kernel of their own and read a tensor. Views, which compute nothing,
/// and what is stored in another way than by strides are left out.
OperatorCalls calls_of(const std::function<void()>& run);

}  // namespace vigil_bench
