package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.lending.AnnouncedLenders;
import io.idlalayer.jobs.lending.LenderTopic;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.lending.LendingProblems;
import io.idlalayer.jobs.settings.lending.LendingSettings;
import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.lending.borrower.NamedLenders;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorLoans;
import io.idlalayer.modelcontroller.engine.memory.TensorPlacement;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The folder of an application's slow tensors, and the memory that one of its trainings is allowed
 * to use.
 */
record TensorFolder(TensorSettings settings) implements TensorPlacement {
  /**
   * Least number of bytes in DRAM for a training; with less, not even the arguments of small
   * kernels fit.
   */
  static final long LEAST_FAST_BYTES = 1 << 16;

  /** Most lenders at a time, if a learner finds them on a topic. */
  private static final int ANNOUNCED_PLACES = 4;

  /**
   * What applications do not say themselves.
   *
   * @param directory directory of slow tensors for applications that name none
   * @param servers Kafka servers, where lenders of memory announce themselves; null if the job has
   *     none
   */
  record Defaults(String directory, @Nullable String servers) {}

  /**
   * Returns the folder and the memory for one of an application's trainings.
   *
   * @param trainings largest number of trainings that run at a time in this process, at least 1
   * @throws IllegalArgumentException if each training would have too little memory
   */
  static TensorFolder of(ApplicationSettings application, Defaults defaults, int trainings) {
    Tensors tensors = application.memory().tensors();
    String named = tensors.slowDirectory();
    Path directory = Path.of(named == null ? defaults.directory() : named).toAbsolutePath();
    // A budget gives the bytes of one learner. Without a budget, the setting gives the bytes of all
    // trainings together.
    int learners = application.memory().divides(FastUse.TENSORS) ? trainings : 1;
    TensorSettings all =
        new TensorSettings(
            learners * tensors.fastBytes(),
            directory,
            tensors.slowBytes(),
            tensors.policy(),
            tensors.access(),
            loans(application, defaults.servers()));
    return new TensorFolder(all.part(trainings, LEAST_FAST_BYTES));
  }

  private static @Nullable TensorLoans loans(
      ApplicationSettings application, @Nullable String servers) {
    LendingSettings lending = application.memory().lending();
    if (!lending.borrows()) {
      return null;
    }
    AnnouncedLenders announced = announced(application, servers);
    int places =
        (int) Math.min(ANNOUNCED_PLACES, lending.borrowBytes() / LendingProblems.LEAST_PLACE_BYTES);
    return new TensorLoans(
        lending.borrowBytes(),
        announced == null ? lending.lenders().size() : Math.max(1, places),
        announced == null ? new NamedLenders(lending.lenders()) : announced,
        new Secret(lending.token()),
        lending.tls() ? application.kafka().properties() : null,
        lending.order());
  }

  /** Returns the lenders that an application finds on a topic; null if it does not look for any. */
  static @Nullable AnnouncedLenders announced(
      ApplicationSettings application, @Nullable String servers) {
    LenderTopic topic = topic(application, servers);
    return topic != null && application.memory().lending().findsLenders()
        ? new AnnouncedLenders(topic)
        : null;
  }

  /** Returns the topic on which an application's lenders announce themselves; null for none. */
  static @Nullable LenderTopic topic(ApplicationSettings application, @Nullable String servers) {
    String name = application.memory().lending().topic();
    return name.isEmpty() || servers == null
        ? null
        : new LenderTopic(name, servers, application.kafka().properties());
  }

  @Override
  public TensorDevices devices() {
    try {
      Files.createDirectories(settings.slowDirectory());
    } catch (IOException refused) {
      throw new DeviceFailureException(
          "the directory %s of memory.tensors cannot be made: %s"
              .formatted(settings.slowDirectory(), refused),
          refused);
    }
    return settings.devices();
  }
}
