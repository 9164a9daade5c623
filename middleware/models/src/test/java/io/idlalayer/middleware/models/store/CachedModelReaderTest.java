package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.storage.cache.CachedSource;
import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.io.TempDir;

/** Reading a folder through a cache that has nothing yet. */
final class CachedModelReaderTest extends ModelReaderContract {
  @TempDir Path caches;

  @Override
  protected ModelReader open(Path folder) throws IOException {
    return new ModelReader(
        new CachedSource(
            new ModelStore(folder, InstantSource.system()).source(),
            new VersionCache(
                VersionCacheSettings.of(Files.createTempDirectory(caches, "cache")),
                InstantSource.system())));
  }

  @Override
  protected String addressOf(Path folder) {
    return folder.toString();
  }
}
