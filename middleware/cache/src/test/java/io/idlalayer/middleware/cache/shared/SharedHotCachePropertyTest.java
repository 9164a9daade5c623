package io.idlalayer.middleware.cache.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Processes that put, remove, read, lend, die and come back, against the list of payloads. */
class SharedHotCachePropertyTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final String CLUSTER = "one";
  private static final long CEILING = 1 << 16;
  private static final int PROCESSES = 3;

  /** A process of the simulation, with what it must have counted. */
  private static final class Member {
    SharedHotCache cache;
    CacheOwner owner;
    long lookups;

    Member(Path parent, PolicyName policy, long donation) throws IOException {
      cache = new SharedHotCache(parent, CLUSTER, new CacheSettings(CEILING, policy), NOW);
      owner = cache.hot().attach("learner", donation);
    }
  }

  private static byte[] payload(int number) {
    byte[] payload = new byte[number % 7 == 0 ? 0 : 1 + number * 131 % 3000];
    new Random(number).nextBytes(payload);
    return payload;
  }

  @Property(tries = 150)
  void get_inAnyHistory_isRightOrNone(
      @ForAll @Size(min = 1, max = 300) List<@IntRange(max = 1 << 20) Integer> actions,
      @ForAll PolicyName policy,
      @ForAll long seed)
      throws IOException {
    Path parent = Files.createTempDirectory("shared-cache");
    Random random = new Random(seed);
    List<Member> processes = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(new Member(parent, policy, CEILING));
      }
      for (int action : actions) {
        int which = random.nextInt(PROCESSES);
        Member process = processes.get(which);
        byte[] payload = payload(action / 16 % 60);
        PayloadDigest digest = PayloadDigest.of(payload);
        switch (action % 16) {
          case 0, 1, 2, 3, 4 -> put(process, payload, random);
          case 5 -> {
            process.cache.invalidate(digest);
            assertThat(process.cache.hot().contains(digest.space(), digest.id())).isFalse();
          }
          case 6, 7 -> process.cache.round(NOW + action);
          case 8 -> {
            process.cache.close();
            long donation = random.nextInt(4) * CEILING / 3 / 4096 * 4096;
            processes.set(which, new Member(parent, policy, donation));
          }
          case 9 -> process.cache.hot().resize(process.owner, random.nextInt(16) * CEILING / 16);
          default -> read(process, digest, payload);
        }
        assertThat(process.cache.hot().stats().regionBytes()).isLessThanOrEqualTo(CEILING);
        assertThat(process.cache.use().damagedRecords()).isZero();
      }
    } finally {
      processes.forEach(process -> process.cache.close());
      try (var all = Files.walk(parent)) {
        all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
      }
    }
  }

  private static void put(Member process, byte[] payload, Random random) {
    PayloadDigest digest =
        process.cache.put(
            process.owner, payload, random.nextBoolean() ? Reuse.NEAR : Reuse.UNKNOWN);
    if (process.cache.hot().contains(digest.space(), digest.id())) {
      read(process, digest, payload);
    }
  }

  private static void read(Member process, PayloadDigest digest, byte[] payload) {
    boolean own = process.cache.hot().contains(digest.space(), digest.id());
    byte[] found = process.cache.get(process.owner, digest);
    process.lookups++;
    if (own) {
      assertThat(found).isEqualTo(payload);
    } else if (found != null) {
      assertThat(found).isEqualTo(payload);
    }
    var usage = process.owner.usage();
    assertThat(usage.hits() + usage.misses()).isEqualTo(process.lookups);
  }
}
