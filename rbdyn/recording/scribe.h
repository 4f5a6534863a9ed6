/* A thread that writes what it is given to a file, while its owner fills the next buffer.

   Two buffers: who gives the second one before the first is written waits.  Without POSIX threads (Windows), and in a
   process that was forked off, giving writes at once. */

#ifndef RBDYN_SCRIBE_H
#define RBDYN_SCRIBE_H

#include <errno.h>
#include <stdlib.h>

#ifdef _WIN32
#include <io.h>
#define scribe_write(fd, text, size) _write(fd, text, (unsigned)(size))
#define scribe_close _close
#else
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#define scribe_write write
#define scribe_close close
#endif

typedef struct Scribe {
    int fd;
    int trouble;                   /* errno of the first write that failed; nothing is written after it */
    char *spare;                   /* the buffer that is written, or that was */
    size_t room;                   /* [bytes] of it */
#ifndef _WIN32
    size_t left;                   /* [bytes] that are being written; 0: none */
    int closing;
    pid_t process;                 /* whose thread it is */
    pthread_t thread;
    pthread_mutex_t lock;          /* of all above */
    pthread_cond_t given, written;
#endif
} Scribe;

/* 0, or errno. */
static int scribe_put(int fd, const char *text, size_t size) {
    while (size > 0) {
        size_t most = size < (1u << 30) ? size : (1u << 30);
        long done = (long)scribe_write(fd, text, most);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return ENOSPC;
        text += done;
        size -= (size_t)done;
    }
    return 0;
}

#ifdef _WIN32

static Scribe *scribe_make(int fd) {
    Scribe *s = (Scribe *)calloc(1, sizeof(Scribe));
    if (s != NULL) s->fd = fd;
    return s;
}

static int scribe_wait(Scribe *s) { return s->trouble; }

static int scribe_give(Scribe *s, char **buffer, size_t *room, size_t size) {
    (void)room;
    if (s->trouble == 0) s->trouble = scribe_put(s->fd, *buffer, size);
    return s->trouble;
}

static void scribe_end(Scribe *s) {
    scribe_close(s->fd);
    free(s->spare);
    free(s);
}

#else

static void *scribe_thread(void *of) {
    Scribe *s = (Scribe *)of;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        int trouble = s->trouble;
        while (s->left == 0 && !s->closing) pthread_cond_wait(&s->given, &s->lock);
        if (s->left == 0) break;
        pthread_mutex_unlock(&s->lock);
        if (trouble == 0) trouble = scribe_put(s->fd, s->spare, s->left);
        pthread_mutex_lock(&s->lock);
        s->trouble = trouble;
        s->left = 0;
        pthread_cond_signal(&s->written);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Writes to the file from now on, which it closes at its end; NULL, and errno, if the system has no more threads. */
static Scribe *scribe_make(int fd) {
    Scribe *s = (Scribe *)calloc(1, sizeof(Scribe));
    sigset_t all, before;
    int failed;
    if (s == NULL) return NULL;
    s->fd = fd;
    s->process = getpid();
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->given, NULL);
    pthread_cond_init(&s->written, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&s->thread, NULL, scribe_thread, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        pthread_cond_destroy(&s->given);
        pthread_cond_destroy(&s->written);
        pthread_mutex_destroy(&s->lock);
        free(s);
        errno = failed;
        return NULL;
    }
    return s;
}

/* Until all that was given is written; 0, or errno of what was not. */
static int scribe_wait(Scribe *s) {
    int trouble;
    if (s->process != getpid()) return s->trouble;
    pthread_mutex_lock(&s->lock);
    while (s->left > 0) pthread_cond_wait(&s->written, &s->lock);
    trouble = s->trouble;
    pthread_mutex_unlock(&s->lock);
    return trouble;
}

/* Have so many bytes of a buffer written, in exchange for the one that was written before; 0, or errno of that. */
static int scribe_give(Scribe *s, char **buffer, size_t *room, size_t size) {
    char *text = *buffer;
    size_t its = *room;
    int trouble;
    if (s->process != getpid()) return scribe_put(s->fd, text, size);
    pthread_mutex_lock(&s->lock);
    while (s->left > 0) pthread_cond_wait(&s->written, &s->lock);
    *buffer = s->spare;
    *room = s->room;
    s->spare = text;
    s->room = its;
    s->left = size;
    trouble = s->trouble;
    pthread_cond_signal(&s->given);
    pthread_mutex_unlock(&s->lock);
    return trouble;
}

/* Write what was given, close the file, and give the memory back; the thread of another process is not there. */
static void scribe_end(Scribe *s) {
    if (s->process == getpid()) {
        pthread_mutex_lock(&s->lock);
        s->closing = 1;
        pthread_cond_signal(&s->given);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
        pthread_cond_destroy(&s->given);
        pthread_cond_destroy(&s->written);
        pthread_mutex_destroy(&s->lock);
    }
    scribe_close(s->fd);
    free(s->spare);
    free(s);
}

#endif

#endif
