package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder that a version of November 2026 has written can be used, and its model exported. */
final class OldModelTest {
  private static final String MODELS = "/dev/kenaz/jobs/models/2026-11/";

  /** The model's parts in the order of its type. */
  private static final Map<String, Value> PARTS = new LinkedHashMap<>();

  static {
    PARTS.put("bias", ScalarValue.f32(0.5f));
    PARTS.put("done", ScalarValue.bool(false));
    PARTS.put("layers[].at", vector(Prim.U8, 7, 255));
    PARTS.put(
        "layers[].rows", vector(Prim.F32, 1, 2, 3, 4, 5, Double.POSITIVE_INFINITY).reshape(2, 3));
    PARTS.put("nothing", ArrayValue.of(Prim.F64, ArrayValue.allocate(Prim.F64, 0), 0));
    PARTS.put("scale#", ScalarValue.ofLong(Prim.I8, 1));
    PARTS.put("scale#scaled.0", ScalarValue.f64(2));
    PARTS.put("seen", ScalarValue.i64(4));
    PARTS.put("weights", vector(Prim.F64, 0.0515625, 0.1890625));
  }

  @TempDir Path folder;
  private Path model;

  private static ArrayValue vector(Prim prim, double... numbers) {
    var all = new ArrayList<ScalarValue>();
    for (double d : numbers) {
      all.add(prim.isFloat() ? ScalarValue.ofDouble(prim, d) : ScalarValue.ofLong(prim, (long) d));
    }
    return ArrayValue.stack(all);
  }

  @BeforeEach
  void copy() throws IOException {
    model = Files.createDirectories(folder.resolve("old"));
    for (var name : List.of("model.json", "model.arrow", "history.jsonl")) {
      try (var in = OldModelTest.class.getResourceAsStream(MODELS + name)) {
        Files.copy(in, model.resolve(name));
      }
    }
  }

