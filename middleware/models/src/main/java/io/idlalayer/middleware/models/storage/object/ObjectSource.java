package io.idlalayer.middleware.models.storage.object;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Listed;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads published models from an object store. A look at the pointer, the pin or the aliases takes
 * one request, whose answer has no body while nothing changes. The source keeps the manifests that
 * it has read, 16 MiB at most.
 */
final class ObjectSource implements ModelSource {
  private final ObjectBucket bucket;
  private final RecentBytes<String> small;
  private final RecentBytes<String> manifests;

  /**
   * @param mostKeptBytes most bytes of cached manifests; 0 to read a manifest again each time
   */
  ObjectSource(ObjectBucket bucket, long mostKeptBytes) {
    this.bucket = bucket;
    small = new RecentBytes<>(mostKeptBytes);
    manifests = new RecentBytes<>(mostKeptBytes);
  }

  @Override
  public String address() {
    return bucket.address();
  }

  @Override
  public SortedMap<String, List<Integer>> applications() throws IOException {
    SortedMap<String, List<Integer>> found = new TreeMap<>();
    for (String application : bucket.folders("")) {
      if (StoreLayout.isName(application)) {
        List<Integer> partitions = new ArrayList<>();
        for (String number : bucket.folders(application + "/")) {
          if (ObjectLayout.isPartition(number)) {
            partitions.add(Integer.parseInt(number));
          }
        }
        if (!partitions.isEmpty()) {
          partitions.sort(null);
          found.put(application, partitions);
        }
      }
    }
    return found;
  }

  @Override
  public List<Long> versions(ApplicationPartition of) throws IOException {
    return ObjectLayout.visible(bucket, of);
  }

  @Override
  public Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException {
    return beside(of, POINTER);
  }

  @Override
  public Optional<StoredPointer> pin(ApplicationPartition of) throws IOException {
    return beside(of, PIN);
  }

  @Override
  public Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException {
    return beside(of, ALIASES);
  }

  private Optional<StoredPointer> beside(ApplicationPartition of, String name) throws IOException {
    String key = ObjectLayout.prefix(of) + name;
    RecentBytes.Entry seen = small.get(key);
    Optional<StoredObject> found =
        bucket.get(key, seen == null ? null : new StoredObject(seen.tag(), seen.content()));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    StoredObject now = found.get();
    // Otherwise the store would confirm bytes for ever that were damaged in transit.
    if (now.tag().contains(DigestUtils.md5Hex(now.content()))) {
      small.put(key, new RecentBytes.Entry(now.tag(), now.content().clone()));
    }
    return Optional.of(new StoredPointer(bucket.address(key), now.content()));
  }

  @Override
  public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    RecentBytes.Entry seen = digest == null ? null : manifests.get(digest);
    if (seen != null) {
      return seen.content().clone();
    }
    String key = ObjectLayout.manifest(of, version);
    byte[] content =
        bucket
            .get(key, null)
            .filter(it -> !ObjectLayout.isReservation(it.content()))
            .orElseThrow(() -> new NoSuchFileException(bucket.address(key)))
            .content();
    if (digest != null && Digests.sha256(content).equals(digest)) {
      manifests.put(digest, new RecentBytes.Entry("", content.clone()));
    }
    return content;
  }

  @Override
  public SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException {
    String prefix = ObjectLayout.prefix(of, version);
    SortedMap<String, Long> lengths = new TreeMap<>();
    for (Listed each : bucket.list(prefix)) {
      String name = each.key().substring(prefix.length());
      if (!name.equals(ObjectLayout.RETIRED_MANIFEST)) {
        lengths.put(name, each.bytes());
      }
    }
    return lengths;
  }

  @Override
  public InputStream open(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    return bucket.open(ObjectLayout.prefix(of, version) + StoreLayout.checked(file.name()), from);
  }
}
