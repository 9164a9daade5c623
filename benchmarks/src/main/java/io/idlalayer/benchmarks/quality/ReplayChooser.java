package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * The rivals' choice of samples to replay: plain textbook policies, written for clarity. Knows the
 * trained samples that do not wait for a training. Confined to one thread.
 */
final class ReplayChooser {
  private final Contender.Policy policy;
  private final int budget;
  private final SplittableRandom random;
  private final Map<Long, Known> trained = new LinkedHashMap<>();
  private final List<Long> reservoir = new ArrayList<>();
  private final LongFunction<LifeStage> stages;
  private long offered;

  private record Known(int label, float loss) {}

  /**
   * @param budget most samples of one choice
   * @param stages what the product makes of a stored sample
   */
  ReplayChooser(Contender.Policy policy, int budget, long seed, LongFunction<LifeStage> stages) {
    this.stages = stages;
    this.policy = policy;
    this.budget = budget;
    random = new SplittableRandom(seed);
  }

  /** A sample was trained for the first time, or for the first time since it was revived. */
  void trainedNew(long id, int label, float loss) {
    trained.put(id, new Known(label, loss));
    offered++;
    if (reservoir.size() < budget) {
      reservoir.add(id);
    } else if (budget > 0) {
      long place = random.nextLong(offered);
      if (place < budget) {
        reservoir.set((int) place, id);
      }
    }
  }

  /** A sample was trained again. */
  void trainedAgain(long id, float loss) {
    trained.computeIfPresent(id, (key, known) -> new Known(known.label(), loss));
  }

  /** A sample waits for a training again. */
  void revived(long id) {
    trained.remove(id);
    reservoir.remove(Long.valueOf(id));
  }

  /** Ids to replay, ascending. */
  long[] choose() {
    int count = Math.min(budget, trained.size());
    List<Long> chosen =
        switch (policy) {
          case UNIFORM -> sample(new ArrayList<>(trained.keySet()), count);
          case NEWEST_WINDOW -> newest(count);
          case RESERVOIR -> reservoir;
          case LOSS -> highestLoss(count);
          case CLASS_BALANCED -> balanced(count);
          case PRESERVE_RANDOM -> ofStage(LifeStage.PRESERVE);
          case MATURE_RANDOM -> ofStage(LifeStage.MATURE);
          case DISCARD_RANDOM -> ofStage(LifeStage.DISCARD);
          case CONTINUOUS, PERIODIC, FUZZY -> List.of();
        };
    long[] ids = chosen.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(ids);
    return ids;
  }

  private List<Long> newest(int count) {
    List<Long> ids = new ArrayList<>(trained.keySet());
    return ids.subList(ids.size() - count, ids.size());
  }

  private List<Long> highestLoss(int count) {
    return trained.entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<Long, Known>>comparingDouble(each -> -each.getValue().loss())
                .thenComparing(Map.Entry::getKey))
        .limit(count)
        .map(Map.Entry::getKey)
        .toList();
  }

  private List<Long> ofStage(LifeStage stage) {
    List<Long> ids = new ArrayList<>();
    for (Long id : trained.keySet()) {
      if (stages.apply(id) == stage) {
        ids.add(id);
      }
    }
    return sample(ids, Math.min(budget, ids.size()));
  }

  /** The same number of every class, as far as there are that many. */
  private List<Long> balanced(int count) {
    Map<Integer, List<Long>> byClass = new HashMap<>();
    trained.forEach(
        (id, known) -> byClass.computeIfAbsent(known.label(), key -> new ArrayList<>()).add(id));
    List<List<Long>> smallestFirst = new ArrayList<>(byClass.values());
    smallestFirst.sort(Comparator.comparingInt(List::size));
    List<Long> chosen = new ArrayList<>(count);
    for (int i = 0; i < smallestFirst.size(); i++) {
      List<Long> ids = smallestFirst.get(i);
      int share = (count - chosen.size()) / (smallestFirst.size() - i);
      chosen.addAll(sample(ids, Math.min(share, ids.size())));
    }
    return chosen;
  }

  private List<Long> sample(List<Long> ids, int count) {
    for (int i = 0; i < count; i++) {
      int other = i + random.nextInt(ids.size() - i);
      Long held = ids.get(i);
      ids.set(i, ids.get(other));
      ids.set(other, held);
    }
    return ids.subList(0, count);
  }
}
