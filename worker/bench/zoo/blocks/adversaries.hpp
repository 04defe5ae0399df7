#pragma once

#include <ATen/autocast_mode.h>

#include "worker/bench/zoo/network.hpp"

// What networks share that are trained against each other.

namespace vigil_bench::zoo {

/// While it lives, nothing is kept for gradients. Autocast keeps the weights that it converts;
/// those of this time would have no gradient later, so they are forgotten at its end.
class WithoutGradients {
  public:
    WithoutGradients() = default;
    ~WithoutGradients() { at::autocast::clear_cache(); }
    WithoutGradients(const WithoutGradients&) = delete;
    WithoutGradients& operator=(const WithoutGradients&) = delete;

  private:
    torch::NoGradGuard no_grad_;
};

/// While it lives, the module's parameters need no gradient: what is computed then trains only
/// what lies before the module.
class Frozen {
  public:
    explicit Frozen(nn::Module& module) : module_(module) { set(false); }
    ~Frozen() { set(true); }
    Frozen(const Frozen&) = delete;
    Frozen& operator=(const Frozen&) = delete;

  private:
    void set(bool needed) {
        for (auto& parameter : module_.parameters()) parameter.requires_grad_(needed);
    }

    nn::Module& module_;
};

nn::Functional leaky();

/// Binary cross entropy of scores that should all say "real", or all "made".
Tensor says_real(const Tensor& scores);
Tensor says_made(const Tensor& scores);

struct Chosen {
    Tensor action;
    Tensor log_probability;
};

/// An actor's Gaussian choice, squashed by tanh.
Chosen squashed(const Tensor& mean, const Tensor& log_deviation, const Tensor& noise);

/// Mean squares of scores from 1 or from 0 (least-squares GAN).
Tensor near_one(const Tensor& scores);
Tensor near_zero(const Tensor& scores);

}  // namespace vigil_bench::zoo
