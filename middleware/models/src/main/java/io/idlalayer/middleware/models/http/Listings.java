package io.idlalayer.middleware.models.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The lists that a server of models returns, as JSON. Unknown fields, which a later version of the
 * server might write, are ignored.
 */
final class Listings {
  static final int FORMAT_VERSION = 1;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private Listings() {}

  /** The partitions of an application, ascending. */
  record Application(String application, List<Integer> partitions) {}

  /** The list of all applications. */
  record Applications(int formatVersion, List<Application> applications) {}

  /** The versions of an application partition, ascending. */
  record Versions(int formatVersion, List<Long> versions) {}

  /** A file of a version, by name and length. */
  record File(String name, long bytes) {}

  /** The files in the folder of a version. */
  record Files(int formatVersion, List<File> files) {}

  static byte[] applications(SortedMap<String, List<Integer>> found) {
    List<Application> applications = new ArrayList<>();
    found.forEach((name, partitions) -> applications.add(new Application(name, partitions)));
    return bytes(new Applications(FORMAT_VERSION, applications));
  }

  static byte[] versions(List<Long> found) {
    return bytes(new Versions(FORMAT_VERSION, found));
  }

  static byte[] files(SortedMap<String, Long> found) {
    List<File> files = new ArrayList<>();
    for (Map.Entry<String, Long> each : found.entrySet()) {
      files.add(new File(each.getKey(), each.getValue()));
    }
    return bytes(new Files(FORMAT_VERSION, files));
  }

  private static byte[] bytes(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static SortedMap<String, List<Integer>> readApplications(byte[] content, String where)
      throws IOException {
    Applications list = read(content, Applications.class, where);
    TreeMap<String, List<Integer>> found = new TreeMap<>();
    for (Application each : whole(list.formatVersion(), list.applications(), where)) {
      if (each.application() == null
          || !ModelSource.isFileName(each.application())
          || each.partitions() == null
          || each.partitions().stream().anyMatch(it -> it == null || it < 0)) {
        throw noList(where, "an entry without a name or partitions");
      }
      found.put(each.application(), each.partitions().stream().sorted().toList());
    }
    return found;
  }

  static List<Long> readVersions(byte[] content, String where) throws IOException {
    Versions list = read(content, Versions.class, where);
    return whole(list.formatVersion(), list.versions(), where).stream().sorted().toList();
  }

  static SortedMap<String, Long> readFiles(byte[] content, String where) throws IOException {
    Files list = read(content, Files.class, where);
    TreeMap<String, Long> found = new TreeMap<>();
    for (File each : whole(list.formatVersion(), list.files(), where)) {
      if (each.name() == null) {
        throw noList(where, "an entry without a name");
      }
      found.put(each.name(), each.bytes());
    }
    return found;
  }

  private static <T> T read(byte[] content, Class<T> type, String where) throws IOException {
    try {
      T list = JSON.readValue(content, type);
      if (list == null) {
        throw noList(where, "nothing");
      }
      return list;
    } catch (JsonProcessingException garbage) {
      throw noList(where, garbage.getOriginalMessage());
    }
  }

  private static <T> List<T> whole(int formatVersion, @Nullable List<T> list, String where)
      throws IOException {
    if (formatVersion != FORMAT_VERSION || list == null) {
      throw noList(
          where,
          String.format(
              Locale.ROOT, "format %d; this program reads %d", formatVersion, FORMAT_VERSION));
    }
    if (list.stream().anyMatch(Objects::isNull)) {
      throw noList(where, "an empty entry");
    }
    return list;
  }

  private static IOException noList(String where, String found) {
    return new IOException(
        "%s is not a list of models, but %s; is it the address that `idla models serve` printed?"
            .formatted(where, found));
  }
}
