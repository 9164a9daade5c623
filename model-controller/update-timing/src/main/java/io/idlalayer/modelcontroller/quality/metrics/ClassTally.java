package io.idlalayer.modelcontroller.quality.metrics;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The weights of samples by class: for each class, the weight of its samples, the weight of the
 * samples for which it was predicted, and the weight of the samples for which this prediction was
 * right. An object takes 24 bytes for each class. Confined to one thread.
 */
public final class ClassTally {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 3;

  private double[] samples = {};
  private double[] predicted = {};
  private double[] correct = {};

  /** Adds a sample; {@code answer} is its predicted class or {@link ClassAnswer#NONE}. */
  void add(int label, int answer, double weight) {
    int most = Math.max(label, answer);
    if (most >= samples.length) {
      grow(most + 1);
    }
    samples[label] += weight;
    if (answer != ClassAnswer.NONE) {
      predicted[answer] += weight;
      if (answer == label) {
        correct[label] += weight;
      }
    }
  }

  /** Adds all samples of another tally. */
  void add(ClassTally other) {
    if (other.samples.length > samples.length) {
      grow(other.samples.length);
    }
    for (int i = 0; i < other.samples.length; i++) {
      samples[i] += other.samples[i];
      predicted[i] += other.predicted[i];
      correct[i] += other.correct[i];
    }
  }

  /**
   * Gives the classes their numbers after a change of the classes. Classes that no longer exist are
   * dropped.
   */
  void changed(ClassNumbers numbers) {
    samples = numbers.of(samples);
    predicted = numbers.of(predicted);
    correct = numbers.of(correct);
  }

  void clear() {
    Arrays.fill(samples, 0);
    Arrays.fill(predicted, 0);
    Arrays.fill(correct, 0);
  }

  private void grow(int classes) {
    samples = Arrays.copyOf(samples, classes);
    predicted = Arrays.copyOf(predicted, classes);
    correct = Arrays.copyOf(correct, classes);
  }

  /** Returns one more than the highest class that has come or was predicted. */
  public int classes() {
    return samples.length;
  }

  /** Returns the weight of the samples of a class, 0 if it has not come. */
  public double samples(int of) {
    return of < samples.length ? samples[of] : 0;
  }

  /** Returns the weight of the samples for which a class was predicted. */
  public double predicted(int of) {
    return of < predicted.length ? predicted[of] : 0;
  }

  /** Returns the weight of the samples of a class for which the same class was predicted. */
  public double correct(int of) {
    return of < correct.length ? correct[of] : 0;
  }

  /** Returns the weight of all samples. */
  double weight() {
    return Weights.sum(samples);
  }

  /** Returns the share of samples whose class was predicted; 0 before the first sample. */
  public double accuracy() {
    double all = weight();
    return all == 0 ? 0 : Weights.sum(correct) / all;
  }

  /** Returns the mean recall of the classes that have come; null before the first sample. */
  @Nullable Double balancedAccuracy() {
    double recalls = 0;
    int came = 0;
    for (int i = 0; i < samples.length; i++) {
      if (samples[i] > 0) {
        recalls += correct[i] / samples[i];
        came++;
      }
    }
    return Weights.quotient(recalls, came);
  }

  /**
   * Returns the F1 of a class, the harmonic mean of its precision and recall; null if the class has
   * neither come nor been predicted.
   */
  @Nullable Double f1(int of) {
    return Weights.quotient(2 * correct(of), samples(of) + predicted(of));
  }

  /**
   * Returns the mean F1 of the classes that have come or were predicted; null before the first
   * sample.
   */
  @Nullable Double macroF1() {
    double sum = 0;
    int known = 0;
    for (int i = 0; i < samples.length; i++) {
      Double own = f1(i);
      if (own != null) {
        sum += own;
        known++;
      }
    }
    return Weights.quotient(sum, known);
  }

  /**
   * Returns Cohen's kappa: the accuracy beyond that of a random predictor that names each class as
   * often as the model does. The value is null if the random predictor would always be right.
   */
  @Nullable Double kappa() {
    double all = weight();
    if (all == 0) {
      return null;
    }
    double chance = 0;
    for (int i = 0; i < samples.length; i++) {
      chance += samples[i] / all * (predicted[i] / all);
    }
    return Weights.gainedOver(chance, accuracy());
  }

  /**
   * Returns the share of a reference's errors that these predictions avoid on the same samples;
   * null before the first sample, and if the reference is always right.
   */
  @Nullable Double gainedOver(ClassTally reference) {
    return weight() == 0 ? null : Weights.gainedOver(reference.accuracy(), accuracy());
  }

  /**
   * Returns the log loss, in nats, of a predictor that always predicts each class with its share of
   * the samples. This is the entropy of the shares.
   */
  double entropy() {
    double all = weight();
    double sum = 0;
    for (double each : samples) {
      if (each > 0) {
        sum -= each / all * Math.log(each / all);
      }
    }
    return sum;
  }

  /** Writes the sums to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDoubles(from, samples)
        .putDoubles(from + 1, predicted)
        .putDoubles(from + 2, correct);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    double[] came = in.getDoubles(from);
    predicted = in.getDoubles(from + 1, came.length);
    correct = in.getDoubles(from + 2, came.length);
    samples = came;
  }
}
