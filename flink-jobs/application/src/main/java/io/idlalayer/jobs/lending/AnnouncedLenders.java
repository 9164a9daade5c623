package io.idlalayer.jobs.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.borrower.LenderDirectory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The lenders that announce themselves on a topic. All users of a topic in this process share one
 * consumer, which reads while at least one of them {@linkplain #follow follows}; otherwise there
 * are no lenders.
 */
public record AnnouncedLenders(LenderTopic topic) implements LenderDirectory {
  // Guarded by itself.
  private static final Map<LenderTopic, Shared> SHARED = new HashMap<>();

  /** A follower with the number of its users. */
  private static final class Shared {
    final LenderFollower follower;
    int users;

    Shared(LenderFollower follower) {
      this.follower = follower;
    }
  }

  /** The use of a topic, which ends when it is closed. A second call does nothing. */
  public interface Following extends AutoCloseable {
    @Override
    void close();
  }

  /** Begins to read the topic, unless this process already does. */
  public Following follow() {
    synchronized (SHARED) {
      SHARED.computeIfAbsent(topic, each -> new Shared(LenderFollower.start(each))).users++;
    }
    return new Use();
  }

  private final class Use implements Following {
    private boolean closed;

    @Override
    public void close() {
      LenderFollower last = null;
      synchronized (SHARED) {
        Shared shared = SHARED.get(topic);
        if (!closed && shared != null && --shared.users == 0) {
          SHARED.remove(topic);
          last = shared.follower;
        }
        closed = true;
      }
      if (last != null) {
        last.close();
      }
    }
  }

  @Override
  public List<LenderAddress> lenders() {
    Shared shared;
    synchronized (SHARED) {
      shared = SHARED.get(topic);
    }
    return shared == null ? List.of() : shared.follower.lenders();
  }
}
