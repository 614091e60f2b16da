package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7405;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Field;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.jobs.config.TrainConfig;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An optimiser as the source language names it.
 *
 * @param module a parametric module of kenaz/optimise
 * @param options updates of its default options
 */
record OptimiserChoice(String module, String options) {
  /**
   * Finds the optimiser that a configuration names.
   *
   * @throws UserError K7405 for an option that it doesn't have, K7404 for a value that an option
   *     can't have
   */
  static OptimiserChoice of(TrainConfig.Optimiser optimiser, JobProgram program) {
    var name = optimiser.name();
    var module = name.equals("l-bfgs") ? "lbfgs" : name.replace('-', '_');
    if (optimiser.options().isEmpty()) {
      return new OptimiserChoice(module, "");
    }
    var probe = JobProgram.lowered(program.written(), program.text().defaults(module));
    var defaults = probe.entryPoint(JobText.DEFAULTS).results().getFirst().type();
    var options = new StringBuilder();
    updates(name, "", defaults, optimiser.options(), options);
    return new OptimiserChoice(module, options.toString());
  }

  private static void updates(
      String optimiser,
      String prefix,
      ExternalType type,
      Map<String, JsonNode> given,
      StringBuilder updates) {
    var fields = type instanceof RecordType(_, var all) ? all : List.<Field>of();
    given.forEach(
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
            var parts = new java.util.LinkedHashMap<String, JsonNode>();
            value.properties().forEach(p -> parts.put(p.getKey(), p.getValue()));
            updates(optimiser, path + ".", field.get().type(), parts, updates);
          } else {
            Hyperparameters.value(field.get().type(), value, "optimiser." + path);
            updates.append(" with %s = %s".formatted(path, literal(value)));
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
