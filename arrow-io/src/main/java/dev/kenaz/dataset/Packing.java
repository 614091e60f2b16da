package dev.kenaz.dataset;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Says how a text file is packed, which its first bytes tell. */
public enum Packing {
  NONE(""),
  GZIP("\u001f\u008b"),
  ZSTD("\u0028\u00b5\u002f\u00fd");

  /** So many bytes tell the packing. */
  public static final int START = 4;

  private final byte[] magic;

  Packing(String magic) {
    this.magic = magic.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Returns the packing of a file that begins with these bytes. */
  public static Packing of(byte[] start) {
    for (var p : new Packing[] {GZIP, ZSTD}) {
      int n = p.magic.length;
      if (start.length >= n && Arrays.equals(start, 0, n, p.magic, 0, n)) {
        return p;
      }
    }
    return NONE;
  }

  /** Returns how a file is packed that is written under this name. */
  public static Packing ofName(String name) {
    var lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".gz") ? GZIP : lower.endsWith(".zst") ? ZSTD : NONE;
  }

  /** Returns a stream that packs what is written into it. Closing it closes the other one. */
  public OutputStream packed(OutputStream out) throws IOException {
    return switch (this) {
      case NONE -> out;
      case GZIP -> new BufferedOutputStream(new GZIPOutputStream(out, 1 << 16), 1 << 16);
      case ZSTD -> new BufferedOutputStream(new ZstdOutputStream(out), 1 << 16);
    };
  }

  /** Returns what is packed in a stream. */
  public InputStream unpacked(InputStream in) throws IOException {
    return switch (this) {
      case NONE -> in;
      case GZIP -> new GZIPInputStream(in, 1 << 16);
      case ZSTD -> new ZstdInputStream(in);
    };
  }
}
