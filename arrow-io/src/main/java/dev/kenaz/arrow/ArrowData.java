package dev.kenaz.arrow;

import dev.kenaz.Dataset;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.pipeline.DatasetCall;
import dev.kenaz.pipeline.DatasetCaller;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Parameters of an entry as columns of Arrow files, for {@code entry.over(data)}. Calls compute
 * piece after piece in this process, and read pieces as they are needed. Each method returns new
 * data, and changes nothing.
 *
 * <p>Nulls and NaNs are errors unless something else is said.
 */
public final class ArrowData implements Dataset, DatasetCaller {
  private final List<ParameterData.Source> sources;
  private final ReadOptions.Nulls nulls;
  private final boolean nans;
  private final OptionalInt pieces;

  private ArrowData(
      List<ParameterData.Source> sources,
      ReadOptions.Nulls nulls,
      boolean nans,
      OptionalInt pieces) {
    this.sources = List.copyOf(sources);
    this.nulls = nulls;
    this.nans = nans;
    this.pieces = pieces;
  }

  /**
   * Data of one parameter.
   *
   * @param parameter the parameter's name
   * @param path a file, a folder of files, or a glob
   * @param columns their names, in order; if there are none, all columns are taken
   */
  public static ArrowData of(String parameter, String path, String... columns) {
    return new ArrowData(List.of(), ReadOptions.Nulls.ERROR, false, OptionalInt.empty())
        .and(parameter, path, columns);
  }

  /**
   * Adds another parameter. If it has the same size in the program, row k of it belongs to row k of
   * the others.
   */
  public ArrowData and(String parameter, String path, String... columns) {
    var more = new ArrayList<>(sources);
    more.add(new ParameterData.Source(parameter, path, List.of(columns)));
    return new ArrowData(more, nulls, nans, pieces);
  }

  /** Leaves out rows where a column is null. */
  public ArrowData withoutNulls() {
    return new ArrowData(sources, ReadOptions.Nulls.DROP, nans, pieces);
  }

  /** Takes NaNs as numbers like others. */
  public ArrowData withNans() {
    return new ArrowData(sources, nulls, true, pieces);
  }

  /** Divides the rows into so many pieces of about the same size. */
  public ArrowData pieces(int n) {
    if (n < 1) {
      throw new IllegalArgumentException("there must be at least one piece, not " + n);
    }
    return new ArrowData(sources, nulls, nans, OptionalInt.of(n));
  }

  @Override
  public List<String> parameters() {
    return sources.stream().map(ParameterData.Source::parameter).toList();
  }

  /** Opens the files. */
  public ParameterData open(DatasetCall call) {
    return ParameterData.open(call.entry(), sources, call.arguments(), nulls, nans);
  }

  /** Returns how many pieces are wanted, if that is said. */
  public OptionalInt pieces() {
    return pieces;
  }

  @Override
  public List<Value> compute(DatasetCall call) {
    var data = open(call);
    var plan = call.entry().plan();
    var given = call.entry().replicated(data.kept(), data.shapes(), call.arguments());
    var source = new ArrowPieces(data, data.pieces(pieces, 1));
    return new LocalPieces(source, source.cuts(), call.caller()).results(plan, given);
  }
}
