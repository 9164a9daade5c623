package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.lending.LendingSettings;
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
  private static final Map<LendingSettings, Shared> SHARED = new HashMap<>();

  private final List<LendingSettings> entered = new ArrayList<>();

  /** A lender with the number of its users; null if it could not be started. */
  private static final class Shared {
    final @Nullable MemoryLender lender;
    int users;

    Shared(@Nullable MemoryLender lender) {
      this.lender = lender;
    }
  }

  /** Starts to lend for the applications of a subtask. */
  ProcessLender(List<ApplicationSettings> applications) {
    boolean whole = false;
    try {
      for (ApplicationSettings application : applications) {
        LendingSettings lending = application.memory().lending();
        if (lending.lends()) {
          synchronized (SHARED) {
            SHARED.computeIfAbsent(lending, settings -> new Shared(started(application))).users++;
          }
          entered.add(lending);
        }
      }
      whole = true;
    } finally {
      if (!whole) {
        close();
      }
    }
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
    List<MemoryLender> last = new ArrayList<>();
    synchronized (SHARED) {
      for (LendingSettings lending : entered) {
        Shared shared = SHARED.get(lending);
        if (shared != null && --shared.users == 0) {
          SHARED.remove(lending);
          if (shared.lender != null) {
            last.add(shared.lender);
          }
        }
      }
      entered.clear();
    }
    for (MemoryLender each : last) {
      try {
        each.close();
      } catch (IOException failed) {
        LOG.warn("the lender of memory at {} could not be closed", each.address(), failed);
      }
    }
  }
}
