"""Programs for tests of why a commit is slower: the value of a commit is the work of a function in
a file of its own, the memory that it asks for, or both."""

from toy import Toy

MAIN = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
long mix(void);
double told(void);
int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    srand((unsigned)(now.tv_nsec ^ getpid()));
    long sum = mix();
    if (getenv("VIGIL_PROFILE_S"))
        for (int waits = 0; waits < 6000 && access(HOLD, F_OK) == 0; ++waits) usleep(100000);
    for (int i = 0; i < 5; ++i)
        printf("%.3f\\n", told() * (1 + 0.004 * (rand() / (double)RAND_MAX - 0.5)));
    return sum == 42;
}
"""
MIX = """long mix(void) {
    long sum = 1;
    for (long i = 0; i < %(value)d * 10000L; ++i) sum = (sum * 31 + i) ^ (sum >> 3);
    return sum;
}
double told(void) { return %(value)d; }
"""


class Mixing(Toy):
    """A program of two files whose work is the value."""
    source, printed = MIX, {"printed": "cpu_time_ns", "unit": "us"}
    main = MAIN

    def __init__(self, folder, values, hold="/nowhere"):
        """@param hold  a file: while it is there, a profile does not end (in ten minutes)"""
        self.hold = hold
        super().__init__(folder, values)

    def _commit(self, subject, value, broken, number):
        (self.folder / "main.c").write_text(self.main)
        (self.folder / "mix.c").write_text(self.source % {"value": value})
        (self.folder / "notes.txt").write_text(f"{subject}\n")
        (self.folder / "build.sh").write_text(
            "set -e\nmkdir -p out\n"
            f"cc -O1 -g -DHOLD='\"{self.hold}\"' -o out/bench main.c mix.c\n")
        self._git("add", "-A")
        self._git("commit", "-q", "-m", subject, at=self.start_s + number)
        return self._git("rev-parse", "HEAD").strip()


KEEP = """#include <stdlib.h>
#include <string.h>
static char *more(long size) { return memset(malloc(size), 1, size); }
long mix(void) {
    char *kept = more(%(value)d * 10000L);
    long sum = kept[7];
    free(kept);
    return sum;
}
double told(void) { return %(value)d; }
"""


class Keeping(Mixing):
    """The same of memory that a function asks for."""
    source, printed = KEEP, {"printed": "peak_alloc_bytes", "unit": "KiB"}


BOTH = KEEP.replace("long sum = kept[7];", """long sum = kept[7];
    for (long i = 0; i < %(value)d * 10000L; ++i) sum = (sum * 31 + i) ^ (sum >> 3);""")
PRINT = """    printf("{\\"vigil_bench\\":1,\\"outcome\\":\\"passed\\",");
    printf("\\"info\\":{},\\"samples\\":{");
    for (int metric = 0; metric < 2; ++metric) {
        printf(metric ? "],\\"peak_alloc_bytes\\":[" : "\\"cpu_time_ns\\":[");
        for (int i = 0; i < 5; ++i)
            printf(i ? ",%.3f" : "%.3f",
                   1000 * told() * (1 + 0.004 * (rand() / (double)RAND_MAX - 0.5)));
    }
    printf("]}}\\n");
"""


class Doing(Mixing):
    """A program of which both grow, its work and its memory."""
    source, printed = BOTH, None
    main = MAIN[:MAIN.index("    for (int i")] + PRINT + MAIN[MAIN.index("    return sum"):]


class Working(Mixing):
    """Work enough for samples."""
    source = MIX.replace("10000L", "400000L")
