/* The clock of a process that goes back: preloaded, it takes BACK_SECONDS from the time of day,
   from AFTER_SECONDS after the first look at it on. Time that only measures is as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t back(time_t now) {
    static time_t first = 0;
    if (first == 0) first = now;
    return now - first >= atoi(getenv("AFTER_SECONDS")) ? atoi(getenv("BACK_SECONDS")) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *) = 0;
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, at);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec -= back(at->tv_sec);
    return status;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return status;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
