package dev.kenaz.cuda.runtime;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;

/** Tells what a failed call of the driver means, and whose fault it is. */
final class Calls {
  private static volatile String lost = "";

  private Calls() {}

  /** Why the driver answers nothing any more in this process, or the empty string. */
  static String lost() {
    return lost;
  }

  /**
   * Goes on if all is well.
   *
   * @param doing for people: {@code copying to the device}
   * @throws UserError (K5006, K5101) if memory, the device or the system is at fault
   * @throws CompilerBug if it must be generated code or this package
   */
  static void check(int status, String doing) {
    if (status == CudaStatus.OK) {
      return;
    }
    var words = doing + " failed: " + CudaStatus.words(status);
    if (CudaStatus.lasting(status)) {
      lost = words;
    }
    switch (status) {
      case CudaStatus.OUT_OF_MEMORY ->
          throw new UserError("K5006", Span.NONE, words, "use smaller inputs");
      case 46, 214, 220, 221, 222, 702, 999 ->
          throw new UserError("K5101", Span.NONE, words, "see what nvidia-smi says");
      default -> throw new CompilerBug("cuda", words);
    }
  }
}
