package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Broker.Message;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/** Sends hostile events and records between good ones, which must not stop the good ones. */
final class DataNemesis implements Nemesis {
  private static final int HOSTILE = 4;

  private record Hostile(String name, Message message) {}

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    String text = AppFile.text(round.name(), 1);
    int classes = random.nextInt(10) == 0 ? 100_000 : 2;
    if (classes > 2) {
      text = text.replace("[\"0\", \"1\"]", Integer.toString(classes));
      round.fault("100,000 classes");
    }
    if (random.nextInt(3) == 0) {
      text =
          text.replace("max-event-bytes: 1MiB", "max-event-bytes: 32MiB")
              .replace("max-samples: 100000", "max-samples: 100000, max-bytes: 128MiB");
    }
    boolean withIds = random.nextInt(3) == 0;
    if (withIds) {
      text = text.replace("  label: label\n", "  label: label\n  id: n\n");
    }
    round.application(text);
    List<String> rows = Row.stream(random.nextLong(), 1, 500, false);
    Path input = round.input("events.csv", rows);
    round.watchModels();
    round.broker().create(round.topic(), 1);
    int uncertain = 0;
    List<Message> before = new ArrayList<>();
    for (String row : Row.stream(random.nextLong(), 100_000, 120, false)) {
      before.add(Message.of(row));
    }
    for (int i = 0; i < HOSTILE; i++) {
      Hostile hostile = hostile(random, 200_000 + i);
      before.add(random.nextInt(before.size()), hostile.message());
      round.fault(hostile.name());
      uncertain++;
    }
    round.broker().send(round.topic(), 0, before);
    Victim run = round.run(input, 250, Map.of());
    if (withIds) {
      round.awaitWork(run, 30_000);
      uncertain += retract(round, rows);
    }
    run.awaitExit(2_500 + random.nextInt(3_000));
    if (random.nextInt(3) == 0 && run.kill()) {
      round.fault("kill embedded over hostile data");
    }
    long begin = System.nanoTime();
    OptionalInt code = run.awaitExit((long) (Round.BOUND_SECONDS * 1000));
    run.kill();
    if (History.learned(code.orElse(-1))) {
      round.ended(code.getAsInt(), "", (System.nanoTime() - begin) / 1e9);
    } else {
      round.finish(input, 0, Map.of());
    }
    return round.history(Promise.all(Round.BOUND_SECONDS).uncertain(uncertain * 2), null);
  }

  /** Takes labels back of samples that wait or train. */
  private static int retract(Round round, List<String> rows)
      throws IOException, InterruptedException {
    int taken = 20;
    List<Message> tombstones = new ArrayList<>();
    for (int i = 0; i < taken; i++) {
      String id = Row.of(rows.get(round.random().nextInt(rows.size()))).number();
      tombstones.add(new Message(id.getBytes(StandardCharsets.UTF_8), null, Map.of()));
    }
    round.broker().send(round.topic(), 0, tombstones);
    round.fault("labels taken back");
    return taken;
  }

  private static Hostile hostile(SplittableRandom random, int number) {
    return switch (random.nextInt(18)) {
      case 0 -> row("3e38", number + ",3e38,0.5,1");
      case 1 -> row("-3.4028235e38", number + ",-3.4028235e38,3.4028235e38,0");
      case 2 -> row("1e9 among small numbers", number + ",1000000000,0.1,1");
      case 3 -> row("smallest float", number + ",1.4e-45,-1.4e-45,0");
      case 4 -> row("NaN as text", number + ",NaN,0.1,1");
      case 5 -> row("infinity", number + ",Infinity,-Infinity,1");
      case 6 -> row("more than a double", number + ",1e400,0,1");
      case 7 -> large(number, 900 << 10);
      case 8 -> large(number, 1_040_000);
      case 9 -> large(number, 2 << 20);
      case 10 -> large(number, 20 << 20);
      case 11 -> large(number, 60 << 20);
      case 12 ->
          new Hostile("not UTF-8", bytes(number + ",\u00ff", new byte[] {(byte) 0xC3, 0x28}));
      case 13 -> header("idla-end", "soon".getBytes(StandardCharsets.UTF_8));
      case 14 -> header("idla-explain", filled(950 << 10));
      case 15 -> header("idla-source", new byte[] {(byte) 0xFF, 0, '#', 'x'});
      case 16 -> new Hostile("tombstone without key", new Message(null, null, Map.of()));
      default -> new Hostile("empty", new Message(null, new byte[0], Map.of()));
    };
  }

  private static Hostile row(String name, String row) {
    return new Hostile(name, Message.of(row));
  }

  private static Hostile large(int number, int bytes) {
    return new Hostile(
        "event of %.1f MiB".formatted(bytes / 1048576.0), bytes(number + ",0.1,", filled(bytes)));
  }

  private static Message bytes(String start, byte[] rest) {
    byte[] head = start.getBytes(StandardCharsets.ISO_8859_1);
    byte[] all = Arrays.copyOf(head, head.length + rest.length);
    System.arraycopy(rest, 0, all, head.length, rest.length);
    return new Message(null, all, Map.of());
  }

  private static byte[] filled(int bytes) {
    byte[] content = new byte[bytes];
    Arrays.fill(content, (byte) 'x');
    return content;
  }

  private static Hostile header(String name, byte[] value) {
    return new Hostile(
        "header " + name,
        new Message(null, "0,0.1,0.2,1".getBytes(StandardCharsets.UTF_8), Map.of(name, value)));
  }
}
