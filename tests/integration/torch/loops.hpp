#pragma once

#include <functional>
#include <string>

#include "worker/bench/zoo/network.hpp"

// Models of the zoo computed again by plain loops over doubles, from the published equations. Each
// runs as a model of its own, which fails when the two differ by more than rounding; one whose name
// ends in "_off" is given another problem, so it must.

namespace vigil_bench::zoo::loops {

/// A field [x,y,z], or a line or plane of it, read by numbers of cells.
class Field {
  public:
    explicit Field(const Tensor& tensor) : tensor_(tensor.to(torch::kDouble).contiguous()) {}

    double operator()(std::int64_t i) const { return at(i); }
    double operator()(std::int64_t i, std::int64_t j) const { return at(i * size(1) + j); }
    double operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return at((i * size(1) + j) * size(2) + k);
    }
    std::int64_t size(std::int64_t dim) const { return tensor_.size(dim); }

  private:
    double at(std::int64_t flat) const { return tensor_.data_ptr<double>()[flat]; }

    Tensor tensor_;
};

struct Grid {
    explicit Grid(const Tensors& in)
        : dxt(in[0]),
          dxu(in[1]),
          dyt(in[2]),
          dyu(in[3]),
          cost(in[4]),
          cosu(in[5]),
          dzt(in[6]),
          dzw(in[7]),
          zt(in[8]),
          t(in[9]),
          u(in[10]),
          v(in[11]),
          w(in[12]) {}

    Field dxt, dxu, dyt, dyu, cost, cosu, dzt, dzw, zt, t, u, v, w;
};

using Value = std::function<double(std::int64_t, std::int64_t, std::int64_t)>;

/// A tensor [x,y,z] of these sizes.
Tensor filled(const std::vector<std::int64_t>& sizes, const Value& value);

/// A new one of the zoo.
std::shared_ptr<Network> model(const std::string& name);

/// The first 24 x 24 columns of a grid's inputs and fields, in double: loops over all of them take
/// long, and nothing more is learned.
Tensors corner(const Tensors& inputs);

/// @param actual  by batch
/// @throws std::runtime_error where they differ by more than 1e-9 of the loops'
void compare(const Tensors& actual, const Tensors& loops);

template <typename Loops>
struct Ocean : Network {
    explicit Ocean(const char* published_) : published(published_) {}

    Tensors make_inputs(std::int64_t batch) const override {
        return model(published)->make_inputs(batch);
    }

    Tensors answer(const Tensors& inputs) override {
        const Tensors some = corner(inputs);
        const Tensors answers = model(published)->answer(some);
        compare(answers, Loops(changed(some)).answer());
        return answers;
    }

    virtual Tensors changed(const Tensors& inputs) const { return inputs; }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }

    const char* published;
};

/// A model without weights and training, in the domain of models made for tests.
template <typename Model>
struct RegisteredLoops : Registered<Model> {
    RegisteredLoops(const char* name, std::int64_t batch)
        : Registered<Model>({name, "broken", "", 0, "", batch, 0}) {}
};

}  // namespace vigil_bench::zoo::loops
