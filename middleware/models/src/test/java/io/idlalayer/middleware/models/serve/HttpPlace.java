package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.http.ServedFolder;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A model folder that is read over HTTP. */
final class HttpPlace extends FolderPlace {
  private final List<ServedFolder> servers = new ArrayList<>();

  @Override
  public ModelReader reader(Path folder) throws IOException {
    ServedFolder served = ServedFolder.open(folder);
    servers.add(served);
    return served.reader();
  }

  @Override
  public void close() {
    servers.forEach(ServedFolder::close);
  }
}
