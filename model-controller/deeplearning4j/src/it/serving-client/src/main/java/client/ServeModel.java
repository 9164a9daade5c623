package client;

import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;

/** The smallest serving process: {@code ServeModel MODELS APPLICATION} predicts one sample. */
public final class ServeModel {
  private ServeModel() {}

  public static void main(String[] args) throws Exception {
    ModelStore models = new ModelStore(Path.of(args[0]), InstantSource.system());
    ModelSubscriber.Subscription subscription =
        new ModelSubscriber.Subscription(models, args[1], 0, Duration.ofMillis(200));
    try (ModelSubscriber<Dl4jModel> subscriber =
        new ModelSubscriber<>(subscription, new Dl4jModelLoader(), InstantSource.system())) {
      subscriber.refresh();
      subscriber.start(null, System.err::println);
      try (ModelLease<Dl4jModel> lease = subscriber.acquire()) {
        double[][] answer = lease.model().predict(List.of(Sample.of(new double[] {1, 2}, 0)));
        System.out.printf("version %d says %s%n", lease.version(), Arrays.toString(answer[0]));
      }
    }
  }
}
