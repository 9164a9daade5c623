package io.idlalayer.middleware.models.kafka;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a subscriber in its heartbeats: its name, machine and process.
 *
 * @param name readable name that stays the same after a restart: letters, digits, dot, dash and
 *     underscore, at most 100, the first one a letter or digit
 * @param host name of the machine that the subscriber runs on: letters, digits and {@code ._:%-},
 *     at most 253
 * @param process mark that distinguishes processes with one name, and changes with each start:
 *     letters and digits, at most 32
 */
public record SubscriberIdentity(String name, String host, String process) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%-]{1,253}");
  private static final Pattern PROCESS = Pattern.compile("[A-Za-z0-9]{1,32}");
  private static final String NO_HOST = "unknown";
  private static final int SHOWN = 100;
  private static final int LONGEST_HOST_PART = 60;

  /**
   * @throws IllegalArgumentException if a part is invalid; the message gives its valid form
   */
  public SubscriberIdentity {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          ("'%s' is not a name of a subscriber: letters, digits, dots, dashes and underscores, at most"
                  + " 100, the first one a letter or digit")
              .formatted(PlainText.of(name, SHOWN)));
    }
    if (!HOST.matcher(host).matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a name of a host".formatted(PlainText.of(host, SHOWN)));
    }
    if (!PROCESS.matcher(process).matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a mark of a process: letters and digits, at most 32"
              .formatted(PlainText.of(process, SHOWN)));
    }
  }

  /**
   * Creates the identity of a subscriber in this process. Asks the operating system for the name of
   * the machine; the system sometimes asks a name server.
   *
   * @param name name of the subscriber; null for a name of host, process and random number, which
   *     changes with each start
   * @param random source of the random number in the name and of the mark of the process
   * @throws IllegalArgumentException if the name is not allowed
   */
  public static SubscriberIdentity ofProcess(@Nullable String name, RandomGenerator random) {
    String host = machine();
    String process = "%016x".formatted(random.nextLong());
    if (name != null) {
      return new SubscriberIdentity(name, host, process);
    }
    String first = host.replaceAll("[^A-Za-z0-9.-]", "-").replaceFirst("^[^A-Za-z0-9]+", "");
    return new SubscriberIdentity(
        String.format(
            Locale.ROOT,
            "%s-%d-%08x",
            first.isEmpty()
                ? NO_HOST
                : first.substring(0, Math.min(LONGEST_HOST_PART, first.length())),
            ProcessHandle.current().pid(),
            random.nextInt()),
        host,
        process);
  }

  private static String machine() {
    try {
      String found = InetAddress.getLocalHost().getHostName();
      return HOST.matcher(found).matches() ? found : NO_HOST;
    } catch (UnknownHostException nameless) {
      // The name server does not know the machine's name; heartbeats work without the name.
      return NO_HOST;
    }
  }
}
