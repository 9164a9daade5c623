package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.shared.PayloadDigest;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import io.idlalayer.middleware.sample.LifeStage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a store behind a cache that is shared with other processes. */
final class SharedSampleStoreTest extends SampleStoreContract {
  private static final long BYTES = 1 << 17;

  @TempDir Path parent;
  private SharedHotCache cache;
  private CacheOwner owner;
  private final PayloadDigests digests = new PayloadDigests();

  @BeforeEach
  void openCache() throws IOException {
    cache = new SharedHotCache(parent, "one", new CacheSettings(BYTES, PolicyName.ADAPTIVE), 1);
    owner = cache.hot().attach("learner", BYTES);
  }

  @AfterEach
  void closeCache() {
    cache.close();
  }

  @Override
  protected SampleStore open() {
    return new HotSampleStore(new InMemorySampleStore(), new SharedPayloads(cache, owner, digests));
  }

  private static SampleMetadata in(LifeStage stage) {
    return metadata(4).evaluated(stage, Measures.NONE, 0, 1);
  }

  @Test
  void put_otherPayloadOfSample_takesTheOldOneOut() {
    SampleStore store = open();
    byte[] old = {1, 2, 3};
    byte[] other = {4, 5};
    store.put(7, old, in(LifeStage.NEWBORN));
    assertThat(digests.get(7)).isEqualTo(PayloadDigest.of(old));
    store.put(7, other, in(LifeStage.NEWBORN));

    assertThat(store.payloads(new long[] {7})).containsExactly(other);
    assertThat(cache.contains(PayloadDigest.of(old))).isFalse();
    assertThat(owner.usage().hits()).isEqualTo(1);
  }

  @Test
  void remove_ofSample_takesPayloadAndDigestOut() {
    SampleStore store = open();
    byte[] payload = {1, 2, 3};
    store.put(7, payload, in(LifeStage.NEWBORN));
    store.remove(new long[] {7});

    assertThat(digests.get(7)).isNull();
    assertThat(cache.contains(PayloadDigest.of(payload))).isFalse();
  }
}
