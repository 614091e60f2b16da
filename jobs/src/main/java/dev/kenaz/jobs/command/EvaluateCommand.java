package dev.kenaz.jobs.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.jobs.HiddenText;
import dev.kenaz.jobs.train.Evaluation;
import dev.kenaz.jobs.train.SavedModel;
import dev.kenaz.jobs.train.Scores;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells how good a model is on some data. */
@Command(
    name = "evaluate",
    description = "Computes the loss and the metrics of a model over data, on Spark.")
public final class EvaluateCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "MODEL", description = "The folder of a trained model.")
  private Path model;

  @Parameters(
      index = "1",
      paramLabel = "DATA",
      arity = "0..1",
      description =
          "An Arrow file, a folder of them or a glob in quotes; with --format, what Spark can load."
              + " Without it, --table and --sql, the data of the training.")
  private String data;

  @Option(
      names = "--copy",
      paramLabel = "DIR",
      description =
          "Copy rows that Spark reads into this folder, which all executors see. Without it, they"
              + " are copied into the folder for temporary files.")
  private String copy;

  @Option(names = "--json", description = "Print one line of JSON.")
  private boolean json;

  @Mixin private ModelOptions options;

  @Override
  public Integer call() throws JsonProcessingException {
    var e =
        Evaluation.of(
            SavedModel.open(model),
            options.choice(data, copy),
            options.partitions(),
            options.master(),
            System.err::println);
    if (json) {
      var line = new LinkedHashMap<String, Object>();
      line.put("model", model.toString());
      line.put("data", HiddenText.without(e.data()));
      line.put("rows", e.rows());
      e.loss().ifPresent(loss -> line.put("loss", loss));
      line.put("metrics", e.metrics());
      System.out.println(new ObjectMapper().writeValueAsString(line));
      return 0;
    }
    var table = new LinkedHashMap<String, String>();
    e.loss().ifPresent(loss -> table.put("loss", Scores.text(loss)));
    Scores.shown(e.metrics()).forEach((name, value) -> table.put(name, Scores.text(value)));
    table.put("rows", Long.toString(e.rows()));
    int width = table.keySet().stream().mapToInt(String::length).max().orElseThrow();
    table.forEach(
        (name, value) ->
            System.out.println(name + " ".repeat(width - name.length()) + "  " + value));
    return 0;
  }
}
