package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kenaz.value.Prim;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Arrow's JavaScript implementation reads the files that are written here, and what it writes is
 * read here. It shares no code with Arrow's Java library.
 *
 * <p>It is slow because npm fetches the package.
 */
@Tag("slow")
final class ArrowJsTest {
  private static final String PACKAGE = "apache-arrow@21.1.0";

  @TempDir Path folder;

  private static void run(Path in, String... command) throws IOException, InterruptedException {
    var process =
        new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true).start();
    var told = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), String.join(" ", command) + "\n" + told);
  }

  private static boolean has(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(f -> Files.isExecutable(Path.of(f, program)));
  }

  private Path script() throws IOException, InterruptedException {
    assumeTrue(has("node") && has("npm"), "node and npm are missing");
    run(folder, "npm", "install", "--no-audit", "--no-fund", "--prefix", ".", PACKAGE);
    try (var in = ArrowJsTest.class.getResourceAsStream("again.mjs")) {
      Files.write(folder.resolve("again.mjs"), in.readAllBytes());
    }
    return folder;
  }

  @Test
  void filesAreReadByJavaScriptAndBack() throws IOException, InterruptedException {
    script();
    var kinds = new ArrayList<>(FormatsRoundTripTest.withLists(FormatsRoundTripTest.scalars()));
    kinds.add(
        FormatsRoundTripTest.of(
            ArrowType.Struct.INSTANCE, Columns.scalar("a", Prim.F32), Columns.list("b", Prim.I64)));
    var fields = new ArrayList<Field>();
    for (var kind : kinds) {
      fields.add(new Field("c" + fields.size(), kind.getFieldType(), kind.getChildren()));
    }
    var written = folder.resolve("written.arrow");
    List<List<Object>> all;
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(new Schema(fields), memory);
        var writer =
            Formats.create(
                DataFormat.ARROW,
                written,
                batch.getSchema(),
                FormatOptions.DEFAULT,
                Packing.NONE)) {
      new RandomBatches(5, true).fill(batch, 200);
      all = FormatTesting.rows(batch);
      writer.write(batch);
      writer.commit();
    }
    for (var form : List.of("file", "stream")) {
      var again = folder.resolve(form + ".arrow");
      run(folder, "node", "again.mjs", written.toString(), again.toString(), form);
      var read = rows(ArrowReader.open(DataFile.of(again)));
      assertEquals(all.size(), read.size());
      var different = new ArrayList<String>();
      for (int c = 0; c < fields.size(); c++) {
        for (int row = 0; row < all.size(); row++) {
          var before = all.get(row).get(c);
          var after = read.get(row).get(c);
          if (!Objects.equals(before, after)) {
            different.add("%s, row %d: %s became %s".formatted(fields.get(c), row, before, after));
            break;
          }
        }
      }
      assertEquals(List.of(), different, form);
    }
  }
}
