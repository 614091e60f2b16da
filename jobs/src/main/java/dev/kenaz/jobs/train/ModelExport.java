package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7501;
import static dev.kenaz.error.ErrorCode.K7503;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes a model for other programs. Its parts keep their names, types and shapes. */
public final class ModelExport {
  /** How many bytes are handed on at a time: a byte buffer holds no more than 2 GiB. */
  private static final long CHUNK = 1 << 26;

  private ModelExport() {}

  /** A part of a model: a number, which has no dimensions, or an array. */
  private record Part(String name, Prim type, long[] shape, MemorySegment data) {
    static Part of(String name, Value value) {
      var array = value instanceof ArrayValue a ? a : ArrayValue.stack(List.of(value));
      return new Part(name, value.prim(), value.shape(), array.data());
    }
  }

  @FunctionalInterface
  private interface Format {
    void write(List<Part> parts, ModelFolder model, OutputStream out) throws IOException;
  }

  /**
   * Writes a model in the format that the extension of a file names.
   *
   * @param overwrite whether a file that is there may be replaced
   * @throws UserError K7501 for another extension, K6110 if the file is there already
   */
  public static void write(ModelFolder model, Path file, boolean overwrite) {
    var format = format(file);
    var parts = new ArrayList<Part>();
    var values = model.model();
    for (int i = 0; i < values.size(); i++) {
      parts.add(Part.of(model.document().parts().get(i).name(), values.get(i)));
    }
    try (var place = AtomicOutput.to(file, overwrite)) {
      try (var out = new BufferedOutputStream(Files.newOutputStream(place.path()), 1 << 16)) {
        format.write(parts, model, out);
      }
      place.commit();
    } catch (IOException e) {
      throw new UserError(
          K7503,
          "can't write " + file + ": " + UserPath.reason(file, e),
          "nothing was left behind");
    }
  }

  private static Format format(Path file) {
    var name = UserPath.name(file).toLowerCase(Locale.ROOT);
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "npz" -> (parts, _, out) -> npz(parts, out);
      case "safetensors" -> ModelExport::safetensors;
      case "json" -> (parts, _, out) -> json(parts, out);
      case "values" -> (_, model, out) -> values(model, out);
      case "fut-values" -> (_, model, out) -> binary(model, out);
      default ->
          throw new UserError(
              K7501,
              "the name of " + file + " tells no format of models",
              "it ends in .npz, .safetensors, .json, .values or .fut-values");
    };
  }

  private static void values(ModelFolder model, OutputStream out) throws IOException {
    for (var v : model.model()) {
      ValueWriter.writeText(v, out);
    }
  }

  private static void binary(ModelFolder model, OutputStream out) throws IOException {
    for (var v : model.model()) {
      ValueWriter.writeBinary(v, out);
    }
  }

  /** A zip file with an array in each entry. The same model gives the same bytes. */
  private static void npz(List<Part> parts, OutputStream out) throws IOException {
    var zip = new ZipOutputStream(out);
    zip.setLevel(Deflater.NO_COMPRESSION);
    for (var p : parts) {
      var entry = new ZipEntry(p.name() + ".npy");
      entry.setTimeLocal(LocalDateTime.of(1980, 1, 1, 0, 0));
      zip.putNextEntry(entry);
      npy(p, zip);
      zip.closeEntry();
    }
    zip.finish();
  }

  private static void npy(Part p, OutputStream out) throws IOException {
    var kind =
        p.type() == Prim.BOOL ? "b" : p.type().isFloat() ? "f" : p.type().isSigned() ? "i" : "u";
    var order = p.type().byteSize() == 1 ? "|" : "<";
    var dims = LongStream.of(p.shape()).mapToObj(d -> d + ",").collect(Collectors.joining(" "));
    var header =
        "{'descr': '%s%s%d', 'fortran_order': False, 'shape': (%s), }"
            .formatted(order, kind, p.type().byteSize(), dims);
    // The elements begin at a multiple of 64 bytes, behind the end of a line.
    int begin = 10;
    int length = (begin + header.length() + 1 + 63) / 64 * 64 - begin;
    out.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
    out.write(littleEndian(2).putShort((short) length).array());
    out.write(
        (header + " ".repeat(length - header.length() - 1) + "\n")
            .getBytes(StandardCharsets.US_ASCII));
    elements(p, out);
  }

  private static ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void elements(Part p, OutputStream out) throws IOException {
    var channel = Channels.newChannel(out);
    for (long from = 0; from < p.data().byteSize(); from += CHUNK) {
      long n = Math.min(CHUNK, p.data().byteSize() - from);
      channel.write(p.data().asSlice(from, n).asByteBuffer());
    }
  }

  private static void safetensors(List<Part> parts, ModelFolder model, OutputStream out)
      throws IOException {
    var json = new ObjectMapper();
    var header = json.createObjectNode();
    header.putObject("__metadata__").put("kenaz.type", model.document().type());
    long at = 0;
    for (var p : parts) {
      var tensor = header.putObject(p.name());
      tensor.put("dtype", p.type().text().toUpperCase(Locale.ROOT));
      var shape = tensor.putArray("shape");
      LongStream.of(p.shape()).forEach(shape::add);
      long end = at + p.data().byteSize();
      tensor.putArray("data_offsets").add(at).add(end);
      at = end;
    }
    var text = json.writeValueAsString(header);
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    int padded = (length + 7) / 8 * 8;
    out.write(littleEndian(8).putLong(padded).array());
    out.write((text + " ".repeat(padded - length)).getBytes(StandardCharsets.UTF_8));
    for (var p : parts) {
      elements(p, out);
    }
  }

  private static void json(List<Part> parts, OutputStream out) throws IOException {
    try (var json = new ObjectMapper().createGenerator(out)) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.writeStartObject();
      for (var p : parts) {
        json.writeFieldName(p.name());
        elements(p, 0, 0, json);
      }
      json.writeEndObject();
    }
    out.write('\n');
  }

  /** Writes a part's elements below a dimension, and returns the number of the next element. */
  private static long elements(Part p, int dim, long first, JsonGenerator json) throws IOException {
    if (dim == p.shape().length) {
      number(p.type(), Elements.bits(p.data(), p.type(), first), json);
      return first + 1;
    }
    json.writeStartArray();
    long at = first;
    for (long i = 0; i < p.shape()[dim]; i++) {
      at = elements(p, dim + 1, at, json);
    }
    json.writeEndArray();
    return at;
  }

  private static void number(Prim type, long bits, JsonGenerator json) throws IOException {
    switch (type) {
      case BOOL -> json.writeBoolean(bits != 0);
      case I8, I16, I32, I64, U8, U16, U32 -> json.writeNumber(bits);
      case U64 -> json.writeNumber(new BigInteger(Long.toUnsignedString(bits)));
      case F16, F32 -> {
        float number = (float) type.toDouble(bits);
        if (Float.isFinite(number)) {
          json.writeNumber(number);
        } else {
          json.writeString(Float.toString(number));
        }
      }
      case F64 -> {
        double number = type.toDouble(bits);
        if (Double.isFinite(number)) {
          json.writeNumber(number);
        } else {
          json.writeString(Double.toString(number));
        }
      }
    }
  }
}
