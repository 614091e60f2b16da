package dev.kenaz.jobs.run;

import static dev.kenaz.error.ErrorCode.K7102;

import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.distribute.RowFiles;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A folder with a file for each piece, which appears whole or not at all.
 *
 * @param checkpoint the absolute path of the folder around it, which all processes see
 */
record RowFolder(String checkpoint, String name) implements RowFiles {
  private Path file(int piece) {
    return Path.of(checkpoint, name, String.format(Locale.ROOT, "part-%05d", piece));
  }

  @Override
  public void write(int piece, ArrayValue rows) {
    try (var output = AtomicOutput.to(file(piece), true)) {
      try (var out = Files.newOutputStream(output.path())) {
        DigestedFile.write(out, digested -> ValueWriter.writeBinary(rows, digested));
      }
      output.commit();
    } catch (IOException e) {
      throw new UserError(
          K7102, "can't write " + file(piece) + ": " + UserPath.reason(file(piece), e));
    }
  }

  @Override
  public ArrayValue read(int piece) {
    var file = file(piece);
    return (ArrayValue) DigestedFile.read(file, in -> ValueReader.of(in, file.toString()).next());
  }
}
