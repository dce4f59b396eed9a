// A disk that forgets. Loaded into a server by LD_PRELOAD, it records writes to the database's files until they are
// synced. At a cut it randomly drops, keeps or tears each unsynced page, and kills the process.
//
// Before the first write to a page, its last synced bytes are saved; a sync discards the saved pages. Writes go to the
// file immediately, so that every reader sees them. Reads through mmap need no hook. Only the -shm is written through
// mmap, and a crash makes it worthless anyway.
//
// DISK_FILE     the database; its -wal and -journal are included
// DISK_SEED     the seed of all random choices
// DISK_REPORT   a file to which a line is appended at the cut
// DISK_CUT      the operation, counted from the start, at which the cut happens; 0 for none. SIGUSR1 cuts soon
// DISK_LIES     1: a sync reports success and does nothing
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096
#define SECTOR 512
#define FILES 8
#define DESCRIPTORS 65536

// A page as of its last sync; bytes beyond the end of the file are zero.
struct page {
    off_t number;
    unsigned char *bytes;
};

struct file {
    char path[512];
    dev_t device;
    ino_t inode;
    off_t size;     // as of the last sync
    int is_named;   // whether its name is synced
    int was_there;  // whether a file of this name was unlinked and the unlinking is not synced
    struct page *pages;
    size_t count, room;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t asked;
static struct file files[FILES];
static signed char file_of[DESCRIPTORS]; // index in `files` plus one
static char database[400], folder[400], report[400];
static uint64_t chance, operations, cut_at;
static int lies;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);

static uint64_t below(uint64_t most) {
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % most;
}

static void wrong(const char *what) {
    dprintf(2, "disk.c: %s (%s)\n", what, strerror(errno));
    abort();
}

static int is_ours(const char *path) {
    size_t length = strlen(database);
    if (!length || strncmp(path, database, length))
        return 0;
    const char *rest = path + length;
    return !*rest || !strcmp(rest, "-wal") || !strcmp(rest, "-journal");
}

static struct file *of(int fd) {
    return fd >= 0 && fd < DESCRIPTORS && file_of[fd] ? &files[file_of[fd] - 1] : NULL;
}

static void forget(struct file *file) {
    for (size_t i = 0; i < file->count; i++)
        free(file->pages[i].bytes);
    file->count = 0;
}

// Saves the pages of a range that are not saved yet.
static void keep(struct file *file, off_t from, off_t to) {
    for (off_t number = from / PAGE; number * PAGE < to; number++) {
        size_t i = 0;
        while (i < file->count && file->pages[i].number != number)
            i++;
        if (i < file->count)
            continue;
        if (file->count == file->room) {
            file->room = file->room ? file->room * 2 : 64;
            file->pages = realloc(file->pages, file->room * sizeof(struct page));
        }
        unsigned char *bytes = calloc(1, PAGE);
        if (!file->pages || !bytes)
            wrong("no memory");
        // The caller's descriptor may be write-only.
        int reading = real_open(file->path, O_RDONLY | O_CLOEXEC);
        if (reading < 0 || pread(reading, bytes, PAGE, number * PAGE) < 0)
            wrong("a page cannot be read");
        real_close(reading);
        file->pages[file->count++] = (struct page){number, bytes};
    }
}

// Decides the fate of one page. Returns 0 if it is kept, 1 if it is dropped, 2 if it is torn.
static int lose(int fd, struct page *page, int mood, off_t end) {
    int fate = mood == 0 ? 1 : mood == 1 ? 0 : (int)below(3);
    off_t at = page->number * PAGE;
    if (at >= end)
        return 1;
    if (fate == 0)
        return 0;
    uint64_t whole = below(2), until = below(PAGE / SECTOR);
    for (uint64_t sector = 0; sector < PAGE / SECTOR; sector++) {
        // Torn: either the first sectors are new, or random ones.
        int is_new = fate == 2 && (whole ? sector <= until : below(2));
        off_t place = at + (off_t)sector * SECTOR;
        size_t length = end - place < SECTOR ? (size_t)(end > place ? end - place : 0) : SECTOR;
        if (!is_new && length && real_pwrite(fd, page->bytes + sector * SECTOR, length, place) < 0)
            wrong("a page cannot be put back");
    }
    return fate;
}

