package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.lending.AnnouncedAddress;
import io.idlalayer.jobs.lending.LenderAnnouncer;
import io.idlalayer.jobs.lending.LenderTopic;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.lending.LendingSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.wire.LendingTls;
import io.idlalayer.middleware.lending.wire.Secret;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lends memory of this process for each application whose settings want this, while at least one
 * subtask of the application runs here. All subtasks of an application share one lender. If a
 * process cannot lend, for example because another process of this host uses the address, it logs a
 * warning, and its learners work without the lender.
 */
final class ProcessLender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessLender.class);
  private static final Map<Key, Shared> SHARED = new HashMap<>();

  private final List<Key> entered = new ArrayList<>();

  /** What subtasks must have in common to share a lender. */
  private record Key(LendingSettings lending, @Nullable LenderTopic topic) {}

  /** A lender with the number of its users, and its announcements; null for what does not run. */
  private static final class Shared {
    final @Nullable MemoryLender lender;
    final @Nullable LenderAnnouncer announcer;
    int users;

    Shared(@Nullable MemoryLender lender, @Nullable LenderAnnouncer announcer) {
      this.lender = lender;
      this.announcer = announcer;
    }
  }

  /**
   * Starts to lend for the applications of a subtask.
   *
   * @param servers Kafka servers, where the lender is announced; null if the job has none
   */
  ProcessLender(List<ApplicationSettings> applications, @Nullable String servers) {
    boolean whole = false;
    try {
      for (ApplicationSettings application : applications) {
        LendingSettings lending = application.memory().lending();
        if (lending.lends()) {
          Key key = new Key(lending, TensorFolder.topic(application, servers));
          synchronized (SHARED) {
            SHARED.computeIfAbsent(key, each -> shared(application, each.topic())).users++;
          }
          entered.add(key);
        }
      }
      whole = true;
    } finally {
      if (!whole) {
        close();
      }
    }
  }

  private static Shared shared(ApplicationSettings application, @Nullable LenderTopic topic) {
    MemoryLender lender = started(application);
    boolean whole = false;
    try {
      Shared shared =
          new Shared(lender, lender == null || topic == null ? null : announced(lender, topic));
      whole = true;
      return shared;
    } finally {
      if (!whole) {
        close(new Shared(lender, null));
      }
    }
  }

  private static @Nullable LenderAnnouncer announced(MemoryLender lender, LenderTopic topic) {
    Optional<LenderAddress> address = AnnouncedAddress.of(lender.address());
    if (address.isEmpty()) {
      LOG.warn(
          "the lender of memory at {} is not announced on {}: this machine knows only loopback addresses of itself; name one that others reach in memory.lending.listen",
          lender.address(),
          topic);
      return null;
    }
    return LenderAnnouncer.start(topic, address.get(), lender::freeBytes);
  }

  private static @Nullable MemoryLender started(ApplicationSettings application) {
    LendingSettings lending = application.memory().lending();
    try {
      SSLContext tls = lending.tls() ? LendingTls.ofLender(application.kafka().properties()) : null;
      InetSocketAddress bind =
          new InetSocketAddress(lending.listen().host(), lending.listen().port());
      MemoryLender lender =
          MemoryLender.start(
              LenderSettings.of(bind, new Secret(lending.token()), tls, lending.lendBytes()));
      LOG.info(
          "{} lends up to {} bytes of this process at {}",
          application.name(),
          lending.lendBytes(),
          lender.address());
      return lender;
    } catch (IOException | IllegalArgumentException refused) {
      LOG.warn(
          "{} lends nothing in this process: memory.lending.listen {} cannot be used: {}",
          application.name(),
          lending.listen(),
          refused.getMessage());
      return null;
    }
  }

  /** Ends the lending with the last user. A second call does nothing. */
  @Override
  public void close() {
    List<Shared> last = new ArrayList<>();
    synchronized (SHARED) {
      for (Key key : entered) {
        Shared shared = SHARED.get(key);
        if (shared != null && --shared.users == 0) {
          SHARED.remove(key);
          last.add(shared);
        }
      }
      entered.clear();
    }
    last.forEach(ProcessLender::close);
  }

  private static void close(Shared shared) {
    if (shared.announcer != null) {
      shared.announcer.close();
    }
    MemoryLender lender = shared.lender;
    if (lender != null) {
      try {
        lender.close();
      } catch (IOException failed) {
        LOG.warn("the lender of memory at {} could not be closed", lender.address(), failed);
      }
    }
  }
}
