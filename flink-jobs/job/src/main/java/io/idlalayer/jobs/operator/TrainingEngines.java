package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.lending.AnnouncedLenders;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import io.idlalayer.modelcontroller.engine.memory.TensorRehearsal;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelcontroller.training.EngineChoice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engines that train the applications of a subtask. Before the subtask takes its first event,
 * it loads the libraries of the engines and lets each engine train a network on made-up rows.
 * Otherwise the first trainings of a process would take seconds.
 */
final class TrainingEngines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrainingEngines.class);

  /**
   * Longest time in seconds that a start waits for the engine of one application. After this time
   * the preparation continues in the background.
   */
  private static final long MOST_SECONDS = 60;

  private final Map<String, EngineChoice> choices = new HashMap<>();
  private final Map<String, Long> leastTensorBytes = new HashMap<>();
  private final Map<String, MeasuredTraining> measured = new HashMap<>();
  private final List<TensorShares> shares = new ArrayList<>();
  private final List<AnnouncedLenders.Following> followed = new ArrayList<>();

  /**
   * Chooses the engine of each application.
   *
   * @param defaults what applications do not say of their tensors
   * @param trainings largest number of trainings that run at a time in this process, at least 1
   * @throws LastingFailureException if an application asks for an engine that this machine does not
   *     have, or for less memory for tensors than its trainings need
   */
  TrainingEngines(
      List<ApplicationSettings> applications, TensorFolder.Defaults defaults, int trainings)
      throws InterruptedException {
    boolean whole = false;
    try {
      for (ApplicationSettings each : applications) {
        TensorShares tensors = tensors(each, defaults, trainings);
        EngineChoice choice = choice(each, tensors);
        choices.put(each.name(), choice);
        if (tensors != null) {
          int parts = ProcessTensors.parts(each, trainings);
          TensorFolder part = TensorFolder.of(each, defaults, parts);
          FastBudget budget = each.memory().budget();
          if (budget != null && budget.divides(FastUse.TENSORS)) {
            leastTensorBytes.put(each.name(), leastBytes(each, budget, choice, part));
          } else {
            refuseShortage(each, choice, part, parts);
          }
        }
      }
      whole = true;
    } finally {
      if (!whole) {
        close();
      }
    }
  }

  private @Nullable TensorShares tensors(
      ApplicationSettings application, TensorFolder.Defaults defaults, int trainings) {
    if (!application.memory().tensors().placed()) {
      return null;
    }
    AnnouncedLenders lenders = TensorFolder.announced(application, defaults.servers());
    if (lenders != null) {
      followed.add(lenders.follow());
    }
    try {
      TensorShares taken = ProcessTensors.acquire(application, defaults, trainings);
      shares.add(taken);
      return taken;
    } catch (IllegalArgumentException refused) {
      throw new LastingFailureException(
          "%s: memory.tensors.fast-bytes: %s".formatted(application.name(), refused.getMessage()),
          refused);
    }
  }

  /**
   * Returns the number of fast bytes that the tensors of a training need at least.
   *
   * @throws LastingFailureException if the budget cannot give the tensors this number of bytes
   */
  private static long leastBytes(
      ApplicationSettings application, FastBudget budget, EngineChoice choice, TensorFolder part)
      throws InterruptedException {
    long least =
        choice
            .leastFastBytes(
                part.settings(), batch(application), application.data().needsHeldOutModel())
            .orElse(TensorFolder.LEAST_FAST_BYTES);
    if (least > budget.mostBytes()) {
      throw new LastingFailureException(
          "%s: memory.fast-bytes is too small: the tensors of one training of this network need %,d fast bytes, beside %,d slow bytes. Of the %,d bytes of memory.fast-bytes they can get %,d, because each of the other uses needs at least %,d"
              .formatted(
                  application.name(),
                  least,
                  part.settings().slowBytes(),
                  budget.bytes(),
                  budget.mostBytes(),
                  budget.leastBytes()));
    }
    return least;
  }

  private static long batch(ApplicationSettings application) {
    return (long) application.update().limits().maxBatch() + application.data().replay().budget();
  }

  /**
   * Returns the grant of fast bytes for the tensors of an application's learner; null if the number
   * of fast bytes never changes.
   */
  @Nullable TensorGrant grant(ApplicationSettings application) {
    Long least = leastTensorBytes.get(application.name());
    return least == null ? null : new TensorGrant(least);
  }

  /** Refuses an application whose first training would fail for lack of memory. */
  private static void refuseShortage(
      ApplicationSettings application, EngineChoice choice, TensorFolder part, int parts)
      throws InterruptedException {
    TensorSettings settings = part.settings();
    Optional<TensorRehearsal.Shortage> found =
        choice.shortage(settings, batch(application), application.data().needsHeldOutModel());
    if (found.isEmpty()) {
      return;
    }
    long least = found.get().leastBytes();
    boolean slow = found.get().device() == DeviceKind.SLOW;
    throw new LastingFailureException(
        "%s: memory.tensors.%s: %,d bytes are too few for the tensors of a training of this network, beside %,d %s bytes; it needs %,d%s"
            .formatted(
                application.name(),
                slow ? "slow-bytes" : "fast-bytes",
                slow ? settings.slowBytes() : settings.fastBytes(),
                slow ? settings.fastBytes() : settings.slowBytes(),
                slow ? "fast" : "slow",
                least,
                slow || parts == 1
                    ? ""
                    : ", and %,d for %d trainings at a time".formatted(parts * least, parts)));
  }

  private static EngineChoice choice(
      ApplicationSettings application, @Nullable TensorShares tensors) {
    try {
      return EngineChoice.of(application.engine(), application.model(), tensors);
    } catch (IllegalArgumentException refused) {
      throw new LastingFailureException(
          "%s: training.engine: %s".formatted(application.name(), refused.getMessage()), refused);
    }
  }

  EngineChoice of(ApplicationSettings application) {
    EngineChoice choice = choices.get(application.name());
    if (choice == null) {
      throw new IllegalArgumentException("no engine was chosen for " + application.name());
    }
    return choice;
  }

  /**
   * Returns the measured duration of the trainings that an application's engine ran as a warm-up,
   * before the first event; null if it is unknown.
   */
  @Nullable MeasuredTraining measured(ApplicationSettings application) {
    return measured.get(application.name());
  }

  /** Returns the description of an application's engine. */
  Status.Engine status(ApplicationSettings application) {
    EngineChoice.Description chosen = of(application).description();
    return new Status.Engine(chosen.name(), chosen.threads(), chosen.reason(), chosen.warnings());
  }

  /**
   * Prepares the engines on the thread that will train, and logs which engine each application has.
   */
  void warmUp(TrainerThread trainerThread) throws InterruptedException {
    for (Map.Entry<String, EngineChoice> each : choices.entrySet()) {
      String application = each.getKey();
      EngineChoice.Description chosen = each.getValue().description();
      LOG.info(
          "{} is trained by {} with {} threads{}",
          application,
          chosen.name(),
          chosen.threads(),
          chosen.reason().isEmpty() ? "" : "; not by the product's engine: " + chosen.reason());
      chosen.warnings().forEach(warning -> LOG.warn("{}: {}", application, warning));
      Future<Optional<MeasuredTraining>> done =
          trainerThread.prepare(
              () -> Optional.ofNullable(each.getValue().warmUp(System::nanoTime)));
      try {
        done.get(MOST_SECONDS, TimeUnit.SECONDS).ifPresent(it -> measured.put(application, it));
      } catch (ExecutionException failed) {
        LOG.warn("the test of training {} on made-up rows failed", application, failed.getCause());
      } catch (TimeoutException slow) {
        LOG.warn("the start no longer waits for the first training of {}", application);
      }
    }
  }

  /** Releases the engines. The caller closes the trainers first. A second call does nothing. */
  @Override
  public void close() {
    try {
      shares.forEach(TensorShares::leave);
      shares.clear();
    } finally {
      followed.forEach(AnnouncedLenders.Following::close);
      followed.clear();
    }
  }
}
