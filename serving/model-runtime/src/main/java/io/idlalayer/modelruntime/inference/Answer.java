package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.Predictor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The predictions of a version for a request.
 *
 * @param model name of the model
 * @param version the version that predicted
 * @param ageMillis age of the version
 * @param id id of the request; null for none
 * @param outputs the outputs that the request asks for, in its order
 */
public record Answer(
    String model,
    ModelCheckpoint version,
    long ageMillis,
    @Nullable String id,
    List<OutputTensor> outputs) {
  /** Name of the output with the most probable class, or with the predicted target. */
  static final String PREDICTION = "prediction";

  /** Name of the output with the probability of each class, in the order of the schema. */
  static final String PROBABILITIES = "probabilities";

  static final List<String> OUTPUTS = List.of(PREDICTION, PROBABILITIES);

  /**
   * Returns the answer to a request.
   *
   * @param label the label that is predicted
   * @param predictions one row for each row of the request
   * @throws InferenceException if the request names an output that the model does not have, or if a
   *     prediction is not finite
   */
  static Answer of(
      String model,
      ModelCheckpoint version,
      long ageMillis,
      SampleSchema.Label label,
      double[][] predictions,
      InferenceRequest request)
      throws InferenceException {
    List<String> has = outputs(label);
    List<InferenceRequest.Output> wanted =
        request.outputs().isEmpty()
            ? has.stream().map(each -> new InferenceRequest.Output(each, request.binary())).toList()
            : request.outputs();
    for (InferenceRequest.Output each : wanted) {
      if (!has.contains(each.name())) {
        throw InferenceException.wrong(
            "output '%s' does not exist; the model has %s".formatted(each.name(), has));
      }
    }
    checkFinite(model, version.manifest().version(), predictions);
    List<OutputTensor> outputs = new ArrayList<>();
    for (InferenceRequest.Output each : wanted) {
      outputs.add(output(each, label, predictions));
    }
    return new Answer(model, version, ageMillis, request.id(), List.copyOf(outputs));
  }

  /** Returns the names of the outputs of a model. */
  static List<String> outputs(SampleSchema.Label label) {
    return classes(label) ? OUTPUTS : List.of(PREDICTION);
  }

  private static boolean classes(SampleSchema.Label label) {
    return label.task() == SampleSchema.Task.CLASSIFICATION;
  }

  private static void checkFinite(String model, long version, double[][] predictions)
      throws InferenceException {
    for (int row = 0; row < predictions.length; row++) {
      int at = Predictor.firstNotFinite(predictions[row]);
      if (at >= 0) {
        throw new InferenceException(
            500,
            String.format(
                Locale.ROOT,
                "version %d of '%s' predicts %s for row %d",
                version,
                model,
                predictions[row][at],
                row));
      }
    }
  }

  private static OutputTensor output(
      InferenceRequest.Output wanted, SampleSchema.Label label, double[][] predictions) {
    boolean probabilities = wanted.name().equals(PROBABILITIES);
    if (!probabilities && classes(label)) {
      List<String> best =
          Arrays.stream(predictions).map(row -> label.classes().get(best(row))).toList();
      return OutputTensor.ofTexts(wanted.name(), best, wanted.binary());
    }
    int rows = predictions.length;
    return new OutputTensor(
        wanted.name(),
        probabilities ? Datatype.FP32 : Datatype.FP64,
        probabilities ? new int[] {rows, label.classes().size()} : new int[] {rows},
        Arrays.stream(predictions).flatMapToDouble(Arrays::stream).toArray(),
        List.of(),
        wanted.binary());
  }

  private static int best(double[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      best = probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
  }
}
