package io.idlalayer.benchmarks.source;

import io.idlalayer.benchmarks.clicks.ClickLog;
import io.idlalayer.benchmarks.clicks.ClickModel;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.IdxPairReader;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The applications of the source. */
enum Application {
  /** Digits for a convolutional network; three drifts, each to another view of the images. */
  MNIST(6_000) {
    @Override
    List<Sample> read(Path data, int most, long seed) throws IOException {
      Path images = data.resolve("mnist/train-images-idx3-ubyte.gz");
      SampleCodec codec = new SampleCodec();
      List<Sample> samples = new ArrayList<>();
      try (RecordReader reader = IdxPairReader.open(images, IdxPairReader.labelsFor(images))) {
        // Each seed has other images, as far as there are.
        List<View> views = List.of(View.values());
        long skipped = (seed - 1) % (MNIST_IMAGES / most) * most;
        while (samples.size() < most && reader.next()) {
          if (skipped > 0) {
            skipped--;
          } else {
            Sample image = codec.decode(reader.record());
            View view = views.get(samples.size() * views.size() / most);
            samples.add(Sample.of(view.of(image.dense()), image.label()));
          }
        }
      } catch (MalformedSampleException malformed) {
        throw new IOException(images + ": " + malformed.getMessage(), malformed);
      }
      return samples;
    }

    @Override
    Workload workload(List<Sample> samples) {
      List<String> digits = IntStream.range(0, 10).mapToObj(Integer::toString).toList();
      SampleSchema schema =
          new SampleSchema(
              List.of(),
              List.of(new DenseFeature("pixels", SIDE * SIDE, 1)),
              List.of(),
              new Label("digit", Task.CLASSIFICATION, digits),
              null);
      return new ClassWorkload(
          new ModelSpec(
              schema,
              new ModelSpec.Network.Cnn(SIDE, SIDE, 1, List.of(8, 16), 64),
              new ModelSpec.Fit(32, 1, ModelSpec.Updater.ADAM, 0.001, 0),
              false),
          samples);
    }
  },
  /** Clicks for a deep-learning recommendation model; drifts as the log has them. */
  CRITEO(6_000) {
    @Override
    List<Sample> read(Path data, int most, long seed) throws IOException {
      List<Sample> all = ClickLog.CRITEO.read(data, spec().schema());
      return all.subList(0, Math.min(most, all.size()));
    }

    @Override
    Workload workload(List<Sample> samples) {
      return new ClassWorkload(spec(), samples);
    }

    private static ModelSpec spec() {
      return ClickModel.DLRM.spec(ClickLog.CRITEO, 0.001, 0.02, 0.01, 1, 64);
    }
  },
  /** Votes between editors, in random order; the model is the rank of each editor. */
  PAGERANK(30_000) {
    @Override
    List<Sample> read(Path data, int most, long seed) throws IOException {
      List<Sample> edges = new ArrayList<>();
      Map<String, Integer> nodes = new HashMap<>();
      Path file = data.resolve("graph/wiki-Vote.txt.gz");
      try (LineRecordReader reader = LineRecordReader.open(file)) {
        while (reader.next()) {
          String line = new String(reader.record(), StandardCharsets.UTF_8);
          if (!line.startsWith("#")) {
            String[] ends = line.split("\t");
            edges.add(RankWorkload.edge(number(nodes, ends[0]), number(nodes, ends[1])));
          }
        }
      }
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = edges.size() - 1; i > 0; i--) {
        Collections.swap(edges, i, random.nextInt(i + 1));
      }
      return edges.subList(0, Math.min(most, edges.size()));
    }

    private static int number(Map<String, Integer> nodes, String name) {
      Integer next = nodes.size();
      Integer known = nodes.putIfAbsent(name, next);
      return known == null ? next : known;
    }

    @Override
    Workload workload(List<Sample> samples) {
      return new RankWorkload(WIKI_VOTE_NODES, samples);
    }
  };

  private static final int SIDE = 28;
  private static final int MNIST_IMAGES = 60_000;
  private static final int WIKI_VOTE_NODES = 7_115;

  private final int events;

  Application(int events) {
    this.events = events;
  }

  /** Number of events of a whole run. */
  int events() {
    return events;
  }

  /**
   * Reads the events of a run.
   *
   * @param data directory with the folders mnist, ctr and graph
   * @param most most events
   * @param seed which images, or the order of the edges
   * @throws IOException naming the file that cannot be used
   */
  abstract List<Sample> read(Path data, int most, long seed) throws IOException;

  /** Makes what one run learns. */
  abstract Workload workload(List<Sample> samples);

  /** Ways to look at an image; each is one quarter of the stream. */
  enum View {
    UPRIGHT {
      @Override
      double pixel(double[] image, int row, int column) {
        return image[row * SIDE + column];
      }
    },
    TRANSPOSED {
      @Override
      double pixel(double[] image, int row, int column) {
        return image[column * SIDE + row];
      }
    },
    NEGATIVE {
      @Override
      double pixel(double[] image, int row, int column) {
        return 1 - image[row * SIDE + column];
      }
    },
    UPSIDE_DOWN {
      @Override
      double pixel(double[] image, int row, int column) {
        return image[(SIDE - 1 - row) * SIDE + SIDE - 1 - column];
      }
    };

    /** Returns the pixel that this view shows at a place. */
    abstract double pixel(double[] image, int row, int column);

    /** Returns an image of 28 x 28 pixels in this view. */
    double[] of(double[] image) {
      double[] seen = new double[image.length];
      for (int i = 0; i < seen.length; i++) {
        seen[i] = pixel(image, i / SIDE, i % SIDE);
      }
      return seen;
    }
  }
}
