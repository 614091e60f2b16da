package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.Progress;
import dev.kenaz.dataset.ChangedSource;
import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.CsvType;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.GroupedColumns;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The networks for MNIST are as good as docs/models.md says, on images that they haven't seen. */
@Tag("slow")
final class MnistTest {
  private static final Path CONFIGS = Path.of("../configs");
  private static final int TRAINED_ON = 9000;
  private static final int OTHERS = 1000;

  @TempDir static Path folder;

  /** Makes what the configurations expect beside them, as docs/models.md tells the user to. */
  @BeforeAll
  static void prepare() throws IOException {
    Files.createDirectories(folder.resolve("configs"));
    Files.createSymbolicLink(
        folder.resolve("configs/models"), CONFIGS.resolve("models").toRealPath());
    var pixels = new CsvType.Number(Prim.U8);
    var csv = List.of(DataFile.of(CONFIGS.resolve("data/mnist-10k.csv.gz")));
    var rows = new CsvFiles(csv, CsvOptions.DEFAULT.withDefaultType(pixels));
    var x = new GroupedColumns(List.of(new GroupedColumns.Group("x", "p0", "p783")));
    Transfer.run(
        new ChangedSource(rows, x),
        RowOutput.arrowFolder(folder.resolve("out/mnist"), TRAINED_ON, false),
        Progress.NONE);
  }

  @ParameterizedTest
  @CsvSource({"mlp-mnist, 0.95", "conv-mnist, 0.975"})
  void imagesAreClassified(String name, double least) throws IOException {
    var config = Path.of("configs", name + ".json");
    Files.copy(CONFIGS.resolve(config.getFileName()), folder.resolve(config));
    var job = TrainJob.read(folder.resolve(config), e -> {});
    assertEquals(TRAINED_ON, job.run(Existing.REFUSE).rows());
    var model = ModelFolder.open(folder.resolve("out").resolve(name)).orElseThrow().document();
    double accuracy = model.validation().metrics().get("accuracy").doubleValue();
    assertTrue(accuracy >= least, accuracy + " of " + OTHERS);
  }
}
