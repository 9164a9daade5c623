package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.Predictor;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests with the models that a server follows, whatever protocol carries the requests.
 * Safe from any thread; each request is answered by one version.
 */
public final class Inference {
  private static final Logger LOG = LoggerFactory.getLogger(Inference.class);
  private static final int ROWS_AT_ONCE = 64;
  private static final int MOST_TOLD = 1_000;

  private final Map<String, ServedModel> models = new TreeMap<>();
  private final InstantSource clock;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /**
   * @param served at least one model, each name once; they may have no version yet
   * @param clock for the age of versions
   * @throws IllegalArgumentException if two models have one name
   */
  public Inference(List<ServedModel> served, InstantSource clock) {
    for (ServedModel each : served) {
      if (models.put(each.name(), each) != null) {
        throw new IllegalArgumentException("two models have the name '" + each.name() + "'");
      }
    }
    this.clock = clock;
  }

  /** Connects a prediction with the protocol: hears of its start, and says whether to go on. */
  public interface Progress {
    /** Called once, before the first row is predicted. */
    void begins();

    /** Returns whether the client no longer waits for the rest. Asked between parts of the rows. */
    boolean abandoned();
  }

  /** Returns the version of this product; {@code unknown} if its classes come from no jar. */
  public static String serverVersion() {
    return Objects.requireNonNullElse(
        Inference.class.getPackage().getImplementationVersion(), "unknown");
  }

  Collection<ServedModel> models() {
    return Collections.unmodifiableCollection(models.values());
  }

  /** Returns whether every model has a version in service. */
  public boolean ready() {
    return models.values().stream().allMatch(each -> ready(each, 0));
  }

  /**
   * Returns whether a version of a model is in service.
   *
   * @param version number of the version; 0 for any
   * @throws InferenceException if there is no such model
   */
  public boolean ready(String model, long version) throws InferenceException {
    return ready(model(model), version);
  }

  private static boolean ready(ServedModel model, long version) {
    try (ModelLease<? extends Predictor> lease = lease(model, version)) {
      return lease.version() > 0;
    } catch (InferenceException none) {
      return false;
    }
  }

  /**
   * Describes the version of a model that is in service.
   *
   * @param version number that the version must have; 0 for any
   * @throws InferenceException if there is no such model, or that version is not in service
   */
  public ModelDescription describe(String model, long version) throws InferenceException {
    try (ModelLease<? extends Predictor> lease = lease(model(model), version)) {
      return ModelDescription.of(model, lease.version(), lease.model().spec().schema());
    }
  }

  /**
   * Predicts the rows of a request.
   *
   * @param version number that the version in service must have; 0 for any
   * @throws InferenceException if the request cannot be answered; the message is for the client
   */
  public Answer answer(String name, long version, InferenceRequest request, Progress progress)
      throws InferenceException {
    ServedModel model = model(name);
    try (ModelLease<? extends Predictor> lease = lease(model, version)) {
      Predictor predictor = lease.model();
      SampleSchema schema = predictor.spec().schema();
      List<Sample> samples = RequestSamples.of(schema, request.inputs());
      long created = lease.checkpoint().manifest().createdAtMillis();
      return Answer.of(
          name,
          lease.checkpoint(),
          Math.max(0, clock.millis() - created),
          schema.label(),
          predict(model, predictor, samples, progress),
          request);
    }
  }

  /**
   * Predicts the samples in parts, and gives up between two of them if the client no longer waits.
   */
  private double[][] predict(
      ServedModel model, Predictor predictor, List<Sample> samples, Progress progress)
      throws InferenceException {
    double[][] rows = new double[samples.size()][];
    progress.begins();
    try {
      for (int from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        if (progress.abandoned()) {
          throw new InferenceException(
              503,
              String.format(
                  Locale.ROOT,
                  "the prediction took too long after %d of %d rows; send fewer rows at a time",
                  from,
                  rows.length));
        }
        int to = Math.min(rows.length, from + ROWS_AT_ONCE);
        double[][] part = predictor.predict(samples.subList(from, to));
        System.arraycopy(part, 0, rows, from, part.length);
      }
      return rows;
    } catch (RuntimeException failed) {
      tell(model, failed);
      throw new InferenceException(500, "the prediction failed; the log of the server says why");
    }
  }

  /** Logs a failure once, up to a number of different ones. */
  private void tell(ServedModel model, RuntimeException failed) {
    String reason = "%s: %s".formatted(model.name(), failed);
    if (told.size() < MOST_TOLD && told.add(reason)) {
      LOG.warn("a prediction failed: {}", reason, failed);
    }
  }

  /** Returns a model by its name. */
  ServedModel model(String name) throws InferenceException {
    ServedModel model = models.get(name);
    if (model == null) {
      throw new InferenceException(404, "there is no model '%s' here".formatted(name));
    }
    return model;
  }

  /**
   * Leases the version of a model that is in service.
   *
   * @param version number that the version must have; 0 for any
   */
  private static ModelLease<? extends Predictor> lease(ServedModel model, long version)
      throws InferenceException {
    Optional<? extends ModelLease<? extends Predictor>> leased = model.subscriber().tryAcquire();
    if (leased.isEmpty()) {
      throw new InferenceException(503, whyNone(model));
    }
    ModelLease<? extends Predictor> lease = leased.get();
    if (version != 0 && lease.version() != version) {
      long serving = lease.version();
      lease.close();
      throw new InferenceException(
          404,
          String.format(
              Locale.ROOT,
              "version %d of '%s' is not in service, version %d is",
              version,
              model.name(),
              serving));
    }
    return lease;
  }

  private static String whyNone(ServedModel model) {
    ModelSubscriber.Status status = model.subscriber().status();
    return status.version() == 0
        ? "no version of '%s' is in service now; the log of the server says why"
            .formatted(model.name())
        : String.format(
            Locale.ROOT,
            "version %d of '%s' is stale: for %d ms it is not known whether it is still the one to"
                + " serve; the log of the server says why",
            status.version(),
            model.name(),
            status.stalenessMillis());
  }
}
