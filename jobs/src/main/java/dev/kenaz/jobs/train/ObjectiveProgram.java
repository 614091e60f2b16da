package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7401;
import static dev.kenaz.error.ErrorCode.K7402;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.pipeline.ProgramSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;

/**
 * The objective's text, and entry points behind it that give its value and derivatives.
 *
 * @param written the user's program, with what it imports
 * @param objective the function's name
 * @param type f32 or f64
 */
public record ObjectiveProgram(ProgramSource written, String objective, String type) {
  static final String BUILTIN = "builtin:";

  /** The entry point that returns (cost, gradient). */
  public static final String GRADIENT = "kenaz_gradient";

  /**
   * The entry point that returns (cost, gradient, diagonal of the Hessian), for a diagonal Hessian.
   */
  public static final String CURVATURE = "kenaz_curvature";

  /** The entry point that returns (cost, gradient, the Hessian times each direction). */
  public static final String PRODUCTS = "kenaz_hessian_products";

  /**
   * Reads the program.
   *
   * @param folder the folder from which a relative file name starts
   * @throws UserError K7401 if it can't be read
   */
  public static ObjectiveProgram read(TrainConfig.Program config, Path folder) {
    var file = config.file();
    var written =
        file.startsWith(BUILTIN)
            ? ProgramSource.of(file, builtin(file, config.type()))
            : ProgramSource.read(UserPath.in(folder, file, K7401));
    return new ObjectiveProgram(written, config.objective(), config.type());
  }

  private static String builtin(String file, String type) {
    var resource = "/dev/kenaz/jobs/" + file.substring(BUILTIN.length()) + ".fut";
    try (var in = ObjectiveProgram.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new UserError(K7401, "there is no program " + file, "there is builtin:kmeans");
      }
      var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.replaceAll("\\bf32\\b", type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the entry point for Newton's method. No summand of the cost of the built-in k-means has
   * two coordinates in it. So its Hessian is diagonal, and a single direction needs no check, which
   * would take as long again. About other objectives nothing is known.
   */
  String curvature() {
    boolean diagonal = written.root().equals(BUILTIN + "kmeans") && objective.equals("cost");
    return diagonal ? CURVATURE : PRODUCTS;
  }

  /**
   * Returns the whole program. The derivatives are taken as in "AD for an Array Language with
   * Nested Parallelism", 2022, section 7.4: the gradient by vjp, and products of the Hessian by the
   * vector mode of jvp of it, so that they are one pass.
   */
  public ProgramSource source() {
    var epilogue =
        """

        entry kenaz_gradient [n][k][d] (points: [n][d]t) (centres: [k][d]t) : (t, [k][d]t) =
          vjp2 (objective points) centres 1

        entry kenaz_curvature [n][k][d] (points: [n][d]t) (centres: [k][d]t)
            : (t, [k][d]t, [k][d]t) =
          let ((cost, gradient), (_, curvature)) =
            jvp2 (\\c -> vjp2 (objective points) c 1) centres (replicate k (replicate d 1))
          in (cost, gradient, curvature)

        entry kenaz_hessian_products [n][k][d][m]
            (points: [n][d]t) (centres: [k][d]t) (directions: [m][k][d]t)
            : (t, [k][d]t, [m][k][d]t) =
          let ((cost, gradient), derivatives) =
            jmp2 (\\c -> vjp2 (objective points) c 1) centres directions
          in (cost, gradient, map (.1) derivatives)
        """
            .replaceAll("\\bt\\b", type)
            .replace("(objective points)", "(" + objective + " points)");
    var files = new HashMap<>(written.files());
    files.merge(written.root(), epilogue, String::concat);
    return new ProgramSource(written.root(), files);
  }

  /**
   * Returns the error for a fault in {@link #source}. A fault in the entry points behind the user's
   * text is about the objective's type.
   */
  public UserError explain(UserError fault) {
    var first = fault.diagnostics().getFirst();
    long lines = written.files().get(written.root()).lines().count();
    if (!first.span().file().equals(written.root()) || first.span().line() <= lines) {
      return fault;
    }
    return new UserError(
        K7402,
        String.format(
            "%s in %s is not a function of points [n][d]%s and centres [k][d]%s to a cost %s",
            objective, written.root(), type, type, type),
        first.message(),
        "program.objective and program.type say which function is used, and on which numbers");
  }
}