  private Path exported(String name) {
    var file = folder.resolve(name);
    var told = Told.run("export", model.toString(), file.toString());
    assertEquals(0, told.status(), told.err());
    return file;
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the bytes of a value as they lie in memory. */
  private static byte[] bytes(Value v) {
    var array = v instanceof ArrayValue a ? a : ArrayValue.stack(List.of(v));
    return array.data().toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void itPredicts() throws IOException {
    var data = folder.resolve("data.arrow");
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("a", ArrayValue.ofDoubles(new double[] {1, -1}, 2));
    columns.put("b", ArrayValue.ofDoubles(new double[] {2, 0}, 2));
    ArrowOutput.write(data, columns, true);
    var out = folder.resolve("out");
    var told = Told.run("predict", model + "", data + "", "--out", out + "", "--spark", "local[1]");
    assertEquals(0, told.status(), told.err());
    var value = ArrowDataset.open(out.toString()).column("value").toVector(Prim.F64);
    double[] expected = {0.5 + 2 * (0.0515625 + 2 * 0.1890625), 0.5 - 2 * 0.0515625};
    assertArrayEquals(expected, value.toDoubleArray(), 1e-12);
  }

  /** NumPy's format, as its documentation has it. */
  @Test
  void numpyReadsIt() throws IOException {
    try (var zip = new ZipFile(exported("model.npz").toFile())) {
      assertEquals(PARTS.size(), zip.size());
      for (var part : PARTS.entrySet()) {
        try (InputStream in = zip.getInputStream(zip.getEntry(part.getKey() + ".npy"))) {
          var bytes = in.readAllBytes();
          assertEquals("NUMPY", new String(bytes, 1, 5, StandardCharsets.US_ASCII));
          assertEquals((byte) 0x93, bytes[0]);
          assertEquals(0x0001, littleEndian(bytes).getShort(6));
          int length = littleEndian(bytes).getShort(8);
          assertEquals(0, (10 + length) % 64);
          var header = new String(bytes, 10, length, StandardCharsets.US_ASCII);
          assertEquals('\n', header.charAt(length - 1));
          var value = part.getValue();
          var shape = new StringBuilder();
          for (long d : value.shape()) {
            shape.append(shape.isEmpty() ? "" : " ").append(d).append(',');
          }
          assertEquals(
              "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
                  .formatted(descr(value.prim()), shape),
              header.strip());
          assertArrayEquals(bytes(value), Arrays.copyOfRange(bytes, 10 + length, bytes.length));
        }
      }
    }
  }

  private static String descr(Prim prim) {
    return switch (prim) {
      case BOOL -> "|b1";
      case I8 -> "|i1";
      case U8 -> "|u1";
      case I64 -> "<i8";
      case F32 -> "<f4";
      case F64 -> "<f8";
      case I16, I32, U16, U32, U64, F16 -> throw new IllegalArgumentException(prim.text());
    };
  }

  @Test
  void readersOfSafetensorsReadIt() throws IOException {
    var bytes = Files.readAllBytes(exported("model.safetensors"));
    int length = (int) littleEndian(bytes).getLong(0);
    assertEquals(0, length % 8);
    var text = new String(bytes, 8, length, StandardCharsets.UTF_8);
    var header = (ObjectNode) new ObjectMapper().readTree(text);
    assertTrue(header.at("/__metadata__/kenaz.type").asText().startsWith("{bias: f32, done: bool"));
    assertEquals(PARTS.size() + 1, header.size());
    int at = 0;
    for (var part : PARTS.entrySet()) {
      var tensor = header.get(part.getKey());
      var value = part.getValue();
      assertEquals(
          value.prim().text().toUpperCase(java.util.Locale.ROOT), tensor.get("dtype").asText());
      assertEquals(
          java.util.Arrays.toString(value.shape()).replace(" ", ""),
          tensor.get("shape").toString());
      int end = at + bytes(value).length;
      assertEquals("[" + at + "," + end + "]", tensor.get("data_offsets").toString());
      assertArrayEquals(bytes(value), Arrays.copyOfRange(bytes, 8 + length + at, 8 + length + end));
      at = end;
    }
    assertEquals(bytes.length, 8 + length + at);
  }

  @Test
  void jsonAndFutharksValuesHaveTheSameNumbers() throws IOException {
    assertEquals(
        """
        {"bias":0.5,"done":false,"layers[].at":[7,255],\
        "layers[].rows":[[1.0,2.0,3.0],[4.0,5.0,"Infinity"]],"nothing":[],"scale#":1,\
        "scale#scaled.0":2.0,"seen":4,"weights":[0.0515625,0.1890625]}
        """,
        Files.readString(exported("model.json")));
    for (var name : List.of("model.values", "model.fut-values")) {
      try (var in = ValueReader.open(exported(name))) {
        for (var value : PARTS.values()) {
          assertEquals(value, in.next());
        }
      }
    }
  }

  private static void fails(int status, String message, String... args) {
    var told = Told.run(args);
    assertEquals(status, told.status(), told.err());
    assertTrue(told.err().contains(message), told.err());
    assertFalse(told.err().contains("\tat "), told.err());
  }

  @Test
  void faultsLeaveNothing() throws IOException {
    var file = folder.resolve("m.npz").toString();
    fails(2, "tells no format", "export", model + "", folder.resolve("m.txt") + "");
    fails(2, "tells no format", "export", model + "", folder.resolve("npz") + "x");
    exported("m.npz");
    fails(2, "exists already", "export", model + "", file);
    assertEquals(0, Told.run("export", model + "", file, "--overwrite").status());
    fails(2, "is no folder of a model", "export", model + "x", file, "--overwrite");
    var json = Files.readString(model.resolve("model.json"));
    var other = folder.resolve("n.npz").toString();
    // Other shapes, types and names than model.arrow has, and parts that make no sense.
    for (var change :
        List.of(
            "\"shape\" : [ 2, 3 ]|\"shape\" : [ 2, 4 ]",
            "\"shape\" : [ 2, 3 ]|\"shape\" : [ -2, -3 ]",
            "\"shape\" : [ 2, 3 ]|\"shape\" : [ 9223372036854775807, 3 ]",
            "\"shape\" : [ 2, 3 ]|\"shape\" : null",
            "\"shape\" : [ 2, 3 ]|\"shape\" : [ null ]",
            "\"name\" : \"bias\"|\"name\" : null",
            "\"name\" : \"bias\"|\"name\" : \"bais\"",
            "\"type\" : \"u8\"|\"type\" : \"u7\"",
            "\"type\" : \"u8\"|\"type\" : \"i8\"",
            "\"root\" : \"/job|\"root\" : \"/jab")) {
      var parts = change.split("\\|");
      assertTrue(json.contains(parts[0]), change);
      Files.writeString(model.resolve("model.json"), json.replace(parts[0], parts[1]));
      fails(2, "error[K", "export", model + "", other);
    }
    Files.writeString(model.resolve("model.json"), json);
    var arrow = Files.readAllBytes(model.resolve("model.arrow"));
    for (int n = 0; n < arrow.length; n += 61) {
      Files.write(model.resolve("model.arrow"), java.util.Arrays.copyOf(arrow, n));
      fails(2, "error[K61", "export", model + "", other);
    }
    assertFalse(Files.exists(Path.of(other)));
  }

  @Test
  void aTableHasAllModelsAndWhatIsWrongWithOthers() throws IOException {
    var json = Files.readString(model.resolve("model.json"));
    var better = Files.createDirectories(folder.resolve("sweep/ä b"));
    Files.copy(model.resolve("model.arrow"), better.resolve("model.arrow"));
    var changed =
        json.replaceFirst("\"loss\" : [0-9.]+", "\"loss\" : 0.25")
            .replace("\"scale\" : 2", "\"scale\" : 3");
    Files.writeString(better.resolve("model.json"), changed.replace("\"mean\" : -", "\"mean\" : "));
    Files.writeString(Files.createDirectories(folder.resolve("half")).resolve("model.json"), "{");
    Files.writeString(Files.createDirectories(folder.resolve("on")).resolve("checkpoint"), "");
    var told = Told.run("models", folder.toString());
    assertEquals(0, told.status(), told.err());
    var lines = told.out().lines().toList();
    assertEquals(5, lines.size(), told.out());
    assertTrue(
        lines.get(0).matches("folder +parameters.scale +loss +mean +iterations +seconds +finished"),
        told.out());
    assertTrue(lines.get(1).matches(".*/sweep/ä b +3 +0\\.250000 +0\\.495703 +2 .*"), told.out());
    assertTrue(lines.get(2).matches(".*/old +2 +4\\.\\d+ +-0\\.495703 +2 .*"), told.out());
    assertTrue(lines.get(3).contains("/half  K7103: "), told.out());
    assertTrue(lines.get(4).contains("/on  K7103: "), told.out());
    var by = Told.run("models", folder.toString(), "--by=-loss", "--json");
    var all = new ObjectMapper().readTree(by.out());
    assertEquals(model.toString(), all.get(0).get("folder").asText());
    assertEquals(2, all.at("/0/settings/parameters.scale").asInt());
    assertEquals(0.25, all.at("/1/scores/loss").asDouble());
    assertEquals("K7103", all.at("/2/code").asText());
    fails(2, "did you mean \"mean\"", "models", folder.toString(), "--by", "meen");
    fails(2, "error[K7503]", "models", folder.resolve("none").toString());
  }
}
