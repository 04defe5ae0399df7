#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/error.hpp"

// Values as bytes, from one process of this machine to another. A type of one's own says its
// members once, in `template <class Io> void fields(Io& io, T& value) { io(value.a, value.b); }`
// beside it.

namespace vigil::wire {

class Packer {
  public:
    template <class... Values>
    void operator()(const Values&... values) {
        (put(values), ...);
    }
    std::string take() { return std::move(bytes_); }

  private:
    void put_raw(std::uint64_t number) {
        const auto raw = std::bit_cast<std::array<char, 8>>(number);
        bytes_.append(raw.data(), raw.size());
    }
    template <std::integral Value>
    void put(Value value) {
        put_raw(static_cast<std::uint64_t>(value));
    }
    template <NamedEnum Value>
    void put(Value value) {
        put_raw(static_cast<std::uint64_t>(value));
    }
    void put(double value) { put_raw(std::bit_cast<std::uint64_t>(value)); }
    void put(const std::string& text) {
        put_raw(text.size());
        bytes_ += text;
    }
    template <class Value>
    void put(const std::optional<Value>& value) {
        put_raw(value.has_value() ? 1 : 0);
        if (value) put(*value);
    }
    template <class Value>
    void put(const std::vector<Value>& values) {
        put_raw(values.size());
        for (const auto& one : values) put(one);
    }
    template <class Key, class Value>
    void put(const std::map<Key, Value>& values) {
        put_raw(values.size());
        for (const auto& [key, value] : values) {
            put(key);
            put(value);
        }
    }
    template <class Value>
    requires std::is_class_v<Value>
    void put(const Value& value) { fields(*this, const_cast<Value&>(value)); }

    std::string bytes_;
};

/// Reads what a Packer wrote, and believes nothing: the other process may have been taken over.
class Unpacker {
  public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

    /// @throws Error{unavailable} when the bytes are not of these values
    template <class... Values>
    void operator()(Values&... values) {
        (get(values), ...);
    }

  private:
    void check(bool is_sound) const {
        if (!is_sound) throw Error(Errc::unavailable, "what was read came back broken");
    }
    std::uint64_t get_raw() {
        std::array<char, 8> raw{};
        check(bytes_.size() >= raw.size());
        bytes_.copy(raw.data(), raw.size());
        bytes_.remove_prefix(raw.size());
        return std::bit_cast<std::uint64_t>(raw);
    }
    /// Of things that have 8 bytes or more each.
    std::size_t get_count() {
        const auto count = get_raw();
        check(count <= bytes_.size() / 8);
        return count;
    }
    template <std::integral Value>
    void get(Value& value) {
        const auto raw = get_raw();
        value = static_cast<Value>(raw);
        check(static_cast<std::uint64_t>(value) == raw);
    }
    template <NamedEnum Value>
    void get(Value& value) {
        const auto raw = get_raw();
        check(raw < enum_names<Value>.size());
        value = static_cast<Value>(raw);
    }
    void get(double& value) { value = std::bit_cast<double>(get_raw()); }
    void get(std::string& text) {
        const auto size = get_raw();
        check(size <= bytes_.size());
        text = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
    }
    template <class Value>
    void get(std::optional<Value>& value) {
        if (get_raw() == 0) {
            value.reset();
        } else {
            get(value.emplace());
        }
    }
    template <class Value>
    void get(std::vector<Value>& values) {
        values.clear();
        for (auto count = get_count(); count > 0; --count) get(values.emplace_back());
    }
    template <class Key, class Value>
    void get(std::map<Key, Value>& values) {
        values.clear();
        for (auto count = get_count(); count > 0; --count) {
            Key key{};
            get(key);
            get(values[std::move(key)]);
        }
    }
    template <class Value>
    requires std::is_class_v<Value>
    void get(Value& value) { fields(*this, value); }

    std::string_view bytes_;
};

template <class Value>
std::string packed(const Value& value) {
    Packer packer;
    packer(value);
    return packer.take();
}

/// @throws Error{unavailable} when the bytes are not of such a value
template <class Value>
Value unpacked(std::string_view bytes) {
    Value value{};
    Unpacker reader(bytes);
    reader(value);
    return value;
}

}  // namespace vigil::wire
