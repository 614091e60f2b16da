package dev.kenaz.jobs.tools.server;

import static dev.kenaz.error.ErrorCode.K6007;
import static dev.kenaz.error.ErrorCode.K7102;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.jobs.tools.Arrays;
import dev.kenaz.jobs.tools.ExternalTypes;
import dev.kenaz.jobs.tools.Item;
import dev.kenaz.jobs.tools.Records;
import dev.kenaz.jobs.tools.Serialised;
import dev.kenaz.jobs.tools.ToolFault;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** These are the commands of the protocol. */
final class Commands {
  private final CompiledProgram program;
  private final Map<String, List<String>> attributes;
  private final ExternalTypes types;
  private final Variables variables;
  private final Consumer<String> reply;

  Commands(CompiledProgram program, Map<String, List<String>> attributes, Consumer<String> reply) {
    this.program = program;
    this.variables = new Variables(program::release);
    this.attributes = attributes;
    this.types = new ExternalTypes(program.entryPoints());
    this.reply = reply;
  }

  /**
   * @throws dev.kenaz.error.UserError if the command makes no sense, or fails
   */
  void execute(String command, List<String> args) {
    switch (command) {
      case "call" -> call(atLeast(args, 1));
      case "restore" -> restore(atLeast(args, 1));
      case "store" -> store(atLeast(args, 1));
      case "free" -> variables.free(args);
      case "rename" -> rename(exactly(args, 2));
      case "types" -> types.names().forEach(reply);
      case "entry_points" -> program.entryPoints().forEach(e -> reply.accept(e.name()));
      case "inputs" -> inputs(exactly(args, 1).getFirst());
      case "output" -> output(exactly(args, 1).getFirst());
      case "outputs" -> outputs(exactly(args, 1).getFirst());
      case "attributes" -> attributes(exactly(args, 1).getFirst());
      case "kind" -> reply.accept(ExternalTypes.kind(types.named(exactly(args, 1).getFirst())));
      case "type" -> reply.accept(variable(exactly(args, 1).getFirst()).type().text());
      case "clear", "pause_profiling", "unpause_profiling" -> exactly(args, 0);
      case "report" -> report(exactly(args, 0));
      case "tuning_params" -> entry(exactly(args, 1).getFirst());
      case "set_tuning_param" -> unknownParameter(exactly(args, 2));
      case "tuning_param_class" -> unknownParameter(exactly(args, 1));
      default -> {
        if (!arrayCommand(command, args) && !compositeCommand(command, args)) {
          throw ToolFault.command("unknown command: " + command);
        }
      }
    }
  }

