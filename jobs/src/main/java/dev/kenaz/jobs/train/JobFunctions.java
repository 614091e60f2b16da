package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7402;
import static dev.kenaz.error.ErrorCode.K7403;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.train.JobFunction.Argument;
import dev.kenaz.jobs.train.JobFunction.Kind;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.ModuleExp;
import dev.kenaz.source.Pattern;
import dev.kenaz.source.SourceFile;
import dev.kenaz.typing.ImportResolver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/** Finds the functions of a job's program, and what each of their parameters is. */
final class JobFunctions {
  /** The seed is called so, unless the configuration means something else by the name. */
  static final String SEED = "seed";

  private final SourceFile file;
  private final ImportResolver imports;

  /** The files that are being looked at. */
  private final Set<String> files = new HashSet<>();

  /** Modules that the program opens, whose functions can't be told from the text. */
  private final List<Span> opened = new ArrayList<>();

  private final Set<String> columns;
  private final Set<String> hyperparameters;
  private final List<Diagnostic> faults = new ArrayList<>();

  /** The names of parameters for which the configuration has nothing. */
  private final Set<String> unbound = new LinkedHashSet<>();

  /** Those of them that aren't the model. */
  private final Set<String> free = new LinkedHashSet<>();

  private JobFunctions(
      SourceFile file, ImportResolver imports, Set<String> columns, Set<String> hyperparameters) {
    this.file = file;
    this.imports = imports;
    this.columns = columns;
    this.hyperparameters = hyperparameters;
  }

  /**
   * Finds them.
   *
   * @param imports gives the files whose names are opened
   * @param columns the names that the configuration gives to columns
   * @param hyperparameters the names that it gives to numbers
   * @throws UserError K7402 for functions that are missing or have no such parameters, K7403 for
   *     names that the program doesn't have
   */
  static Map<String, JobFunction> of(
      SourceFile file, ImportResolver imports, Set<String> columns, Set<String> hyperparameters) {
    var search = new JobFunctions(file, imports, columns, hyperparameters);
    var found = search.found();
    search.requireUse(found);
    if (!search.faults.isEmpty()) {
      throw new UserError(search.faults);
    }
    return found;
  }

  /** Finds the parameters of data for which a configuration with these names has nothing. */
  static Set<String> unbound(
      SourceFile file, ImportResolver imports, Set<String> columns, Set<String> hyperparameters) {
    var search = new JobFunctions(file, imports, columns, hyperparameters);
    search.found();
    return search.free;
  }

  private Map<String, JobFunction> found() {
    var visible = new LinkedHashMap<String, Declaration.Value>();
    collect(file.name(), file.declarations(), Map.of(), visible);
    var found = new LinkedHashMap<String, JobFunction>();
    var all = visible.keySet();
    for (var v : visible.values()) {
      if (JobFunction.NAMES.contains(v.name())) {
        found.put(v.name(), function(v));
      }
    }
    if (found.containsKey(JobFunction.TRAIN)) {
      requireAlone(found);
      return found;
    }
    if (!found.containsKey(JobFunction.INIT)) {
      missing("no function init, which gives the first model", JobFunction.INIT, all);
    }
    boolean hasResiduals = found.containsKey(JobFunction.RESIDUALS);
    if (hasResiduals && found.containsKey(JobFunction.LOSS)) {
      faults.add(
          Diagnostic.of(
              K7402,
              found.get(JobFunction.RESIDUALS).span(),
              "the program has both loss and residuals, half of whose squares are the loss",
              "call one of them by another name"));
    }
    if (!found.containsKey(JobFunction.LOSS)
        && !hasResiduals
        && !found.containsKey(JobFunction.STEP)) {
      missing("neither a function loss nor a function step", JobFunction.LOSS, all);
    }
    return found;
  }

  /**
   * Collects the definitions that whoever imports a file sees: its own, and those that it opens.
   *
   * @param modules the modules that are defined around the declarations
   * @param visible the definitions by their names; a later one hides an earlier one
   */
  private void collect(
      String from,
      List<Declaration> declarations,
      Map<String, ModuleExp> modules,
      SequencedMap<String, Declaration.Value> visible) {
    var known = new HashMap<>(modules);
    for (var d : declarations) {
      switch (d) {
        case Declaration.Value v when !v.modifiers().local() -> put(v, visible);
        case Declaration.Value v -> visible.remove(v.name()); // It hides what was there.
        case Declaration.Open o when !o.modifiers().local() ->
            open(from, o.module(), o.span(), known, visible);
        case Declaration.Module m -> {
          boolean plain = m.params().isEmpty() && m.ascription().isEmpty();
          var body =
              m.body() instanceof ModuleExp.Name n ? known.get(n.name().toString()) : m.body();
          known.put(m.name(), plain ? body : null);
        }
        case Declaration.Open _,
            Declaration.Import _,
            Declaration.Type _,
            Declaration.ModuleType _ -> {}
      }
    }
  }

  private static void put(Declaration.Value v, SequencedMap<String, Declaration.Value> visible) {
    visible.remove(v.name()); // Messages have functions in the order of their definitions.
    visible.put(v.name(), v);
  }

  private void open(
      String from,
      ModuleExp module,
      Span at,
      Map<String, ModuleExp> known,
      SequencedMap<String, Declaration.Value> visible) {
    switch (module) {
      case ModuleExp.Import i -> {
        var imported = imports.resolve(from, i.path(), i.span());
        if (files.add(imported.name())) { // A cycle is an error, which is found later.
          collect(imported.name(), imported.declarations(), Map.of(), visible);
          files.remove(imported.name());
        }
      }
      case ModuleExp.Block b -> collect(from, b.declarations(), known, visible);
      case ModuleExp.Name n when known.get(n.name().toString()) != null ->
          open(from, known.get(n.name().toString()), at, known, visible);
      case ModuleExp.Name _, ModuleExp.Apply _, ModuleExp.Seal _, ModuleExp.Lambda _ ->
          opened.add(at);
    }
  }

