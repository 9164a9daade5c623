package io.idlalayer.console.subscribers;

import io.idlalayer.middleware.models.kafka.Heartbeat;
import io.idlalayer.middleware.models.kafka.SubscriberBoard;
import java.util.List;

/**
 * Those who report to serve the models of an application partition.
 *
 * @param readable whether there is a place where they could report themselves; not so for recorded
 *     events
 * @param problem why they cannot be read now, "" if they can
 * @param more whether there are more than are shown
 * @param subscribers by name
 */
public record ReportedSubscribers(
    boolean readable, String problem, boolean more, List<Subscriber> subscribers) {
  /** Nobody can report himself. */
  public static final ReportedSubscribers NONE =
      new ReportedSubscribers(false, "", false, List.of());

  /**
   * One of them, by its last heartbeat.
   *
   * @param name with the mark of the process, if another one has the same name
   * @param alias that it follows, "" for the pointer or the pin
   * @param version 0 for none
   * @param sinceMillis since when it serves there, epoch milliseconds
   * @param stalenessMillis since it was last known to be the one to serve
   * @param stale whether that is beyond the limit
   * @param refused attempts to take a version that were refused so far
   * @param lastError why the last look at what is to be served failed, "" since one went well
   * @param retired models out of service that are still leased
   * @param ageMillis since the last heartbeat
   * @param silent whether that is too long; nobody is silent while heartbeats cannot be read
   */
  public record Subscriber(
      String name,
      String host,
      String alias,
      long version,
      long sinceMillis,
      long stalenessMillis,
      boolean stale,
      long refused,
      String lastError,
      int retired,
      long ageMillis,
      boolean silent) {
    static Subscriber of(SubscriberBoard.Entry entry, boolean readable, long nowMillis) {
      Heartbeat heartbeat = entry.heartbeat();
      Heartbeat.Service service = heartbeat.service();
      return new Subscriber(
          entry.name(),
          heartbeat.subscriber().host(),
          heartbeat.alias(),
          service.version(),
          service.sinceMillis(),
          service.stalenessMillis(),
          service.stale(),
          heartbeat.refusals().count(),
          heartbeat.refusals().lastError(),
          heartbeat.leases().retired(),
          entry.ageMillis(nowMillis),
          readable && entry.silent(nowMillis));
    }
  }
}
