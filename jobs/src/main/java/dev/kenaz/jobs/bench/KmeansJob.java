package dev.kenaz.jobs.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.Trainer;
import java.nio.file.Path;
import java.util.function.LongFunction;

/**
 * The job that is compared with MLlib's k-means, for a seed.
 *
 * @param data an Arrow file, a folder of them, or a glob
 * @param type f32 or f64
 * @param k how many centres there are
 * @param backend the backend's name
 */
public record KmeansJob(Path data, String type, int k, String backend)
    implements LongFunction<Trainer> {
  @Override
  public Trainer apply(long seed) {
    var nodes = JsonNodeFactory.instance;
    var job =
        nodes.objectNode().put("program", "builtin:kmeans" + (type.equals("f64") ? "-f64" : ""));
    job.putObject("data").put("path", data.toString()).putObject("columns").put("points", "*");
    job.putObject("parameters").put("k", k);
    job.putObject("init").put("rows", Math.max(20_000, 50 * k));
    job.putObject("spark").put("backend", backend);
    return Trainer.of(
        ConfigReader.train(job.put("seed", seed).put("output", "none"), "job"), Path.of(""));
  }
}
