package io.idlalayer.jobs.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The TCP sockets on which this process listens, as the kernel says. */
final class ListeningSockets {
  private static final String LISTENING = "0A";
  private static final Set<String> LOOPBACK =
      Set.of("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F");

  private ListeningSockets() {}

  /** Addresses (in the kernel's hexadecimal) and ports of sockets that others can reach. */
  static Set<String> reachable() throws IOException {
    Set<String> found = new TreeSet<>();
    for (String[] socket : listening()) {
      String address = socket[1].split(":", -1)[0];
      if (!LOOPBACK.contains(address)) {
        found.add(address + ":" + Integer.parseInt(socket[1].split(":", -1)[1], 16));
      }
    }
    return found;
  }

  /** How many sockets of this process listen. */
  static int count() throws IOException {
    return listening().size();
  }

  private static List<String[]> listening() throws IOException {
    Set<String> own = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          own.add(Files.readSymbolicLink(descriptor).toString());
        } catch (NoSuchFileException closed) {
          // One that was closed meanwhile does not listen.
        }
      }
    }
    Stream<String> lines = Stream.empty();
    for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
      lines = Stream.concat(lines, Files.readAllLines(Path.of(table)).stream().skip(1));
    }
    return lines
        .map(line -> line.trim().split("\\s+", -1))
        .filter(fields -> fields[3].equals(LISTENING))
        .filter(fields -> own.contains("socket:[" + fields[9] + "]"))
        .toList();
  }
}
