#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace vigil::text {
class ReadBudget;
}

namespace vigil::wire {

/// Draws what a document holds from a budget, where there is one.
class JsonBill {
  public:
    explicit JsonBill(text::ReadBudget* budget) : budget_(budget) {}

    /// @param to  how many bytes of the text
    void text_read(std::size_t to);
    void value(const nlohmann::json& value);
    void member(const std::string& key);
    /// Makes room for one more.
    void element(nlohmann::json& array);

  private:
    text::ReadBudget* budget_;
    std::size_t read_ = 0;
};

}  // namespace vigil::wire
