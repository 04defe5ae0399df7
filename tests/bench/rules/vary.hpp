#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

// The rules of a library by name, so that a bench can vary them. It links a copy of the library
// whose rules are no constants (VIGIL_VARIED_RULES).

namespace vigil::bench {

/// One rule: a number, or several that are varied together.
template <typename Rules>
struct NamedRule {
    std::string name;
    std::function<std::vector<double>(const Rules&)> get;
    std::function<void(Rules&, const std::vector<double>&)> set;
};

/// @param member  a number, an array of them, or detect::Hopeless
template <typename Rules, typename T>
NamedRule<Rules> named_rule(std::string name, T Rules::*member) {
    const auto each = [](auto& value, const auto& use) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
            use(value);
        } else if constexpr (requires { value.begin(); }) {
            for (auto& one : value) use(one);
        } else {
            use(value.at_once);
            use(value.later);
        }
    };
    const auto get = [=](const Rules& rules) {
        std::vector<double> numbers;
        each(rules.*member, [&](const auto& x) { numbers.push_back(static_cast<double>(x)); });
        return numbers;
    };
    const auto set = [=](Rules& rules, const std::vector<double>& numbers) {
        auto from = numbers.begin();
        each(rules.*member, [&](auto& x) {
            using Number = std::remove_cvref_t<decltype(x)>;
            if constexpr (std::is_integral_v<Number>) {
                x = static_cast<Number>(std::max(std::lround(*from++), 1L));
            } else {
                x = *from++;
            }
        });
    };
    return {std::move(name), get, set};
}

/// Half or double of a rule. Of a number between a half and one, what is missing to one is; of
/// shares that are one together, their logarithms are.
inline std::vector<double> varied(std::vector<double> numbers, double factor) {
    const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    const bool shares = numbers.size() > 1 && std::abs(sum - 1) < 0.15;
    const bool near_one = numbers.size() == 1 && sum > 0.5 && sum < 1;
    double now = 0;
    for (double& x : numbers) {
        x = shares ? std::pow(x, factor) : near_one ? 1 - factor * (1 - x) : factor * x;
        now += x;
    }
    for (double& x : numbers) x *= shares ? sum / now : 1;
    return numbers;
}

/// Sets rules by "name=value,name=value".
/// @return whether all are known
template <typename Rules>
bool set_rules(const std::vector<NamedRule<Rules>>& all, const std::string& texts, Rules& rules) {
    std::istringstream stream(texts);
    for (std::string text; std::getline(stream, text, ',');) {
        const auto equal = text.find('=');
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& rule) {
            return rule.name == text.substr(0, equal);
        });
        if (equal == std::string::npos || found == all.end()) return false;
        const double value = std::stod(text.substr(equal + 1));
        found->set(rules, std::vector<double>(found->get(rules).size(), value));
    }
    return true;
}

/// A mean with its standard error.
class Mean {
  public:
    void add(double x) {
        ++count_;
        sum_ += x;
        squares_ += x * x;
    }
    double mean() const { return sum_ / count_; }
    double error() const {
        return std::sqrt(std::max(squares_ / count_ - mean() * mean(), 0.0) / count_);
    }

  private:
    double count_ = 0, sum_ = 0, squares_ = 0;
};

/// "0.98", or "0.5 0.3 0.2".
inline std::string words_of(const std::vector<double>& numbers) {
    std::string words;
    for (const double x : numbers) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%s%.4g", words.empty() ? "" : " ", x);
        words += text.data();
    }
    return words;
}

inline void print_row(const std::string& name, const std::string& value, const std::string& rest) {
    std::printf("| %s | %s | %s\n", name.c_str(), value.c_str(), rest.c_str());
    std::fflush(stdout);
}

}  // namespace vigil::bench
