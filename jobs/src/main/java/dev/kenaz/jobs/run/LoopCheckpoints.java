package dev.kenaz.jobs.run;

import static dev.kenaz.error.ErrorCode.K7101;
import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.distribute.PlanState;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.train.OutputFolder;
import dev.kenaz.jobs.train.OutputLock;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps the state of a run's loops in a file of a folder, which only one run uses at a time. The
 * file is a line of JSON, the values in the binary format, and the digest of all that.
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
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The first line: what the run is of, and where it is. */
  private record Header(
      SortedMap<String, String> subject, List<Long> position, List<Integer> values) {}

  private final Choice choice;
  private final SortedMap<String, String> subject;
  private final OutputLock lock;
  private final Optional<PlanState> found;

  private LoopCheckpoints(Choice choice, SortedMap<String, String> subject, OutputLock lock) {
    this.choice = choice;
    this.subject = new TreeMap<>(subject);
    this.lock = lock;
    this.found = read();
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

  /** Replaces the state in the folder, once this one is safely written. */
  void write(PlanState state) {
    new OutputFolder(choice.folder()).write(FILE, out -> write(state, out));
  }

  private void write(PlanState state, OutputStream out) throws IOException {
    var digest = sha256();
    var numbers = state.values().keySet().stream().sorted().toList();
    var digested = new BufferedOutputStream(new DigestOutputStream(out, digest), 1 << 16);
    digested.write(JSON.writeValueAsBytes(new Header(subject, state.position(), numbers)));
    digested.write('\n');
    for (var number : numbers) {
      ValueWriter.writeBinary(state.values().get(number), digested);
    }
    digested.flush();
    out.write(digest.digest());
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
    try {
      requireWhole();
      try (var in = new BufferedInputStream(Files.newInputStream(file()))) {
        var header = JSON.readValue(line(in), Header.class);
        requireSame(header.subject());
        var reader = ValueReader.of(in, file().toString());
        var values = new HashMap<Integer, Value>();
        for (var number : header.values()) {
          values.put(number, reader.next());
        }
        return Optional.of(new PlanState(header.position(), values));
      }
    } catch (JsonProcessingException e) {
      throw damaged();
    } catch (IOException e) {
      throw UserPath.cannotRead(file(), K7103, e);
    }
  }

  private void requireWhole() throws IOException {
    var digest = sha256();
    long left = Files.size(file()) - digest.getDigestLength();
    try (var in = Files.newInputStream(file())) {
      var block = new byte[1 << 16];
      while (left > 0) {
        int n = in.read(block, 0, (int) Math.min(block.length, left));
        if (n < 0) {
          throw damaged();
        }
        digest.update(block, 0, n);
        left -= n;
      }
      if (!MessageDigest.isEqual(digest.digest(), in.readAllBytes())) {
        throw damaged();
      }
    }
  }

  private UserError damaged() {
    return new UserError(
        K7103, Span.NONE, file() + " is not a whole checkpoint", "remove it to begin anew");
  }

  private static byte[] line(InputStream in) throws IOException {
    var bytes = new java.io.ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      bytes.write(b);
    }
    return bytes.toByteArray();
  }

  private void requireSame(SortedMap<String, String> other) {
    var different = new ArrayList<String>();
    subject.forEach(
        (what, is) -> {
          if (!is.equals(other.get(what))) {
            different.add(what);
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
  }

  @Override
  public void close() {
    lock.close();
  }

  /** Returns a digest of a text. */
  static String digest(String text) {
    return HexFormat.of().formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns a digest of values. */
  static String digest(List<Value> values) {
    var digest = sha256();
    try (var out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
      for (var v : values) {
        ValueWriter.writeBinary(v, out);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
