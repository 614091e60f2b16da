package dev.kenaz.jobs.tools.script;

import static dev.kenaz.error.ErrorCode.K6007;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.jobs.tools.ExternalTypes;
import dev.kenaz.jobs.tools.Item;
import dev.kenaz.jobs.tools.Records;
import dev.kenaz.jobs.tools.Serialised;
import dev.kenaz.jobs.tools.ToolFault;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Evaluates expressions over the entry points of a program. */
public final class Script {
  private final CompiledProgram program;
  private final Path folder;

  /**
   * @param folder the folder to which names of files are relative
   */
  public Script(CompiledProgram program, Path folder) {
    this.program = program;
    this.folder = folder;
  }

  /** Returns the values of an expression; for a tuple, those of its elements. */
  public List<ScriptValue> values(String text) {
    var result = eval(ScriptParser.parse(text), Map.of());
    return elements(result);
  }

  /** Returns a value as an argument of that type. */
  public static Item as(ExternalType type, ScriptValue value) {
    return switch (value) {
      case ScriptValue.Known(var item) -> {
        Records.require(type, item, "an argument");
        yield item;
      }
      case ScriptValue.Untyped(var text) -> {
        if (!(type instanceof Transparent)) {
          throw ToolFault.type("expected a value of " + type.text() + ", not " + text);
        }
        try (var in = ValueReader.of(text.getBytes(StandardCharsets.UTF_8), "<script>")) {
          yield Serialised.read(type, in);
        }
      }
      case ScriptValue.Tuple(var elements) -> record(type, elements);
      case ScriptValue.Record(var fields) -> record(type, sorted(type, fields));
    };
  }

  private static Item record(ExternalType type, List<ScriptValue> values) {
    if (!(type instanceof RecordType(_, var fields)) || fields.size() != values.size()) {
      throw ToolFault.type("expected a value of " + type.text() + ", not a tuple or record");
    }
    var items = new ArrayList<Item>();
    for (int i = 0; i < fields.size(); i++) {
      items.add(as(fields.get(i).type(), values.get(i)));
    }
    return Records.record(type, items);
  }

  private static List<ScriptValue> sorted(ExternalType type, Map<String, ScriptValue> values) {
    var sorted = new ArrayList<ScriptValue>();
    for (var f : Records.fields(type)) {
      var value = values.get(f.name());
      if (value == null) {
        throw ToolFault.name("the field " + f.name() + " of " + type.text() + " is missing");
      }
      sorted.add(value);
    }
    return sorted;
  }

  /** Returns a value whose type is not given from outside. */
  public static Item known(ScriptValue value) {
    return switch (value) {
      case ScriptValue.Known(var item) -> item;
      case ScriptValue.Untyped(var text) -> item(ValueReader.parse(text).getFirst());
      case ScriptValue.Tuple(var elements) -> {
        var fields = new LinkedHashMap<String, ScriptValue>();
        elements.forEach(e -> fields.put("" + fields.size(), e));
        yield known(new ScriptValue.Record(fields));
      }
      case ScriptValue.Record(var fields) -> {
        var types = new ArrayList<dev.kenaz.ir.EntryPoint.Field>();
        var flat = new ArrayList<Value>();
        fields.forEach(
            (name, v) -> {
              var item = known(v);
              types.add(new dev.kenaz.ir.EntryPoint.Field(name, item.type()));
              flat.addAll(item.flat());
            });
        var text = types.stream().map(f -> f.type().text()).collect(Collectors.joining(", "));
        yield new Item(
            new RecordType("(" + text + ")", types), types.isEmpty() ? Records.NOTHING : flat);
      }
    };
  }

  private static Item item(Value v) {
    return new Item(new Transparent(v.prim(), v.rank()), List.of(v));
  }

  private static List<ScriptValue> elements(ScriptValue value) {
    return switch (value) {
      case ScriptValue.Tuple(var elements) -> elements;
      case ScriptValue.Known(var item) when isTuple(item.type()) ->
          Records.parts(item).stream().<ScriptValue>map(ScriptValue.Known::new).toList();
      case ScriptValue.Known _, ScriptValue.Untyped _, ScriptValue.Record _ -> List.of(value);
    };
  }

  private static boolean isTuple(ExternalType type) {
    return type instanceof RecordType(_, var fields)
        && fields.size() != 1
        && fields.stream().allMatch(f -> Character.isDigit(f.name().charAt(0)));
  }

  private ScriptValue eval(ScriptExp exp, Map<String, ScriptValue> env) {
    return switch (exp) {
      case ScriptExp.Constant(var text) -> new ScriptValue.Untyped(text);
      case ScriptExp.Text(var text) ->
          new ScriptValue.Known(bytes(text.getBytes(StandardCharsets.UTF_8)));
      case ScriptExp.Tuple(var elements) -> new ScriptValue.Tuple(all(elements, env));
      case ScriptExp.Array(var elements) -> array(all(elements, env));
      case ScriptExp.Record(var fields) -> {
        var values = new LinkedHashMap<String, ScriptValue>();
        fields.forEach(f -> values.put(f.name(), eval(f.value(), env)));
        yield new ScriptValue.Record(values);
      }
      case ScriptExp.Let let -> eval(let.body(), bound(let, env));
      case ScriptExp.Builtin(var name, var arguments) -> builtin(name, arguments);
      case ScriptExp.Call(var name, var arguments) ->
          env.containsKey(name) && arguments.isEmpty()
              ? env.get(name)
              : call(name, all(arguments, env));
    };
  }

