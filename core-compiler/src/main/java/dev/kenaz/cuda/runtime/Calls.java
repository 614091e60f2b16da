package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K5006;
import static dev.kenaz.error.ErrorCode.K5101;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Says what a failed call for a device means, and whose fault it is. A kernel runs while the host
 * goes on, and its failure is reported by some later call; so the kernels that may have failed are
 * noted.
 */
final class Calls {
  /** The number of kernels that a message names at most. */
  private static final int NAMED = 4;

  private final Deque<String> running = new ArrayDeque<>();
  private int unnamed;
  private volatile String lost = "";

  /** Says why the device can't be used any more in this process; the empty string if it can. */
  String lost() {
    return lost;
  }

  /** Notes that a kernel has been started. */
  void started(String kernel) {
    running.addLast(kernel);
    if (running.size() > NAMED) {
      running.removeFirst();
      unnamed++;
    }
  }

  /** Notes that all kernels so far have ended well. */
  void ended() {
    running.clear();
    unnamed = 0;
  }

  /**
   * Checks the status that a call returned.
   *
   * @param doing what the call does, for messages, such as {@code copying to the device}
   * @throws UserError (K5006, K5101) if memory, the device or the system is at fault
   * @throws CompilerBug if generated code or this package must be at fault
   */
  void check(int status, String doing) {
    if (status == CudaStatus.OK) {
      return;
    }
    var words = doing + " failed: " + CudaStatus.words(status);
    if (CudaStatus.lasting(status)) {
      words += suspects();
      lost = words;
    }
    switch (status) {
      case CudaStatus.OUT_OF_MEMORY -> throw new UserError(K5006, words, "use smaller inputs");
      case 4, 46, 101, 214, 220, 221, 222, 226, 702, 802, 803, 805, 806, 807, 808, 809, 999 ->
          throw new UserError(K5101, words, "see what nvidia-smi says");
      default -> throw new CompilerBug("cuda", words);
    }
  }

  /** Names the kernels that may have failed. */
  private String suspects() {
    if (running.isEmpty()) {
      return "";
    }
    if (running.size() == 1 && unnamed == 0) {
      return ", in kernel " + running.getFirst();
    }
    return ", in one of these kernels: "
        + (unnamed == 0 ? "" : unnamed + " others, ")
        + String.join(", ", running)
        + "; with -D"
        + CudaDevice.WAIT
        + "=true the host waits for each, and tells which";
  }
}
