package io.idlalayer.middleware.cache.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A cache of a few named blocks over a policy, which shows everything that it does. */
final class FakeCache implements Residents {
  final EvictionPolicy policy;
  final List<String> victims = new ArrayList<>();
  int hits;
  int references;
  private final String[] keys;
  private final Map<String, Integer> slots = new HashMap<>();

  interface Maker {
    EvictionPolicy make(Residents residents);
  }

  FakeCache(int capacity, Maker maker) {
    keys = new String[capacity];
    policy = maker.make(this);
    policy.ensure(capacity);
    policy.capacity(capacity);
  }

  static long hashOf(String key) {
    long mixed = key.hashCode() * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 32);
  }

  @Override
  public long hash(int slot) {
    return hashOf(keys[slot]);
  }

  @Override
  public int slot(long hash) {
    for (Map.Entry<String, Integer> entry : slots.entrySet()) {
      if (hashOf(entry.getKey()) == hash) {
        return entry.getValue();
      }
    }
    return NONE;
  }

  FakeCache reference(String... sequence) {
    for (String key : sequence) {
      reference(key, Reuse.UNKNOWN);
    }
    return this;
  }

  void reference(String key, Reuse reuse) {
    references++;
    Integer resident = slots.get(key);
    if (resident != null) {
      hits++;
      policy.hit(resident);
      return;
    }
    policy.missed(hashOf(key), reuse);
    int slot = Arrays.asList(keys).indexOf(null);
    if (slot < 0) {
      slot = policy.victim();
      victims.add(keys[slot]);
      slots.remove(keys[slot]);
      policy.removed(slot);
    }
    keys[slot] = key;
    slots.put(key, slot);
    policy.inserted(slot, reuse);
  }

  int slotOf(String key) {
    return slots.get(key);
  }

  Map<String, Integer> residents() {
    return slots;
  }
}