  private boolean arrayCommand(String command, List<String> args) {
    switch (command) {
      case "rank" -> reply.accept("" + ExternalTypes.rank(array(exactly(args, 1))));
      case "elemtype" -> reply.accept(ExternalTypes.elem(array(exactly(args, 1))).text());
      case "shape" -> shape(variable(exactly(args, 1).getFirst()));
      case "index" -> index(atLeast(args, 2));
      case "set" -> set(atLeast(args, 2));
      case "new_array" -> newArray(atLeast(args, 2));
      case "zip" -> zip(atLeast(args, 2));
      case "unzip" -> unzip(atLeast(args, 1));
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean compositeCommand(String command, List<String> args) {
    switch (command) {
      case "fields" -> fields(exactly(args, 1).getFirst());
      case "new" -> newRecord(atLeast(args, 2));
      case "project" -> project(exactly(args, 3));
      case "variants" -> variants(exactly(args, 1).getFirst());
      case "variant" -> reply.accept(Records.variant(variable(exactly(args, 1).getFirst())).name());
      case "construct" -> construct(atLeast(args, 3));
      case "destruct" -> destruct(atLeast(args, 1));
      default -> {
        return false;
      }
    }
    return true;
  }

  private static List<String> exactly(List<String> args, int n) {
    if (args.size() != n) {
      throw ToolFault.command("wrong number of arguments: " + args.size() + ", not " + n);
    }
    return args;
  }

  private static List<String> atLeast(List<String> args, int n) {
    if (args.size() < n) {
      throw ToolFault.command("too few arguments: " + args.size() + ", at least " + n + " needed");
    }
    return args;
  }

  private Item variable(String name) {
    return variables.get(name);
  }

  private CompiledEntry entry(String name) {
    return program.entry(name);
  }

  // Entry points

  private void inputs(String entry) {
    for (var p : entry(entry).type().params()) {
      reply.accept((p.unique() ? "*" : "") + p.type().text());
    }
  }

  private void output(String entry) {
    var result = entry(entry).type().results().getFirst();
    reply.accept((result.unique() ? "*" : "") + result.type().text());
  }

  /** Describes an output in the form for older clients: a tuple has a line for each element. */
  private void outputs(String entry) {
    var result = entry(entry).type().results().getFirst();
    for (var type : Results.of(result.type())) {
      reply.accept((result.unique() ? "*" : "") + type.text());
    }
  }

  private void attributes(String entry) {
    attributes.getOrDefault(entry(entry).name(), List.of()).forEach(reply);
  }

  private void call(List<String> args) {
    var entry = entry(args.getFirst());
    var params = entry.type().params();
    var result = entry.type().results().getFirst().type();
    int outs = args.size() - 1 - params.size();
    int several = Results.of(result).size();
    if (outs != 1 && outs != several) {
      throw ToolFault.command(
          "%s takes %d inputs and gives 1 output, but %d variables are named"
              .formatted(entry.name(), params.size(), args.size() - 1));
    }
    var outputs = args.subList(1, 1 + outs);
    var inputs = args.subList(1 + outs, args.size());
    variables.requireFree(outputs);
    var arguments = new ArrayList<Value>();
    for (int i = 0; i < inputs.size(); i++) {
      var item = variable(inputs.get(i));
      Records.require(params.get(i).type(), item, "input " + (i + 1) + " of " + entry.name());
      arguments.addAll(item.flat());
    }
    entry.prepare();
    long start = System.nanoTime();
    var values = entry.call(arguments);
    long micros = entry.computeNanos().orElse(System.nanoTime() - start) / 1000;
    var item = new Item(result, values);
    for (int i = 0; i < inputs.size(); i++) {
      if (params.get(i).unique()) {
        variables.consume(inputs.get(i));
      }
    }
    if (outs == 1) {
      variables.put(outputs.getFirst(), item);
    } else {
      variables.put(outputs, Records.parts(item));
    }
    reply.accept("runtime: " + micros);
  }

  // Variables and files

  private void restore(List<String> args) {
    if (args.size() % 2 == 0) {
      throw ToolFault.command("a variable without a type");
    }
    var names = new ArrayList<String>();
    var items = new ArrayList<Item>();
    for (int i = 1; i < args.size(); i += 2) {
      names.add(args.get(i));
    }
    variables.requireFree(names);
    try (var in = ValueReader.open(UserPath.of(args.getFirst(), K6007))) {
      for (int i = 1; i < args.size(); i += 2) {
        items.add(Serialised.read(types.named(args.get(i + 1)), in));
      }
      if (in.hasNext()) {
        throw ToolFault.type("there is more in " + args.getFirst() + " than these values");
      }
    }
    variables.put(names, items);
  }

  private void store(List<String> args) {
    var items = variables.get(args.subList(1, args.size()));
    var file = UserPath.of(args.getFirst(), K7102);
    try (var out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
      for (var item : items) {
        Serialised.write(item, out);
      }
    } catch (IOException e) {
      throw new UserError(
          K7102,
          "can't write " + file + ": " + UserPath.reason(file, e),
          "see that the folder exists and may be written to");
    }
  }

  private void rename(List<String> args) {
    variables.rename(args.getFirst(), args.getLast());
  }

  // Arrays

  private EntryPoint.ExternalType array(List<String> args) {
    var type = types.named(args.getFirst());
    if (ExternalTypes.rank(type) == 0) {
      throw ToolFault.type("not an array type: " + type.text());
    }
    return type;
  }

  private void shape(Item array) {
    for (long d : Arrays.shape(array)) {
      reply.accept("" + d);
    }
  }

  private void index(List<String> args) {
    variables.requireFree(args.subList(0, 1));
    var indices = Words.integers(args.subList(2, args.size()));
    variables.put(args.getFirst(), Arrays.index(variable(args.get(1)), indices));
  }

  private void set(List<String> args) {
    var indices = Words.integers(args.subList(2, args.size()));
    var array = variable(args.getFirst());
    variables.replace(args.getFirst(), Arrays.set(array, variable(args.get(1)), indices));
  }

  private void newArray(List<String> args) {
    variables.requireFree(args.subList(0, 1));
    var type = array(args.subList(1, 2));
    int first = Math.min(args.size(), 2 + ExternalTypes.rank(type));
    var shape = Words.integers(args.subList(2, first));
    var elements = variables.get(args.subList(first, args.size()));
    variables.put(args.getFirst(), Arrays.create(type, shape, elements));
  }

  private void zip(List<String> args) {
    variables.requireFree(args.subList(0, 1));
    var arrays = variables.get(args.subList(2, args.size()));
    variables.put(args.getFirst(), Records.zip(types.named(args.get(1)), arrays));
  }

  private void unzip(List<String> args) {
    split(args, Records.parts(variable(args.getFirst())));
  }

  private void split(List<String> args, List<Item> parts) {
    var names = args.subList(1, args.size());
    if (names.size() != parts.size()) {
      throw ToolFault.command(parts.size() + " variables needed, not " + names.size());
    }
    variables.put(names, parts);
  }

  // Records and sums

  private void fields(String type) {
    Records.fields(types.named(type)).forEach(f -> reply.accept(f.name() + " " + f.type().text()));
  }

  private void newRecord(List<String> args) {
    variables.requireFree(args.subList(0, 1));
    var values = variables.get(args.subList(2, args.size()));
    variables.put(args.getFirst(), Records.record(types.named(args.get(1)), values));
  }

  private void project(List<String> args) {
    variables.put(args.getFirst(), Records.project(variable(args.get(1)), args.get(2)));
  }

  private void variants(String type) {
    for (var v : Records.variants(types.named(type))) {
      reply.accept(v.name());
      v.payload().forEach(t -> reply.accept("- " + t.text()));
    }
  }

  private void construct(List<String> args) {
    variables.requireFree(args.subList(0, 1));
    var payload = variables.get(args.subList(3, args.size()));
    var value = Records.construct(types.named(args.get(1)), args.get(2), payload);
    variables.put(args.getFirst(), value);
  }

  private void destruct(List<String> args) {
    split(args, Records.destruct(variable(args.getFirst())));
  }

  // Tuning: there are no parameters to tune

  private void report(List<String> none) {
    reply.accept("{\"memory\": {}, \"events\": []}");
  }

  private static void unknownParameter(List<String> args) {
    throw ToolFault.name("unknown tuning parameter: " + args.getFirst());
  }
}
