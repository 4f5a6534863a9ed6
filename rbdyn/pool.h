/* Threads that wait for work: a task is called for every k < count, by whoever is free.

   POSIX threads; where there are none (Windows), the caller does all of it.  They sleep between two pieces of work:
   spinning would take a processor away from other programs.  A process that was forked off has no threads: its pools,
   made before, work in the caller. */

#ifndef RBDYN_POOL_H
#define RBDYN_POOL_H

#include <stdlib.h>

typedef void (*PoolTask)(void *context, int worker, int k);

#ifdef _WIN32

#define POOL_HAS_THREADS 0

typedef struct Pool { int n; } Pool;

static Pool *pool_make(int n) {
    Pool *pool = (Pool *)malloc(sizeof(Pool));
    if (pool) pool->n = n;
    return pool;
}

static void pool_end(Pool *pool) { free(pool); }

static void pool_run(Pool *pool, PoolTask task, void *context, int count) {
    int k;
    (void)pool;
    for (k = 0; k < count; k++) task(context, 0, k);
}

#else

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define POOL_HAS_THREADS 1

struct Pool;

typedef struct {
    pthread_t thread;
    struct Pool *pool;
    int number;                    /* 1, 2, ...: the caller is worker 0 */
} PoolWorker;

typedef struct Pool {
    int n;                         /* workers, the caller among them */
    pid_t process;                 /* whose threads they are */
    pthread_mutex_t lock;          /* of all below but `next` */
    pthread_cond_t begin, end;
    unsigned long round;           /* pieces of work so far */
    int busy;                      /* threads that have not ended this one */
    int closing;
    PoolTask task;
    void *context;
    int count;
    int next;                      /* atomic: the first k that nobody has taken */
    PoolWorker worker[];           /* (n - 1,) */
} Pool;

static void pool_take(Pool *pool, int number) {
    int k;
    while ((k = __atomic_fetch_add(&pool->next, 1, __ATOMIC_RELAXED)) < pool->count)
        pool->task(pool->context, number, k);
}

static void *pool_thread(void *of) {
    PoolWorker *self = (PoolWorker *)of;
    Pool *pool = self->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->closing) pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing) break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        pool_take(pool, self->number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* End the threads and give the memory back; the threads of another process are not there. */
static void pool_end(Pool *pool) {
    int k;
    if (pool == NULL) return;
    if (pool->process == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->closing = 1;
        pthread_cond_broadcast(&pool->begin);
        pthread_mutex_unlock(&pool->lock);
        for (k = 0; k < pool->n - 1; k++) pthread_join(pool->worker[k].thread, NULL);
        pthread_cond_destroy(&pool->begin);
        pthread_cond_destroy(&pool->end);
        pthread_mutex_destroy(&pool->lock);
    }
    free(pool);
}

/* n workers, n - 1 of them threads that take no signals; NULL if the system has no more. */
static Pool *pool_make(int n) {
    Pool *pool = (Pool *)calloc(1, sizeof(Pool) + (size_t)n * sizeof(PoolWorker));
    sigset_t all, before;
    int k, failed = 0;
    if (pool == NULL) return NULL;
    pool->n = 1;
    pool->process = getpid();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (k = 0; k < n - 1 && !failed; k++) {
        pool->worker[k].pool = pool;
        pool->worker[k].number = k + 1;
        failed = pthread_create(&pool->worker[k].thread, NULL, pool_thread, &pool->worker[k]);
        pool->n += !failed;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        pool_end(pool);
        return NULL;
    }
    return pool;
}

/* task(context, worker, k) for k in 0 ... count - 1, each once, in any order; back when all are done. */
static void pool_run(Pool *pool, PoolTask task, void *context, int count) {
    int k;
    if (pool->n < 2 || count < 2 || pool->process != getpid()) {
        for (k = 0; k < count; k++) task(context, 0, k);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->count = count;
    pool->next = 0;
    pool->busy = pool->n - 1;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    pool_take(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

#endif
#endif
