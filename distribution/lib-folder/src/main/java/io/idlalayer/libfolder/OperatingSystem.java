package io.idlalayer.libfolder;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The system that a native library is for, as the names of libraries say it. */
enum OperatingSystem {
  /** One on which no platform of the product runs. */
  OTHER("\\.dll$|\\.a$|aix|freebsd|sunos|android"),
  LINUX_MUSL("linux.*musl"),
  LINUX("linux|epoll|io_uring"),
  MACOS("osx|darwin|macos|/mac/|kqueue");

  private final Pattern names;

  OperatingSystem(String names) {
    this.names = Pattern.compile(names);
  }

  /** Returns the first system that a name has in it, if it has one. */
  static Optional<OperatingSystem> of(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    for (OperatingSystem system : values()) {
      if (system.names.matcher(lower).find()) {
        return Optional.of(system);
      }
    }
    return Optional.empty();
  }
}
