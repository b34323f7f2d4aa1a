/* Lets a program wait for its disk as for a poor memory card: each sync takes SLOW_DISK_MS longer.
 *
 *   gcc -shared -fPIC -o slow_disk.so slow_disk.c -ldl
 *   SLOW_DISK_MS=30 LD_PRELOAD=./slow_disk.so PROGRAM */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void)
{
    const char *set = getenv("SLOW_DISK_MS");
    long ms = set ? atol(set) : 0;
    struct timespec span = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&span, NULL);
}

int fdatasync(int file)
{
    static int (*real)(int);
    if (!real) {
        real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    }
    wait_for_disk();
    return real(file);
}

int fsync(int file)
{
    static int (*real)(int);
    if (!real) {
        real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    }
    wait_for_disk();
    return real(file);
}
