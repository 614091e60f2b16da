package dev.kenaz.options;

import static dev.kenaz.error.ErrorCode.K7010;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What runs a program. */
public enum Backend {
  /**
   * The interpreter of core programs. It is slow and obvious, and all other backends are compared
   * with it.
   */
  INTERPRET,
  /** Bytecode for the JVM of this machine. */
  JVM,
  /**
   * CUDA kernels on a GPU. Where there is none, compilation fails; nothing else takes its place.
   */
  CUDA,
  /**
   * The GPU's kernels, run on the processor one step after the other; the simulator watches for
   * faults that a GPU wouldn't report.
   */
  SIMULATE;

  /** The backends that any machine can run. */
  public static final List<Backend> EVERYWHERE = List.of(INTERPRET, JVM, SIMULATE);

  /** Returns the name in options and configurations. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns all names. */
  public static List<String> names() {
    return Arrays.stream(values()).map(Backend::text).toList();
  }

  /**
   * Returns the backend of that name.
   *
   * @throws UserError (K7010) if there is none
   */
  public static Backend named(String name) {
    for (var b : values()) {
      if (b.text().equals(name)) {
        return b;
      }
    }
    var hints = NearestName.of(name, names()).map(n -> List.of("did you mean " + n + "?"));
    throw new UserError(
        K7010,
        "there is no backend " + name + "; there are " + String.join(", ", names()),
        hints.orElse(List.of()).toArray(String[]::new));
  }
}
