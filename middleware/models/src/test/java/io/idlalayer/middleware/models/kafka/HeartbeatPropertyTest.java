package io.idlalayer.middleware.models.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/**
 * Whatever a subscriber can say arrives as it was; whatever else is on the topic is passed over.
 */
final class HeartbeatPropertyTest {
  private static final long LAST_MILLIS = 253_402_300_799_999L;

  @Provide
  Arbitrary<Heartbeat> heartbeats() {
    Arbitrary<String> names =
        Arbitraries.strings()
            .withCharRange('a', 'z')
            .withCharRange('0', '9')
            .ofMinLength(1)
            .ofMaxLength(100);
    Arbitrary<Long> millis = Arbitraries.longs().between(0, LAST_MILLIS);
    Arbitrary<Long> counts = Arbitraries.longs().greaterOrEqual(0);
    Arbitrary<Heartbeat.Service> services =
        Combinators.combine(counts, millis, millis, millis, Arbitraries.of(true, false))
            .as(Heartbeat.Service::new);
    Arbitrary<Heartbeat.Refusals> refusals =
        Combinators.combine(counts, Arbitraries.strings().all().ofMaxLength(1_000))
            .as(Heartbeat.Refusals::new);
    Arbitrary<Heartbeat.Leases> leases =
        Combinators.combine(counts, Arbitraries.integers().greaterOrEqual(0))
            .as(Heartbeat.Leases::new);
    Arbitrary<Heartbeat.Beat> beats =
        Combinators.combine(
                Arbitraries.longs().greaterOrEqual(1),
                millis,
                Arbitraries.longs().between(1_000, 3_600_000),
                Arbitraries.of(true, false))
            .as(Heartbeat.Beat::new);
    Arbitrary<SubscriberIdentity> identities =
        Combinators.combine(
                names,
                Arbitraries.of("h", "web-1.example", "fe80::1%eth0"),
                Arbitraries.of("1", "0123456789abcdef"))
            .as(SubscriberIdentity::new);
    return Combinators.combine(
            names,
            Arbitraries.integers().greaterOrEqual(0),
            identities,
            Arbitraries.of("", "champion"),
            services,
            refusals,
            leases,
            beats)
        .as(Heartbeat::new);
  }

  @Property(tries = 300)
  void decode_ofEncoded_isTheSame(@ForAll("heartbeats") Heartbeat heartbeat) {
    byte[] bytes = HeartbeatCodec.encode(heartbeat);
    assertThat(bytes).hasSizeLessThan(HeartbeatCodec.MOST_BYTES);
    assertThat(HeartbeatCodec.decode(bytes)).contains(heartbeat);
    assertThat(heartbeat.refusals().lastError())
        .hasSizeLessThanOrEqualTo(500)
        .doesNotContainPattern("\\p{Cntrl}|\\p{Cf}|\\p{Zl}|\\p{Zp}");
  }

  @Property(tries = 500)
  void decode_cutOrChangedBytes_isAHeartbeatOrNothing(
      @ForAll("heartbeats") Heartbeat heartbeat,
      @ForAll @IntRange(max = 5_000) int at,
      @ForAll byte other,
      @ForAll boolean cut) {
    byte[] bytes = HeartbeatCodec.encode(heartbeat);
    int index = at % bytes.length;
    if (cut) {
      assertThat(HeartbeatCodec.decode(Arrays.copyOf(bytes, index))).isEmpty();
    } else {
      bytes[index] = other;
      // What is read at all is within the bounds, and can be said again.
      HeartbeatCodec.decode(bytes)
          .ifPresent(
              read ->
                  assertThat(HeartbeatCodec.decode(HeartbeatCodec.encode(read))).contains(read));
    }
  }

  @Property(tries = 200)
  void decode_anyBytes_isNothing(@ForAll byte[] garbage) {
    assertThat(HeartbeatCodec.decode(garbage)).isEmpty();
  }

  @Property(tries = 200)
  void due_unchangedService_isOncePerPeriod(
      @ForAll @LongRange(min = 1, max = 1_000) long periodNanos,
      @ForAll @LongRange(min = 0, max = 5_000) long waitedNanos,
      @ForAll @LongRange long startNanos) {
    HeartbeatSchedule schedule = new HeartbeatSchedule(periodNanos);
    Heartbeat.Service service = Heartbeats.of("a", 1).service();
    assertThat(schedule.due(startNanos, service)).isTrue();
    schedule.sent(startNanos, service);
    assertThat(schedule.due(startNanos + waitedNanos, service))
        .isEqualTo(waitedNanos >= periodNanos);
    schedule.lost();
    assertThat(schedule.due(startNanos, service)).isTrue();
  }

  @Property(tries = 200)
  void due_anotherService_isAtOnceButOncePerSecond(
      @ForAll @LongRange(min = 0, max = 2_000_000_000) long waitedNanos,
      @ForAll @LongRange long startNanos,
      @ForAll @IntRange(max = 3) int what) {
    HeartbeatSchedule schedule = new HeartbeatSchedule(3_600_000_000_000L);
    Heartbeat.Service before = Heartbeats.of("a", 1).service();
    Heartbeat.Service now =
        new Heartbeat.Service(
            before.version() + (what == 1 ? 1 : 0),
            before.sinceMillis() + (what == 2 ? 1 : 0),
            before.publishedAtMillis(),
            before.stalenessMillis() + 1,
            what == 3);
    schedule.sent(startNanos, before);
    assertThat(schedule.due(startNanos + waitedNanos, now))
        .isEqualTo(what > 0 && waitedNanos >= HeartbeatSchedule.SHORTEST_NANOS);
  }

  @Property(tries = 200)
  void plainText_ofPlainText_isTheSame(@ForAll String text, @ForAll @IntRange(max = 50) int most) {
    String plain = PlainText.of(text, most);
    assertThat(plain.length()).isEqualTo(Math.min(most, text.length()));
    assertThat(PlainText.of(plain, most)).isEqualTo(plain);
    assertThat(new String(plain.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(plain);
  }
}
