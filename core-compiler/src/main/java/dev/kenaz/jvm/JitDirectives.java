package dev.kenaz.jvm;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells HotSpot's first compiler not to copy methods of the Vector API into those of generated
 * classes. It makes nothing faster by that, and runs out of virtual registers. The policy for when
 * to compile doesn't foresee this: a method that was compiled without a profile waits for a code
 * with one, which the first compiler can't make, and the second compiler never gets it. It stays
 * twenty times slower than it should be, for as long as the process runs. Whether that happens
 * depends on how busy the second compiler is at the time.
 *
 * <p>The launcher starts the JVM with the directive. Another JVM is given it while it runs, through
 * its management bean. Loading the management library takes half a second of processor time, so
 * this waits in a thread of its own: what ends before doesn't need it.
 */
final class JitDirectives {
  private static final Logger LOG = LoggerFactory.getLogger(JitDirectives.class);
  private static final AtomicBoolean WANTED = new AtomicBoolean();
  private static final long DELAY_MILLIS = 100;

  /** Names the property that says that the JVM was started with the directive. */
  private static final String GIVEN = "kenaz.jit.directives";

  /** The resource with the directive. */
  private static final String DIRECTIVES = "jit-directives.json";

  private JitDirectives() {}

  /** Gives the directive to this JVM soon, if it was not given yet. Returns at once. */
  static void want() {
    if (!Boolean.getBoolean(GIVEN) && WANTED.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("kenaz-jit-directives").start(JitDirectives::later);
    }
  }

  private static void later() {
    try {
      TimeUnit.MILLISECONDS.sleep(DELAY_MILLIS);
      LOG.debug("HotSpot: {}", add().strip());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException | JMException | RuntimeException e) {
      LOG.debug("HotSpot takes no directive for generated classes", e);
    }
  }

  private static byte[] directives() throws IOException {
    try (var in = JitDirectives.class.getResourceAsStream(DIRECTIVES)) {
      return in.readAllBytes();
    }
  }

  /** Returns what the JVM says. */
  static String add() throws IOException, JMException {
    var file = Files.createTempFile("kenaz", ".json");
    try {
      Files.write(file, directives());
      var arguments = new Object[] {new String[] {file.toString()}};
      var types = new String[] {String[].class.getName()};
      var commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
      return (String)
          ManagementFactory.getPlatformMBeanServer()
              .invoke(commands, "compilerDirectivesAdd", arguments, types);
    } finally {
      Files.delete(file);
    }
  }
}
