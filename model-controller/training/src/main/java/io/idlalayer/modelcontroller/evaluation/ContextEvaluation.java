package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.ServingHistories;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes the quality of a model that uses the history of each key, that is, the earlier events of
 * the key with their labels. The evaluation assumes that each label is known before the next event
 * arrives. If labels come later, the model predicts worse than this result says. Confined to one
 * thread.
 */
public final class ContextEvaluation {
  private static final int CHUNK = 512;

  private final ServingHistories histories;
  private final HoldoutEvaluation evaluation;
  private final List<Sample> waiting = new ArrayList<>(CHUNK);

  /**
   * @param spec specification of the model
   * @throws IllegalArgumentException if the model takes no context
   */
  public ContextEvaluation(TaskModel model, ModelSpec spec) {
    histories = new ServingHistories(spec);
    evaluation = new HoldoutEvaluation(model, spec.schema().label(), spec.loss().level());
  }

  /**
   * Adds the next event of the stream with its key. An event without a label only becomes part of
   * the history.
   */
  public void add(Sample event) {
    Sample inContext = histories.arrived(event);
    if (inContext.labeled()) {
      waiting.add(inContext);
    }
    if (waiting.size() == CHUNK) {
      evaluate();
    }
  }

  private void evaluate() {
    evaluation.add(waiting);
    waiting.clear();
  }

  /** Returns the quality on all labelled events so far. */
  public HoldoutEvaluation.Result result() {
    if (!waiting.isEmpty()) {
      evaluate();
    }
    return evaluation.result();
  }
}
