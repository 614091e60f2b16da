package dev.kenaz.cuda.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A folder of kernels that were compiled before a machine got them, which is only read. A file is
 * named by all that its content depends on, so that one of another text, option or architecture is
 * never taken.
 */
final class ShippedKernels {
  /** Names the folder. */
  static final String FOLDER = "kenaz.kernels";

  private final Path folder;

  ShippedKernels(Path folder) {
    this.folder = folder;
  }

  /** That of the launcher, if it named one. */
  static Optional<ShippedKernels> standard() {
    return Optional.ofNullable(System.getProperty(FOLDER))
        .map(Path::of)
        .filter(Files::isDirectory)
        .map(ShippedKernels::new);
  }

  /**
   * The cubin for a device, or for an older one of its family: those run on newer ones.
   *
   * @param capability of the device, 90 for 9.0
   */
  Optional<byte[]> get(String source, int capability, List<String> options) {
    for (int c = capability; c >= capability / 10 * 10; c--) {
      var file = file(source, c, options);
      if (Files.exists(file)) {
        try {
          return Optional.of(Files.readAllBytes(file));
        } catch (IOException e) {
          return Optional.empty(); // it is compiled here, then
        }
      }
    }
    return Optional.empty();
  }

  /** Where the cubin for exactly that device belongs. */
  Path file(String source, int capability, List<String> options) {
    return folder.resolve(KernelCache.key(source, capability, options) + ".cubin");
  }

  /** For people. */
  String words() {
    try (var files = Files.list(folder)) {
      return "%d modules in %s".formatted(files.count(), folder);
    } catch (IOException e) {
      return folder + " can't be read: " + e.getMessage();
    }
  }
}
