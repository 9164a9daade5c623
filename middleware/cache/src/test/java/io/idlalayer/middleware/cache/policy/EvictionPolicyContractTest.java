package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What every policy keeps to, asked of each one. */
class EvictionPolicyContractTest {
  @Property(tries = 600)
  void anyPolicy_evictsResidentsOnly_andOnlyWhenFull(
      @ForAll PolicyName name,
      @ForAll @IntRange(min = 1, max = 40) int capacity,
      @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 60) Integer> references) {
    FakeCache cache = new FakeCache(capacity, name::create);
    Set<String> seen = new HashSet<>();
    for (int reference : references) {
      String key = Integer.toString(reference);
      Set<String> before = new HashSet<>(cache.residents().keySet());
      int victims = cache.victims.size();
      cache.reference(key, reference % 7 == 0 ? Reuse.NEAR : Reuse.UNKNOWN);
      seen.add(key);
      assertThat(cache.residents()).hasSize(Math.min(capacity, seen.size())).containsKey(key);
      for (String victim : cache.victims.subList(victims, cache.victims.size())) {
        assertThat(before).hasSize(capacity).contains(victim).doesNotContain(key);
      }
    }
    Set<Integer> visited = new HashSet<>();
    cache.policy.forEach(slot -> assertThat(visited.add(slot)).isTrue());
    assertThat(visited).isEqualTo(new HashSet<>(cache.residents().values()));
  }

  @Property(tries = 300)
  void anyPolicy_isAFunctionOfItsReferences(
      @ForAll PolicyName name,
      @ForAll @IntRange(min = 1, max = 40) int capacity,
      @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 60) Integer> references) {
    GhostCache one = new GhostCache(name, capacity);
    GhostCache other = new GhostCache(name, capacity);
    for (int reference : references) {
      long hash = FakeCache.hashOf("x" + reference);
      assertThat(one.reference(hash)).isEqualTo(other.reference(hash));
      assertThat(one.size()).isLessThanOrEqualTo(capacity);
    }
  }
}
