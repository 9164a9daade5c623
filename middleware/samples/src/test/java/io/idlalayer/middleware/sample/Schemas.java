package io.idlalayer.middleware.sample;

import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;

/** Schemas and files that several tests use. */
public final class Schemas {
  private Schemas() {}

  /** Columns id, at, a, b, kind, y; classes no and 1. */
  public static SampleSchema small() {
    return new SampleSchema(
        List.of("id", "at", "a", "b", "kind", "y"),
        List.of(DenseFeature.of("a"), new DenseFeature("b", 1, 0.5f)),
        List.of(new CategoricalFeature("kind", 8)),
        new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("no", "1")),
        "id");
  }

  public static SampleSchema criteo() {
    return new SampleSchema(
        List.of(),
        IntStream.rangeClosed(1, 13).mapToObj(i -> DenseFeature.of("i" + i)).toList(),
        IntStream.rangeClosed(1, 26).mapToObj(i -> new CategoricalFeature("c" + i, 1000)).toList(),
        new SampleSchema.Label("label", Task.CLASSIFICATION, List.of("0", "1")),
        null);
  }

  /** Columns user, a, tags, y; a is a number, tags are at most 3. */
  public static SampleSchema withIds() {
    return new SampleSchema(
        List.of("user", "a", "tags", "y"),
        List.of(DenseFeature.of("a")),
        List.of(),
        List.of(new IdFeature("user", 1), new IdFeature("tags", 3)),
        new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("no", "1")),
        null);
  }

  /** The categories of the Criteo log as ids. */
  public static SampleSchema criteoIds() {
    SampleSchema buckets = criteo();
    return new SampleSchema(
        buckets.columns(),
        buckets.dense(),
        List.of(),
        buckets.categorical().stream().map(each -> new IdFeature(each.name(), 1)).toList(),
        buckets.label(),
        buckets.id());
  }

  /** A file of the public data sets; the test is skipped where they are not at hand. */
  public static Path data(String name) {
    String folder = System.getenv().getOrDefault("IDLA_DATA", "../../../shared/data");
    Path file = Path.of(folder, name);
    Assumptions.assumeTrue(Files.exists(file), name + " is not at hand");
    return file;
  }
}
