/* Preloaded into a process: lets what it writes below a directory fail, from a given call on.
 *
 * FAULT_CONTROL names a file that every process maps: it counts the calls of all of them, and says
 * which one fails, with which error, and whether all later ones do. tests/faults.py writes it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
    uint64_t count;     /* calls so far */
    uint64_t beside;    /* those of them on no file below `spared` */
    uint64_t first;     /* the call that fails; 0: none does */
    uint64_t failed;    /* calls that failed */
    int32_t is_armed;   /* whether calls are counted at all */
    int32_t error;
    int32_t is_lasting; /* whether all later calls fail, too */
    int32_t is_sparing; /* whether files below `spared` are left alone */
    char directory[1024];
    char spared[1024];
};

static struct control *control;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("FAULT_CONTROL");
    int file = name == NULL ? -1 : open(name, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        control = mapped;
}

static int is_below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return length > 0 && strncmp(path, directory, length) == 0 && path[length] == '/';
}

static int fails(const char *path) {
    if (!is_below(path, control->directory))
        return 0;
    uint64_t call = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
    if (!is_below(path, control->spared)) {
        uint64_t beside = __atomic_add_fetch(&control->beside, 1, __ATOMIC_SEQ_CST);
        call = control->is_sparing ? beside : call;
    } else if (control->is_sparing) {
        return 0;
    }
    if (control->first == 0 || call < control->first)
        return 0;
    if (call > control->first && !control->is_lasting)
        return 0;
    __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
    errno = control->error;
    return 1;
}

static int file_fails(int file) {
    char name[64], path[4096];
    int before = errno;
    if (control == NULL || !control->is_armed)
        return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    errno = before;
    if (length <= 0)
        return 0;
    path[length] = '\0';
    return fails(path);
}

static int path_fails(const char *path) {
    char absolute[8192];
    if (control == NULL || !control->is_armed)
        return 0;
    if (path[0] == '/')
        return fails(path);
    int before = errno;
    char *here = get_current_dir_name();
    snprintf(absolute, sizeof absolute, "%s/%s", here == NULL ? "" : here, path);
    free(here);
    errno = before;
    return fails(absolute);
}

#define ORIGINAL(name) \
    static __typeof__(name) *original; \
    if (original == NULL) \
        original = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define OF_FILE(result, name, file, parameters, arguments) \
    result name parameters { \
        ORIGINAL(name); \
        return file_fails(file) ? -1 : original arguments; \
    }

OF_FILE(ssize_t, write, f, (int f, const void *b, size_t n), (f, b, n))
OF_FILE(ssize_t, pwrite, f, (int f, const void *b, size_t n, off_t o), (f, b, n, o))
OF_FILE(ssize_t, pwrite64, f, (int f, const void *b, size_t n, off64_t o), (f, b, n, o))
OF_FILE(ssize_t, writev, f, (int f, const struct iovec *v, int n), (f, v, n))
OF_FILE(ssize_t, pwritev, f, (int f, const struct iovec *v, int n, off_t o), (f, v, n, o))
OF_FILE(int, fsync, f, (int f), (f))
OF_FILE(int, fdatasync, f, (int f), (f))
OF_FILE(int, ftruncate, f, (int f, off_t n), (f, n))
OF_FILE(int, ftruncate64, f, (int f, off64_t n), (f, n))

/* As <sys/sendfile.h> has them, which gives two of them one name. */
ssize_t sendfile(int to, int from, off_t *at, size_t n);
ssize_t sendfile64(int to, int from, off64_t *at, size_t n);
OF_FILE(ssize_t, sendfile, to, (int to, int from, off_t *at, size_t n), (to, from, at, n))
OF_FILE(ssize_t, sendfile64, to, (int to, int from, off64_t *at, size_t n), (to, from, at, n))
OF_FILE(ssize_t, copy_file_range, to,
        (int from, off64_t *a, int to, off64_t *b, size_t n, unsigned flags),
        (from, a, to, b, n, flags))

int rename(const char *from, const char *to) {
    ORIGINAL(rename);
    return path_fails(to) ? -1 : original(from, to);
}

int renameat(int here, const char *from, int there, const char *to) {
    ORIGINAL(renameat);
    return path_fails(to) ? -1 : original(here, from, there, to);
}
