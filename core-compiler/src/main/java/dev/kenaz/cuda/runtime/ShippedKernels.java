package dev.kenaz.cuda.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * This is a folder of kernels that were compiled before a machine got them; it is only read. A
 * file's name is a hash of all that its content depends on, so that a kernel of another text,
 * option or architecture is never taken.
 */
record ShippedKernels(Path folder) {
  /** The property that names the folder. */
  static final String FOLDER = "kenaz.kernels";

  /** Returns the folder that the launcher has named, if it named one. */
  static Optional<ShippedKernels> standard() {
    return Optional.ofNullable(System.getProperty(FOLDER))
        .map(Path::of)
        .filter(Files::isDirectory)
        .map(ShippedKernels::new);
  }

  /**
   * Returns the cubin for a device, or for an older device of its family, which runs on newer ones
   * too.
   *
   * @param capability the device's compute capability, 90 for 9.0
   */
  Optional<byte[]> get(String source, int capability, List<String> options) {
    for (int c = capability; c >= capability / 10 * 10; c--) {
      var file = file(source, c, options);
      if (Files.exists(file)) {
        try {
          return Optional.of(Files.readAllBytes(file));
        } catch (IOException e) {
          return Optional.empty(); // The module loader then looks for it elsewhere, or compiles it.
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the file where the cubin for exactly that device belongs. */
  Path file(String source, int capability, List<String> options) {
    return folder.resolve(KernelCache.key(source, capability, options) + ".cubin");
  }

  /** Describes the folder, for messages. */
  String words() {
    try (var files = Files.list(folder)) {
      return "%d modules in %s".formatted(files.count(), folder);
    } catch (IOException e) {
      return folder + " can't be read: " + e.getMessage();
    }
  }
}
