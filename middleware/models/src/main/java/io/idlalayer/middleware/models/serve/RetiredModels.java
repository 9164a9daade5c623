package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/**
 * The models that are out of service and can still have open leases, oldest first. Safe from any
 * thread; {@link ModelSubscriber} states the rules of the locks.
 *
 * @param <M> the model as the serving process uses it
 */
final class RetiredModels<M> {
  private final LongSupplier nanoTime;
  private final ArrayDeque<Retired<M>> retired = new ArrayDeque<>();

  private record Retired<M>(LeasedModel<M> leased, long sinceNanos) {}

  /**
   * The open leases of retired models: how many, of how many models, and for how long.
   *
   * @param leases that are open
   * @param models that have open leases
   * @param longestMillis time since the oldest of these models was retired; 0 for none
   */
  record Use(long leases, int models, long longestMillis) {}

  RetiredModels(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Adds a model that leaves service. The caller releases its own use of the model afterwards. */
  synchronized void add(LeasedModel<M> leaving) {
    forgetFreed();
    retired.addLast(new Retired<>(leaving, nanoTime.getAsLong()));
  }

  /** Removes the models that were freed. */
  synchronized void forgetFreed() {
    retired.removeIf(each -> each.leased().uses() == 0);
  }

  /**
   * Counts the open leases of the retired models.
   *
   * @param uses returns the number of leases of a model, from {@link LeasedModel#uses}
   */
  synchronized Use use(ToIntFunction<LeasedModel<M>> uses) {
    long leases = 0;
    int models = 0;
    long longestMillis = 0;
    for (Retired<M> each : retired) {
      int open = uses.applyAsInt(each.leased());
      leases += open;
      if (open > 0) {
        models++;
        longestMillis = Math.max(longestMillis, millisSince(each.sinceNanos()));
      }
    }
    return new Use(leases, models, longestMillis);
  }

  /**
   * Throws if {@value ModelSubscriber#MOST_RETIRED} retired models are still in memory for their
   * leases. No version may be loaded then.
   */
  synchronized void refuseIfFull(ModelCheckpoint wanted) throws IOException {
    forgetFreed();
    Retired<M> oldest = retired.peekFirst();
    if (retired.size() >= ModelSubscriber.MOST_RETIRED && oldest != null) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "version %d is not taken: %d models that are out of service are still leased, the"
                  + " oldest (version %d) for %d ms; close every ModelLease when its request ends",
              wanted.version(),
              retired.size(),
              oldest.leased().version(),
              millisSince(oldest.sinceNanos())));
    }
  }

  private long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(Math.max(0, nanoTime.getAsLong() - nanos));
  }
}
