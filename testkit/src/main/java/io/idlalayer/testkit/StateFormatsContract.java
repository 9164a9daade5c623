package io.idlalayer.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pins the bytes of all states below a source folder, in {@code state-formats.properties} among the
 * test resources of the implementing class's package. {@code -Didlalayer.pin-states} writes that
 * file anew instead of comparing with it. Bytes of released versions, in {@code
 * state-formats-VERSION.properties} beside it, must still be read.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class StateFormatsContract {
  private static final String PIN = "idlalayer.pin-states";
  private static final HexFormat HEX = HexFormat.of();
  private static final Pattern FORMAT_NAME =
      Pattern.compile("StateFormat(?:\\.first)?\\(\\s*\"([^\"]+)\"");

  private static final String FILE = "state-formats.properties";

  /** Files of releases, which are never written again. */
  private static final String RELEASED = "state-formats-*.properties";

  private final Path folder = Path.of(System.getProperty("basedir", ""));
  private SortedMap<String, byte[]> pins = new TreeMap<>();
  private final Class<? extends Throwable> unreadable;

  /**
   * @param unreadable what is thrown for bytes that are no such state
   */
  protected StateFormatsContract(Class<? extends Throwable> unreadable) {
    this.unreadable = unreadable;
  }

  /**
   * A state with contents that use every field of its formats.
   *
   * @param name in the file of pinned bytes
   * @param snapshot makes it, the same bytes every time
   * @param again restores from bytes and takes a snapshot
   */
  public record PinnedState(String name, Supplier<byte[]> snapshot, UnaryOperator<byte[]> again) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** All states; together they contain every format below {@link #sources()}. */
  protected abstract Stream<PinnedState> states();

  /** The source folder whose formats are pinned here, relative to the module. */
  protected String sources() {
    return "src/main/java";
  }

  private Path file() {
    return folder
        .resolve("src/test/resources")
        .resolve(getClass().getPackageName().replace('.', '/'))
        .resolve(FILE);
  }

  /** Reads a file of pinned bytes, by the names of the states. */
  private static SortedMap<String, byte[]> read(Path file) throws IOException {
    SortedMap<String, byte[]> read = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      int equals = line.indexOf('=');
      if (!line.startsWith("#") && equals > 0) {
        read.put(line.substring(0, equals), HEX.parseHex(line.substring(equals + 1)));
      }
    }
    return read;
  }

  @BeforeAll
  void readOrWritePins() throws IOException {
    if (System.getProperty(PIN) != null) {
      StringBuilder lines = new StringBuilder("# Bytes of state, in hexadecimal.\n");
      states()
          .forEach(
              state ->
                  lines
                      .append(state.name())
                      .append('=')
                      .append(HEX.formatHex(state.snapshot().get()))
                      .append('\n'));
      Files.createDirectories(file().getParent());
      Files.writeString(file(), lines);
    }
    pins = read(file());
  }

  private byte[] pinned(PinnedState state) {
    byte[] bytes = pins.get(state.name());
    return bytes == null ? fail("no bytes of state '%s' are pinned. %s", state, advice()) : bytes;
  }

  private String advice() {
    return "If the format was meant to change: until 0.1.0 is released, pin the new bytes with"
        + " ./idla verify -Dtest=StateFormatsTest -Dit.test=None -D"
        + PIN
        + " and commit "
        + folder.relativize(file())
        + "; afterwards, raise the version of the format, go on reading the old bytes, and pin"
        + " both. If it was not, undo the change of the format.";
  }

  @ParameterizedTest
  @MethodSource("states")
  void snapshot_ofAnExample_hasThePinnedBytes(PinnedState state) {
    byte[] pinned = pinned(state);
    byte[] now = state.snapshot().get();
    int same = Arrays.mismatch(pinned, now);
    if (same >= 0) {
      fail(
          "the state '%s' has %d bytes now, %d are pinned, and they differ from byte %d on. %s",
          state, now.length, pinned.length, same, advice());
    }
  }

  @ParameterizedTest
  @MethodSource("states")
  void restore_pinnedBytes_writesTheSameAgain(PinnedState state) {
    byte[] pinned = pinned(state);
    assertThat(state.again().apply(pinned)).as("%s. %s", state, advice()).isEqualTo(pinned);
  }

  @ParameterizedTest
  @MethodSource("states")
  void restore_cutOffOrOfALaterVersion_isRefused(PinnedState state) {
    byte[] pinned = pinned(state);
    for (int length = 0; length < pinned.length; length++) {
      byte[] cut = Arrays.copyOf(pinned, length);
      assertThatThrownBy(() -> state.again().apply(cut)).isInstanceOf(unreadable);
    }
    byte[] later = pinned.clone();
    later[1 + pinned[0]] = 99;
    assertThatThrownBy(() -> state.again().apply(later))
        .isInstanceOf(unreadable)
        .hasMessageContaining("version 99");
  }

  @Test
  void restore_bytesOfReleasedVersions_areRead() throws IOException {
    assertReleasedAreRead(Objects.requireNonNull(file().getParent()), states().toList());
  }

  /**
   * Asserts that each state of each released version is restored.
   *
   * @param pinned the folder with the files of bytes
   * @param states the states of this build
   */
  static void assertReleasedAreRead(Path pinned, List<PinnedState> states) throws IOException {
    try (DirectoryStream<Path> releases = Files.newDirectoryStream(pinned, RELEASED)) {
      for (Path release : releases) {
        for (Map.Entry<String, byte[]> old : read(release).entrySet()) {
          PinnedState state =
              states.stream()
                  .filter(it -> it.name().equals(old.getKey()))
                  .findAny()
                  .orElseGet(
                      () ->
                          fail(
                              "%s has the state '%s', which this build does not have. What was"
                                  + " released must be read: keep an example of it",
                              release, old.getKey()));
          try {
            byte[] unused = state.again().apply(old.getValue());
          } catch (RuntimeException | Error unreadable) {
            throw new AssertionError(
                "the state '%s' of %s is not read any more; docs/compatibility.md promises it"
                    .formatted(old.getKey(), release),
                unreadable);
          }
        }
      }
    }
  }

  @Test
  void pins_areOfStatesThatExist() {
    assertThat(pins.keySet())
        .as("states in %s; delete the lines of those that no longer exist", file())
        .isSubsetOf(states().map(PinnedState::name).toList());
  }

  @Test
  void sources_everyFormatInThem_isInAPinnedState() throws IOException {
    TreeSet<String> formats = new TreeSet<>();
    try (Stream<Path> files = Files.walk(folder.resolve(sources()))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        FORMAT_NAME
            .matcher(Files.readString(file))
            .results()
            .map((MatchResult found) -> found.group(1))
            .forEach(formats::add);
      }
    }
    assertThat(formats).as("formats below %s", sources()).isNotEmpty();
    formats.removeIf(name -> pins.values().stream().anyMatch(bytes -> contains(bytes, name)));
    assertThat(formats)
        .as("formats in no pinned state: add an example to states() of %s", getClass())
        .isEmpty();
  }

  /** Whether a state has a header with this name. */
  private static boolean contains(byte[] bytes, String name) {
    String header = (char) name.length() + name;
    return new String(bytes, StandardCharsets.ISO_8859_1).contains(header);
  }
}
