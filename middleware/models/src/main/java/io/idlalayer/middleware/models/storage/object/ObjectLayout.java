package io.idlalayer.middleware.models.storage.object;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Listed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keys of the objects that make up an application partition in an object store. */
final class ObjectLayout {
  /**
   * Name of the copy of the manifest of a version that is being deleted. No file of a model has
   * this name.
   */
  static final String RETIRED_MANIFEST = ".deleted.json";

  /**
   * Name of the object that is written to find out whether the store respects conditions of writes.
   */
  static final String PROBE = ".probe";

  /**
   * Largest number of bytes of a reservation, which stands in place of a manifest while a version
   * is written. Every manifest is longer, so lengths in a listing tell reservations from manifests.
   */
  static final int MOST_RESERVATION_BYTES = 64;

  private static final String BEGUN = "begun ";

  private static final Pattern PARTITION = Pattern.compile("0|[1-9]\\d{0,8}");
  private static final Pattern IN_VERSION = Pattern.compile("v(\\d{10,18})/([^/]+)");

  private ObjectLayout() {}

  /** Returns the content of a new reservation; each call returns different bytes. */
  static byte[] newReservation() {
    return (BEGUN + UUID.randomUUID()).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns whether a content is a reservation, and not a damaged manifest. */
  static boolean isReservation(byte[] content) {
    return content.length <= MOST_RESERVATION_BYTES
        && (content.length == 0 || new String(content, StandardCharsets.UTF_8).startsWith(BEGUN));
  }

  /** Returns whether a name in the folder of an application is the number of a partition. */
  static boolean isPartition(String name) {
    return PARTITION.matcher(name).matches();
  }

  /** Returns the prefix of an application partition's keys, with a slash at its end. */
  static String prefix(ApplicationPartition of) {
    return of + "/";
  }

  /** Returns the prefix of a version's keys, with a slash at its end. */
  static String prefix(ApplicationPartition of, long version) {
    return prefix(of) + StoreLayout.version(version) + "/";
  }

  static String manifest(ApplicationPartition of, long version) {
    return prefix(of, version) + StoreLayout.MANIFEST;
  }

  /**
   * The objects of a version in a listing.
   *
   * @param objects objects by name
   */
  record ListedVersion(long version, SortedMap<String, Listed> objects) {
    /** Returns whether the version has a manifest, so that readers see it. */
    boolean visible() {
      Listed manifest = objects.get(StoreLayout.MANIFEST);
      return manifest != null && manifest.bytes() > MOST_RESERVATION_BYTES;
    }

    /** Returns the reservation in place of the manifest; empty if there is none. */
    Optional<Listed> reservation() {
      return visible() ? Optional.empty() : Optional.ofNullable(objects.get(StoreLayout.MANIFEST));
    }

    boolean isRetired() {
      return objects.containsKey(RETIRED_MANIFEST);
    }
  }

  /** Returns the versions of which the store has any objects, ascending. */
  static List<ListedVersion> versions(ObjectBucket bucket, ApplicationPartition of)
      throws IOException {
    String prefix = prefix(of);
    SortedMap<Long, SortedMap<String, Listed>> found = new TreeMap<>();
    for (Listed each : bucket.list(prefix + "v")) {
      Matcher matcher = IN_VERSION.matcher(each.key().substring(prefix.length()));
      if (matcher.matches()) {
        found
            .computeIfAbsent(Long.parseLong(matcher.group(1)), version -> new TreeMap<>())
            .put(matcher.group(2), each);
      }
    }
    List<ListedVersion> versions = new ArrayList<>();
    for (Map.Entry<Long, SortedMap<String, Listed>> each : found.entrySet()) {
      versions.add(new ListedVersion(each.getKey(), each.getValue()));
    }
    return versions;
  }

  /** Returns the version to which an object's key belongs; 0 if it belongs to none. */
  static long versionOf(ApplicationPartition of, String key) {
    String prefix = prefix(of);
    if (!key.startsWith(prefix)) {
      return 0;
    }
    Matcher matcher = IN_VERSION.matcher(key.substring(prefix.length()));
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** Returns the versions that readers see, ascending. */
  static List<Long> visible(ObjectBucket bucket, ApplicationPartition of) throws IOException {
    return versions(bucket, of).stream()
        .filter(ListedVersion::visible)
        .map(ListedVersion::version)
        .toList();
  }
}
