#include "service/cli/common/input.hpp"

#include <filesystem>
#include <fstream>

#include "schema/model/error.hpp"

namespace vigil::cli {

std::string read_input(
    const std::string& file,
    const std::string& name,
    const Surroundings& world,
    std::size_t most_bytes) {
    std::ifstream opened;
    if (file != "-") opened.open(file, std::ios::binary);
    std::istream& in = file == "-" ? *world.in : opened;
    if (!in) throw Error(Errc::not_found, "cannot open " + name);
    std::string text;
    std::string piece(std::size_t{1} << 20, '\0');
    while (in && text.size() <= most_bytes) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) throw Error(Errc::not_found, "reading " + name + " failed");
    return text;
}

std::string read_rules(const std::string& file, const Surroundings& world) {
    constexpr std::size_t most_bytes = std::size_t{1} << 20;
    auto text = read_input(file, "the --rules file " + file, world, most_bytes);
    if (text.size() <= most_bytes) return text;
    throw Error(Errc::invalid_argument, "the --rules file " + file + " is larger than 1 MiB");
}

std::string base_name(const std::string& file) {
    return std::filesystem::path(file).filename().string();
}

ExitCode talk_over_stdio(
    const Surroundings& world, const std::function<std::string(const std::string&)>& answer) {
    std::string line;
    while (std::getline(*world.in, line)) {
        if (line.empty()) continue;
        const std::string said = answer(line);
        if (!said.empty()) *world.out << said << "\n" << std::flush;
    }
    return ExitCode::ok;
}

}  // namespace vigil::cli