  private void requireAlone(Map<String, JobFunction> found) {
    for (var name : List.of(JobFunction.INIT, JobFunction.STEP)) {
      if (found.containsKey(name)) {
        faults.add(
            Diagnostic.of(
                K7402,
                found.get(name).span(),
                "the program has both train, which gives the trained model, and " + name,
                "call one of them by another name"));
      }
    }
  }

  private void missing(String what, String name, Collection<String> all) {
    var hints = new ArrayList<>(List.of(NearestName.hintOrFew(name, all, "its definitions are")));
    if (!opened.isEmpty()) {
      hints.add(
          "those of the module that is opened in line %d aren't seen: define %s here, with its"
                  .formatted(opened.getFirst().line(), name)
              + " parameters, and call the module's");
    } else if (file.declarations().stream().anyMatch(d -> d instanceof Declaration.Import)) {
      hints.add("what import makes visible is for the file alone: write open import instead");
    }
    faults.add(
        Diagnostic.of(K7402, file.span(), "the program has " + what, hints.toArray(String[]::new)));
  }

  private JobFunction function(Declaration.Value v) {
    var arguments = new ArrayList<Argument>();
    var rest = new ArrayList<String>();
    for (var p : v.params()) {
      var name = name(p);
      if (columns.contains(name)) {
        arguments.add(new Argument(Kind.COLUMN, name));
      } else if (hyperparameters.contains(name) || name.equals(SEED)) {
        arguments.add(new Argument(Kind.HYPERPARAMETER, name));
      } else {
        arguments.add(new Argument(Kind.MODEL, JobFunction.MODEL));
        rest.add(name);
      }
    }
    if (v.name().equals(JobFunction.REPARAMETRISE)) {
      requireTwoModels(v, rest);
      return JobFunction.ofTwoModels(v.name(), v.nameSpan());
    }
    if (makesModel(v) ? !rest.isEmpty() : rest.size() != 1) {
      unbound.addAll(rest);
      // The model comes first, unless the function makes it.
      free.addAll(makesModel(v) ? rest : rest.subList(Math.min(1, rest.size()), rest.size()));
      unclear(v, rest);
    }
    return new JobFunction(v.name(), v.nameSpan(), List.copyOf(arguments));
  }

  private void requireTwoModels(Declaration.Value v, List<String> models) {
    if (models.size() != 2 || v.params().size() != 2) {
      faults.add(
          Diagnostic.of(
              K7402,
              v.nameSpan(),
              "reparametrise takes two models and nothing else: the one with which a training"
                  + " began, and the one to which the optimiser has gone",
              "put numbers that it needs into the model, or call it by another name"));
    }
  }

  private static boolean makesModel(Declaration.Value v) {
    return v.name().equals(JobFunction.INIT) || v.name().equals(JobFunction.TRAIN);
  }

  private static String name(Pattern p) {
    return switch (p) {
      case Pattern.Name n -> n.name();
      case Pattern.Ascribe a -> name(a.pattern());
      case Pattern.Attributed a -> name(a.pattern());
      case Pattern.Wildcard _,
          Pattern.Constant _,
          Pattern.Tuple _,
          Pattern.Record _,
          Pattern.Construct _ ->
          "_";
    };
  }

  private void unclear(Declaration.Value v, List<String> rest) {
    var bound = new ArrayList<>(columns);
    bound.addAll(hyperparameters);
    v.params().forEach(p -> bound.remove(name(p))); // What the function takes already is meant so.
    var hints = new ArrayList<String>();
    for (var name : rest) {
      NearestName.of(name, bound)
          .ifPresent(n -> hints.add("the configuration has \"" + n + "\": is it " + name + "?"));
    }
    boolean init = makesModel(v);
    String message;
    if (rest.isEmpty()) {
      message =
          v.name() + " takes no model: each of its parameters is a column or a hyperparameter";
      hints.add("the model is the parameter that the configuration doesn't name");
    } else {
      message =
          "the configuration names no column and no hyperparameter %s of %s"
                  .formatted(String.join(", ", rest), v.name())
              + (init ? "" : ": one of them is the model, but what are the others?");
      hints.add("name columns in data.columns, and hyperparameters in parameters");
    }
    faults.add(Diagnostic.of(K7402, v.nameSpan(), message, hints.toArray(String[]::new)));
  }

  private void requireUse(Map<String, JobFunction> found) {
    requireUse(found, Kind.COLUMN, columns, "data.columns");
    requireUse(found, Kind.HYPERPARAMETER, hyperparameters, "parameters");
  }

  private void requireUse(
      Map<String, JobFunction> found, Kind kind, Set<String> names, String place) {
    for (var name : names) {
      if (kind == Kind.HYPERPARAMETER && columns.contains(name)) {
        faults.add(
            Diagnostic.of(
                K7403, Span.NONE, "both data.columns and parameters name \"" + name + "\""));
      } else if (name.startsWith("kenaz_") || JobFunction.NAMES.contains(name)) {
        faults.add(
            Diagnostic.of(
                K7403,
                Span.NONE,
                place + " names \"" + name + "\", which is taken by the job itself",
                "call the parameter by another name"));
      } else if (found.values().stream().noneMatch(f -> f.names(kind).contains(name))) {
        faults.add(
            Diagnostic.of(
                K7403,
                Span.NONE,
                "%s names \"%s\", but %s have no such parameter"
                    .formatted(place, name, String.join(", ", found.keySet())),
                NearestName.hint(name, unbound)));
      }
    }
  }
}
