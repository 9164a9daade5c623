package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.cache.shared.PayloadDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class PayloadDigestsPropertyTest {
  @Property(tries = 300)
  void digests_afterAnyChanges_areThoseOfAMap(
      @ForAll @Size(max = 800) List<@IntRange(max = 1 << 20) Integer> changes) {
    PayloadDigests digests = new PayloadDigests();
    Map<Long, PayloadDigest> model = new HashMap<>();
    for (int change : changes) {
      long id = (change >> 4) % 200 - 20L;
      if (change % 3 == 0) {
        digests.remove(id);
        model.remove(id);
      } else {
        PayloadDigest digest = new PayloadDigest(change + 1L, -change);
        digests.put(id, digest);
        model.put(id, digest);
      }
    }
    assertThat(digests.size()).isEqualTo(model.size());
    for (long id = -30; id < 200; id++) {
      assertThat(digests.get(id)).isEqualTo(model.get(id));
    }
  }

  @Example
  void put_ofNoDigest_isRefused() {
    assertThatThrownBy(() -> new PayloadDigests().put(1, new PayloadDigest(0, 5)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
