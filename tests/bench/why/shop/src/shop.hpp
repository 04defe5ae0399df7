#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

// A program of many small parts, each of which can be made slower in a way of its own.

namespace shop {

using Words = std::vector<std::string>;

struct WordHash {
    std::size_t operator()(const std::string& word) const;
};
using Counts = std::unordered_map<std::string, std::uint32_t, WordHash>;

// words.cpp
Words split(const std::string& text);
std::string longest(const Words& words);
Counts count(const Words& words);

// index.cpp
class Index {
  public:
    explicit Index(const Words& words);
    bool has(const std::string& word) const;

  private:
    std::vector<std::string> words_;
};
void order(Words& words);

// queue.cpp
class Queue {
  public:
    void push(std::uint32_t value);
    std::uint32_t pop();

  private:
    std::deque<std::uint32_t> values_;
};
std::uint32_t drain(std::uint32_t count);

// shapes.cpp
struct Shape {
    double width = 0;
    double height = 0;
    int kind = 0;
};
double total_area(const std::vector<Shape>& shapes);

// paths.cpp
std::uint64_t paths(int width, int height);
std::uint32_t scramble(const std::vector<std::uint32_t>& values);

// text.cpp
std::string join(const std::vector<std::uint32_t>& values);
std::uint32_t sum_of(const Words& fields);

// records.cpp
struct Record {
    std::uint32_t key = 0;
    std::shared_ptr<std::vector<std::uint32_t>> values;
};
std::vector<Record> read_records(std::uint32_t count);
std::uint64_t checksum(const std::vector<Record>& records);
std::uint32_t encode(const std::string& text);

}  // namespace shop
