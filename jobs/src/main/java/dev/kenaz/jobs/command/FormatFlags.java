package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.FormatOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of single formats. An option of another format is an error. */
final class FormatFlags {
  @InRange(from = 0, to = 1)
  @Option(
      names = "--index-base",
      paramLabel = "0|1",
      description = "LIBSVM: the index of the first feature; 1 without this option.")
  private Integer indexBase;

  @InRange(from = 1, to = 1L << 50)
  @Option(
      names = "--features",
      paramLabel = "N",
      description = "LIBSVM: there are so many features; without this option, the greatest index.")
  private Long features;

  @Option(
      names = "--values",
      paramLabel = "f32|f64",
      description = "LIBSVM: the type of the features' values; f64 without this option.")
  private String values;

  @Option(
      names = "--csr",
      description =
          "Matrix Market: make a row with lists of each row of a sparse matrix, not of each entry.")
  private boolean csr;

  @Option(
      names = "--arrays",
      split = ",",
      paramLabel = "NAME",
      description =
          "NumPy's archives: read only these arrays. ADBench: read this table into one file;"
              + " without this option, there is a file for each.")
  private List<String> arrays = List.of();

  @Option(
      names = "--binary",
      description = "Futhark: write values in the binary format, not as text.")
  private boolean binary;

  List<String> arrays() {
    return arrays;
  }

  /**
   * Returns the options of formats.
   *
   * @param name the column that a single array becomes; null for the usual one
   * @throws UserError K7501 if one is for none of these formats
   */
  FormatOptions options(String name, DataFormat... formats) {
    var here = Set.copyOf(List.of(formats));
    var unused = new ArrayList<String>();
    unused(indexBase != null, "--index-base", here, EnumSet.of(DataFormat.LIBSVM), unused);
    unused(features != null, "--features", here, EnumSet.of(DataFormat.LIBSVM), unused);
    unused(values != null, "--values", here, EnumSet.of(DataFormat.LIBSVM), unused);
    unused(csr, "--csr", here, EnumSet.of(DataFormat.MATRIX_MARKET), unused);
    unused(
        !arrays.isEmpty(),
        "--arrays",
        here,
        EnumSet.of(DataFormat.NPZ, DataFormat.ADBENCH),
        unused);
    unused(binary, "--binary", here, EnumSet.of(DataFormat.FUTHARK), unused);
    if (!unused.isEmpty()) {
      throw new UserError(K7501, "no format here has " + String.join(", ", unused));
    }
    var options =
        FormatOptions.DEFAULT.withCsr(csr).withArrays(arrays).withBinary(binary).withValues(type());
    options = indexBase == null ? options : options.withIndexBase(indexBase);
    options = features == null ? options : options.withFeatures(features);
    return name == null ? options : options.withName(name);
  }

  private static void unused(
      boolean given, String option, Set<DataFormat> here, Set<DataFormat> of, List<String> unused) {
    if (given && here.stream().noneMatch(of::contains)) {
      unused.add(option);
    }
  }

  private Prim type() {
    return switch (values) {
      case null -> Prim.F64;
      case "f64" -> Prim.F64;
      case "f32" -> Prim.F32;
      default -> throw new UserError(K7501, "--values is f32 or f64, not \"" + values + "\"");
    };
  }
}
