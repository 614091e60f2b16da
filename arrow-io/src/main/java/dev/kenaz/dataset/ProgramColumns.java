package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6106;
import static dev.kenaz.error.ErrorCode.K6130;
import static dev.kenaz.error.ErrorCode.K6303;

import dev.kenaz.arrow.ColumnData;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.Faults;
import dev.kenaz.distribute.RowwisePlan;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Adds columns that an entry point of a program computes of others. Its parameters are columns,
 * {@code [n]t} or {@code [n][d]t}, and have their names. A result is a column with the name of the
 * entry point; the fields of a record are columns with their names, and those of a tuple have
 * numbers behind the name of the entry point, as in {@code f_0}. A column that has the name already
 * is replaced.
 *
 * <p>What is computed for a row must depend on this row only, because the program sees some rows at
 * a time.
 */
public final class ProgramColumns implements RowChange, AutoCloseable {
  private final CompiledProgram program;
  private final CompiledEntry entry;
  private final List<EntryPoint.Param> parameters;
  private final List<String> names = new ArrayList<>();
  private final List<ExternalType> results = new ArrayList<>();

  private ProgramColumns(CompiledProgram program, String name) {
    this.program = program;
    this.entry = program.entry(name);
    this.parameters = entry.type().params();
    for (var p : parameters) {
      requireColumn(p.type(), "parameter " + p.name());
    }
    var types = entry.type().results().stream().map(EntryPoint.Result::type).toList();
    if (types.size() == 1 && types.getFirst() instanceof EntryPoint.RecordType record) {
      for (var f : record.fields()) {
        boolean numbered = Character.isDigit(f.name().charAt(0));
        add(numbered ? name + "_" + f.name() : f.name(), f.type());
      }
    } else {
      for (int i = 0; i < types.size(); i++) {
        add(types.size() == 1 ? name : name + "_" + i, types.get(i));
      }
    }
  }

  private void add(String name, ExternalType type) {
    requireColumn(type, "the result " + name);
    names.add(name);
    results.add(type);
  }

  private void requireColumn(ExternalType type, String what) {
    boolean column =
        type instanceof EntryPoint.Transparent(_, var rank) && (rank == 1 || rank == 2);
    if (!column) {
      throw fault(
          K6130,
          "%s of %s is %s, which is no column".formatted(what, entry.name(), type.text()),
          "columns are arrays [n]t of numbers or truth values, and lists of d of them [n][d]t");
    }
  }

  /**
   * Compiles a program.
   *
   * @throws UserError what is wrong with it; K6303 if there is no such entry point, K6130 if a
   *     parameter or a result is no column, or if a row of the results depends on other rows
   */
  public static ProgramColumns of(Path file, String name) {
    var options = CompileOptions.of(Backend.JVM).onCores(1);
    var program = Compiler.open(ProgramSource.read(file), options);
    try {
      var known = program.entryPoints().stream().map(EntryPoint::name).toList();
      if (!known.contains(name)) {
        throw fault(
            K6303,
            file + " has no entry point " + name,
            NearestName.hintOrFew(name, known, "its entry points are"));
      }
      var columns = new ProgramColumns(program, name);
      requireRowwise(program, columns, options);
      columns.entry.prepare();
      return columns;
    } catch (RuntimeException | Error e) {
      program.close();
      throw e;
    }
  }

  private static void requireRowwise(
      CompiledProgram program, ProgramColumns columns, CompileOptions options) {
    var rows = columns.parameters.stream().map(EntryPoint.Param::name).toList();
    boolean rowwise;
    try {
      var planned =
          PiecewiseEntry.plan(program.lowered(), columns.entry.name(), rows, options, false);
      rowwise = RowwisePlan.is(planned.program().plan());
    } catch (Limitation _) { // What isn't computed in pieces isn't computed row by row.
      rowwise = false;
    }
    if (!rowwise) {
      throw fault(
          K6130,
          "what " + columns.entry.name() + " computes for a row depends on other rows, too",
          "kenaz run --data applies it to a whole dataset");
    }
  }

  @Override
  public Schema schema(Schema in) {
    var widths = call(parameters.stream().map(p -> empty(p, in)).toList());
    var fields = new ArrayList<>(in.getFields());
    for (int i = 0; i < names.size(); i++) {
      var array = widths.get(i);
      boolean list = array.rank() == 2;
      int width = list ? Math.toIntExact(array.dim(1)) : 1;
      var field = ColumnInfo.field(names.get(i), array.elem(), width, list);
      int place = place(fields, names.get(i));
      if (place < 0) {
        fields.add(field);
      } else {
        fields.set(place, field);
      }
    }
    return new Schema(fields, in.getCustomMetadata());
  }

  private static int place(List<Field> fields, String name) {
    return fields.stream().map(Field::getName).toList().indexOf(name);
  }

