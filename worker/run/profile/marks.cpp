#include "worker/run/profile/marks.hpp"

namespace vigil::worker {

namespace {

/// Listens on the FIFO $1, and speaks by vgdb, which is $2, to all processes of the prefix $3. One
/// that is blocked does not answer, and is not waited for.
constexpr const char* listen_script = R"(
fifo=$1 vgdb=$2 prefix=$3
shift 3
if mkfifo -m 600 "$fifo"; then
    lines=0
    exec 3<>"$fifo"
    while [ $lines -lt 1000 ] && read -r line <&3; do
        lines=$((lines + 1))
        case $line in
            start) word=on ;;
            stop) word=off ;;
            *) continue ;;
        esac
        for pipe in "$prefix"-from-vgdb-to-*; do
            pid=${pipe#"$prefix"-from-vgdb-to-}
            timeout 2 "$vgdb" --vgdb-prefix="$prefix" --max-invoke-ms=0 --wait=1 \
                --pid="${pid%%-*}" instrumentation $word &
        done
        wait
        echo $lines >"$fifo.followed"
    done </dev/null >/dev/null 2>&1 &
    exec 3>&-
fi
exec "$@"
)";

}  // namespace

std::string vgdb_prefix(const std::filesystem::path& folder) {
    return (folder / "vgdb").string();
}

void listen_to_marks(
    const std::filesystem::path& vgdb, const std::filesystem::path& folder, RunRequest& request) {
    const auto fifo = (folder / "fifo").string();
    const Command listening{
        "/bin/sh", "-c", listen_script, "sh", fifo, vgdb.string(), vgdb_prefix(folder)};
    request.command.insert(request.command.begin(), listening.begin(), listening.end());
    request.environment[profile_fifo_variable] = fifo;
}

}  // namespace vigil::worker
