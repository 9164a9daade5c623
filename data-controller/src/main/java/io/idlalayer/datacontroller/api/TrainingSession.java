package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.evaluation.SampleEvaluator;
import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.datacontroller.intake.UnlabeledQueue;
import io.idlalayer.datacontroller.intake.WaitingQueue;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The training of one update's samples, from its beginning until it is accepted, abandoned or
 * quarantined. The samples are marked as being in training: they are not evicted, do not age, and
 * do not become Newborn when their content arrives again.
 *
 * <p>{@link #accept}, {@link #abandon} and {@link #quarantine} end the session. {@link #close}
 * abandons a session that has not ended. When the session has ended, no sample is marked any more.
 * A data controller has at most one session: if a caller has forgotten to close a session, that
 * session is abandoned when the next one begins. Confined to the thread of its controller.
 */
public final class TrainingSession implements AutoCloseable {
  /** The components that a session uses. */
  record Parts(
      SampleIndex index,
      SampleLibrary library,
      WaitingQueue waiting,
      UnlabeledQueue unlabeled,
      SampleEvaluator evaluator,
      SelectionPolicy selector) {}

  /** Decodes the stored payload of a sample. */
  @FunctionalInterface
  public interface PayloadDecoder {
    Sample decode(byte[] payload) throws MalformedSampleException;
  }

  private final Selection selection;
  private final Parts parts;
  private final SampleIndex index;
  private final TrainingMarks marks;
  private boolean open = true;

  /**
   * Begins a session: removes its new samples from the queue of waiting samples, and marks all of
   * its samples.
   *
   * @throws IllegalStateException if a sample is not stored; in this case nothing has changed
   */
  TrainingSession(Selection selection, Parts parts) {
    this.selection = selection;
    this.parts = parts;
    index = parts.index();
    marks = new TrainingMarks(index);
    marks.set(selection);
    parts.waiting().removeAll(selection.newIds());
  }

  public Selection selection() {
    return selection;
  }

  /** Returns whether the session has not ended yet. */
  public boolean open() {
    return open;
  }

  /**
   * Reads the samples to train on from the store, ascending by id.
   *
   * @throws IllegalStateException if the session has ended, or a stored payload is damaged
   */
  public TrainingBatch load(PayloadDecoder decoder) {
    requireOpen();
    long[] ids = selection.trainedIds();
    List<byte[]> payloads = parts.library().payloads(ids);
    List<TrainingRow> rows = new ArrayList<>(ids.length);
    for (int i = 0; i < ids.length; i++) {
      int slot = index.require(ids[i]);
      boolean fresh = Arrays.binarySearch(selection.newIds(), ids[i]) >= 0;
      try {
        Sample sample = decoder.decode(payloads.get(i));
        long content = sample.context().mixedInto(index.contentHashHigh(slot));
        rows.add(new TrainingRow(ids[i], content, sample, index.loss(slot), fresh));
      } catch (MalformedSampleException damaged) {
        throw new IllegalStateException("stored sample " + ids[i] + " is damaged", damaged);
      }
    }
    return new TrainingBatch(selection.updateNumber(), rows);
  }

  /**
   * Ends the session with the measured contributions of its samples, from which every sample gets
   * its new stage.
   *
   * @param measured one contribution for each trained sample
   * @throws IllegalArgumentException if a trained sample has no contribution or two; in this case
   *     the session does not end
   */
  public StageReport accept(List<Contribution> measured, double trainSeconds) {
    requireOpen();
    SampleEvaluator.check(selection, measured);
    // The label of a sample can have been taken back during its training, and the sample can have
    // been deleted.
    Set<Long> deleted =
        Arrays.stream(selection.ids())
            .filter(id -> !index.holds(id))
            .boxed()
            .collect(Collectors.toSet());
    List<Contribution> contributions = measured;
    Selection evaluated = selection;
    if (!deleted.isEmpty()) {
      contributions = measured.stream().filter(each -> !deleted.contains(each.sampleId())).toList();
      evaluated = selection.without(deleted);
    }
    double gain = parts.evaluator().qualityGain();
    if (Double.isFinite(gain)) {
      parts.selector().rewarded(gain, parts.evaluator().lastTrainSeconds());
    }
    SampleEvaluator.Outcome outcome =
        parts.evaluator().evaluate(evaluated, contributions, trainSeconds);
    end();
    MetadataBatch changed = outcome.metadata();
    for (int slot : outcome.agedSlots()) {
      LifeStage next = LifeStageMachine.next(index.stage(slot), StageEvent.AGED);
      changed.put(index.id(slot), index.metadata(slot).aged(next, selection.updateNumber()));
    }
    index.replaceAll(changed);
    parts.library().write(changed);
    parts.unlabeled().trim();
    return outcome.report();
  }

  /**
   * Ends the session without a result. Its new samples wait again, ahead of all others, except the
   * samples whose labels were taken back in the meantime.
   *
   * @return number of samples that wait again
   */
  public int abandon() {
    requireOpen();
    long[] again = end();
    parts.unlabeled().trim();
    parts
        .waiting()
        .addOldest(
            Arrays.stream(again)
                .boxed()
                .sorted(Comparator.comparingLong(this::arrivedAtMillis).thenComparing(id -> id))
                .mapToLong(Long::longValue)
                .toArray());
    return again.length;
  }

  /**
   * Ends the session and gives up its new samples: they become Discard without having been trained,
   * unless their labels were taken back in the meantime.
   *
   * @return number of samples that are given up
   */
  public int quarantine() {
    requireOpen();
    long[] given = end();
    quarantine(given, parts);
    return given.length;
  }

  /** Moves samples that were never trained to the stage Discard permanently. */
  static void quarantine(long[] ids, Parts parts) {
    SampleIndex index = parts.index();
    for (long id : ids) {
      int slot = index.require(id);
      index.stage(slot, LifeStageMachine.next(index.stage(slot), StageEvent.QUARANTINED));
    }
    parts.library().write(ids);
    parts.unlabeled().trim();
  }

  /** Abandons the session if it has not ended yet. */
  @Override
  public void close() {
    if (open) {
      abandon();
    }
  }

  /**
   * Ends the session by removing the marks of its samples. Returns the new samples whose labels
   * were not taken back.
   */
  private long[] end() {
    open = false;
    TrainingMarks.Ended ended = marks.clear(selection);
    for (long id : ended.withdrawnIds()) {
      parts.unlabeled().addAnew(id);
    }
    return ended.untouchedNewIds();
  }

  private void requireOpen() {
    if (!open) {
      throw new IllegalStateException(
          "the training session of update " + selection.updateNumber() + " has ended");
    }
  }

  private long arrivedAtMillis(long id) {
    return index.arrivedAtMillis(index.require(id));
  }
}
