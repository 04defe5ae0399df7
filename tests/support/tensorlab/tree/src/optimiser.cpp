#include <unordered_map>

#include <tensorlab/check.hpp>
#include <tensorlab/operators.hpp>

namespace tensorlab {

namespace {

/// What the optimiser remembers of a parameter that is trained with momentum.
struct Momentum {
    at::Tensor velocity;
    float decay = 0.9f;
};

std::unordered_map<const void*, Momentum>& momenta() {
    static std::unordered_map<const void*, Momentum> all;
    return all;
}

/// The momentum of a parameter, or null: most are trained without.
const Momentum* find_momentum(const at::Tensor& parameter) {
    const auto found = momenta().find(parameter.data_ptr());
    return found == momenta().end() ? nullptr : &found->second;
}

/// How much of the last step this one repeats.
float decay_of(const at::Tensor& parameter) {
    const Momentum* momentum = find_momentum(parameter);
    return momentum == nullptr ? 0.0f : momentum->decay;
}

}  // namespace

at::Tensor sgd_step(const at::Tensor& parameter, const at::Tensor& gradient, double rate) {
    TORCH_CHECK(parameter.sizes() == gradient.sizes(), "sgd_step: gradient does not fit");
    check_plain(parameter, "sgd_step: parameter");
    const at::Tensor plain = gradient.contiguous();
    const float decay = decay_of(parameter);
    const float step = static_cast<float>(rate);
    float* value = parameter.data_ptr<float>();
    const float* slope = plain.data_ptr<float>();
    const int64_t count = parameter.numel();
    if (decay == 0.0f) {
        for (int64_t i = 0; i < count; ++i) value[i] -= step * slope[i];
        return parameter;
    }
    float* velocity = find_momentum(parameter)->velocity.data_ptr<float>();
    for (int64_t i = 0; i < count; ++i) {
        velocity[i] = decay * velocity[i] + slope[i];
        value[i] -= step * velocity[i];
    }
    return parameter;
}

}  // namespace tensorlab
