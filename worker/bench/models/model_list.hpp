#pragma once

#include <string>
#include <vector>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/zoo.hpp"

// What --list says.

namespace vigil_bench {

/// Every model with its domain, number of parameters and default batches. As text: one a line, with
/// the published numbers. As JSON: one object, with the parameters counted in the model itself,
/// which builds them all, one after the other. Of the paper: its names, one a line of JSON.
std::string model_list(ListFormat format);

/// The domain of the models that go through the table of operators.
constexpr const char* home_made_domain = "operators";

/// The domain of a model: of the zoo its folder, of a file "file"; empty: it is unknown.
std::string domain_of(const std::string& model);

/// Whether the model goes through the table of operators.
bool is_home_made(const std::string& model);

/// These models, with their parameters counted. Beside them (models.cpp), because what only prints
/// a list need not compile LibTorch's headers.
std::vector<ZooModel> home_made_models();

}  // namespace vigil_bench
