package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7103;

import com.sun.management.OperatingSystemMXBean;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.OwnProcess;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Describes a machine.
 *
 * @param name its name in the network
 * @param governor how the frequency of the processor is chosen; absent if the system doesn't tell
 * @param load how many threads were running or waiting at the start, on average over a minute
 * @param options those of the JVM
 */
public record Machine(
    String name,
    String processor,
    int cores,
    long memory,
    String system,
    String java,
    String kenaz,
    String governor,
    double load,
    List<String> options)
    implements Serializable {

  /** The name of a file that describes the machine of a sweep. */
  public static final String FILE = "machine.json";

  /** Describes this machine. */
  public static Machine here() {
    var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Machine(
        hostName(),
        line(Path.of("/proc/cpuinfo"), "model name").orElse(os.getArch()),
        os.getAvailableProcessors(),
        os.getTotalMemorySize(),
        os.getName() + " " + os.getVersion(),
        System.getProperty("java.vm.name") + " " + Runtime.version(),
        OwnProcess.version(),
        text(Path.of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")).orElse(null),
        os.getSystemLoadAverage(),
        List.copyOf(ManagementFactory.getRuntimeMXBean().getInputArguments()));
  }

  /**
   * Reads what describes the machine of a sweep.
   *
   * @param folder the sweep's output
   * @throws UserError K7103 if the file is not there, or is something else
   */
  public static Machine of(Path folder) {
    var file = folder.resolve(FILE);
    try {
      return MeasurementsFile.JSON.readValue(Files.readString(file), Machine.class);
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K7103, e);
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost"; // A machine may have no name.
    }
  }

  /** Returns the description in one line. */
  String text() {
    return String.format(
        Locale.ROOT, "%s, %d cores, %d GiB, %s, %s", processor, cores, memory >> 30, system, java);
  }

  /** Returns what speaks against measuring now. */
  List<String> doubts() {
    var busy =
        load > 0.3 * cores
            ? Stream.of(
                String.format(
                    Locale.ROOT, "the load of this machine is %.1f before the start", load))
            : Stream.<String>empty();
    var slow =
        governor != null && !governor.equals("performance")
            ? Stream.of("the frequency of the processor is chosen by \"" + governor + "\"")
            : Stream.<String>empty();
    return Stream.concat(busy, slow).toList();
  }

  /** Whether times of the two can be compared. */
  boolean isLike(Machine other) {
    return processor.equals(other.processor) && cores == other.cores && java.equals(other.java);
  }

  /**
   * What all processors have done so far, in hundredths of seconds, and how often the processor was
   * made slower because it was hot.
   */
  record Activity(long busy, long stolen, long throttled) {
    static Activity now() {
      var words = line(Path.of("/proc/stat"), "cpu ").orElse("").strip().split("\\s+");
      var throttled = Path.of("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count");
      long count = text(throttled).map(Long::parseLong).orElse(0L);
      if (words.length < 8) {
        return new Activity(0, 0, count);
      }
      long busy = 0;
      for (int i : new int[] {0, 1, 2, 5, 6}) {
        busy += Long.parseLong(words[i]);
      }
      return new Activity(busy, Long.parseLong(words[7]), count);
    }
  }

  private static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (IOException e) {
      return Optional.empty(); // Many systems don't have it.
    }
  }

  /** Returns what follows a key in a file, without the punctuation between them. */
  private static Optional<String> line(Path file, String key) {
    try (var lines = Files.lines(file)) {
      return lines
          .filter(l -> l.startsWith(key))
          .map(l -> l.substring(key.length()).replaceFirst("^[\\s:]+", ""))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
