package io.idlalayer.middleware.models.storage;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A source that passes all calls on to another source. Subclasses override some methods; they need
 * no change if {@link ModelSource} gets further methods. Safe from any thread if the other source
 * is.
 */
public abstract class ForwardingSource implements ModelSource {
  protected final ModelSource source;

  /**
   * @param source the other source; the caller closes it
   */
  protected ForwardingSource(ModelSource source) {
    this.source = source;
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
    return source.open(of, version, file, from);
  }

  @Override
  public InputStream openPart(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    return source.openPart(of, version, file, from);
  }
}
