package io.idlalayer.libfolder;

import java.util.Optional;
import java.util.regex.Pattern;

/** Parts of libraries that no process of the lib folder loads unless a user asks for it. */
enum OptionalPart {
  /** Netty's native code for a protocol that Flink does not speak. */
  QUIC("flink-shaded-netty-.*", "META-INF/native/.*quiche.*", "native libraries of QUIC"),
  /**
   * For high availability by ZooKeeper. The jar's collections stay: classes that each job of Flink
   * needs load them. So do the types that Java needs to verify Flink's {@code ZooKeeperUtils},
   * which each JobManager asks whether ZooKeeper is used.
   */
  ZOOKEEPER(
      "flink-shaded-zookeeper-.*",
      "org/apache/flink/shaded/(zookeeper3/(?!org/apache/zookeeper/KeeperException\\b)"
          + "|curator5/org/(?!apache/curator/(RetryPolicy|utils/InternalACLProvider"
          + "|framework/(api/ACLProvider|state/ConnectionState(ErrorPolicy|Listener)"
          + "|recipes/cache/TreeCacheSelector))\\.class)).*",
      "client and server of ZooKeeper");

  private final Pattern jar;
  private final Pattern entries;
  private final String title;

  OptionalPart(String jar, String entries, String title) {
    this.jar = Pattern.compile(jar);
    this.entries = Pattern.compile(entries);
    this.title = title;
  }

  /**
   * Returns the part that an entry belongs to, if it belongs to one.
   *
   * @param jar the name of the file
   * @param entry a name in it
   */
  static Optional<OptionalPart> of(String jar, String entry) {
    for (OptionalPart part : values()) {
      if (part.jar.matcher(jar).matches() && part.entries.matcher(entry).matches()) {
        return Optional.of(part);
      }
    }
    return Optional.empty();
  }

  String title() {
    return title;
  }
}
