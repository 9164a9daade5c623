package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.io.InputStream;

/** Opens a file of a version at its source. */
@FunctionalInterface
interface Origin {
  /**
   * @param from the first byte to be read, from 0
   * @throws java.nio.file.NoSuchFileException if it is not there
   */
  InputStream open(long from) throws IOException;
}
