package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ForwardingSource;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A real source, where something happens whenever a file of a version is about to be read. */
final class FakeModelSource extends ForwardingSource {
  private final Before before;

  FakeModelSource(ModelSource real, Before before) {
    super(real);
    this.before = before;
  }

  /** What happens. */
  @FunctionalInterface
  interface Before {
    void read(long version, String file) throws IOException;
  }

  @Override
  public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    before.read(version, MANIFEST);
    return super.manifest(of, version, digest);
  }

  @Override
  public InputStream open(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    before.read(version, file.name());
    return super.open(of, version, file, from);
  }
}
