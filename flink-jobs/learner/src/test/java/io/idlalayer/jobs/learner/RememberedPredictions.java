package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.predictions.PredictedEvent;
import io.idlalayer.jobs.predictions.PredictionLog;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Predictions on the heap, which outlive the learner, as a file does. */
final class RememberedPredictions implements PredictionLog {
  final List<PredictedEvent> rows = new ArrayList<>();

  @Override
  public boolean wanted() {
    return true;
  }

  @Override
  public void open(byte @Nullable [] saved) {
    int size = saved == null ? 0 : new BigInteger(saved).intValueExact();
    rows.subList(size, rows.size()).clear();
  }

  @Override
  public void add(PredictedEvent event) {
    rows.add(event);
  }

  @Override
  public void flush() {}

  @Override
  public byte[] save() {
    return BigInteger.valueOf(rows.size()).toByteArray();
  }

  @Override
  public void close() {}
}
