package io.idlalayer.libfolder;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a lib folder is for. The launcher compares its name with the machine that it runs on. */
enum Platform {
  LINUX_X86_64("linux-x86_64", EnumSet.of(OperatingSystem.LINUX), EnumSet.of(Processor.X86_64)),
  LINUX_ARM64("linux-arm64", EnumSet.of(OperatingSystem.LINUX), EnumSet.of(Processor.ARM64)),
  /** All systems and processors on which RocksDB and a shell can be had. */
  ANY(
      "any",
      EnumSet.of(OperatingSystem.LINUX, OperatingSystem.LINUX_MUSL, OperatingSystem.MACOS),
      EnumSet.of(Processor.X86_64, Processor.ARM64));

  private static final Pattern NATIVE = Pattern.compile(".*\\.(so(\\.\\d+)*|dll|dylib|jnilib|a)");

  private final String title;
  private final Set<OperatingSystem> systems;
  private final Set<Processor> processors;

  Platform(String title, Set<OperatingSystem> systems, Set<Processor> processors) {
    this.title = title;
    this.systems = systems;
    this.processors = processors;
  }

  /**
   * Returns the platform of a name.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  static Platform of(String title) {
    return Arrays.stream(values())
        .filter(platform -> platform.title.equals(title))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no platform is named "
                        + title
                        + ": "
                        + Arrays.stream(values())
                            .map(Platform::title)
                            .collect(Collectors.joining(", "))));
  }

  String title() {
    return title;
  }

  /** Says whether an entry of a jar is a native library. */
  static boolean isNative(String entry) {
    return NATIVE.matcher(entry).matches();
  }

  /**
   * Says whether a native library is of use here.
   *
   * @param entry its name in its jar
   * @throws IllegalArgumentException if the name does not say which system the library is for
   */
  boolean uses(String entry) {
    OperatingSystem system =
        OperatingSystem.of(entry)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        entry + ": the name does not say which system the library is for"));
    Processor processor = Processor.of(entry);
    return systems.contains(system)
        && (processor == Processor.UNNAMED || processors.contains(processor));
  }
}
