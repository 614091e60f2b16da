package dev.kenaz.testing;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What fails, made small before it is shown. */
public final class Shrinking {
  private static final long LONGEST = 60_000_000_000L;
  private static final int KIND = 20;

  private Shrinking() {}

  /** What is checked of a case: it throws what is wrong. */
  @FunctionalInterface
  public interface Property<T> {
    void check(T example) throws Exception;
  }

  /**
   * Checks a case. If it fails, the failure is that of the smallest one that fails alike, which
   * means: with an error of the same class, whose message begins in the same way.
   *
   * @param smaller the cases that are a step smaller than a given one, to be tried in that order
   */
  public static <T> void check(T first, Function<T, Stream<T>> smaller, Property<T> property) {
    var found = failure(first, property);
    if (found.isEmpty()) {
      return;
    }
    var last = found.get();
    long end = System.nanoTime() + LONGEST;
    for (var now = Optional.of(new Failing<>(first, last)); now.isPresent(); ) {
      last = now.get().failure();
      var kind = last;
      now =
          smaller
              .apply(now.get().example())
              .takeWhile(_ -> System.nanoTime() < end)
              .flatMap(
                  e ->
                      failure(e, property).filter(f -> alike(f, kind)).stream()
                          .map(f -> new Failing<>(e, f)))
              .findFirst();
    }
    var shown = last instanceof AssertionError e ? e : new AssertionError(last.toString(), last);
    if (last != found.get()) {
      shown.addSuppressed(found.get()); // the smallest one may fail for another reason
    }
    throw shown;
  }

  private record Failing<T>(T example, Throwable failure) {}

  private static <T> Optional<Throwable> failure(T example, Property<T> property) {
    try {
      property.check(example);
      return Optional.empty();
    } catch (Exception | AssertionError | StackOverflowError e) {
      return Optional.of(e);
    }
  }

  private static boolean alike(Throwable a, Throwable b) {
    return a.getClass() == b.getClass() && kind(a).equals(kind(b));
  }

  /** Its beginning, as far as that is not about the case. */
  private static String kind(Throwable e) {
    var text = String.valueOf(e.getMessage()).split("[<\\n\\d]", 2)[0];
    return text.substring(0, Math.min(text.length(), KIND));
  }

  /** Texts that lack a part of a given one: first halves, then quarters, at last characters. */
  public static Stream<String> shorter(String text) {
    return Stream.iterate(text.length() / 2, n -> n > 0, n -> n / 2)
        .flatMap(
            n ->
                Stream.iterate(0, at -> at + n <= text.length(), at -> at + n)
                    .map(at -> text.substring(0, at) + text.substring(at + n)));
  }
}
