package dev.kenaz.jobs.train;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The objective's text, and entry points behind it that give its value and derivatives.
 *
 * @param name of the file, as the user wrote it
 * @param written what the user wrote
 * @param objective the function's name
 * @param type f32 or f64
 */
public record ObjectiveProgram(String name, String written, String objective, String type) {
  static final String BUILTIN = "builtin:";

  /** Gives (cost, gradient). */
  public static final String GRADIENT = "kenaz_gradient";

  /** Gives (cost, gradient, diagonal of the Hessian). */
  public static final String CURVATURE = "kenaz_curvature";

  /**
   * Reads the program.
   *
   * @param folder that a relative file name starts from
   * @throws UserError K7401 if it can't be read
   */
  public static ObjectiveProgram read(TrainConfig.Program config, Path folder) {
    var file = config.file();
    var text =
        file.startsWith(BUILTIN)
            ? builtin(file, config.type())
            : text(folder.resolve(file).normalize());
    var name = file.startsWith(BUILTIN) ? file : folder.resolve(file).normalize().toString();
    return new ObjectiveProgram(name, text, config.objective(), config.type());
  }

  private static String builtin(String file, String type) {
    var resource = "/dev/kenaz/jobs/" + file.substring(BUILTIN.length()) + ".fut";
    try (var in = ObjectiveProgram.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new UserError(
            "K7401", Span.NONE, "there is no program " + file, "there is builtin:kmeans");
      }
      var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.replaceAll("\\bf32\\b", type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new UserError("K7401", Span.NONE, "no such program: " + file);
    } catch (MalformedInputException e) {
      throw new UserError("K7401", Span.NONE, file + " is not text in UTF-8");
    } catch (IOException e) {
      throw new UserError("K7401", Span.NONE, "can't read " + file + ": " + e.getMessage());
    }
  }

  /**
   * The whole program. The derivatives are taken as in seed 001, section 7.4: the gradient by vjp,
   * the Hessian's diagonal by a single jvp of it, in the direction of all ones.
   */
  public String complete() {
    var epilogue =
        """

        entry kenaz_gradient [n][k][d] (points: [n][d]t) (centres: [k][d]t) : (t, [k][d]t) =
          vjp2 (objective points) centres 1

        entry kenaz_curvature [n][k][d] (points: [n][d]t) (centres: [k][d]t)
            : (t, [k][d]t, [k][d]t) =
          let ((cost, gradient), (_, curvature)) =
            jvp2 (\\c -> vjp2 (objective points) c 1) centres (replicate k (replicate d 1))
          in (cost, gradient, curvature)
        """;
    return written
        + epilogue
            .replaceAll("\\bt\\b", type)
            .replace("(objective points)", "(" + objective + " points)");
  }
}
