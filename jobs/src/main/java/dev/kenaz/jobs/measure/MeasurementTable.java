package dev.kenaz.jobs.measure;

import dev.kenaz.jobs.train.OutputFolder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;

/** Writes measurements as a table for other tools: a row for each cell, without the samples. */
record MeasurementTable(List<Measurement> rows, Ratios ratios) {
  static final String NAME = "results.arrow";

  /** Writes the table into the folder of the sweep. */
  void write(OutputFolder output) {
    output.write(
        NAME,
        out -> {
          try (var memory = new RootAllocator();
              var root = new VectorSchemaRoot(columns(memory));
              var writer = new ArrowFileWriter(root, null, Channels.newChannel(out))) {
            root.setRowCount(rows.size());
            writer.writeBatch();
          }
        });
  }

  private List<FieldVector> columns(BufferAllocator memory) {
    var columns = new ArrayList<FieldVector>();
    var axes = new LinkedHashSet<String>();
    rows.forEach(m -> axes.addAll(m.axes().keySet()));
    columns.add(texts("cell", memory, Measurement::cell));
    axes.forEach(a -> columns.add(texts(a, memory, m -> m.axes().get(a))));
    columns.add(texts("status", memory, m -> m.status().name().toLowerCase(Locale.ROOT)));
    columns.add(texts("message", memory, Measurement::message));
    columns.add(numbers("seconds", memory, Measurement::seconds));
    columns.add(numbers("low", memory, Measurement::low));
    columns.add(numbers("high", memory, Measurement::high));
    columns.add(numbers("cpu", memory, Measurement::cpu));
    columns.add(numbers("collection", memory, Measurement::collection));
    columns.add(numbers("compile", memory, Measurement::compile));
    columns.add(numbers("first", memory, Measurement::first));
    columns.add(numbers("warm_up", memory, Measurement::warmUp));
    columns.add(integers("allocated", memory, Measurement::allocated));
    columns.add(integers("peak", memory, Measurement::peak));
    columns.add(
        numbers("operations", memory, m -> m.work() == null ? null : m.work().operations()));
    columns.add(numbers("bytes", memory, m -> m.work() == null ? null : m.work().bytes()));
    var events = new LinkedHashSet<String>();
    rows.stream().filter(m -> m.events() != null).forEach(m -> events.addAll(m.events().keySet()));
    for (var event : events) {
      columns.add(numbers(event, memory, m -> m.events() == null ? null : m.events().get(event)));
    }
    columns.add(
        texts("noise", memory, m -> m.noise() == null ? null : String.join("; ", m.noise())));
    columns.add(texts("machine", memory, Measurement::machine));
    columns.add(texts("at", memory, Measurement::at));
    for (var name : ratios.wanted().keySet()) {
      columns.add(numbers(name, memory, m -> ratios.of(m, rows).get(name)));
    }
    return columns;
  }

  private FieldVector texts(
      String name, BufferAllocator memory, Function<Measurement, String> text) {
    return filled(
        new VarCharVector(name, memory),
        text.andThen(t -> t == null ? null : t.getBytes(StandardCharsets.UTF_8)),
        VarCharVector::setSafe);
  }

  private FieldVector numbers(
      String name, BufferAllocator memory, Function<Measurement, Double> number) {
    return filled(new Float8Vector(name, memory), number, Float8Vector::setSafe);
  }

  private FieldVector integers(
      String name, BufferAllocator memory, Function<Measurement, Long> number) {
    return filled(new BigIntVector(name, memory), number, BigIntVector::setSafe);
  }

  /** Puts a value of a row into a vector. */
  private interface Setter<V, T> {
    void set(V vector, int row, T value);
  }

  /** Fills a column; where a row has no value, the column has a null. */
  private <V extends FieldVector, T> V filled(
      V vector, Function<Measurement, T> value, Setter<V, T> set) {
    vector.setInitialCapacity(rows.size());
    vector.allocateNew();
    for (int i = 0; i < rows.size(); i++) {
      var x = value.apply(rows.get(i));
      if (x != null) {
        set.set(vector, i, x);
      }
    }
    vector.setValueCount(rows.size());
    return vector;
  }
}
