#pragma once

namespace vigil_bench {

/// While it lives and is on, LibTorch chooses bfloat16 for the CPU's operators that gain by it.
class Autocast {
  public:
    explicit Autocast(bool is_on);
    ~Autocast();
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;

  private:
    bool is_on_;
};

/// While it lives, autocast keeps no converted weights: a trace must hold their conversion.
class NoAutocastCache {
  public:
    NoAutocastCache();
    ~NoAutocastCache();
    NoAutocastCache(const NoAutocastCache&) = delete;
    NoAutocastCache& operator=(const NoAutocastCache&) = delete;

  private:
    bool was_on_;
};

}  // namespace vigil_bench
