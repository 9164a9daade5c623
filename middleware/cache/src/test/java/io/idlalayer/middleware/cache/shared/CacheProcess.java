package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process with a shared cache, which tests start and kill. It obeys lines on its standard input
 * and answers each with a line.
 */
public final class CacheProcess {
  private static final int THREADS = 4;

  private final SharedHotCache cache;
  private final CacheOwner owner;
  private final AtomicLong wrong = new AtomicLong();
  private volatile boolean working;

  private CacheProcess(Path parent, long ceiling) throws IOException {
    cache =
        new SharedHotCache(
            parent,
            "test",
            new CacheSettings(ceiling, PolicyName.ADAPTIVE),
            System.currentTimeMillis());
    owner = cache.hot().attach("learner", ceiling);
  }

  /** The payload of a number, between 1 and 3,000 bytes. */
  static byte[] payload(int number) {
    byte[] payload = new byte[1 + number * 7919 % 3000];
    new Random(number).nextBytes(payload);
    return payload;
  }

  /** Reads payloads as an update does: what is not in a cache comes from the store. */
  private String update(int from, int to) {
    int hits = 0;
    for (int number = from; number < to; number++) {
      byte[] expected = payload(number);
      byte[] found = cache.get(owner, PayloadDigest.of(expected));
      if (found == null) {
        cache.put(owner, expected, Reuse.UNKNOWN);
      } else {
        hits++;
        wrong.addAndGet(Arrays.equals(found, expected) ? 0 : 1);
      }
    }
    return "hits " + hits;
  }

  private void work(int thread, int payloads) {
    Random random = new Random(thread * 31L + ProcessHandle.current().pid());
    PayloadDigest[] digests = new PayloadDigest[payloads];
    for (int i = 0; i < payloads; i++) {
      digests[i] = PayloadDigest.of(payload(i));
    }
    while (working) {
      int number = (int) Math.abs(random.nextGaussian() * payloads / 3) % payloads;
      byte[] found = cache.get(owner, digests[number]);
      if (found == null) {
        cache.put(owner, digests[number], payload(number), Reuse.UNKNOWN);
      } else if (!Arrays.equals(found, payload(number))) {
        wrong.incrementAndGet();
      } else if (random.nextInt(20) == 0) {
        cache.invalidate(digests[number]);
      }
    }
  }

  private String use() {
    SharedUse use = cache.use();
    return "use %d %d %d %d %d %d"
        .formatted(
            use.neighbours(),
            use.neighbourHits(),
            use.foundBlocks(),
            use.lentBytes(),
            use.damagedRecords(),
            wrong.get());
  }

  private String obey(String[] words) {
    return switch (words[0]) {
      case "update" -> update(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "work" -> {
        working = true;
        for (int i = 0; i < THREADS; i++) {
          int thread = i;
          Thread worker = new Thread(() -> work(thread, Integer.parseInt(words[1])));
          worker.setDaemon(true);
          worker.start();
        }
        yield "works";
      }
      case "use" -> use();
      default -> "unknown " + words[0];
    };
  }

  /**
   * Starts the process.
   *
   * @param arguments directory and most bytes
   */
  public static void main(String[] arguments) throws IOException {
    CacheProcess process = new CacheProcess(Path.of(arguments[0]), Long.parseLong(arguments[1]));
    Thread rounds =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                process.cache.round(System.currentTimeMillis());
                java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
              }
            });
    rounds.setDaemon(true);
    rounds.start();
    System.out.println("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(process.obey(line.split(" ", -1)));
    }
  }
}
