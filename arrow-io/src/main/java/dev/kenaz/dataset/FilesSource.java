package dev.kenaz.dataset;

import java.io.IOException;
import java.util.List;

/** Rows whose parts are files, each of which is as much work as it has bytes. */
interface FilesSource extends RowSource {

  List<DataFile> files();

  @Override
  default int parts() {
    return files().size();
  }

  @Override
  default String name(int part) {
    return files().get(part).name();
  }

  @Override
  default long weight(int part) {
    var file = files().get(part);
    try {
      return file.size();
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }
}
