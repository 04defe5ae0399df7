// Writes TorchScript files that the tests of vigil-bench need. usage: make_scripts FOLDER

#include <iostream>

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/jit/api/module.h>

namespace {

torch::jit::Module module_of(const std::string& forward) {
    torch::jit::Module module("Net");
    module.register_attribute("training", c10::BoolType::get(), true);
    module.register_parameter("weight", at::randn({4, 8}).set_requires_grad(true), false);
    if (forward.find("self.scale") != forward.npos) {
        module.register_parameter("scale", at::ones({8}).set_requires_grad(true), false);
    }
    if (forward.find("self.gradients") != forward.npos) {
        c10::List<at::Tensor> gradients;
        for (int i = 0; i < 64; ++i) gradients.push_back(at::ones({8}));
        module.register_attribute("gradients", c10::ListType::ofTensors(), gradients);
    }
    module.register_attribute("calls", c10::IntType::get(), 0);
    module.define(forward);
    return module;
}

struct Script {
    const char* name;
    const char* forward;
};

constexpr Script scripts[] = {
    {"linear", "def forward(self, x):\n  return torch.linear(x, self.weight)\n"},
    {"two_inputs",
     "def forward(self, ids, x):\n"
     "  return {'rows': self.weight[ids % 4].sum(1)}, [torch.linear(x, self.weight), x]\n"},
    {"float_only",
     "def forward(self, x):\n"
     "  return torch.mm(x, torch.ones([8, 4], dtype=6)) + torch.linear(x, self.weight)\n"},
    {"channels_last",
     "def forward(self, x):\n  assert x.stride(1) == 1, 'the colours of a point lie apart'\n"
     "  return x * self.weight.sum()\n"},
    {"of_four", "def forward(self, x):\n  assert x.size(0) == 4, 'four rows'\n  return x + 1\n"},
    {"normed",
     "def forward(self, x):\n  return torch.layer_norm(x, [8], self.scale, self.scale) ** 2\n"},
    {"transposed",
     "def forward(self, x):\n"
     "  return torch.conv_transpose2d(x, torch.ones([8, 3, 4, 4], dtype=x.dtype))\n"},
    {"endless",
     "def forward(self, x):\n  while bool((x == x).all()):\n    x = x * 1.0\n  return x\n"},
    {"endless_with_five",
     "def forward(self, x):\n  while x.size(0) == 5:\n    x = x * 1.0\n"
     "  return torch.linear(x, self.weight)\n"},
    {"hungry", "def forward(self, x):\n  return x.sum() + torch.ones([1 << 40])\n"},
    {"raises", "def forward(self, x):\n  assert False, 'the script gave up'\n  return x\n"},
    {"no_tensor", "def forward(self, x):\n  return 1\n"},
    {"random",
     "def forward(self, x):\n"
     "  x = torch.dropout(x, 0.5, True) + torch.native_dropout(x, 0.25, True)[0]\n"
     "  x = x + torch.rand_like(x) + torch.randn_like(x) + torch.bernoulli(torch.sigmoid(x))\n"
     "  return torch.linear(x, self.weight) * torch.empty_like(x).exponential_().sum()\n"},
    {"random_otherwise",
     "def forward(self, x):\n"
     "  if x.dtype == 7:\n    x = x + 0 * torch.rand([1])\n"
     "  return torch.linear(x, self.weight) * torch.rand_like(x).sum()\n"},
    {"zeroing",
     "def forward(self, x):\n"
     "  for gradient in self.gradients:\n    gradient.zero_()\n"
     "  return torch.linear(x, self.weight)\n"},
    {"counting",
     "def forward(self, x):\n"
     "  self.calls = self.calls + 1\n  return torch.linear(x, self.weight) * self.calls\n"},
    {"unlike", "def forward(self, x):\n  return torch.linear(x, self.weight).log()\n"},
};

}  // namespace

int main(int count, char** values) {
    if (count != 2) {
        std::cerr << "usage: make_scripts FOLDER\n";
        return 2;
    }
    const std::string folder = values[1];
    for (const auto& [name, forward] : scripts) {
        module_of(forward).save(folder + "/" + name + ".pt");
    }
    torch::jit::Module empty("Net");
    empty.save(folder + "/no_forward.pt");
    return 0;
}
