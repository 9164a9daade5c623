package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.modelloader.serve.PlainOrDl4jLoader;
import io.idlalayer.modelruntime.inference.ServedModel;
import io.idlalayer.modelruntime.serve.Predictor;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The application partitions whose models a server predicts with, by the names under which clients
 * ask for predictions.
 */
final class PredictedModels {
  private static final int MOST = 64;
  private static final Pattern ARGUMENT =
      Pattern.compile("([^/@]+)(?:/(0|[1-9]\\d{0,8}))?(?:@([^/@]+))?");

  private final Map<String, Named> names;

  private PredictedModels(Map<String, Named> names) {
    this.names = names;
  }

  /**
   * The application partition and the alias of its version that answer under a model name.
   *
   * @param alias alias of the version; null for the one that the pointer or the pin names
   */
  private record Named(ApplicationPartition of, @Nullable String alias) {}

  /**
   * Parses the arguments that name the models.
   *
   * @param arguments each APPLICATION, APPLICATION/PARTITION, or one of them with {@code @ALIAS}
   * @param alias alias for arguments without one; null for the version that the pointer or the pin
   *     names
   * @throws UsageException if an argument is invalid, or two models get one name
   */
  static PredictedModels of(List<String> arguments, @Nullable String alias) {
    if (arguments.size() > MOST) {
      throw new UsageException("--predict can be given %d times".formatted(MOST));
    }
    Map<String, Named> names = new TreeMap<>();
    for (String argument : arguments) {
      Matcher parts = ARGUMENT.matcher(argument);
      if (!parts.matches()) {
        throw new UsageException(
            "--predict: '%s' is not APPLICATION[/PARTITION][@ALIAS]".formatted(argument));
      }
      int partition = parts.group(2) == null ? 0 : Integer.parseInt(parts.group(2));
      ApplicationPartition of = ModelsOptions.partition(parts.group(1), partition);
      String own = parts.group(3);
      String followed = own == null ? alias : own;
      String name = own == null ? name(of) : name(of) + "." + own;
      String checked = followed == null ? null : ModelsVersionOptions.name(followed);
      if (names.put(name, new Named(of, checked)) != null) {
        throw new UsageException("--predict: two models have the name '%s'".formatted(name));
      }
    }
    return new PredictedModels(names);
  }

  /**
   * Returns the model name of an application partition: the application's own name for partition 0;
   * other numbers are appended to it.
   */
  private static String name(ApplicationPartition of) {
    return of.partition() == 0 ? of.application() : of.application() + "-" + of.partition();
  }

  /** Open models that switch to new versions by themselves. */
  static final class Followed implements AutoCloseable {
    private final List<ServedModel> models = new ArrayList<>();

    List<ServedModel> models() {
      return models;
    }

    @Override
    public void close() {
      models.forEach(each -> each.subscriber().close());
    }
  }

  /**
   * Starts a subscriber for each model, which loads new versions as they are published.
   *
   * @param poll time between two checks for a new version
   * @param limit limit of the staleness of a version; null for none
   * @param loader loader for all models
   * @param refused receives the reason when a version is refused
   */
  Followed follow(
      ModelReader models,
      Duration poll,
      ModelSubscriber.@Nullable StalenessLimit limit,
      PlainOrDl4jLoader loader,
      Consumer<String> refused) {
    Followed followed = new Followed();
    names.forEach(
        (name, named) -> {
          ModelSubscriber<Predictor> subscriber =
              new ModelSubscriber<>(
                  subscription(models, named, poll, limit), loader, InstantSource.system());
          subscriber.start(null, reason -> refused.accept(name + ": " + reason));
          followed.models().add(new ServedModel(name, subscriber));
        });
    return followed;
  }

  private static ModelSubscriber.Subscription subscription(
      ModelReader models,
      Named named,
      Duration poll,
      ModelSubscriber.@Nullable StalenessLimit limit) {
    ApplicationPartition of = named.of();
    return new ModelSubscriber.Subscription(
        models, of.application(), of.partition(), poll, limit, named.alias());
  }

  /** Returns the names of the models, separated by commas. */
  @Override
  public String toString() {
    return String.join(", ", names.keySet());
  }
}
