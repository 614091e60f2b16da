package dev.kenaz.pipeline;

import dev.kenaz.cache.CacheFolder;
import dev.kenaz.cache.KeptFiles;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Fingerprint;
import dev.kenaz.jvm.EntryCode;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the classes of entries, so that a later process needn't compile them again.
 *
 * <p>A class is found by the hash of all that decides about it: the {@linkplain Fingerprint
 * fingerprint} of the program, the options, this build of the compiler ({@link BuildMark}), the
 * version of Java, and the vectors of the machine. So nothing has to be forgotten by anybody, and
 * what was made by another version is never used. Before the code comes its own hash, so a damaged
 * file is noticed.
 */
final class KeptClasses implements Route.Store<JvmProgram> {
  private static final Logger LOG = LoggerFactory.getLogger(KeptClasses.class);

  /** So many bytes are kept in all. */
  private static final long LIMIT = 256L << 20;

  private static final class Once {
    static final Optional<KeptFiles> FILES =
        CacheFolder.trusted("classes").map(f -> new KeptFiles(f, ".code", LIMIT));
  }

  private final KeptFiles files;
  private final JvmOptions jvm;
  private final String circumstances;

  /**
   * @param build names this build of the compiler
   * @param route names the passes
   */
  KeptClasses(KeptFiles files, String build, String route, CompileOptions options, JvmOptions jvm) {
    this.files = files;
    this.jvm = jvm;
    this.circumstances =
        String.join(
            "\n",
            build,
            Runtime.version().toString(),
            System.getProperty("os.arch"),
            route,
            Long.toString(options.loopMemory()),
            new TreeSet<>(options.leftOut()).toString(),
            JvmProgram.target(jvm));
  }

  /**
   * Returns the store of this user, if there is one, and programs are not compiled in order to be
   * looked at or checked.
   *
   * @param route names the passes
   */
  static Optional<Route.Store<JvmProgram>> of(
      String route, CompileOptions options, JvmOptions jvm) {
    if (options.verify() || jvm.checks() || jvm.dump().isPresent()) {
      return Optional.empty();
    }
    return BuildMark.ours()
        .flatMap(b -> Once.FILES.map(f -> new KeptClasses(f, b, route, options, jvm)));
  }

  @Override
  public JvmProgram code(CoreProgram program, Function<CoreProgram, JvmProgram> passes) {
    var key = CacheFolder.hash(utf8(circumstances), utf8(Fingerprint.of(program)));
    var entry = program.entries().getFirst();
    var kept = read(key);
    if (kept.isPresent()) {
      LOG.debug("entry {}: its class is kept as {}", entry.name(), key);
      return JvmProgram.of(entry, kept.get(), jvm);
    }
    var made = passes.apply(program);
    made.portable(entry.name()).ifPresent(c -> write(key, c));
    return made;
  }

  private Optional<EntryCode> read(String key) {
    var content = files.get(key);
    if (content.isEmpty()) {
      return Optional.empty();
    }
    var all = content.get();
    try {
      int start = hash(new byte[0]).length;
      var code = Arrays.copyOfRange(all, Math.min(start, all.length), all.length);
      if (!Arrays.equals(all, 0, Math.min(start, all.length), hash(code), 0, start)) {
        throw new IOException("it is damaged");
      }
      return Optional.of(EntryCode.ofBytes(code));
    } catch (IOException e) {
      LOG.warn("the kept class {} can't be read, and is made again: {}", key, e.getMessage());
      files.remove(key);
      return Optional.empty();
    }
  }

  private void write(String key, EntryCode entry) {
    var code = entry.toBytes();
    var hash = hash(code);
    var all = Arrays.copyOf(hash, hash.length + code.length);
    System.arraycopy(code, 0, all, hash.length, code.length);
    files.put(key, all).ifPresent(e -> LOG.debug("a class can't be kept: {}", e.toString()));
  }

  private static byte[] hash(byte[] code) {
    return HexFormat.of().parseHex(CacheFolder.hash(code));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
