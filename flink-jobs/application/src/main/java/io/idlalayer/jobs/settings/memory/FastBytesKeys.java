package io.idlalayer.jobs.settings.memory;

import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.placement.PlacementName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an application file about DRAM: one budget, or the size of each use.
 *
 * @param fastBytes value of {@code memory.fast-bytes}; 0 if there is no budget
 * @param fixed sizes that the file gives, by use
 * @param tables whether the model has embedding tables
 * @param beside the keys of the section that cannot be combined with a budget
 */
public record FastBytesKeys(
    long fastBytes, Map<FastUse, Long> fixed, boolean tables, Beside beside) {
  /** Fewest bytes that are worth being divided. */
  static final long LEAST_DIVIDED_BYTES = 16 << 20;

  private static final String KEY = "fast-bytes";

  /**
   * Keys that must not be combined with a budget if the budget divides the bytes whose size they
   * give.
   *
   * @param hotPlan value of {@code hot-plan}
   * @param shared whether there is a {@code shared-directory}
   * @param rows value of {@code rows.policy}
   * @param policy value of {@code tensors.policy}
   */
  public record Beside(boolean hotPlan, boolean shared, RowPolicyName rows, PlacementName policy) {}

  /**
   * A problem.
   *
   * @param section name of the section below {@code memory}; "" for {@code memory} itself
   */
  public record Found(String section, String key, String message) {}

  public FastBytesKeys {
    fixed = Map.copyOf(fixed);
  }

  /** Returns all problems of the keys. */
  public List<Found> problems() {
    List<Found> found = new ArrayList<>();
    if (fastBytes == 0) {
      return found;
    }
    List<FastUse> uses = uses();
    long fixedBytes = fixedBytes();
    if (uses.isEmpty()) {
      found.add(
          new Found("", KEY, "has nothing to divide, because %s are given".formatted(fixedKeys())));
    } else if (uses.size() == 1) {
      found.add(new Found("", KEY, onlyOne(uses.get(0))));
    } else if (fastBytes - fixedBytes < LEAST_DIVIDED_BYTES) {
      found.add(new Found("", KEY, tooFew(uses, fixedBytes)));
    }
    if (uses.contains(FastUse.SAMPLES)) {
      if (beside.hotPlan()) {
        found.add(
            new Found(
                "",
                "hot-plan",
                "plans the bytes that 'fast-bytes' divides: leave one of them out"));
      }
      if (beside.shared()) {
        found.add(
            new Found(
                "",
                "shared-directory",
                "needs a file of a fixed size: give 'hot-bytes' beside 'fast-bytes'"));
      }
    }
    if (uses.contains(FastUse.ROWS) && beside.rows() == RowPolicyName.SIMPLE) {
      found.add(
          new Found(
              "rows",
              "policy",
              "simple keeps no rows in DRAM, so 'memory.fast-bytes' has nothing to give to them:"
                  + " choose another policy, or give 'memory.rows.fast-bytes'"));
    }
    if (uses.contains(FastUse.TENSORS) && beside.policy() != PlacementName.AUTO) {
      found.add(
          new Found(
              "tensors",
              "policy",
              "must be auto with 'memory.fast-bytes', whose share for tensors is found by its plans:"
                  + " or give 'memory.tensors.fast-bytes'"));
    }
    return found;
  }

  private String onlyOne(FastUse use) {
    return "would give all it divides to %s, because the file gives %s: give %s in place of 'fast-bytes', or leave %s out"
        .formatted(
            use, fixedKeys(), key(use), fixed.size() == 1 ? "the former" : "one of the former");
  }

  private String tooFew(List<FastUse> uses, long fixedBytes) {
    String divided = uses.stream().map(FastUse::toString).collect(Collectors.joining(", "));
    String given =
        fixed.isEmpty()
            ? ""
            : String.format(Locale.ROOT, ", of which %s take %,d", fixedKeys(), fixedBytes);
    return String.format(
        Locale.ROOT,
        "is %,d bytes%s; at least %,d must be left to be divided (%s)",
        fastBytes,
        given,
        LEAST_DIVIDED_BYTES,
        divided);
  }

  /** Returns the budget; null if there is none, or it has problems. */
  public @Nullable FastBudget budget() {
    return fastBytes == 0 || fastBytes - fixedBytes() < LEAST_DIVIDED_BYTES || uses().size() < 2
        ? null
        : new FastBudget(fastBytes, fastBytes - fixedBytes(), uses());
  }

  private List<FastUse> uses() {
    List<FastUse> uses = new ArrayList<>(List.of(FastUse.values()));
    uses.removeAll(fixed.keySet());
    if (!tables) {
      uses.remove(FastUse.ROWS);
    }
    return uses;
  }

  private long fixedBytes() {
    return fixed.values().stream().mapToLong(Long::longValue).sum();
  }

  private String fixedKeys() {
    return new TreeMap<>(fixed)
        .keySet().stream().map(FastBytesKeys::key).collect(Collectors.joining(" and "));
  }

  private static String key(FastUse use) {
    return switch (use) {
      case SAMPLES -> "'hot-bytes'";
      case ROWS -> "'rows.fast-bytes'";
      case TENSORS -> "'tensors.fast-bytes'";
    };
  }
}
