package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.LostRange;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Broker.Message;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * What may happen to a topic: aborted transactions, records trimmed before they were read, a topic
 * that was deleted and made again, partitions added, records of others behind an input's last one.
 */
final class KafkaNemesis implements Nemesis {
  @Override
  public History play(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    round.application(AppFile.text(round.name(), 1));
    round.watchModels();
    return switch (random.nextInt(5)) {
      case 0 -> aborted(round);
      case 1 -> trimmed(round);
      case 2 -> recreated(round);
      case 3 -> partitionsAdded(round);
      default -> foreignLastRecord(round);
    };
  }

  private static List<Message> messages(List<String> rows) {
    return rows.stream().map(Message::of).toList();
  }

  static History aborted(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    round.broker().create(round.topic(), 1);
    List<String> good = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      boolean commit = random.nextInt(2) == 0;
      List<String> rows = Row.stream(random.nextLong(), 1_000L * (i + 1), 60, false);
      round.broker().transaction(round.topic(), 0, messages(rows), commit);
      if (commit) {
        good.addAll(rows);
      } else {
        round.fault("aborted transaction");
      }
    }
    List<String> rows = Row.stream(random.nextLong(), 90_000, 300, true);
    round.finish(round.input("events.csv", rows), 0, Map.of());
    good.addAll(rows);
    return round.history(Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(good)), null);
  }

  /** Learns a first part; then retention deletes records that no run has read. */
  static History trimmed(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    List<String> first = Row.stream(random.nextLong(), 1, 300, false);
    round.finish(round.input("first.csv", first), 0, Map.of(), 1, Round.BOUND_SECONDS);
    long read = round.broker().ends(round.topic()).getOrDefault(0, 0L);
    round
        .broker()
        .send(round.topic(), 0, messages(Row.stream(random.nextLong(), 5_000, 200, false)));
    long before = read + 80 + random.nextInt(100);
    round.broker().trim(round.topic(), 0, before);
    round.lost(new LostRange(0, read, before));
    round.fault("trimmed topic");
    List<String> last = Row.stream(random.nextLong(), 9_000, 200, false);
    round.finish(round.input("last.csv", last), 0, Map.of());
    // The first part is no longer in the topic: what the report counts of it is not to be counted
    // here.
    return round.history(Promise.all(Round.BOUND_SECONDS).refusing().uncertain(first.size()), null);
  }

  /** A topic of the same name is another topic: refused in words, or learned whole. */
  static History recreated(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    List<String> first = Row.stream(random.nextLong(), 1, 300, false);
    round.finish(round.input("first.csv", first), 0, Map.of(), 1, Round.BOUND_SECONDS);
    round.broker().delete(List.of(round.topic()));
    Thread.sleep(500);
    round.broker().create(round.topic(), 1);
    round.fault("recreated topic");
    round
        .broker()
        .send(round.topic(), 0, messages(Row.stream(random.nextLong(), 5_000, 350, false)));
    List<String> last = Row.stream(random.nextLong(), 9_000, 100, false);
    int code = round.finish(round.input("last.csv", last), 0, Map.of(), 1, Round.BOUND_SECONDS);
    var report = round.reportNode();
    if (code == 0 && report != null) {
      long received = report.path("samples").path("received").asLong();
      if (received < 300 + 350 + 100) {
        round.violation(
            Invariant.CONSERVATION,
            "a recreated topic was taken for the old one: %d of 750 events were received"
                .formatted(received));
      }
    }
    return round.history(Promise.all(Round.BOUND_SECONDS).refusing().uncertain(first.size()), null);
  }

  private static History partitionsAdded(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    List<String> first = Row.stream(random.nextLong(), 1, 200, false);
    round.finish(round.input("first.csv", first), 0, Map.of(), 1, Round.BOUND_SECONDS);
    round.broker().partitions(round.topic(), 2);
    round.fault("partition added");
    round
        .broker()
        .send(round.topic(), 1, messages(Row.stream(random.nextLong(), 5_000, 100, false)));
    List<String> last = Row.stream(random.nextLong(), 9_000, 100, false);
    round.finish(round.input("last.csv", last), 0, Map.of(), 1, Round.BOUND_SECONDS);
    return round.history(Promise.all(Round.BOUND_SECONDS).refusing(), null);
  }

  /** Kills a producer, appends records of another producer, and lets the first one continue. */
  private static History foreignLastRecord(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    List<String> rows = Row.stream(random.nextLong(), 1, 600, true);
    Path input = round.input("events.csv", rows);
    Victim producer =
        round.start(
            "produce",
            Map.of(),
            round.product().produce(round.application(), round.broker().servers(), input, 200));
    producer.awaitExit(2_500 + random.nextInt(1_500));
    if (producer.kill()) {
      round.fault("kill producer");
    }
    if (round.broker().topics().contains(round.topic())) {
      Message asked =
          new Message(
              null, new byte[0], Map.of("idla-explain", "x".getBytes(StandardCharsets.UTF_8)));
      Message tombstone = new Message("x".getBytes(StandardCharsets.UTF_8), null, Map.of());
      round.broker().send(round.topic(), 0, List.of(random.nextBoolean() ? asked : tombstone));
      round.fault("foreign last record");
    }
    round.finish(input, 0, Map.of());
    return round.history(
        Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(rows)).uncertain(2), null);
  }
}