  /** Returns an argument without rows; with it, the results tell how long their rows are. */
  private ArrayValue empty(EntryPoint.Param parameter, Schema in) {
    var type = (EntryPoint.Transparent) parameter.type();
    int place = place(in.getFields(), parameter.name());
    if (place < 0) {
      throw Faults.noColumn(
          "the data", parameter.name(), in.getFields().stream().map(Field::getName).toList());
    }
    var info = ColumnInfo.of(in.getFields().get(place));
    if (info.prim().isEmpty() || info.list() != (type.rank() == 2)) {
      throw fault(
          K6130,
          "column \"%s\" is %s, and parameter %s of %s takes %s"
              .formatted(
                  info.name(), info.shownType(), parameter.name(), entry.name(), type.text()),
          "cast it, or group columns (--cast, --lists)");
    }
    long[] shape = info.list() ? new long[] {0, info.width()} : new long[] {0};
    return ArrayValue.of(type.prim(), ArrayValue.allocate(type.prim(), shape), shape);
  }

  private List<ArrayValue> call(List<ArrayValue> arguments) {
    return entry.call(arguments).stream().map(ArrayValue.class::cast).toList();
  }

  @Override
  public Step begin(Schema in, int part, String name) {
    return new Computing(in, schema(in), name);
  }

  @Override
  public void close() {
    program.close();
  }

  private final class Computing implements Step {
    private final Schema schema;
    private final String name;
    private final BufferAllocator memory;
    private final List<FieldVector> made = new ArrayList<>();
    private final int[] places;
    private long row;

    Computing(Schema in, Schema schema, String name) {
      this.schema = schema;
      this.name = name;
      this.memory = BatchMemory.of(name);
      this.places = parameters.stream().mapToInt(p -> place(in.getFields(), p.name())).toArray();
      for (var f : schema.getFields()) {
        made.add(names.contains(f.getName()) ? f.createVector(memory) : null);
      }
    }

    @Override
    public VectorSchemaRoot apply(VectorSchemaRoot batch) {
      var arguments = new ArrayList<ArrayValue>();
      for (int p = 0; p < places.length; p++) {
        var type = (EntryPoint.Transparent) parameters.get(p).type();
        arguments.add(argument(ColumnData.of(batch.getVector(places[p])), type.prim()));
      }
      var found = call(arguments);
      var vectors = new ArrayList<FieldVector>();
      for (int i = 0; i < made.size(); i++) {
        var to = made.get(i);
        if (to != null) {
          fill(found.get(names.indexOf(to.getName())), to, batch.getRowCount());
        }
        vectors.add(to == null ? batch.getVector(i) : to);
      }
      row += batch.getRowCount();
      return new VectorSchemaRoot(schema, vectors, batch.getRowCount());
    }

    private ArrayValue argument(ColumnData data, Prim to) {
      int width = data.info().width();
      long[] shape =
          data.info().list() ? new long[] {data.rows(), width} : new long[] {data.rows()};
      var array = ArrayValue.allocate(to, shape);
      for (long i = 0; data.mayHaveNulls() && i < data.rows(); i++) {
        if (data.isNull(i)) {
          throw fault(
              K6106,
              "%s: column \"%s\" is null in row %d".formatted(name, data.info().name(), row + i),
              "leave such rows out (--missing drop)");
        }
      }
      long first = data.offset() * width;
      long count = data.rows() * width;
      if (data.prim() == to && to != Prim.BOOL) {
        int size = to.byteSize();
        java.lang.foreign.MemorySegment.copy(data.data(), first * size, array, 0, count * size);
      } else {
        for (long i = 0; i < count; i++) {
          Elements.setBits(array, to, i, exact(data, first + i, to, i / width));
        }
      }
      return ArrayValue.of(to, array, shape);
    }

    /** Returns a number in the type of its parameter. It must stay the same number. */
    private long exact(ColumnData data, long i, Prim to, long at) {
      var from = data.prim();
      long bits =
          from == Prim.BOOL
              ? ColumnData.bit(data.data(), i) ? 1 : 0
              : Elements.bits(data.data(), from, i);
      var cast = NumberCast.cast(bits, from, to);
      boolean same =
          cast.isPresent()
              && (NumberCast.cast(cast.getAsLong(), to, from).orElse(~bits) == bits
                  || Double.isNaN(from.toDouble(bits)));
      if (!same) {
        throw fault(
            dev.kenaz.error.ErrorCode.K6108,
            "%s: column \"%s\" has in row %d a number that is no %s"
                .formatted(name, data.info().name(), row + at, to),
            "cast it (--cast " + data.info().name() + "=" + to + ")");
      }
      return cast.getAsLong();
    }

    private void fill(ArrayValue from, FieldVector to, int rows) {
      var cells = to;
      if (to instanceof FixedSizeListVector lists) {
        lists.setInitialCapacity(rows);
        lists.allocateNew();
        BatchNumbers.segment(lists.getValidityBuffer()).fill((byte) 0xFF);
        cells = lists.getDataVector();
      }
      int count = Math.toIntExact(from.count());
      var numbers = new BatchNumbers((BaseFixedWidthVector) cells, from.elem(), count);
      for (int i = 0; i < count; i++) {
        numbers.set(i, from.bits(i));
      }
      cells.setValueCount(count);
      to.setValueCount(rows);
    }

    @Override
    public void close() {
      made.stream().filter(v -> v != null).forEach(FieldVector::close);
      memory.close();
    }
  }
}
