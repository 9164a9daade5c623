package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ForwardingSource;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.io.InputStream;

/**
 * Published models of another source, whose files are read through a {@link VersionCache}:
 *
 * <pre>{@code
 * var cache = new VersionCache(VersionCacheSettings.of(Path.of("/var/cache/idla")), InstantSource.system());
 * ModelReader reader = new ModelReader(new CachedSource(models.source(), cache));
 * }</pre>
 *
 * <p>Pointers, pins, aliases, manifests and lists always come from the source. They say what is
 * published, and are small. Any thread.
 */
public final class CachedSource extends ForwardingSource {
  private final VersionCache cache;

  /**
   * @param source the models; the caller closes it
   */
  public CachedSource(ModelSource source, VersionCache cache) {
    super(source);
    this.cache = cache;
  }

  @Override
  public InputStream open(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    return cache.open(
        file,
        address(of, version) + "/" + file.name(),
        at -> source.open(of, version, file, at),
        from,
        from == 0);
  }

  @Override
  public InputStream openPart(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    return cache.open(
        file,
        address(of, version) + "/" + file.name(),
        at -> source.openPart(of, version, file, at),
        from,
        false);
  }
}
