package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.nio.file.Path;

/** A process that tries to take the file of a copy, and prints whether it could. */
final class TakingProcess {
  private TakingProcess() {}

  /**
   * @param arguments the cache's folder, and digest and length of the copy
   */
  public static void main(String[] arguments) throws IOException {
    CopyName name = new CopyName(arguments[1], Long.parseLong(arguments[2]));
    CacheFolder folder = CacheFolder.open(Path.of(arguments[0]));
    try (PartFile part = PartFile.take(folder, name, CacheOperations.system())) {
      System.out.println(part == null ? "held" : "taken");
    }
  }
}