// Cuts the power. The caller holds the lock. Never returns.
static void cut(const char *when) {
    size_t fates[3] = {0}, pages = 0;
    int names = 0;
    // Either all unsynced data is lost (0), or all of it is kept (1), or a part.
    int mood = (int)below(6);
    for (struct file *file = files; file < files + FILES && *file->path; file++) {
        if (file->was_there && below(2)) {
            char kept[600];
            snprintf(kept, sizeof kept, "%.511s.unlinked", file->path);
            names += real_rename(kept, file->path) == 0;
            continue;
        }
        int fd = real_open(file->path, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (!file->is_named && below(2)) {
            names += real_unlink(file->path) == 0;
            real_close(fd);
            continue;
        }
        struct stat now;
        if (fstat(fd, &now))
            wrong("no size");
        off_t end = now.st_size;
        if (end < file->size && (mood == 0 || below(2)))
            end = file->size; // the truncation was lost
        else if (end > file->size && mood != 1 && below(2))
            end = file->size + (off_t)below((uint64_t)(end - file->size) / PAGE + 1) * PAGE;
        if (end != now.st_size && real_ftruncate(fd, end))
            wrong("no other size");
        for (size_t i = 0; i < file->count; i++, pages++) {
            int was_cut_off = file->pages[i].number * PAGE >= now.st_size;
            fates[lose(fd, &file->pages[i], was_cut_off ? 0 : mood, end)]++;
        }
        real_close(fd);
    }
    int line = real_open(report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (line < 0 || dprintf(line, "%s %llu %zu %zu %zu %zu %d\n", when, (unsigned long long)operations, pages,
                            fates[0], fates[1], fates[2], names) < 0)
        wrong("no report");
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

// Counts an operation; the cut may happen instead of it.
static void count(void) {
    if (++operations == cut_at)
        cut("operation");
}

static void on_signal(int number) {
    (void)number;
    sem_post(&asked);
}

static void *wait_for_signal(void *nothing) {
    while (sem_wait(&asked) && errno == EINTR) {
    }
    // Cuts during the next writes, if there are any, because between writes nothing unsynced may be left.
    pthread_mutex_lock(&lock);
    cut_at = operations + 1 + below(4);
    pthread_mutex_unlock(&lock);
    usleep(50000);
    pthread_mutex_lock(&lock);
    cut("idle");
    return nothing;
}

static const char *setting(const char *name) {
    return getenv(name) ? getenv(name) : "";
}

__attribute__((constructor)) static void begin(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_open = dlsym(RTLD_NEXT, "open64");
    real_close = dlsym(RTLD_NEXT, "close");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_rename = dlsym(RTLD_NEXT, "rename");
    snprintf(report, sizeof report, "%s", setting("DISK_REPORT"));
    snprintf(database, sizeof database, "%s", setting("DISK_FILE"));
    snprintf(folder, sizeof folder, "%s", database);
    char *slash = strrchr(folder, '/');
    if (!*report || !slash)
        return;
    *slash = 0;
    chance = strtoull(setting("DISK_SEED"), NULL, 10) * 2 + 1;
    cut_at = strtoull(setting("DISK_CUT"), NULL, 10);
    lies = *setting("DISK_LIES") == '1';
    sem_init(&asked, 0, 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_signal, NULL))
        wrong("no thread");
}

static int opened(const char *path, int fd, int was_there) {
    struct stat status;
    if (fd < 0 || fd >= DESCRIPTORS || fstat(fd, &status))
        return fd;
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < FILES && *files[i].path && strcmp(files[i].path, path))
        i++;
    if (i == FILES)
        wrong("too many files");
    struct file *file = &files[i];
    if (!*file->path || file->inode != status.st_ino || file->device != status.st_dev) { // was_there is kept
        forget(file);
        snprintf(file->path, sizeof file->path, "%s", path);
        file->device = status.st_dev;
        file->inode = status.st_ino;
        file->size = status.st_size;
        file->is_named = was_there;
    }
    file_of[fd] = (signed char)(i + 1);
    pthread_mutex_unlock(&lock);
    return fd;
}

static int open_any(const char *path, int flags, mode_t mode) {
    if (!real_open)
        real_open = dlsym(RTLD_NEXT, "open64");
    if (!is_ours(path))
        return real_open(path, flags, mode);
    int was_there = access(path, F_OK) == 0;
    return opened(path, real_open(path, flags, mode), was_there);
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                                        \
        va_end(more);                                                                                                  \
        return open_any(path, flags, mode);                                                                            \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    if (!real_close)
        real_close = dlsym(RTLD_NEXT, "close");
    if (of(fd)) {
        pthread_mutex_lock(&lock);
        file_of[fd] = 0;
        pthread_mutex_unlock(&lock);
    }
    return real_close(fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
    struct file *file = of(fd);
    if (!file) {
        if (!real_pwrite)
            real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
        return real_pwrite(fd, bytes, length, at);
    }
    pthread_mutex_lock(&lock);
    keep(file, at, at + (off_t)length);
    ssize_t written = real_pwrite(fd, bytes, length, at);
    count();
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) __attribute__((alias("pwrite64")));

ssize_t write(int fd, const void *bytes, size_t length) {
    if (of(fd)) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        ssize_t written = pwrite64(fd, bytes, length, at);
        if (written > 0)
            lseek(fd, at + written, SEEK_SET);
        return written;
    }
    if (!real_write)
        real_write = dlsym(RTLD_NEXT, "write");
    return real_write(fd, bytes, length);
}

int ftruncate64(int fd, off_t size) {
    struct file *file = of(fd);
    if (!file)
        return real_ftruncate(fd, size);
    pthread_mutex_lock(&lock);
    struct stat now;
    if (fstat(fd, &now))
        wrong("no size");
    keep(file, size, now.st_size);
    int done = real_ftruncate(fd, size);
    count();
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t size) __attribute__((alias("ftruncate64")));

static int sync_any(int fd, int (*real)(int)) {
    struct file *file = of(fd);
    struct stat status, ours;
    if (file) {
        pthread_mutex_lock(&lock);
        count();
        int done = lies ? 0 : real(fd);
        if (!lies && done == 0 && fstat(fd, &status) == 0) {
            forget(file);
            file->size = status.st_size;
        }
        pthread_mutex_unlock(&lock);
        return done;
    }
    int done = real(fd);
    if (*folder && !fstat(fd, &status) && S_ISDIR(status.st_mode) && !stat(folder, &ours) &&
        status.st_ino == ours.st_ino && status.st_dev == ours.st_dev) {
        pthread_mutex_lock(&lock);
        for (struct file *it = files; it < files + FILES && *it->path; it++) {
            it->is_named = 1;
            it->was_there = 0;
        }
        pthread_mutex_unlock(&lock);
    }
    return done;
}

int fsync(int fd) { return sync_any(fd, real_fsync); }

int fdatasync(int fd) { return sync_any(fd, real_fdatasync); }

int unlink(const char *path) {
    if (!is_ours(path))
        return real_unlink(path);
    char kept[600];
    snprintf(kept, sizeof kept, "%s.unlinked", path);
    pthread_mutex_lock(&lock);
    real_unlink(kept);
    int linked = link(path, kept) == 0;
    int done = real_unlink(path);
    for (struct file *it = files; linked && it < files + FILES && *it->path; it++)
        if (!strcmp(it->path, path))
            it->was_there = 1;
    count();
    pthread_mutex_unlock(&lock);
    return done;
}

int rename(const char *from, const char *to) {
    // SQLite never does this to its files.
    if (is_ours(from) || is_ours(to))
        wrong("a file of the database was renamed");
    return real_rename(from, to);
}
