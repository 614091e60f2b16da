package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6105;

import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Says what a file of one array has: the type and the shape, which stand before the elements.
 *
 * @param swapped whether the bytes of an element come from the highest to the lowest
 */
public record ArrayFile(Prim type, long[] shape, boolean swapped) {
  /** The types of NumPy by their names without the order of the bytes. */
  private static final Map<String, Prim> NUMPY =
      Map.ofEntries(
          Map.entry("b1", Prim.BOOL),
          Map.entry("i1", Prim.I8),
          Map.entry("i2", Prim.I16),
          Map.entry("i4", Prim.I32),
          Map.entry("i8", Prim.I64),
          Map.entry("u1", Prim.U8),
          Map.entry("u2", Prim.U16),
          Map.entry("u4", Prim.U32),
          Map.entry("u8", Prim.U64),
          Map.entry("f2", Prim.F16),
          Map.entry("f4", Prim.F32),
          Map.entry("f8", Prim.F64));

  private static final Pattern DESCRIPTION =
      Pattern.compile(
          "\\{\\s*'descr':\\s*'([<>|=])([a-z]\\d+)',\\s*'fortran_order':\\s*(True|False),"
              + "\\s*'shape':\\s*\\(([0-9, ]*)\\),?\\s*}\\s*");

  /** Matches strings, objects and times. */
  private static final Pattern OTHER_ELEMENTS = Pattern.compile("'descr':\\s*'([<>|=][A-Z][^']*)'");

  private static final int LONGEST_HEADER = 1 << 20;

  /**
   * Reads what stands before the elements of a NumPy file (its format, versions 1 to 3).
   *
   * @throws UserError K6103 if it is damaged, K6105 if it has no numbers or another order
   */
  public static ArrayFile numpy(DataInputStream in, Path file) throws IOException {
    in.skipNBytes(6);
    int version = in.readUnsignedByte();
    in.skipNBytes(1);
    int length = in.readUnsignedByte() | in.readUnsignedByte() << 8;
    if (version > 1) {
      length |= in.readUnsignedByte() << 16 | in.readUnsignedByte() << 24;
    }
    if (version < 1 || version > 3 || length < 0 || length > LONGEST_HEADER) {
      throw damaged(file, "its header is of version " + version + ", with " + length + " bytes");
    }
    var text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    var found = DESCRIPTION.matcher(text);
    if (!found.matches()) {
      var other = OTHER_ELEMENTS.matcher(text);
      if (other.find()) {
        throw notNumbers(file, other.group(1));
      }
      throw text.contains("'descr': [")
          ? fault(
              K6105, file + " has records", "save each field as an array of its own: a['field']")
          : damaged(file, "its header is " + text.strip());
    }
    var type = NUMPY.get(found.group(2));
    if (type == null) {
      throw notNumbers(file, found.group(2));
    }
    var shape = shape(found.group(4), file);
    if (found.group(3).equals("True") && shape.length > 1) {
      throw fault(
          K6105,
          file + " has its columns, not its rows, one after the other",
          "save np.ascontiguousarray(a)");
    }
    return new ArrayFile(type, shape, found.group(1).equals(">") && type.byteSize() > 1);
  }

  private static UserError notNumbers(Path file, String type) {
    return fault(
        K6105,
        "%s has elements of type %s, not numbers".formatted(file, type),
        "convert them, as by a.astype('<f8')");
  }

  private static long[] shape(String text, Path file) {
    var dims = new ArrayList<Long>();
    for (var word : text.split(",")) {
      if (!word.isBlank()) {
        try {
          dims.add(Long.parseLong(word.strip()));
        } catch (NumberFormatException e) {
          throw damaged(file, "its shape is (" + text + ")");
        }
      }
    }
    return dims.stream().mapToLong(d -> d).toArray();
  }

  /**
   * Reads what stands before the elements of an IDX file, as those of MNIST are.
   *
   * @throws UserError K6103 if it is damaged
   */
  public static ArrayFile idx(DataInputStream in, Path file) throws IOException {
    in.skipNBytes(2);
    int code = in.readUnsignedByte();
    var type = IDX.get(code);
    if (type == null) {
      throw damaged(file, "an IDX file has no elements of type " + code);
    }
    var shape = new long[in.readUnsignedByte()];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = Integer.toUnsignedLong(in.readInt());
    }
    return new ArrayFile(type, shape, type.byteSize() > 1);
  }

  private static final Map<Integer, Prim> IDX =
      Map.of(
          0x08, Prim.U8, 0x09, Prim.I8, 0x0B, Prim.I16, 0x0C, Prim.I32, 0x0D, Prim.F32, 0x0E,
          Prim.F64);

  public static UserError damaged(Path file, String why) {
    return fault(K6103, file + " is damaged: " + why);
  }

  /** Reads what stands before the elements. */
  public static ArrayFile read(DataFormat format, InputStream in, Path file) throws IOException {
    var data = new DataInputStream(in);
    return format == DataFormat.NUMPY ? numpy(data, file) : idx(data, file);
  }

  /** Returns the column that the array becomes: lists, if it has more than one dimension. */
  public ColumnInfo column(String name, Path file) {
    if (shape.length == 0) {
      throw fault(K6105, file + " has a single number, not an array");
    }
    long width = 1;
    for (int i = 1; i < shape.length; i++) {
      width = Math.multiplyExact(width, shape[i]);
    }
    if (width < 1 || width > Integer.MAX_VALUE) {
      throw fault(K6105, "%s has rows of %d elements".formatted(file, width));
    }
    return shape.length == 1
        ? ColumnInfo.scalar(name, type)
        : ColumnInfo.list(name, type, (int) width);
  }
}
