package dev.kenaz.arrow;

import static dev.kenaz.arrow.ArrowRoundTripTest.assertFault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6102;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6104;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file written by another Arrow implementation, whole and damaged. */
class FlightsTest {
  private static final Path FLIGHTS = Path.of("../configs/data/flights-200k.arrow");
  private static final int ROWS = 200_000;

  @TempDir Path folder;

  @Test
  void isReadAsItsReadmeSays() {
    var d = ArrowDataset.open(FLIGHTS.toString());
    assertEquals(
        List.of("delay: i16", "distance: i16", "time: f32"),
        d.schema().stream().map(c -> c.name() + ": " + c.shownType()).toList());
    assertEquals(ROWS, d.rowCount());
    var m = d.toMatrix(Prim.F32);
    assertEquals(List.of((long) ROWS, 3L), Arrays.stream(m.shape()).boxed().toList());
    for (int row : new int[] {0, 1, 511, 512, ROWS / 2, ROWS - 1}) {
      assertEquals(d.column("delay").toVector(Prim.I16).getLong(row), m.doubleAt(row, 0));
      assertEquals(d.column("distance").toVector(Prim.I32).getLong(row), m.doubleAt(row, 1));
      assertEquals(d.column("time").toVector(Prim.F32).getFloat(row), m.doubleAt(row, 2));
    }
  }

  @Test
  void statisticsAreThoseOfFlights() {
    for (var c : new DatasetInspect(ArrowDataset.open(FLIGHTS.toString())).columns()) {
      assertEquals(ROWS, c.count());
      assertEquals(0, c.nulls() + c.nans());
      if (c.info().name().equals("time")) {
        assertTrue(c.min() >= 0 && c.max() <= 24);
      }
    }
  }

  @Test
  void aWrongColumnNamesTheNearest() {
    var e =
        assertThrows(
            UserError.class,
            () -> ArrowDataset.open(List.of(FLIGHTS.toString()), ReadOptions.columns("dealy")));
    assertEquals(List.of("did you mean \"delay\"?"), e.diagnostics().getFirst().hints());
    assertEquals(K6104, e.diagnostics().getFirst().code());
  }

  @Test
  void missingFilesFoldersAndMatchesAreErrors() throws IOException {
    assertFault(K6101, "no such file", () -> ArrowDataset.open("nowhere.arrow"));
    assertFault(K6101, "no .arrow file", () -> ArrowDataset.open(folder.toString()));
    assertFault(K6101, "no file matches", () -> ArrowDataset.open(folder + "/*.arrow"));
    assertFault(K6101, "pattern", () -> ArrowDataset.open(folder + "/[.arrow"));
    assertFault(K6101, "NUL character", () -> ArrowDataset.open("a\0b"));
    var text = Files.writeString(folder.resolve("t.arrow"), "delay,distance\n1,2\n");
    assertFault(K6102, "not an Arrow file", () -> ArrowDataset.open(text.toString()));
    var empty = Files.createFile(folder.resolve("e.arrow"));
    assertFault(K6102, "empty", () -> ArrowDataset.open(empty.toString()));
  }

  @Test
  void aFolderAndAGlobAreAllTheirFiles() throws IOException {
    Files.copy(FLIGHTS, folder.resolve("a.arrow"));
    Files.copy(FLIGHTS, folder.resolve("b.arrow"));
    Files.copy(FLIGHTS, folder.resolve(".hidden.arrow"));
    Files.createDirectory(folder.resolve("inner"));
    Files.copy(FLIGHTS, folder.resolve("inner/c.arrow"));
    assertEquals(3 * ROWS, ArrowDataset.open(folder + "/{*,*/*}.arrow").rowCount());
    for (var name : List.of(folder.toString(), folder + "/*.arrow")) {
      var d = ArrowDataset.open(name);
      assertEquals(2 * ROWS, d.rowCount());
      assertEquals(2 * ROWS, d.column("time").toVector(Prim.F64).dim(0));
    }
  }

  @Test
  void everyTruncationIsAnErrorAndNoCrash() throws IOException {
    var whole = Files.readAllBytes(FLIGHTS);
    var lengths = new TreeSet<Integer>();
    for (int i = 1; i < 400; i++) {
      lengths.add(i);
      lengths.add(whole.length - i);
    }
    for (int i = 1; i < 60; i++) {
      lengths.add((int) ((long) whole.length * i / 60));
    }
    var cut = Files.write(folder.resolve("cut.arrow"), whole);
    for (int n : lengths.descendingSet()) {
      try (var file = FileChannel.open(cut, StandardOpenOption.WRITE)) {
        file.truncate(n);
      }
      var e =
          assertThrows(UserError.class, () -> ArrowDataset.open(cut.toString()).toMatrix(Prim.F64));
      var code = e.diagnostics().getFirst().code();
      assertTrue(List.of(K6102, K6103).contains(code), n + ": " + e.getMessage());
    }
  }

  @Test
  void noDamageToMetadataCrashes() throws IOException {
    var whole = Files.readAllBytes(FLIGHTS);
    for (int at = whole.length - 340; at < whole.length; at++) {
      var bytes = whole.clone();
      bytes[at] ^= (byte) (at % 3 == 0 ? 0xFF : at % 3 == 1 ? 0x80 : 0x01);
      try {
        ArrowDataset.read(new java.io.ByteArrayInputStream(bytes), "damaged", ReadOptions.ALL)
            .rows(0, 1000)
            .toMatrix(Prim.F64);
      } catch (UserError e) {
        assertTrue(e.diagnostics().getFirst().code().name().startsWith("K61"));
      } catch (IndexOutOfBoundsException e) {
        // The damage made the batch, and so the dataset, shorter than 1000 rows.
        assertTrue(e.getMessage().contains("1000"), e.getMessage());
      }
    }
  }
}
