package dev.kenaz.jobs.ml;

import static dev.kenaz.error.ErrorCode.K6111;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.train.TableCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The programs of the estimators that have MLlib's names, in a folder of this process. A training
 * names its program by its file, so all trainings share the folder: what one has compiled, the next
 * one finds.
 */
final class EstimatorPrograms {
  /** The programs, and what they import of each other. */
  private static final List<String> NAMES =
      List.of(
          "kmeans",
          "kmeans-rows",
          "kmeans-weighted",
          "linear",
          "standard",
          "logistic",
          "logistic-smooth",
          "logistic-elastic",
          "multinomial",
          "multinomial-smooth",
          "multinomial-elastic",
          "hinge",
          "hinge-smooth",
          "pca",
          "mixture",
          "als",
          "perceptron");

  private static Path folder;

  private EstimatorPrograms() {}

  /** Returns the folder. What has been removed from it, as old temporary files are, comes back. */
  static synchronized Path folder() {
    try {
      if (folder == null) {
        var made = Files.createTempDirectory("kenaz-programs-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> TableCopy.delete(made)));
        folder = made;
      }
      Files.createDirectories(folder);
      for (var name : NAMES) {
        var file = folder.resolve(name + ".fut");
        if (!Files.exists(file)) {
          try (var in =
              EstimatorPrograms.class.getResourceAsStream("/dev/kenaz/ml/" + name + ".fut")) {
            Files.copy(in, file);
          }
        }
      }
      return folder;
    } catch (IOException e) {
      var place = folder == null ? Path.of(System.getProperty("java.io.tmpdir")) : folder;
      throw new UserError(K6111, "can't write into " + place + ": " + UserPath.reason(place, e));
    }
  }

  /**
   * Adds a program that is written for a training.
   *
   * @param name always means the same text
   */
  static synchronized void add(String name, String text) {
    var file = folder().resolve(name + ".fut");
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UserError(K6111, "can't write " + file + ": " + UserPath.reason(file, e));
    }
  }
}
