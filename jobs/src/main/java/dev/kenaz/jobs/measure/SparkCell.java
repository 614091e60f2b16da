package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.ad.Derivation;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.jobs.SparkLog;
import dev.kenaz.jobs.bench.BenchInputs;
import dev.kenaz.jobs.tools.ValueGenerator;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.RowSink;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkData;
import dev.kenaz.spark.SparkEngine;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * This is a cell's function over columns of files in pieces, on Spark. Executors have read the
 * pieces after the first call, as in a training.
 *
 * @param given what the plan takes beside the columns
 * @param local whether Spark is within this process
 */
record SparkCell(
    JavaSparkContext spark,
    SparkEngine engine,
    PiecewiseEntry entry,
    SourceText text,
    List<Value> given,
    boolean local,
    double compileSeconds)
    implements CellFunction {

  /** A function, and the derivatives that lead to it. */
  private record Derived(
      ProgramSource source,
      EntryPoint function,
      List<String> by,
      CoreProgram lowered,
      List<Derivation> derivations,
      EntryPoint type) {
    /** Returns the parameters by which derivatives are taken, in their order. */
    List<String> byNames() {
      return function.params().stream()
          .filter(
              p ->
                  by.isEmpty()
                      ? p.type().flat().stream().anyMatch(f -> f.prim().isFloat())
                      : by.contains(p.name()))
          .map(EntryPoint.Param::name)
          .toList();
    }

    static Derived of(ObjectNode settings, Path folder, CompileOptions options) {
      var source = CellProgram.source(settings, folder);
      var lowered = Compiler.run(source, Pipelines.lowered(), options).core();
      var function = lowered.entryPoint(settings.path("entry").asText("main"));
      var type = function;
      var mode = CellProgram.Mode.of(settings.path("mode").asText("value"));
      var by = CellInputs.texts(settings.path("by")).toList();
      var derivations = new ArrayList<Derivation>();
      for (var form : mode.forms) {
        var next = new Derivation(type.name(), form, CellProgram.positions(type, by));
        derivations.add(next);
        lowered = next.of(lowered);
        type = lowered.entries().getFirst();
      }
      return new Derived(source, function, by, lowered, derivations, type);
    }
  }

  /** Starts Spark, and plans the program. */
  static SparkCell of(ObjectNode settings, Path folder) {
    var input = settings.path("input");
    if (!input.path("data").isObject()) {
      throw new UserError(
          K7006,
          "on Spark, columns of files are the arguments",
          "write for example \"input\": { \"data\": { \"xs\": \"points.arrow:c1,c2\" } }");
    }
    var options = CellProgram.options(settings);
    long begin = System.nanoTime();
    var derived = Derived.of(settings, folder, options);
    var columns = new ArrayList<String>();
    input.path("data").fieldNames().forEachRemaining(columns::add);
    var others = others(derived, columns, input.path("values"));
    var entry =
        PiecewiseEntry.plan(derived.lowered(), derived.type().name(), columns, options).program();
    var text =
        SourceText.of(derived.source(), derived.derivations(), entry, columns, options, true);
    double seconds = (System.nanoTime() - begin) / 1e9;
    var data =
        ParameterData.open(
            entry, sources(input.path("data"), folder), others, ReadOptions.Nulls.ERROR, false);
    var given = entry.replicated(data.kept(), data.shapes(), others);
    SparkLog.choose(false);
    var conf = settings.path("spark-conf");
    conf.properties().forEach(p -> System.setProperty(p.getKey(), p.getValue().asText()));
    var master = settings.get("spark").asText();
    var spark = SparkStart.open("kenaz sweep", Optional.of(master), options.backend());
    var pieces = settings.has("pieces") ? OptionalInt.of(settings.get("pieces").asInt()) : none();
    var engine = SparkData.engine(spark, text, data, pieces, RowSink.COLLECT);
    boolean local = master.matches("local(\\[.*])?");
    return new SparkCell(spark, engine, entry, text, given, local, seconds);
  }

  private static OptionalInt none() {
    return OptionalInt.empty();
  }

  private static List<ParameterData.Source> sources(JsonNode data, Path folder) {
    var sources = new ArrayList<ParameterData.Source>();
    for (var p : data.properties()) {
      var place = p.getValue().asText();
      int colon = place.lastIndexOf(':');
      var names = colon < 0 ? List.<String>of() : List.of(place.substring(colon + 1).split(","));
      var file = colon < 0 ? place : place.substring(0, colon);
      var path = UserPath.in(folder, file, K7006).toString();
      sources.add(new ParameterData.Source(p.getKey(), path, names));
    }
    return sources;
  }

  /**
   * Makes the arguments that aren't columns. Behind those of the function come the tangents that a
   * derivative takes, one for each parameter by which it is taken.
   */
  private static List<Value> others(Derived derived, List<String> columns, JsonNode values) {
    var written = values.valueStream().map(JsonNode::asText).iterator();
    var own = new LinkedHashMap<String, List<Value>>();
    for (var p : derived.function().params()) {
      if (!columns.contains(p.name())) {
        var parts = new ArrayList<Value>();
        for (int part = p.type().flat().size(); part > 0; part--) {
          if (!written.hasNext()) {
            throw missing(p.name(), derived.function());
          }
          parts.add(new ValueGenerator(1).generate(written.next()));
        }
        own.put(p.name(), parts);
      }
    }
    var all = new ArrayList<Value>();
    own.values().forEach(all::addAll);
    int tangents = derived.type().params().size() - derived.function().params().size();
    var by = derived.byNames();
    var chosen = new ArrayList<Value>();
    for (int i = 0; i < tangents; i++) {
      var like = own.get(by.get(i));
      if (like == null) {
        throw new UserError(
            K7006,
            "a tangent of the columns " + by.get(i) + " would be as long as the data",
            "name parameters that are no columns by the setting by");
      }
      chosen.addAll(like);
    }
    all.addAll(BenchInputs.like(chosen));
    return all;
  }

  private static UserError missing(String parameter, EntryPoint function) {
    return new UserError(
        K7006,
        "the input has nothing for the parameter %s of %s".formatted(parameter, function.name()),
        "write a value or a type with sizes in values, for each parameter that is no column");
  }

  @Override
  public List<Value> call() {
    var caller = text.caller(Runtime.getRuntime().availableProcessors());
    return engine.results(entry.plan(), caller, given);
  }

  @Override
  public OptionalLong computeNanos() {
    return OptionalLong.empty();
  }

  @Override
  public void release(List<Value> results) {
    // The garbage collector does it.
  }

  @Override
  public List<Value> ownArguments() {
    throw new UserError(
        K7006,
        "a peer can't take the arguments of a cell on Spark, which are columns of files",
        "leave $input out of its command, and let it read the files");
  }

  @Override
  public boolean isHere() {
    return local;
  }

  @Override
  public void close() {
    spark.close();
  }
}