  private List<ScriptValue> all(List<ScriptExp> exps, Map<String, ScriptValue> env) {
    return exps.stream().map(e -> eval(e, env)).toList();
  }

  private Map<String, ScriptValue> bound(ScriptExp.Let let, Map<String, ScriptValue> env) {
    var value = eval(let.value(), env);
    var inner = new HashMap<>(env);
    if (let.names().size() == 1) {
      inner.put(let.names().getFirst(), value);
      return inner;
    }
    var parts = elements(value);
    if (parts.size() != let.names().size()) {
      throw ToolFault.type(let.names().size() + " names for " + parts.size() + " values");
    }
    for (int i = 0; i < parts.size(); i++) {
      inner.put(let.names().get(i), parts.get(i));
    }
    return inner;
  }

  private static ScriptValue array(List<ScriptValue> elements) {
    if (elements.stream().allMatch(e -> e instanceof ScriptValue.Untyped)) {
      return new ScriptValue.Untyped(
          elements.stream()
              .map(e -> ((ScriptValue.Untyped) e).text())
              .collect(Collectors.joining(", ", "[", "]")));
    }
    var items = elements.stream().map(Script::known).toList();
    var type = ExternalTypes.arrayOf(items.getFirst().type(), 1);
    return new ScriptValue.Known(stacked(type, items));
  }

  private static Item stacked(ExternalType type, List<Item> items) {
    var flat = new ArrayList<Value>();
    items.forEach(i -> Records.require(items.getFirst().type(), i, "an element"));
    for (int i = 0; i < items.getFirst().flat().size(); i++) {
      int component = i;
      flat.add(ArrayValue.stack(items.stream().map(e -> e.flat().get(component)).toList()));
    }
    return new Item(type, flat);
  }

  private ScriptValue call(String name, List<ScriptValue> arguments) {
    var entry = program.entry(name);
    var params = entry.type().params();
    var given = arguments;
    if (given.size() == 1 && params.size() > 1) {
      given = elements(given.getFirst());
    }
    if (given.size() != params.size()) {
      throw ToolFault.type(name + " takes " + params.size() + " arguments, not " + given.size());
    }
    var flat = new ArrayList<Value>();
    for (int i = 0; i < given.size(); i++) {
      flat.addAll(as(params.get(i).type(), given.get(i)).flat());
    }
    var type = entry.type().results().getFirst().type();
    return new ScriptValue.Known(new Item(type, entry.call(flat)));
  }

  private ScriptValue builtin(String name, List<ScriptExp> arguments) {
    var texts = new ArrayList<String>();
    for (var a : arguments) {
      if (!(a instanceof ScriptExp.Text(var text))) {
        throw ToolFault.type("$" + name + " takes text between quotes");
      }
      texts.add(text);
    }
    if (texts.size() != (name.equals("restore") ? 2 : 1)) {
      throw ToolFault.type("wrong number of arguments of $" + name);
    }
    var file = folder.resolve(UserPath.of(texts.getLast(), K6007));
    return switch (name) {
      case "loaddata" -> data(file);
      case "loadimg" -> new ScriptValue.Known(item(media(() -> Media.image(file))));
      case "loadaudio" -> new ScriptValue.Known(item(media(() -> Media.sound(file))));
      case "loadbytes" -> new ScriptValue.Known(bytes(contents(file)));
      case "restore" -> {
        try (var in = ValueReader.open(file)) {
          var types = new ExternalTypes(program.entryPoints());
          yield new ScriptValue.Known(Serialised.read(types.named(texts.getFirst()), in));
        }
      }
      default -> throw ToolFault.name("there is no function $" + name);
    };
  }

  /** Reads a picture or a sound. The Java runtime of GPU nodes doesn't have the module for that. */
  private static Value media(Supplier<Value> read) {
    if (ModuleLayer.boot().findModule("java.desktop").isEmpty()) {
      throw new Limitation(
          Span.NONE, "pictures and sounds can't be read by a Java without its module java.desktop");
    }
    return read.get();
  }

  private static ScriptValue data(Path file) {
    var values = ValueReader.readAll(file).stream();
    var known = values.<ScriptValue>map(v -> new ScriptValue.Known(item(v))).toList();
    return known.size() == 1 ? known.getFirst() : new ScriptValue.Tuple(known);
  }

  private static Item bytes(byte[] bytes) {
    return item(ArrayValue.ofBytes(Prim.U8, bytes));
  }

  private static byte[] contents(Path file) {
    try {
      return Files.readAllBytes(UserPath.requireFile(file, K6007));
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K6007, e);
    }
  }
}
