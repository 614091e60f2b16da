package dev.kenaz.options;

import static dev.kenaz.error.ErrorCode.K7010;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What runs a program. */
public enum Backend {
  /** The interpreter of core programs: slow, obvious, what all else is compared with. */
  INTERPRET,
  /** Bytecode for this machine. */
  JVM,
  /** CUDA kernels on a GPU, and nothing else in its place. */
  CUDA,
  /** The same kernels run one step after the other, and watched for what a GPU wouldn't tell. */
  SIMULATE;

  /** Those that any machine can run. */
  public static final List<Backend> EVERYWHERE = List.of(INTERPRET, JVM, SIMULATE);

  /** As in options and configurations. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** All names. */
  public static List<String> names() {
    return Arrays.stream(values()).map(Backend::text).toList();
  }

  /**
   * The backend of that name.
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
        Span.NONE,
        "there is no backend " + name + "; there are " + String.join(", ", names()),
        hints.orElse(List.of()).toArray(String[]::new));
  }
}
