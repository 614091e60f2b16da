package dev.kenaz.jobs.bench;

import static dev.kenaz.error.ErrorCode.K7006;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Makes the arguments with which programs of papers are measured. */
public final class BenchInputs {
  private BenchInputs() {}

  /**
   * Reads a file of ADBench.
   *
   * @param file in a folder, or in one below, that is called {@code gmm}, {@code ba}, {@code lstm}
   *     or {@code hand}, which tells the format; of {@code hand}, the word "complicated" in the
   *     path tells which of the two it is
   * @throws UserError K7006 if the folder tells no format, or the file is not of that format
   */
  public static List<Value> adBench(Path file) {
    var parts = StreamSupport.stream(file.spliterator(), false).map(Path::toString).toList();
    try {
      var text = Files.readString(UserPath.requireFile(file, K7006));
      for (var part : parts.reversed()) {
        switch (part) {
          case "gmm" -> {
            return AdBench.gmm(text);
          }
          case "ba" -> {
            return AdBench.ba(text);
          }
          case "lstm" -> {
            return AdBench.dLstm(text);
          }
          case "hand" -> {
            return AdBench.hand(text, file.toString().contains("complicated"));
          }
          default -> {} // It is a folder inside of one of these.
        }
      }
    } catch (RuntimeException e) {
      if (e instanceof UserError) {
        throw e;
      }
      throw new UserError(K7006, file + " is not a file of ADBench: " + e);
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K7006, e);
    }
    throw new UserError(
        K7006,
        file + " is in no folder of ADBench",
        "a folder gmm, ba, lstm or hand tells the format");
  }

  /**
   * Returns the arguments of a case of a suite.
   *
   * @param name the name of the case, such as {@code GMM}
   * @param data the name of its data set, such as {@code n 1000, d 64, K 25}
   * @param program that of the case
   * @param entry the function of the case, or the entry that computes its derivative, which may
   *     take adjoints of the function's results
   */
  public static List<Value> ofSuite(
      String name, String data, CompiledProgram program, CompiledEntry entry) {
    var c = named(name);
    var own = shape(c, data).arguments().get();
    if (!c.adjoints() || entry.name().equals(c.primal())) {
      return own;
    }
    var all = new ArrayList<>(own);
    all.addAll(like(program.entry(c.primal()).call(own)));
    return all;
  }

  /**
   * Checks that a suite has such a case.
   *
   * @throws UserError K7006 if it has not
   */
  public static void requireSuite(String name, String data) {
    shape(named(name), data);
  }

  private static BenchCase.Shape shape(BenchCase c, String data) {
    var shapes =
        Stream.of(c.counted(), c.timed(), c.large()).flatMap(List::stream).distinct().toList();
    return shapes.stream()
        .filter(s -> s.label().equals(data))
        .findFirst()
        .orElseThrow(
            () ->
                new UserError(
                    K7006,
                    "the case " + c.name() + " has no data set " + data,
                    NearestName.hintOrFew(
                        data,
                        shapes.stream().map(BenchCase.Shape::label).distinct().toList(),
                        "its data sets are")));
  }

  private static BenchCase named(String name) {
    var all =
        Stream.of(OperatorCases.of(1_000_000, 10_000_000), ApplicationCases.all())
            .flatMap(List::stream)
            .toList();
    return all.stream()
        .filter(c -> c.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UserError(
                    K7006,
                    "no suite has a case " + name,
                    NearestName.hintOrFew(
                        name, all.stream().map(BenchCase::name).toList(), "there are")));
  }

  /**
   * Returns the text of a program of a suite.
   *
   * @param name such as {@code gmm}
   * @throws UserError K7006 if there is none of that name
   */
  public static ProgramSource program(String name) {
    var all = PaperSuites.programs().stream().map(ProgramSource::root).toList();
    if (BenchInputs.class.getResource("/dev/kenaz/jobs/programs/" + name + ".fut") == null) {
      throw new UserError(
          K7006,
          "no program builtin:" + name + " comes with Kenaz",
          NearestName.hintOrFew(name, all, "there are"));
    }
    return BenchCase.source(name);
  }

  /** Returns values with the types and shapes of these, of which floats are random. */
  public static List<Value> like(List<Value> values) {
    return new Draw().like(values);
  }
}
