#include "worker/bench/arguments/paper_names.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "worker/bench/arguments/arguments.hpp"

using namespace vigil_bench;

namespace {

Arguments parsed(const char* model) {
    const char* const values[] = {"vigil-bench", "--model", model};
    Arguments arguments;
    parse_arguments(3, values, arguments);
    return arguments;
}

}  // namespace

TEST_CASE("The paper has 84 names, each with a model or a reason", "[bench][names]") {
    std::set<std::string> names;
    for (const auto& row : paper_names()) {
        CAPTURE(row.paper);
        CHECK(names.insert(row.paper).second);
        CHECK((!row.model.empty() || !row.why.empty()));
        if (row.names_another) CHECK(row.model != row.paper);
    }
    CHECK(names.size() == 84);
    CHECK(paper_names().front().paper == "alexnet");
    CHECK(paper_names().back().paper == "maml_omniglot");
}

TEST_CASE("A name of the paper stands for its model and stays the series' name", "[bench][names]") {
    const auto arguments = parsed("timm_efficientnet");
    CHECK(arguments.model == "efficientnet_b0");
    CHECK(arguments.called == "timm_efficientnet");
}

TEST_CASE(
    "A name that is its model's, another model's or nobody's stays itself", "[bench][names]") {
    for (const auto* name : {"resnet18", "yolov3", "timm_efficientdet", "resnet19"}) {
        CAPTURE(name);
        CHECK(parsed(name).model == name);
        CHECK(parsed(name).called.empty());
    }
}
