package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.storage.cache.CachedSource;
import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Path;
import java.time.InstantSource;

/** A model folder that is read through a cache, which all readers share. */
final class CachedPlace extends FolderPlace {
  @Override
  public ModelReader reader(Path folder) {
    return new ModelReader(
        new CachedSource(
            new ModelStore(folder, InstantSource.system()).source(),
            new VersionCache(
                VersionCacheSettings.of(folder.resolve(".cache")), InstantSource.system())));
  }
}
