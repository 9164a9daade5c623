package io.idlalayer.middleware.models.storage.object;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.ModelStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Condition;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.StoredObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stores models in an object store. */
public final class ObjectStorage implements ModelStorage {
  private static final long MOST_KEPT_BYTES = 16L << 20;

  private final ObjectBucket bucket;
  private final AtomicBoolean keepsToConditions = new AtomicBoolean();

  public ObjectStorage(ObjectBucket bucket) {
    this.bucket = bucket;
  }

  @Override
  public ModelSource source() {
    return new ObjectSource(bucket, MOST_KEPT_BYTES);
  }

  @Override
  public ModelSource freshSource() {
    return new ObjectSource(bucket, 0);
  }

  @Override
  public PartitionStorage partition(ApplicationPartition of) {
    return new ObjectPartition(
        bucket, of, !keepsToConditions.get(), () -> keepsToConditions.set(true));
  }

  @Override
  public Optional<Path> folder() {
    return Optional.empty();
  }

  /** Returns whether the store has no models; stops at the first models that it finds. */
  @Override
  public boolean isEmpty() throws IOException {
    for (String application : bucket.folders("")) {
      if (StoreLayout.isName(application)
          && bucket.folders(application + "/").stream().anyMatch(ObjectLayout::isPartition)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Optional<byte[]> note(String application, String name) throws IOException {
    return bucket.get(key(application, name), null).map(StoredObject::content);
  }

  @Override
  public void writeNote(String application, String name, byte[] content) throws IOException {
    bucket.put(key(application, name), content, new Condition.Always());
  }

  private static String key(String application, String name) {
    return StoreLayout.checked(application) + "/" + StoreLayout.checked(name);
  }

  @Override
  public void close() {
    bucket.close();
  }
}
