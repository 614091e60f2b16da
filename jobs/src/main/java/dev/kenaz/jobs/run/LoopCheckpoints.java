package dev.kenaz.jobs.run;

import static dev.kenaz.error.ErrorCode.K7101;
import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.kenaz.distribute.PlanState;
import dev.kenaz.distribute.RowFiles;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.train.OutputFolder;
import dev.kenaz.jobs.train.OutputLock;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps the state of a run's loops in a folder, which only one run uses at a time. A file has a
 * line of JSON and the driver's values in the binary format. It names a folder for each row-wise
 * value. These are complete before the file replaces that of the state before.
 */
public final class LoopCheckpoints implements AutoCloseable {
  /**
   * What a command line says.
   *
   * @param every after how many iterations of a loop its state is kept
   * @param resume whether to go on from the state that is there
   */
  public record Choice(Path folder, int every, boolean resume) {}

  private static final String FILE = "loops.checkpoint";

  /** The beginning of the names of folders with rows; a number follows. */
  private static final String ROWS = "rows-";

  /** Messages have what isn't longer; digests are. */
  private static final int SHORT = 20;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  /** The first line: what the run is of, where it is, and what it has. */
  private record Header(
      SortedMap<String, String> subject,
      List<Long> position,
      List<Integer> values,
      SortedMap<Integer, String> rows) {}

  private final Choice choice;
  private final SortedMap<String, String> subject;
  private final OutputLock lock;
  private final Optional<PlanState> found;

  /** The number of the next folder with rows. */
  private int next;

  private LoopCheckpoints(Choice choice, SortedMap<String, String> subject, OutputLock lock) {
    this.choice = choice;
    this.subject = new TreeMap<>(subject);
    this.lock = lock;
    this.found = read();
    this.next = rows().stream().mapToInt(LoopCheckpoints::number).max().orElse(0) + 1;
  }

  /**
   * Takes a folder.
   *
   * @param subject what must be the same if a run goes on from a state, by what it is
   * @throws UserError K7101 if there is a state that must not be lost, K7103 if the one there can't
   *     be used, K7104 if another run uses the folder
   */
  static LoopCheckpoints open(Choice choice, SortedMap<String, String> subject) {
    var lock = OutputLock.take(choice.folder());
    try {
      return new LoopCheckpoints(choice, subject, lock);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private Path file() {
    return choice.folder().resolve(FILE);
  }

  /** Returns the state from which the run goes on. */
  Optional<PlanState> found() {
    return found;
  }

  boolean takes(long iterations) {
    return iterations % choice.every() == 0;
  }

  /** Returns a place for rows that doesn't exist yet. */
  RowFiles place() {
    return rows(ROWS + next++);
  }

  private RowFolder rows(String name) {
    return new RowFolder(choice.folder().toAbsolutePath().toString(), name);
  }

  /**
   * Replaces the state in the folder, once this one is safely written. Then it removes the rows
   * that neither this state has nor the one from which the run went on: whoever reads rows of that
   * one may have to read them again.
   */
  void write(PlanState state) {
    new OutputFolder(choice.folder())
        .write(FILE, out -> DigestedFile.write(out, digested -> write(state, digested)));
    var used = new HashSet<>(state.rows().values());
    found.ifPresent(f -> used.addAll(f.rows().values()));
    removeRowsBut(used);
  }

  private void write(PlanState state, OutputStream out) throws IOException {
    var numbers = state.values().keySet().stream().sorted().toList();
    var rows = new TreeMap<Integer, String>();
    state.rows().forEach((number, place) -> rows.put(number, ((RowFolder) place).name()));
    out.write(JSON.writeValueAsBytes(new Header(subject, state.position(), numbers, rows)));
    out.write('\n');
    for (var number : numbers) {
      ValueWriter.writeBinary(state.values().get(number), out);
    }
  }

  private Optional<PlanState> read() {
    if (!Files.exists(file())) {
      return Optional.empty();
    }
    if (!choice.resume()) {
      throw new UserError(
          K7101,
          Span.NONE,
          "the folder " + choice.folder() + " holds a checkpoint of an earlier run",
          "continue it with --resume, or remove " + file() + " to begin anew");
    }
    return Optional.of(DigestedFile.read(file(), this::read));
  }

  private PlanState read(InputStream in) throws IOException {
    Header header;
    try {
      header = JSON.readValue(line(in), Header.class);
    } catch (JsonProcessingException _) {
      throw DigestedFile.damaged(file());
    }
    requireSame(header.subject());
    var reader = ValueReader.of(in, file().toString());
    var values = new HashMap<Integer, Value>();
    for (var number : header.values()) {
      values.put(number, reader.next());
    }
    var rows = new HashMap<Integer, RowFiles>();
    header.rows().forEach((number, name) -> rows.put(number, rows(name)));
    return new PlanState(header.position(), values, rows);
  }

  private static byte[] line(InputStream in) throws IOException {
    var bytes = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      bytes.write(b);
    }
    return bytes.toByteArray();
  }

  private void requireSame(SortedMap<String, String> other) {
    var different = new ArrayList<String>();
    subject.forEach(
        (what, is) -> {
          var was = other.getOrDefault(what, "");
          if (!is.equals(was)) {
            different.add(was.isEmpty() || was.length() > SHORT ? what : what + " (" + was + ")");
          }
        });
    if (!different.isEmpty()) {
      throw new UserError(
          K7103,
          Span.NONE,
          file() + " is of a run with another " + String.join(", another ", different),
          "restore that, or remove the file to begin anew");
    }
  }

  /** Removes the state, once the results are there. */
  void discard() {
    try {
      Files.deleteIfExists(file());
    } catch (IOException e) {
      throw UserPath.cannotRead(file(), K7103, e);
    }
    removeRowsBut(Set.of());
  }

  /** Returns the folders with rows that are there. */
  private List<Path> rows() {
    try (var entries = Files.list(choice.folder())) {
      return entries.filter(e -> UserPath.name(e).matches(ROWS + "\\d{1,9}")).toList();
    } catch (IOException e) {
      throw UserPath.cannotRead(choice.folder(), K7103, e);
    }
  }

  private static int number(Path rows) {
    return Integer.parseInt(UserPath.name(rows).substring(ROWS.length()));
  }

  private void removeRowsBut(Set<RowFiles> used) {
    for (var folder : rows()) {
      if (!used.contains(rows(UserPath.name(folder)))) {
        try (var all = Files.walk(folder)) {
          for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(path);
          }
        } catch (IOException e) {
          throw UserPath.cannotRead(folder, K7103, e);
        }
      }
    }
  }

  @Override
  public void close() {
    lock.close();
  }

  /** Returns a digest of a text. */
  public static String digest(String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(DigestedFile.sha256().digest(bytes));
  }

  /** Returns a digest of values. */
  static String digest(List<Value> values) {
    var digest = DigestedFile.sha256();
    try (var out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
      for (var v : values) {
        ValueWriter.writeBinary(v, out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
