package io.idlalayer.middleware.embedding.serve;

import java.io.IOException;

/**
 * Thrown if embedding rows cannot be written, read or mapped in a local folder: it is full or gone,
 * its disk fails, or the system maps no more files. The published version itself can still be
 * intact.
 */
public final class RowsFolderException extends IOException {
  private static final long serialVersionUID = 1;

  RowsFolderException(String message, IOException cause) {
    super(message, cause);
  }
}
