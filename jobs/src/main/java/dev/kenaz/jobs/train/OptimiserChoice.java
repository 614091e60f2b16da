package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7402;
import static dev.kenaz.error.ErrorCode.K7405;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Field;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.value.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/**
 * An optimiser as the source language names it.
 *
 * @param module a parametric module of kenaz/optimise or kenaz/least_squares
 * @param options updates of its default options
 * @param given the values of options that the program takes as arguments, by their names there
 */
record OptimiserChoice(String module, String options, SequencedMap<String, Value> given) {
  /** What the names of arguments begin with. */
  private static final String ARGUMENT = "kenaz_option_";

  /** The option that allows another cost in each step. Not all optimisers have it. */
  private static final String BATCHES = "batches";

  private static final List<String> NAMES =
      List.of(
          "gradient-descent",
          "adam",
          "adamw",
          "rmsprop",
          "l-bfgs",
          "proximal",
          "newton-diagonal",
          "newton-cg",
          "gauss-newton",
          "levenberg-marquardt");

  /** The modules of kenaz/least_squares; the others are of kenaz/optimise. */
  private static final Set<String> OF_RESIDUALS = Set.of("gauss_newton", "levenberg_marquardt");

  /**
   * Finds the optimiser that a configuration names.
   *
   * @param batches whether each step has rows of its own
   * @param varying the paths of options in the configuration that other models have other values of
   * @throws UserError K7405 for an option that it doesn't have, K7404 for a value that an option
   *     can't have
   */
  static OptimiserChoice of(
      TrainConfig.Optimiser optimiser, boolean batches, Set<String> varying, JobProgram program) {
    var name = optimiser.name();
    var module = module(name);
    if (OF_RESIDUALS.contains(module) && !program.has(JobFunction.RESIDUALS)) {
      throw new UserError(
          K7402,
          program.function(JobFunction.LOSS).span(),
          name + " lowers half the sum of the squares of residuals, which the program doesn't give",
          "define residuals in the place of loss, or choose another optimiser");
    }
    if (optimiser.options().isEmpty() && !batches) {
      return new OptimiserChoice(module, "", new LinkedHashMap<>());
    }
    var defaults = defaults(module, program);
    if (optimiser.options().containsKey(BATCHES)) {
      throw new UserError(
          K7405,
          "optimiser.batches follows from the batch of the job",
          "leave it out, and write for example \"batch\": { \"rows\": 1024 }");
    }
    if (batches && !allowsBatches(defaults)) {
      var others = NAMES.stream().filter(n -> allowsBatches(defaults(module(n), program))).toList();
      throw new UserError(
          K7405,
          name + " compares the losses of different steps, so it can't have batches",
          "those that can have them are " + String.join(", ", others));
    }
    var options = new StringBuilder();
    var given = new LinkedHashMap<String, Value>();
    updates(name, "", defaults, optimiser.options(), options, varying, given);
    if (batches) {
      options.append(" with batches = true");
    }
    return new OptimiserChoice(module, options.toString(), given);
  }

  /** Whether it takes residuals rather than a loss. */
  boolean isOfResiduals() {
    return OF_RESIDUALS.contains(module);
  }

  /** Returns the file of the library that has the module. */
  String library() {
    return library(module);
  }

  private static String library(String module) {
    return OF_RESIDUALS.contains(module) ? "kenaz/least_squares" : "kenaz/optimise";
  }

  private static String module(String name) {
    return name.equals("l-bfgs") ? "lbfgs" : name.replace('-', '_');
  }

  private static ExternalType defaults(String module, JobProgram program) {
    var text = program.text().defaults(library(module), module);
    var probe = JobProgram.lowered(program.written(), text);
    return probe.entryPoint(JobText.DEFAULTS).results().getFirst().type();
  }

  private static boolean allowsBatches(ExternalType options) {
    return options instanceof RecordType(_, var fields)
        && fields.stream().anyMatch(f -> f.name().equals(BATCHES));
  }

  private static void updates(
      String optimiser,
      String prefix,
      ExternalType type,
      Map<String, JsonNode> options,
      StringBuilder updates,
      Set<String> varying,
      SequencedMap<String, Value> given) {
    var fields = type instanceof RecordType(_, var all) ? all : List.<Field>of();
    options.forEach(
        (name, value) -> {
          var field = fields.stream().filter(f -> f.name().equals(name)).findFirst();
          if (field.isEmpty()) {
            throw new UserError(
                K7405,
                "optimiser.%s%s is no option of %s".formatted(prefix, name, optimiser),
                NearestName.hintOrFew(
                    name, fields.stream().map(Field::name).toList(), "its options are"));
          }
          var path = prefix + name;
          if (value.isObject() && field.get().type() instanceof RecordType) {
            var parts = new LinkedHashMap<String, JsonNode>();
            value.properties().forEach(p -> parts.put(p.getKey(), p.getValue()));
            updates(optimiser, path + ".", field.get().type(), parts, updates, varying, given);
          } else {
            var written = "optimiser." + path;
            var argument = Hyperparameters.value(field.get().type(), value, written);
            OptionRange.require(optimiser, path, argument);
            var text = literal(value);
            if (varying.contains(written)) {
              text = ARGUMENT + given.size();
              given.put(text, argument);
            }
            updates.append(" with %s = %s".formatted(path, text));
          }
        });
  }

  private static String literal(JsonNode value) {
    return value.isFloatingPointNumber() ? literal(value.asDouble()) : signed(value.asText());
  }

  /** Returns a number as the source language writes it. */
  static String literal(double number) {
    return signed(Double.toString(number).toLowerCase(Locale.ROOT));
  }

  private static String signed(String text) {
    return text.startsWith("-") ? "(" + text + ")" : text;
  }
}
