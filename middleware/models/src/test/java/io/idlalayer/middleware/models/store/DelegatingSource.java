package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Another source, to be changed in one point. */
public class DelegatingSource implements ModelSource {
  private final ModelSource real;

  public DelegatingSource(ModelSource real) {
    this.real = real;
  }

  @Override
  public String address() {
    return real.address();
  }

  @Override
  public SortedMap<String, List<Integer>> applications() throws IOException {
    return real.applications();
  }

  @Override
  public List<Long> versions(ApplicationPartition of) throws IOException {
    return real.versions(of);
  }

  @Override
  public Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException {
    return real.pointer(of);
  }

  @Override
  public Optional<StoredPointer> pin(ApplicationPartition of) throws IOException {
    return real.pin(of);
  }

  @Override
  public Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException {
    return real.aliases(of);
  }

  @Override
  public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    return real.manifest(of, version, digest);
  }

  @Override
  public SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException {
    return real.files(of, version);
  }

  @Override
  public InputStream open(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    return real.open(of, version, file, from);
  }
}
