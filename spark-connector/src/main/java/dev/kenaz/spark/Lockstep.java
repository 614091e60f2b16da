package dev.kenaz.spark;

import dev.kenaz.spark.ShardJob.Answer;
import dev.kenaz.spark.ShardJob.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Several pieces of work that run programs over shards. They take turns: each goes on until it asks
 * for a run or ends, and once all of them wait for runs, one Spark job does all of these. So they
 * pass over the data together, and what each of them computes is the same as if it were alone.
 *
 * <p>Each has a thread of its own, but only one thread works at a time. So what they share needn't
 * be thread-safe, and things happen in the same order whenever they happen.
 */
public final class Lockstep {
  private static final ScopedValue<Member<?>> MEMBER = ScopedValue.newInstance();

  /** The compiler is recursive, so that large programs need large stacks. */
  private static final long STACK = 64 << 20;

  private final Semaphore back = new Semaphore(0);
  private boolean abandoned;

  /** How long the last runs took that all have waited for. */
  private long nanosOfRuns;

  private Lockstep() {}

  /**
   * How a piece of work ended.
   *
   * @param failure what ended it; null if it gave a value
   */
  public record End<T>(T value, Throwable failure) {}

  /** Ends work that goes on no longer because other work has failed. */
  public static final class Abandoned extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Abandoned() {
      super("something else has failed, without which this makes no sense");
    }
  }

  /** A piece of work, with the thread that does it. */
  private static final class Member<T> {
    private final Lockstep all;
    private final Semaphore turn = new Semaphore(0);
    private Request request;
    private Answer answer;
    private End<T> end;

    /** How long other members have worked while this one waited. */
    private long nanosOfOthers;

    Member(Lockstep all, Supplier<T> work, String name) {
      this.all = all;
      Runnable whole =
          () -> {
            turn.acquireUninterruptibly();
            end = ended(work);
            all.back.release();
          };
      var thread = new Thread(null, () -> ScopedValue.where(MEMBER, this).run(whole), name, STACK);
      thread.setDaemon(true);
      thread.start();
    }

    private End<T> ended(Supplier<T> work) {
      try {
        if (all.abandoned) {
          throw new Abandoned();
        }
        return new End<>(work.get(), null);
      } catch (Throwable e) { // The caller decides what a failure means.
        return new End<>(null, e);
      }
    }

    Answer ask(Request asked) {
      request = asked;
      long start = System.nanoTime();
      all.back.release();
      turn.acquireUninterruptibly();
      nanosOfOthers += System.nanoTime() - start - all.nanosOfRuns;
      if (all.abandoned) {
        throw new Abandoned();
      }
      return answer;
    }

    /** Goes on until it asks for a run, or ends. */
    void goOn() {
      request = null;
      turn.release();
      all.back.acquireUninterruptibly();
    }
  }

  /**
   * Does several pieces of work.
   *
   * @param endsAll whether a failure ends the other pieces of work too
   * @return how each of them ended
   */
  public static <T> List<End<T>> run(
      List<? extends Supplier<T>> works, Predicate<Throwable> endsAll) {
    var all = new Lockstep();
    var members = new ArrayList<Member<T>>();
    for (var work : works) {
      var name = Thread.currentThread().getName() + " " + (members.size() + 1);
      members.add(new Member<>(all, work, name));
    }
    var going = List.copyOf(members);
    while (!going.isEmpty()) {
      for (var member : going) {
        member.goOn();
        var end = member.end;
        all.abandoned |= end != null && end.failure() != null && endsAll.test(end.failure());
      }
      going = going.stream().filter(m -> m.end == null).toList();
      if (!all.abandoned && !going.isEmpty()) {
        long start = System.nanoTime();
        var answers = ShardJob.answers(going.stream().map(m -> m.request).toList());
        all.nanosOfRuns = System.nanoTime() - start;
        for (int i = 0; i < going.size(); i++) {
          going.get(i).answer = answers.get(i);
        }
      }
    }
    return members.stream().map(m -> m.end).toList();
  }

  /** Returns the time without what other work has taken meanwhile, if there is any. */
  public static long nanoTime() {
    return System.nanoTime() - (MEMBER.isBound() ? MEMBER.get().nanosOfOthers : 0);
  }

  /** Runs a program; with those that other pieces of work ask for, if there are any. */
  static Answer answer(Request request) {
    return MEMBER.isBound()
        ? MEMBER.get().ask(request)
        : ShardJob.answers(List.of(request)).getFirst();
  }
}
