package dev.kenaz.jobs.tools.suite;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.Abstract;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.jobs.tools.ToolFault;
import dev.kenaz.jobs.tools.ValueGenerator;
import dev.kenaz.jobs.tools.server.FailureText;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.source.Attribute;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.Parser;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Looks for arguments for which a property, an entry point that returns a boolean, is false.
 * Candidates grow from one to the next, so that the first one that is found is small; the program's
 * own {@code shrink} makes it smaller.
 *
 * @param attributes the attributes of the program's entry points, of which {@code prop(gen(f),
 *     shrink(g), size(n))} is used
 */
record Properties(CompiledProgram program, Map<String, List<Attribute>> attributes, long seed) {
  private static final int CANDIDATES = 100;
  private static final int SHRINKS = 100;
  private static final long SIZE = 30;

  /** Returns the attributes that the program gives to its entry points. */
  static Map<String, List<Attribute>> attributes(ProgramSource source) {
    var found = new HashMap<String, List<Attribute>>();
    for (var d : Parser.parse(source.root(), source.files().get(source.root())).declarations()) {
      if (d instanceof Declaration.Value v) {
        found.put(v.name(), v.modifiers().attributes());
      }
    }
    return found;
  }

  /** Returns a message with the arguments that were found; nothing if there are none. */
  Optional<String> check(String name) {
    var property = program.entry(name);
    var generator = argument(name, "gen").map(program::entry);
    long size = argument(name, "size").map(Long::parseLong).orElse(SIZE);
    var values = new ValueGenerator(seed);
    var random = new SplittableRandom(seed);
    for (int i = 0; i < CANDIDATES; i++) {
      long now = size * i / (CANDIDATES - 1);
      var candidate =
          generator.isPresent()
              ? generator
                  .get()
                  .call(
                      List.of(
                          integer(generator.get(), 0, now),
                          integer(generator.get(), 1, random.nextLong())))
              : arguments(property, now, values);
      if (fault(property, candidate).isPresent()) {
        var least = shrunk(property, name, candidate, random);
        return Optional.of(
            fault(property, least).orElse("is false")
                + " for "
                + least.stream().map(Value::toString).collect(Collectors.joining(" ")));
      }
    }
    return Optional.empty();
  }

  private Optional<String> argument(String entry, String name) {
    return attributes.getOrDefault(entry, List.of()).stream()
        .filter(a -> a.name().equals("prop"))
        .flatMap(a -> a.arguments().stream())
        .filter(a -> a.name().equals(name) && a.arguments().size() == 1)
        .map(a -> a.arguments().getFirst().name())
        .findFirst();
  }

  /** Returns what is wrong with the property for these arguments. */
  private static Optional<String> fault(CompiledEntry property, List<Value> candidate) {
    try {
      var result = property.call(candidate);
      if (result.size() != 1 || !(result.getFirst() instanceof ScalarValue s)) {
        throw ToolFault.type(property.name() + " is no property: it does not yield a boolean");
      }
      return s.asBoolean() ? Optional.empty() : Optional.of("is false");
    } catch (UserError e) {
      if (e.diagnostics().getFirst().code().isOfRun()) {
        return Optional.of("fails (" + FailureText.of(e).strip() + ")");
      }
      throw e;
    }
  }

  private List<Value> shrunk(
      CompiledEntry property, String name, List<Value> found, SplittableRandom random) {
    var shrink = argument(name, "shrink").map(program::entry);
    if (shrink.isEmpty()) {
      return found;
    }
    var least = found;
    for (int i = 0; i < SHRINKS; i++) {
      var arguments = new ArrayList<>(least);
      int last = shrink.get().type().params().size() - 1;
      arguments.add(integer(shrink.get(), last, random.nextInt()));
      var smaller = shrink.get().call(arguments);
      if (fault(property, smaller).isPresent()) {
        least = smaller;
      }
    }
    return least;
  }

  /** Returns a size or a seed of the type that the function takes. */
  private static ScalarValue integer(CompiledEntry function, int param, long value) {
    var params = function.type().params();
    return param < params.size()
            && params.get(param).type() instanceof Transparent(var prim, int rank)
            && rank == 0
        ? new ScalarValue(prim, prim.normalise(value))
        : ScalarValue.i64(value);
  }

  /** Returns random arguments in which all dimensions have one size. */
  private static List<Value> arguments(CompiledEntry property, long size, ValueGenerator values) {
    var all = new ArrayList<Value>();
    for (var p : property.type().params()) {
      requireOpen(p.type());
      for (var flat : p.type().flat()) {
        // An array of several dimensions has about as many elements as one of a single dimension.
        long n = flat.rank() < 2 ? size : (long) Math.ceil(Math.pow(size, 1.0 / flat.rank()));
        all.add(values.generate(("[" + n + "]").repeat(flat.rank()) + flat.prim().text()));
      }
    }
    return all;
  }

  private static void requireOpen(ExternalType type) {
    switch (type) {
      case Transparent _ -> {}
      case RecordType r -> r.fields().forEach(f -> requireOpen(f.type()));
      case OpaqueArray a -> requireOpen(a.elem());
      case SumType _, Abstract _ ->
          throw ToolFault.type(
              "values of type " + type.text() + " need a generator: #[prop(gen(f))]");
    }
  }
}
