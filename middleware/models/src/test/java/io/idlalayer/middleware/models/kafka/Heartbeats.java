package io.idlalayer.middleware.models.kafka;

import io.idlalayer.testkit.Records;

/** Heartbeats for tests. */
public final class Heartbeats {
  public static final long PERIOD_MILLIS = 10_000;

  private Heartbeats() {}

  /** Returns a heartbeat for {@code app/0}, version 3. */
  public static Heartbeat of(String name, long atMillis) {
    return of("app", 0, name, atMillis, 3);
  }

  public static Heartbeat of(
      String application, int partition, String name, long atMillis, long version) {
    return new Heartbeat(
        application,
        partition,
        new SubscriberIdentity(name, "host-1", "p1"),
        "",
        new Heartbeat.Service(version, 1_000, 900, 12, false),
        new Heartbeat.Refusals(0, ""),
        new Heartbeat.Leases(0, 0),
        new Heartbeat.Beat(1, atMillis, PERIOD_MILLIS, false));
  }

  /** Returns a heartbeat as it is on the topic. */
  public static byte[] encoded(Heartbeat heartbeat) {
    return HeartbeatCodec.encode(heartbeat);
  }

  /** Returns a heartbeat by another process. */
  public static Heartbeat ofProcess(Heartbeat heartbeat, String process) {
    SubscriberIdentity before = heartbeat.subscriber();
    return Records.with(heartbeat, new SubscriberIdentity(before.name(), before.host(), process));
  }

  /** Returns a heartbeat by a subscriber that follows an alias. */
  public static Heartbeat following(Heartbeat heartbeat, String alias) {
    return new Heartbeat(
        heartbeat.application(),
        heartbeat.partition(),
        heartbeat.subscriber(),
        alias,
        heartbeat.service(),
        heartbeat.refusals(),
        heartbeat.leases(),
        heartbeat.beat());
  }

  /** Returns a heartbeat of a subscriber that refuses versions and is too stale. */
  public static Heartbeat troubled(Heartbeat heartbeat, String error) {
    Heartbeat.Service service = heartbeat.service();
    return Records.with(
        heartbeat,
        new Heartbeat.Service(
            service.version(), service.sinceMillis(), service.publishedAtMillis(), 61_000, true),
        new Heartbeat.Refusals(4, error));
  }

  /** Returns the last heartbeat of a subscriber that stops. */
  public static Heartbeat stopped(Heartbeat heartbeat) {
    Heartbeat.Beat beat = heartbeat.beat();
    return Records.with(
        heartbeat,
        new Heartbeat.Beat(beat.number() + 1, beat.atMillis(), beat.periodMillis(), true));
  }
}
