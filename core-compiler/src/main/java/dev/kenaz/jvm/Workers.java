package dev.kenaz.jvm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Runs the chunks of jobs on threads that share them out. A job's caller works on it too, so a job
 * started from within another never waits for a free thread. There is one pool of each size, for
 * all programs; its threads are daemons that sleep while there is nothing to do.
 */
final class Workers {
  /**
   * A thread that has nothing to do looks for work for so many nanoseconds before it sleeps. To
   * wake it takes as long or longer, and loops that are short often follow each other.
   */
  private static final long PATIENCE = 50_000;

  /** One parallel loop: a counter hands out its chunks. */
  private static final class Job {
    final long chunks;
    final LongConsumer body;
    final AtomicLong next = new AtomicLong();
    final AtomicLong done = new AtomicLong();
    final Thread caller = Thread.currentThread();
    private long failed = Long.MAX_VALUE;
    private Throwable failure;

    Job(long chunks, LongConsumer body) {
      this.chunks = chunks;
      this.body = body;
    }

    /** Works until no chunk is left to start. */
    void work() {
      for (long c = next.getAndIncrement(); c < chunks; c = next.getAndIncrement()) {
        try {
          // Chunks before the failed one still run, so that the first failure is reported, as in
          // sequential code.
          if (c < failed()) {
            body.accept(c);
          }
        } catch (Throwable t) {
          fail(c, t);
        }
        if (done.incrementAndGet() == chunks) {
          LockSupport.unpark(caller);
        }
      }
    }

    private synchronized long failed() {
      return failed;
    }

    private synchronized void fail(long chunk, Throwable t) {
      if (chunk < failed) {
        failed = chunk;
        failure = t;
      }
    }

    synchronized Throwable failure() {
      return failure;
    }

    boolean open() {
      return next.get() < chunks;
    }
  }

  private final int size;
  private final Thread[] threads;
  private final ConcurrentLinkedQueue<Job> jobs = new ConcurrentLinkedQueue<>();
  private static final ConcurrentHashMap<Integer, Workers> POOLS = new ConcurrentHashMap<>();

  /** Returns the pool in which so many threads compute, the caller's included. */
  static Workers of(int size) {
    return POOLS.computeIfAbsent(size, Workers::new);
  }

  private Workers(int size) {
    this.size = size;
    threads = new Thread[size - 1];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = Thread.ofPlatform().daemon().name("kenaz-worker-" + i).unstarted(this::serve);
    }
    for (var t : threads) {
      t.start();
    }
  }

  int size() {
    return size;
  }

  /** Runs the body for every chunk; returns when all are done. Throws the first failure again. */
  void run(long chunks, LongConsumer body) {
    if (chunks <= 1 || size == 1) {
      for (long c = 0; c < chunks; c++) {
        body.accept(c);
      }
      return;
    }
    var job = new Job(chunks, body);
    jobs.add(job);
    wake(chunks - 1);
    job.work();
    jobs.remove(job);
    for (long since = System.nanoTime(); job.done.get() < chunks; ) {
      if (!spun(since)) {
        LockSupport.park(job);
      }
    }
    if (job.failure() != null) {
      throw rethrown(job.failure());
    }
  }

  private static RuntimeException rethrown(Throwable t) {
    if (t instanceof Error e) {
      throw e;
    }
    return (RuntimeException) t;
  }

  private void wake(long wanted) {
    for (int i = 0; i < Math.min(wanted, threads.length); i++) {
      LockSupport.unpark(threads[i]);
    }
  }

  private void serve() {
    long since = System.nanoTime();
    while (true) {
      var job = openJob();
      if (job != null) {
        job.work();
        since = System.nanoTime();
      } else if (!spun(since)) {
        LockSupport.park(this);
      }
    }
  }

  /** Spins for a moment; returns false if this thread has been patient for long enough. */
  private static boolean spun(long since) {
    for (int i = 0; i < 16; i++) {
      Thread.onSpinWait();
    }
    return System.nanoTime() - since < PATIENCE;
  }

  private Job openJob() {
    for (var job : jobs) {
      if (job.open()) {
        return job;
      }
    }
    return null;
  }
}
