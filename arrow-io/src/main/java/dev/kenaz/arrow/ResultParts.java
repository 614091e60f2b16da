package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6112;

import dev.kenaz.distribute.Plan;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes the results of a plan that stay in pieces: for each result a folder with an Arrow file for
 * each piece. A piece that is written again has the same files; each appears whole or not at all.
 *
 * @param folder the absolute path of a folder that exists
 * @param names for each stage that keeps rows, by its number: the names of the results that each of
 *     its kept variables is
 */
public record ResultParts(String folder, HashMap<Integer, ArrayList<ArrayList<String>>> names)
    implements Serializable {

  /**
   * Names the results of a plan.
   *
   * @throws dev.kenaz.error.UserError K6112 if rows of a result are no rows of an Arrow file
   */
  public static ResultParts of(Plan plan, Path folder) {
    var names = new HashMap<Integer, ArrayList<ArrayList<String>>>();
    for (var stage : plan.stages()) {
      var ofStage = new ArrayList<ArrayList<String>>();
      for (var kept : stage.kept()) {
        var ofVar = new ArrayList<String>();
        for (int i = 0; i < plan.results().size(); i++) {
          if (plan.results().get(i).equals(kept)) {
            requireRows(kept, name(i));
            ofVar.add(name(i));
          }
        }
        ofStage.add(ofVar);
      }
      names.put(stage.number(), ofStage);
    }
    return new ResultParts(folder.toAbsolutePath().toString(), names);
  }

  private static void requireRows(Var rows, String name) {
    if (rows.type().dims().size() > 2) {
      throw fault(
          K6112,
          name
              + " has "
              + rows.type().dims().size()
              + " dimensions, but a column takes two at most",
          "flatten the inner dimensions of its rows");
    }
  }

  /** Returns the name of a result, which is counted from 1 in names. */
  public static String name(int result) {
    return "result" + (result + 1);
  }

  /** Writes a piece's rows of what a stage keeps. */
  public void write(int stage, int piece, List<? extends Value> rows) {
    var file = String.format(Locale.ROOT, "part-%05d.arrow", piece);
    for (int i = 0; i < rows.size(); i++) {
      for (var name : names.get(stage).get(i)) {
        var table = new LinkedHashMap<>(Map.of(name, rows.get(i)));
        ArrowOutput.write(Path.of(folder).resolve(name).resolve(file), table, true);
      }
    }
  }
}
