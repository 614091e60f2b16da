package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import dev.kenaz.jobs.tools.server.FailureText;
import dev.kenaz.value.ValueWriter;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs in a process of its own and calls the function of one cell, as often as it is told. It reads
 * the cell's settings from the first line of its input, and then speaks the protocol of peers.
 */
public final class CellWorker {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final CellFunction program;
  private final EventCounters events;

  private CellWorker(CellFunction program, EventCounters events) {
    this.program = program;
    this.events = events;
  }

  /**
   * Starts the process.
   *
   * @param args the folder from which paths of the settings start
   */
  public static void main(String[] args) throws IOException {
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // Whatever else is printed is no answer.
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int status = 0;
    // Before the program begins any threads, so that their events are counted too.
    var events = new EventCounters();
    try {
      var settings = (ObjectNode) JSON.readTree(in.readLine());
      try (var program = CellFunction.of(settings, Path.of(args[0]))) {
        new CellWorker(program, events).serve(in, out);
      }
    } catch (RuntimeException | Error e) {
      out.println(error(e));
      status = 1;
    }
    out.flush();
    Runtime.getRuntime().halt(status); // Nothing is left that must be closed.
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static ObjectNode error(Throwable failure) {
    return object().put("error", FailureText.of(failure));
  }

  private void serve(BufferedReader in, PrintStream out) throws IOException {
    out.println(object().put("ready", true).put("compile", program.compileSeconds()));
    for (var line = in.readLine(); line != null; line = in.readLine()) {
      var words = line.strip().split(" ", 2);
      if (words[0].equals("quit")) {
        return;
      }
      out.println(answer(words));
    }
  }

  private ObjectNode answer(String[] words) {
    try {
      return switch (words[0]) {
        case "run" -> run(Long.parseLong(words[1]));
        case "result" -> {
          write(Path.of(words[1]), program.call());
          yield object().put("written", true);
        }
        case "work" -> JSON.valueToTree(program.work(words[1].equals(CellWork.COUNT)));
        case "arguments" -> {
          write(Path.of(words[1]), program.ownArguments());
          yield object().put("written", true);
        }
        default -> object().put("error", "there is no command " + words[0]);
      };
    } catch (RuntimeException | IOException | OutOfMemoryError | StackOverflowError e) {
      return error(e);
    }
  }

  private ObjectNode run(long n) {
    var before = Counters.now();
    var eventsBefore = events.now();
    long begin = System.nanoTime();
    long nanos = 0;
    for (long i = 0; i < n; i++) {
      var results = program.call();
      nanos += program.computeNanos().orElse(0);
      program.release(results);
    }
    long wall = System.nanoTime() - begin;
    var counts = JsonNodeFactory.instance.objectNode();
    events
        .now()
        .forEach((name, count) -> counts.put(name, count - eventsBefore.getOrDefault(name, 0L)));
    var used = Counters.now().since(before);
    var answer = object().put("seconds", (nanos > 0 ? nanos : wall) / 1e9);
    if (program.isHere()) {
      answer.put("cpu", used.cpu() / 1e9).set("events", counts);
    }
    return answer
        .put("collection", used.collection() / 1e3)
        .put("jit", used.jit() / 1e3)
        .put("allocated", used.allocated());
  }

  private static void write(Path file, Iterable<dev.kenaz.value.Value> values) throws IOException {
    try (var out = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (var v : values) {
        ValueWriter.writeBinary(v, out);
      }
    }
  }

  /**
   * What the JVM has used so far.
   *
   * @param cpu in nanoseconds
   * @param collection in milliseconds
   * @param jit in milliseconds
   * @param allocated in bytes of the heap
   */
  private record Counters(long cpu, long collection, long jit, long allocated) {
    static Counters now() {
      var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      long collection =
          ManagementFactory.getGarbageCollectorMXBeans().stream()
              .mapToLong(GarbageCollectorMXBean::getCollectionTime)
              .sum();
      return new Counters(
          os.getProcessCpuTime(),
          collection,
          ManagementFactory.getCompilationMXBean().getTotalCompilationTime(),
          threads.getTotalThreadAllocatedBytes());
    }

    Counters since(Counters b) {
      return new Counters(
          cpu - b.cpu, collection - b.collection, jit - b.jit, allocated - b.allocated);
    }
  }
}
