#include "worker/bench/models/package_model.hpp"

#include <torch/version.h>

#include "worker/bench/models/random_inputs.hpp"
#include "worker/bench/models/subject.hpp"

// From 2.6 on LibTorch loads packages by itself; 2.5 has the header, but another way to run one.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
#define VIGIL_BENCH_PACKAGES 1
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#endif

namespace vigil_bench {

#ifdef VIGIL_BENCH_PACKAGES

namespace {

using Loader = torch::inductor::AOTIModelPackageLoader;

class PackageModel final : public LoadedModel {
  public:
    PackageModel(std::unique_ptr<Loader> loader, std::vector<InputShape> shapes)
        : loader_(std::move(loader)), shapes_(std::move(shapes)) {}

    Tensors make_inputs(std::int64_t batch) const override { return random_inputs(shapes_, batch); }
    Tensors answer(const Tensors& inputs) override { return loader_->run(inputs); }

    at::Tensor loss(const Tensors&) override {
        throw UnsupportedError("a package cannot be trained");
    }
    void convert(at::ScalarType) override {
        throw UnsupportedError("a package has the precision that it was compiled for");
    }
    void move_to(c10::Device) override {}  // it is where it was compiled for
    void set_training(bool) override {}
    std::vector<NamedTensor> named_parameters() const override { return {}; }
    Reference reference() const override { return Reference::none; }

  private:
    std::unique_ptr<Loader> loader_;
    std::vector<InputShape> shapes_;
};

std::unique_ptr<Loader> load(const std::string& path) {
    check_model_file(path);
    try {
        return std::make_unique<Loader>(path);
    } catch (const std::exception& why) {
        if (is_out_of_memory(why)) throw;
        refuse_model_file(path, "is no AOTInductor package that can be loaded: " + message_of(why));
    }
}

}  // namespace

std::string why_no_packages() {
    return "";
}

ModelMaker package_model_maker(const std::string& path, const std::vector<InputShape>& inputs) {
    return [path, inputs] { return std::make_unique<PackageModel>(load(path), inputs); };
}

#else

std::string why_no_packages() {
    return std::string("--backend aoti: LibTorch ") + TORCH_VERSION +
           " cannot load AOTInductor packages; 2.6 and later can";
}

ModelMaker package_model_maker(const std::string&, const std::vector<InputShape>&) {
    throw UnsupportedError(why_no_packages());
}

#endif

}  // namespace vigil_bench
