package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.arrow.DatasetGenerate;
import dev.kenaz.arrow.Progress;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.spark.ArrowShards;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MllibKmeansTest {
  @TempDir Path folder;

  @Test
  void findsTheBlobs() {
    int rows = 4000;
    var blobs = new DatasetGenerate.Blobs(rows, 3, 4, 5, 0.5, Prim.F32, true);
    DatasetGenerate.write(blobs, folder.resolve("blobs"), 2, false, Progress.NONE);
    var shards =
        ArrowShards.of(folder.resolve("blobs").toString(), ReadOptions.columns("x"), Prim.F32, 3);
    try (var spark = SparkStart.open("test", Optional.of("local[2]"));
        var peer = new MllibKmeans(spark, shards)) {
      var runner = new SparkRunner(spark, shards, 1 << 24);
      double best =
          DoubleStream.of(1, 2)
              .map(seed -> ExactCost.of(runner, peer.train(4, 6, (long) seed).centres(), 4))
              .min()
              .getAsDouble();
      // three dimensions of variance 0.25
      assertEquals(0.75, best / rows, 0.05);
    }
  }
}
