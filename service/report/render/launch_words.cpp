#include "service/report/render/launch_words.hpp"

#include <fmt/format.h>

#include "schema/text/escape.hpp"

namespace vigil::service {

namespace {

constexpr const char* preload_lines =
    "preload() { for name in \"$@\"; do for folder in /usr/local/lib /usr/lib/*-linux-gnu "
    "/usr/lib64 /usr/lib; do\n"
    "  if [ -e \"$folder/$name\" ]; then loaded=\"${loaded:+$loaded:}$folder/$name\"; return; fi; "
    "done; done; false; }\n";

std::string export_line(const std::string& name, const std::string& word) {
    return fmt::format("export {}={}\n", name, word);
}

/// A profile in the words of the other keys; its cores are those of the reader's machine.
Launch written_out(const Launch& launch) {
    if (launch.profile == LaunchProfile::none) return launch;
    Launch written;
    written.profile = launch.profile;
    written.cores = "0";
    written.numa_memory = 0;
    written.allocator = Allocator::jemalloc;
    written.openmp.threads = 1;
    written.openmp.affinity = "granularity=fine,compact,1,0";
    written.openmp.blocktime_ms = 1;
    return written;
}

class Writing {
  public:
    explicit Writing(const Launch& launch) : launch_(launch) {}

    LaunchWords write() {
        use_cores();
        use_openmp();
        if (launch_.numa_memory) {
            words_.lines +=
                "command -v numactl >/dev/null || { echo \"numactl is not here: apt-get install "
                "numactl\" >&2; exit 3; }\n";
            words_.prefix += fmt::format("numactl --membind={} ", *launch_.numa_memory);
        }
        use_libraries();
        return words_;
    }

  private:
    void use_cores() {
        if (launch_.cores.empty()) return;
        if (launch_.profile == LaunchProfile::xeon_socket) {
            words_.lines += "cores=$(lscpu | sed -n 's/^Core(s) per socket: *//p')\n";
            words_.prefix += "taskset -c \"0-$((cores - 1))\" ";
        } else {
            words_.prefix += fmt::format("taskset -c {} ", text::shell_word(launch_.cores));
        }
    }

    void use_openmp() {
        const auto& openmp = launch_.openmp;
        const bool all = launch_.profile == LaunchProfile::xeon_socket;
        auto& lines = words_.lines;
        if (openmp.threads > 0) {
            const auto threads = std::to_string(openmp.threads);
            lines += export_line("OMP_NUM_THREADS", all ? "\"$cores\"" : threads);
        }
        if (!openmp.affinity.empty()) {
            lines += export_line("KMP_AFFINITY", text::shell_word(openmp.affinity));
        }
        if (openmp.blocktime_ms) {
            lines += export_line("KMP_BLOCKTIME", std::to_string(*openmp.blocktime_ms));
        }
    }

    void preload(const std::string& names, const std::string& otherwise) {
        if (words_.prefix.find("LD_PRELOAD") == std::string::npos) {
            words_.lines += std::string(preload_lines) + "loaded=\n";
            words_.prefix += "env LD_PRELOAD=\"$loaded${LD_PRELOAD:+:$LD_PRELOAD}\" ";
        }
        words_.lines += fmt::format("preload {} || {}\n", names, otherwise);
    }

    static std::string refusal(const std::string& name, const std::string& package) {
        return fmt::format(
            "{{ echo \"{} is not here: apt-get install {}\" >&2; exit 3; }}", name, package);
    }

    void use_libraries() {
        if (launch_.allocator == Allocator::jemalloc) {
            words_.lines += export_line("MALLOC_CONF", dashboard_malloc);
            preload("libjemalloc.so.2", refusal("jemalloc", "libjemalloc2"));
        }
        if (launch_.allocator == Allocator::tcmalloc) {
            preload(
                "libtcmalloc.so.4 libtcmalloc_minimal.so.4",
                refusal("tcmalloc", "libtcmalloc-minimal4"));
        }
        const bool profile = launch_.profile != LaunchProfile::none;  // takes it where it is there
        if (profile || launch_.openmp.library == OpenMpLibrary::intel) {
            preload(
                "libiomp5.so libomp.so.5", profile ? "true" : refusal("Intel's OpenMP", "libomp5"));
        }
    }

    const Launch& launch_;
    LaunchWords words_;
};

}  // namespace

LaunchWords launch_words(const std::optional<Launch>& launch) {
    if (!launch) return {};
    const auto written = written_out(*launch);
    return Writing(written).write();
}

}  // namespace vigil::service
