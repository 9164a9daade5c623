package io.idlalayer.middleware.models.store;

import java.nio.file.Path;
import java.time.InstantSource;

final class FolderModelReaderTest extends ModelReaderContract {
  @Override
  protected ModelReader open(Path folder) {
    return new ModelStore(folder, InstantSource.system());
  }

  @Override
  protected String addressOf(Path folder) {
    return folder.toString();
  }
}
