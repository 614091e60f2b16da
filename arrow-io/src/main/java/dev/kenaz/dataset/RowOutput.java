package dev.kenaz.dataset;

import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Where rows go, and how.
 *
 * @param target the file or folder that is made
 * @param folder whether it is a folder with a file for each part
 * @param rowsPerFile so many rows a file of a folder has at most; 0 for all rows of a part
 * @param ending what names of files in the folder end in, as in {@code .arrow}
 * @param writer begins a file
 * @param shares into how many folders the rows are divided; empty for none
 * @param seed which row goes to which share
 * @param overwrite whether a target that exists may be replaced
 * @param resume whether to go on with what an interrupted process has left
 * @param threads how many parts are done at the same time; the files don't depend on it
 * @param description what is done with the rows, so that only the same work is resumed
 */
public record RowOutput(
    Path target,
    boolean folder,
    long rowsPerFile,
    String ending,
    Writer writer,
    List<Share> shares,
    long seed,
    boolean overwrite,
    boolean resume,
    int threads,
    String description) {

  /** Begins files of one format. */
  @FunctionalInterface
  public interface Writer {
    /**
     * Begins a file that doesn't exist yet.
     *
     * @throws dev.kenaz.error.UserError K61xx if the format can't hold such columns
     */
    RowWriter create(Path file, Schema schema);
  }

  /**
   * A share of the rows.
   *
   * @param name the folder in the target
   * @param part how large it is; the parts of all shares add up to 1
   */
  public record Share(String name, double part) {}

  public RowOutput {
    shares = List.copyOf(shares);
  }

  /** Returns the same for a target that may be replaced. */
  RowOutput overwriting() {
    return new RowOutput(
        target,
        folder,
        rowsPerFile,
        ending,
        writer,
        shares,
        seed,
        true,
        resume,
        threads,
        description);
  }

  /** Returns a single Arrow file. */
  public static RowOutput arrowFile(Path target, boolean overwrite) {
    return new RowOutput(
        target, false, 0, ".arrow", ArrowFile::new, List.of(), 0, overwrite, false, 1, "");
  }

  /** Returns a folder of Arrow files. */
  public static RowOutput arrowFolder(Path target, long rowsPerFile, boolean overwrite) {
    return new RowOutput(
        target, true, rowsPerFile, ".arrow", ArrowFile::new, List.of(), 0, overwrite, false, 1, "");
  }
}
