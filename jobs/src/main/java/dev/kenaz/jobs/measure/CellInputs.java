package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.jobs.bench.BenchInputs;
import dev.kenaz.jobs.tools.ValueGenerator;
import dev.kenaz.jobs.tools.suite.Inputs;
import dev.kenaz.jobs.tools.suite.ProgramFiles;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes the arguments of a cell.
 *
 * @param file the program's file, whose test blocks may be asked for
 * @param folder the folder from which other paths start
 */
record CellInputs(Path file, Path folder, CompiledProgram program, CompiledEntry entry) {
  /** Returns the flat arguments that {@code input} describes; none is right without parameters. */
  List<Value> of(JsonNode input) {
    if (!(input instanceof ObjectNode o)) {
      if (entry.type().params().isEmpty()) {
        return List.of();
      }
      throw new UserError(
          K7006,
          entry.name() + " has parameters, but the setting input is missing",
          "write for example \"input\": { \"random\": [\"[1000]f64\"] }");
    }
    var kind = o.properties().stream().map(p -> p.getKey()).filter(KINDS::contains).findFirst();
    return switch (kind.orElse("")) {
      case "random" -> random(o);
      case "script" -> block(new TestSpec.Script(o.get("script").asText()));
      case "file" -> block(new TestSpec.File(path(o.get("file")).toString()));
      case "case" -> blockNamed(o.get("case").asText());
      case "adbench" -> BenchInputs.adBench(path(o.get("adbench")));
      case "suite" ->
          BenchInputs.ofSuite(o.path("suite").asText(), o.path("data").asText(), program, entry);
      case "data" -> data(o);
      default -> throw new UserError(K7006, "the input " + o + " says no kind of input");
    };
  }

  private static final List<String> KINDS =
      List.of("random", "script", "file", "case", "adbench", "suite", "data");

  private Path path(JsonNode name) {
    return UserPath.in(folder, name.asText(), K7006);
  }

  private List<Value> random(ObjectNode input) {
    var generator = new ValueGenerator(input.path("seed").asLong(1));
    for (var p : input.properties()) {
      var prim = Prim.named(p.getKey());
      if (prim.isPresent()) {
        var bounds = p.getValue();
        generator.bound(prim.get(), bounds.path(0).asText() + ":" + bounds.path(1).asText());
      }
    }
    var values = new ArrayList<Value>();
    input.get("random").forEach(type -> values.add(generator.generate(type.asText())));
    return values;
  }

  private List<Value> block(TestSpec.Input input) {
    return arguments(
        new TestSpec.Case(
            Optional.empty(), List.of(), input, new TestSpec.Success(), Span.NONE.line()));
  }

  private List<Value> arguments(TestSpec.Case test) {
    return new Inputs(folder.resolve("sweep")).arguments(program, entry, test);
  }

  private List<Value> blockNamed(String wanted) {
    var cases =
        ProgramFiles.specs(file).stream()
            .map(TestSpec::action)
            .filter(a -> a instanceof TestSpec.Run r && r.entries().contains(entry.name()))
            .flatMap(a -> ((TestSpec.Run) a).cases().stream())
            .toList();
    for (int i = 0; i < cases.size(); i++) {
      if (Inputs.name(cases.get(i), i).equals(wanted) || wanted.equals("" + i)) {
        return new Inputs(file).arguments(program, entry, cases.get(i));
      }
    }
    throw new UserError(
        K7006,
        "%s has no test block %s for %s".formatted(file, wanted, entry.name()),
        "it has " + cases.size() + " for that entry point");
  }

  /** Reads columns for the parameters that are named, and parses the others in order. */
  private List<Value> data(ObjectNode input) {
    var columns = (ObjectNode) input.get("data");
    var others = input.path("values").valueStream().map(JsonNode::asText).iterator();
    var flat = new ArrayList<Value>();
    for (var param : entry.type().params()) {
      var named = columns.get(param.name());
      if (named != null) {
        flat.add(column(param, named.asText()));
      } else if (others.hasNext()) {
        flat.add(new ValueGenerator(1).generate(others.next()));
      } else {
        throw new UserError(
            K7006,
            "the input has nothing for the parameter " + param.name() + " of " + entry.name(),
            "name its columns in data, or write a value or a type with sizes in values");
      }
    }
    return flat;
  }

  private Value column(EntryPoint.Param param, String place) {
    if (!(param.type() instanceof Transparent(var prim, var rank)) || rank < 1 || rank > 2) {
      throw new UserError(
          K7006,
          "the parameter %s is a %s, but columns are arrays of one or two dimensions"
              .formatted(param.name(), param.type().text()));
    }
    int colon = place.lastIndexOf(':');
    var names = colon < 0 ? List.<String>of() : List.of(place.substring(colon + 1).split(","));
    var file = colon < 0 ? place : place.substring(0, colon);
    var data =
        ArrowDataset.open(
            List.of(UserPath.in(folder, file, K7006).toString()),
            ReadOptions.ALL.withColumns(names));
    return rank == 1 ? data.toVector(prim) : data.toMatrix(prim);
  }

  /** Returns the texts of a list. */
  static Stream<String> texts(JsonNode list) {
    return list.valueStream().map(JsonNode::asText);
  }
}
