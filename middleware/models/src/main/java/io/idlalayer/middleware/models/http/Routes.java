package io.idlalayer.middleware.models.http;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The paths that a server answers:
 *
 * <pre>
 * /models/                                   applications and partitions
 * /models/APPLICATION/PARTITION/             versions
 * /models/APPLICATION/PARTITION/current.json the pointer
 * /models/APPLICATION/PARTITION/pin.json     the pin, if there is one
 * /models/APPLICATION/PARTITION/aliases.json the aliases, if there are any
 * /models/APPLICATION/PARTITION/VERSION/     names and lengths of a version's files
 * /models/APPLICATION/PARTITION/VERSION/FILE manifest.json, and each file that it names
 * </pre>
 *
 * Clients never escape a character of these paths, so a path with a percent sign is unknown.
 */
final class Routes {
  static final String ROOT = "/models/";

  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
  private static final Pattern PATH =
      Pattern.compile(
          "/models/(?:(?<application>%s)/(?<partition>0|[1-9]\\d{0,8})/(?<rest>.{0,130}))?"
              .formatted(NAME));
  private static final Pattern VERSION =
      Pattern.compile("v(?<version>\\d{10,18})/(?<file>%s)?".formatted(NAME));

  private Routes() {}

  /** The resource that a path denotes. */
  sealed interface Target {}

  /** The list of all applications and their partitions. */
  record Applications() implements Target {}

  /** The list of the versions of an application partition. */
  record Versions(ApplicationPartition of) implements Target {}

  /** The pointer to the version in service. */
  record PointerFile(ApplicationPartition of) implements Target {}

  /** The pin of an application partition. */
  record PinFile(ApplicationPartition of) implements Target {}

  /** The aliases of an application partition. */
  record AliasesFile(ApplicationPartition of) implements Target {}

  /** The list of the files of a version. */
  record Files(ApplicationPartition of, long version) implements Target {}

  /** The manifest of a version, or one of the files that it names. */
  record VersionFile(ApplicationPartition of, long version, String name) implements Target {}

  /**
   * Parses the path of a request and returns the resource that it denotes; empty if there is none.
   */
  static Optional<Target> parse(String rawPath) {
    Matcher path = PATH.matcher(rawPath);
    if (!path.matches()) {
      return Optional.empty();
    }
    String application = path.group("application");
    if (application == null) {
      return Optional.of(new Applications());
    }
    ApplicationPartition of =
        new ApplicationPartition(application, Integer.parseInt(path.group("partition")));
    String rest = path.group("rest");
    if (rest.isEmpty()) {
      return Optional.of(new Versions(of));
    }
    if (rest.equals(ModelSource.POINTER)) {
      return Optional.of(new PointerFile(of));
    }
    if (rest.equals(ModelSource.PIN)) {
      return Optional.of(new PinFile(of));
    }
    if (rest.equals(ModelSource.ALIASES)) {
      return Optional.of(new AliasesFile(of));
    }
    Matcher version = VERSION.matcher(rest);
    if (!version.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(version.group("version"));
    String file = version.group("file");
    if (!ModelSource.versionName(number).equals(rest.substring(0, rest.indexOf('/')))) {
      // The path has more leading zeros than the name of the version's folder.
      return Optional.empty();
    }
    return Optional.of(file == null ? new Files(of, number) : new VersionFile(of, number, file));
  }
}
