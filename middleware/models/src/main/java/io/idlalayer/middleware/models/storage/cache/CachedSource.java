package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

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
public final class CachedSource implements ModelSource {
  private final ModelSource source;
  private final VersionCache cache;

  /**
   * @param source the models; the caller closes it
   */
  public CachedSource(ModelSource source, VersionCache cache) {
    this.source = source;
    this.cache = cache;
  }

  @Override
  public String address() {
    return source.address();
  }

  @Override
  public SortedMap<String, List<Integer>> applications() throws IOException {
    return source.applications();
  }

  @Override
  public List<Long> versions(ApplicationPartition of) throws IOException {
    return source.versions(of);
  }

  @Override
  public Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException {
    return source.pointer(of);
  }

  @Override
  public Optional<StoredPointer> pin(ApplicationPartition of) throws IOException {
    return source.pin(of);
  }

  @Override
  public Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException {
    return source.aliases(of);
  }

  @Override
  public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    return source.manifest(of, version, digest);
  }

  @Override
  public SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException {
    return source.files(of, version);
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
