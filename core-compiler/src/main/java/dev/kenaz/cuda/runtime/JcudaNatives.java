package dev.kenaz.cuda.runtime;

import dev.kenaz.cache.CacheFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import jcuda.driver.JCudaDriver;

/**
 * Loads JCuda's native part. JCuda itself would extract it to a fixed name in the shared temporary
 * folder and trust what lies there, so that a truncated file that any process left there would make
 * every later start fail. This class extracts the file itself, and compares what it finds with the
 * original.
 */
final class JcudaNatives {
  private static final String LIBRARY = "libJCudaDriver-12.6.0-linux-x86_64.so";
  private static final String TEMPORARY = "java.io.tmpdir";

  private JcudaNatives() {}

  private static final class Once {
    static final String PROBLEM = load();
  }

  /**
   * Says why JCuda can't be used; the empty string if it can. Call it only where there is a driver.
   */
  static String problem() {
    return Once.PROBLEM;
  }

  private static String load() {
    try {
      var folder = extract();
      // JCuda looks in the temporary folder for its library, and finds the complete one there.
      // Java's own temporary files are not affected, as Java reads the property at its start.
      var before = System.getProperty(TEMPORARY);
      System.setProperty(TEMPORARY, folder.toString());
      try {
        JCudaDriver.setExceptionsEnabled(false);
      } finally {
        System.setProperty(TEMPORARY, before);
      }
      return "";
    } catch (Throwable e) {
      return "JCuda's native library can't be loaded: " + firstLine(e);
    }
  }

  private static String firstLine(Throwable e) {
    return e.toString().lines().findFirst().orElse("");
  }

  /** Returns the folder that holds the library. */
  static Path extract() throws IOException {
    byte[] content;
    // The class itself isn't asked: as part of a module it would look only into its own jar.
    try (var in = JCudaDriver.class.getClassLoader().getResourceAsStream("lib/" + LIBRARY)) {
      if (in == null) {
        throw new IOException("/lib/" + LIBRARY + " is not on the class path");
      }
      content = in.readAllBytes();
    }
    var folder = CacheFolder.of("natives-" + CacheFolder.hash(content).substring(0, 16));
    var file = folder.resolve(LIBRARY);
    if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), content)) {
      CacheFolder.write(file, content);
    }
    return folder;
  }
}
