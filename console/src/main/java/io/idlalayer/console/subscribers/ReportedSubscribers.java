package io.idlalayer.console.subscribers;

import io.idlalayer.middleware.models.kafka.Heartbeat;
import io.idlalayer.middleware.models.kafka.SubscriberBoard;
import java.util.List;

/**
 * The subscribers that report to serve the models of an application partition.
 *
 * @param readable whether there is a topic of heartbeats; false for recorded events
 * @param problem why the heartbeats cannot be read now; "" if they can be read
 * @param more whether there are more subscribers than listed
 * @param subscribers the subscribers, by name
 */
public record ReportedSubscribers(
    boolean readable, String problem, boolean more, List<Subscriber> subscribers) {
  /** The value for the case that there is no topic of heartbeats. */
  public static final ReportedSubscribers NONE =
      new ReportedSubscribers(false, "", false, List.of());

  /**
   * A subscriber, as its last heartbeat reports it.
   *
   * @param name name of the subscriber, with the mark of its process if another subscriber has the
   *     same name
   * @param alias the alias that the subscriber follows; "" if it follows the pointer or the pin
   * @param version the version that it serves; 0 if there is none
   * @param sinceMillis when it began to serve the version, epoch milliseconds
   * @param stalenessMillis time since the subscriber last verified that this is the version to
   *     serve
   * @param stale whether the staleness is above the limit
   * @param refused number of refused attempts to load a version
   * @param lastError why the last check for a new version failed; "" if it succeeded
   * @param retired number of models out of service that are still leased
   * @param ageMillis time since the last heartbeat
   * @param silent whether {@code ageMillis} is too long; always false while heartbeats cannot be
   *     read
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
