package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7101;
import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The folder of a training, which writes checkpoints while it runs, and the model at its end. A
 * file is there as a whole or not at all. {@code model.json} is written last, so it marks a
 * finished training.
 *
 * @param path the folder, which is made if it doesn't exist
 */
public record OutputFolder(Path path) {
  static final String CHECKPOINT = "checkpoint";

  /** What earlier versions have called it. */
  private static final String OLD_CHECKPOINT = "checkpoint.json";

  public static final String MODEL_ARROW = "model.arrow";
  public static final String MODEL_JSON = "model.json";
  public static final String PICTURE = "loss.png";

  /** What folds have come to; it marks a finished training that has no other model. */
  public static final String FOLDS_JSON = "folds.json";

  /** How many bytes a disk should have room for. */
  static final long LEAST_ROOM = 64 << 10;

  /** Has a line of JSON for each iteration. */
  static final String HISTORY = "history.jsonl";

  /** Has a line of JSON for each event. */
  static final String EVENTS = "events.jsonl";

  public static final String REPORT = "report.html";

  /** The files of a finished model without the one that marks it. */
  static final List<String> OF_MODEL = List.of(MODEL_ARROW, HISTORY, PICTURE, EVENTS, REPORT);

  /** Names the folders of models that are in this one, one in each line. */
  private static final String PARTS = ".kenaz-models";

  private static final String OLD_PICTURE = "cost.png";

  /** The folder that has the last model while another one is trained in its place. */
  static final String PREVIOUS = "previous";

  /**
   * The files of a model. The first two are marks of a finished training: without them, the others
   * are remains of one.
   */
  private static final List<String> FILES =
      List.of(
          MODEL_JSON,
          FOLDS_JSON,
          MODEL_ARROW,
          HISTORY,
          PICTURE,
          EVENTS,
          REPORT,
          OLD_PICTURE,
          CHECKPOINT,
          OLD_CHECKPOINT,
          PARTS);

  /** What is left of a training that ended before its first checkpoint. */
  private static final List<String> REMAINS = List.of(OutputLock.NAME, EVENTS, REPORT);

  private static final Pattern PART = Pattern.compile("(fold|model)-[1-9][0-9]*");

  private static final List<String> DRAFTS = FILES.stream().map(OutputFolder::draft).toList();

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** Says what happens to files that are there already. */
  public enum Existing {
    REFUSE,
    RESUME,
    OVERWRITE;

    /** Returns what the flags of a command say, of which at most one is given. */
    public static Existing of(boolean resume, boolean overwrite) {
      return resume ? RESUME : overwrite ? OVERWRITE : REFUSE;
    }
  }

  /** Writes the contents of a file. */
  @FunctionalInterface
  public interface Contents {
    void write(OutputStream out) throws IOException;
  }

  /**
   * Claims the folder for a training, and leaves all that is in it.
   *
   * @param bytes roughly how many bytes the training will write
   * @return the right to write, which is closed at the training's end
   * @throws UserError K7101 if it holds something that must not be lost, K7104 if another training
   *     writes into it, K7102 if it can't be made or is on a disk without room
   */
  public OutputLock claim(Existing existing, long bytes) {
    var lock = OutputLock.take(path);
    try {
      requireFree(existing);
      requireRoom(bytes);
      return lock;
    } catch (IOException e) {
      lock.close();
      throw failed("use the folder " + path, e);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private void requireFree(Existing existing) throws IOException {
    if (existing != Existing.OVERWRITE && isFinished()) {
      throw occupied("holds a finished model", "name another output, or pass --overwrite");
    } else if (existing == Existing.REFUSE && !parts(path).isEmpty()) {
      throw occupied(
          "holds models of an earlier training",
          "continue it with --resume, or start anew with --overwrite");
    } else if (existing == Existing.REFUSE && hasCheckpoint()) {
      throw occupied(
          "holds a checkpoint of an earlier training",
          "continue it with --resume, or start anew with --overwrite");
    } else if (existing == Existing.REFUSE && !empty()) {
      throw occupied("exists and is not empty", "name another output, or pass --overwrite");
    }
  }

  /** Whether it holds what a training has come to. */
  public boolean isFinished() {
    return Files.exists(path.resolve(MODEL_JSON)) || Files.exists(path.resolve(FOLDS_JSON));
  }

  /** Notes which folders of models a training makes in this one, such as {@code fold-1}. */
  void namesParts(List<String> names) {
    write(PARTS, out -> out.write(String.join("\n", names).getBytes(StandardCharsets.UTF_8)));
  }

  /** Forgets them again if there are none. */
  void forgetsParts() {
    try {
      if (parts(path).isEmpty()) {
        Files.deleteIfExists(path.resolve(PARTS));
      }
    } catch (IOException e) {
      throw failed("use the folder " + path, e);
    }
  }

  /** Returns the folders of models that a training has made in one. */
  private static List<Path> parts(Path all) throws IOException {
    var names = all.resolve(PARTS);
    return !Files.exists(names)
        ? List.of()
        : Files.readAllLines(names).stream()
            .filter(name -> PART.matcher(name).matches())
            .map(all::resolve)
            .filter(Files::isDirectory)
            .toList();
  }

  /**
   * Refuses to go on with a training of one model as with one of several, or the other way round.
   *
   * @throws UserError K7103
   */
  void requireModels(boolean several) {
    try {
      boolean severalThere =
          parts(path).stream().anyMatch(p -> p.getFileName().toString().startsWith("model-"));
      if (several ? hasCheckpoint() : severalThere) {
        throw new UserError(
            K7103,
            path + " has a training " + (several ? "without" : "with") + " several \"models\"",
            "restore the configuration, or start anew with --overwrite");
      }
    } catch (IOException e) {
      throw failed("use the folder " + path, e);
    }
  }

  boolean hasCheckpoint() {
    return Files.exists(path.resolve(CHECKPOINT)) || Files.exists(path.resolve(OLD_CHECKPOINT));
  }

  /**
   * Returns the file of the last checkpoint, if there is one.
   *
   * @throws UserError K7103 if it is of an earlier version
   */
  Optional<Path> checkpoint() {
    var file = path.resolve(CHECKPOINT);
    if (!Files.exists(file) && hasCheckpoint()) {
      throw new UserError(
          K7103,
          path.resolve(OLD_CHECKPOINT) + " is of an earlier version of Kenaz",
          "start anew with --overwrite");
    }
    return Optional.of(file).filter(Files::exists);
  }

  private void requireRoom(long bytes) {
    try {
      long room = Files.getFileStore(path).getUsableSpace();
      if (room < bytes) {
        throw new UserError(
            K7102,
            "the disk of " + path + " has room for " + room + " bytes, too few for a model",
            "make room or name another output folder");
      }
    } catch (IOException e) {
      throw failed("use the folder " + path, e);
    }
  }

  /**
   * Puts an earlier training's files aside, until {@link #discard}. It is called just before the
   * first new file is written. So a failure before that leaves the folder as it was, and one after
   * it can still be undone.
   */
  public void setAside() {
    var aside = path.resolve(PREVIOUS);
    // Without a model, the files are of a training that should have replaced the one that is put
    // aside already.
    var into = isFinished() ? Optional.of(aside) : Optional.<Path>empty();
    try {
      for (var part : parts(path)) {
        move(part, into.map(a -> a.resolve(UserPath.name(part))));
        remove(part.resolve(PREVIOUS));
        deleteIfEmpty(part);
      }
      move(path, into);
    } catch (IOException e) {
      throw failed("put the files in " + path + " aside", e);
    }
  }

  /** Moves the files of a model, or removes them. */
  private static void move(Path from, Optional<Path> to) throws IOException {
    for (var name : FILES) {
      if (Files.exists(from.resolve(name)) && to.isPresent()) {
        Files.createDirectories(to.get());
        Files.move(from.resolve(name), to.get().resolve(name), StandardCopyOption.REPLACE_EXISTING);
      }
      Files.deleteIfExists(from.resolve(name));
    }
  }

  /** Removes what was put aside, once there is a new model. */
  public void discard() {
    var aside = path.resolve(PREVIOUS);
    try {
      for (var part : parts(aside)) {
        remove(part);
      }
      remove(aside);
    } catch (IOException e) {
      throw failed("remove " + aside, e);
    }
  }

  private static void remove(Path folder) throws IOException {
    move(folder, Optional.empty());
    deleteIfEmpty(folder);
  }

  /** Removes a folder of a training, unless somebody has put something else into it. */
  private static void deleteIfEmpty(Path folder) throws IOException {
    for (var name : DRAFTS) {
      Files.deleteIfExists(folder.resolve(name));
    }
    Files.deleteIfExists(folder.resolve(OutputLock.NAME));
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException _) {
      return; // What no training has written stays.
    }
  }

  private boolean empty() {
    try (var entries = Files.list(path)) {
      for (var entry : entries.toList()) {
        var name = UserPath.name(entry);
        if (DRAFTS.contains(name)) {
          // It is of a training that was killed, as the folder is locked for this one.
          Files.delete(entry);
        } else if (!REMAINS.contains(name)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw failed("use " + path + " as output folder", e);
    }
  }

  private static UserError occupied(String state, Path path, String hint) {
    return new UserError(K7101, "the output folder " + path + " " + state, hint);
  }

  private UserError occupied(String state, String hint) {
    return occupied(state, path, hint);
  }

  public void writeJson(String name, Object value) {
    write(name, out -> out.write(JSON.writeValueAsBytes(value)));
  }

  public void writeText(String name, String text) {
    write(name, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Writes a file so that it is there as a whole or, if that fails, as it was before.
   *
   * @throws UserError K7102, when the disk is full for example
   */
  public void write(String name, Contents contents) {
    var target = path.resolve(name);
    var draft = path.resolve(draft(name));
    try {
      try (var out = Files.newOutputStream(draft)) {
        contents.write(out);
      }
      try (var channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(
          draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      deleteQuietly(draft);
      throw failed("write " + target, e);
    }
  }

  static String draft(String name) {
    return "." + name + ".part";
  }

  private static void deleteQuietly(Path draft) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException e) {
      draft.toFile().deleteOnExit(); // The failure before this one matters more.
    }
  }

  UserError failed(String what, IOException e) {
    var why = UserPath.reason(path, e);
    return new UserError(K7102, "can't " + what + ": " + why, kept());
  }

  /** Returns hints for a user whose files can't be written. */
  String[] kept() {
    var hints = new ArrayList<String>();
    hints.add(
        hasCheckpoint()
            ? "the last checkpoint is kept: with room on the disk, continue with --resume"
            : "make room or name another output folder");
    if (Files.exists(path.resolve(PREVIOUS).resolve(MODEL_JSON))) {
      hints.add("the model that was to be replaced is in " + path.resolve(PREVIOUS));
    }
    return hints.toArray(String[]::new);
  }
}
