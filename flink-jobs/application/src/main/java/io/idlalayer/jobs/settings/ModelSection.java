package io.idlalayer.jobs.settings;

import io.idlalayer.jobs.settings.network.NetworkSize;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.file.RegularFile;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the sections {@code model} and {@code training} of an application file. */
final class ModelSection {
  static final int MOST_FILE_BYTES = 256 << 20;

  private static final double LEARNING_RATE = 0.001;

  /** Number of members of a network of classes for which the file names no layers. */
  private static final int MEMBERS = 4;

  /** Most inputs of a network that has {@link #MEMBERS} members by default. */
  private static final int MEMBERS_WIDTH_MAX = 256;

  /** Learning rate of several members that learn classes, each class by a sigmoid of its own. */
  private static final double MEMBERS_LEARNING_RATE = 0.01;

  /** Errors beyond this distance, in scales of the target, count linearly. */
  private static final double HUBER_DELTA = 0.5;

  private static final int WIDTH_MAX = 1 << 20;
  private static final double TIME_LIMIT_SECONDS_MAX = 7 * 24 * 3_600;

  private final Section model;
  private final Section training;
  private final Path applicationFile;
  private final NetworkChecks checks;
  private final Type type;

  /** Whether the network was read from a file. */
  private boolean fromFile;

  ModelSection(Section model, Section training, Path applicationFile, NetworkChecks checks) {
    this.model = model;
    this.training = training;
    this.applicationFile = applicationFile;
    this.checks = checks;
    type = model.choice("type", Type.MLP, Type.values());
  }

  private enum Type {
    MLP,
    CNN,
    DLRM,
    WIDE_AND_DEEP,
    DL4J_JSON,
    SAMEDIFF
  }

  /**
   * A network description, and the engine that trains the network.
   *
   * @param references whether references are averaged with the network
   * @param start file of the network with which the first training begins; null for a new network
   */
  record Model(ModelSpec spec, EngineName engine, boolean references, @Nullable String start) {}

  /** Returns whether the model is of a type that has tables. */
  boolean hasTables() {
    return type == Type.DLRM || type == Type.WIDE_AND_DEEP;
  }

  /** Returns whether all tables must have the same dimension. */
  boolean needsOneDim() {
    return type == Type.DLRM;
  }

  /**
   * Reads the loss of targets. Returns squared errors for classes, and after a problem was
   * reported.
   */
  TargetLoss loss(SampleSchema.Task task) {
    TargetLoss.Kind kind =
        training.choice("loss", TargetLoss.Kind.SQUARED, TargetLoss.Kind.values());
    boolean hasLevel = kind == TargetLoss.Kind.QUANTILE;
    double level = training.number("quantile", Double.NaN, 0, false, 1);
    double delta = training.number("huber-delta", HUBER_DELTA, 0, false, 1_000);
    int problems = model.problemCount();
    if (task != SampleSchema.Task.REGRESSION) {
      training.idle("loss", kind, TargetLoss.Kind.SQUARED, "'input.task: regression'");
    } else if (type == Type.DL4J_JSON || type == Type.SAMEDIFF) {
      training.idle(
          "loss",
          kind,
          TargetLoss.Kind.SQUARED,
          "'model.type' mlp, cnn, dlrm or wide-and-deep"
              + (type == Type.DL4J_JSON ? "; the network's file says its loss itself" : ""));
    }
    if (!hasLevel) {
      training.idle("quantile", level, Double.NaN, "'loss: quantile'");
    } else if (!training.given("quantile")) {
      training.problem("quantile", "is missing: the level that is predicted, such as 0.9");
    } else if (level == 1) {
      training.problem("quantile", "must be above 0 and below 1");
    }
    if (kind != TargetLoss.Kind.HUBER) {
      training.idle("huber-delta", delta, HUBER_DELTA, "'loss: huber'");
    }
    if (problems != model.problemCount() || task != SampleSchema.Task.REGRESSION) {
      return TargetLoss.SQUARED;
    }
    return switch (kind) {
      case SQUARED -> TargetLoss.SQUARED;
      case ABSOLUTE -> TargetLoss.ABSOLUTE;
      case HUBER -> TargetLoss.huber(delta);
      // A level that cannot be read has been reported.
      case QUANTILE -> Double.isNaN(level) ? TargetLoss.SQUARED : TargetLoss.quantile(level);
      case POISSON -> TargetLoss.POISSON;
    };
  }

  Model read(SampleSchema schema, ModelSpec.Embeddings embeddings, TargetLoss loss) {
    EngineName engine = training.choice("engine", EngineName.AUTO, EngineName.values());
    ModelSpec.Network network =
        switch (type) {
          case MLP -> perceptrons(schema, isEnsembleByDefault(schema, engine));
          case CNN -> cnn(schema);
          case DLRM ->
              new ModelSpec.Network.Dlrm(
                  widths("bottom", List.of(64)), widths("top", List.of(64, 32)));
          case WIDE_AND_DEEP ->
              new ModelSpec.Network.WideAndDeep(widths("hidden", List.of(64, 32)));
          case DL4J_JSON -> json();
          case SAMEDIFF -> sameDiff();
        };
    boolean standardize = model.flag("standardize", type == Type.MLP || hasTables());
    boolean averages = loss.equals(TargetLoss.SQUARED);
    boolean references = model.flag("references", averages);
    if (!averages) {
      model.idle("references", references, false, "'training.loss: squared'");
    }
    String start = start();
    checkFeatures(schema);
    if (schema.history() != null) {
      checkHistory(schema, standardize);
    }
    model.finish();
    ModelSpec.Fit fit =
        new ModelSpec.Fit(
            training.integer("mini-batch", 32, 1, 65_536),
            training.integer("epochs", 2, 1, 1000),
            training.choice("updater", ModelSpec.Updater.ADAM, ModelSpec.Updater.values()),
            training.number("learning-rate", learningRate(schema, network), 0, false, 100),
            training.number("l2", 0, 0, true, 100),
            timeLimitSeconds());
    if (type == Type.DL4J_JSON) {
      idleWithConfiguration(fit);
    }
    training.finish();
    ModelSpec spec = new ModelSpec(schema, network, fit, standardize, embeddings, loss);
    Optional<NetworkSize.Excess> excess = NetworkSize.excess(spec);
    if (excess.isPresent()) {
      model.problem(excess.get().key(), excess.get().reason());
      return new Model(spec, engine, references, start);
    }
    boolean hasIds = !schema.ids().isEmpty();
    if (fromFile && spec.inputWidth() > 0 && (type == Type.DL4J_JSON || !hasIds)) {
      checkNetwork(spec, engine);
    }
    Optional<String> noLibrary =
        engine == EngineName.DEEPLEARNING4J ? checks.library() : Optional.empty();
    if (engine == EngineName.ONEDNN) {
      checkEngine(spec);
    } else if (noLibrary.isPresent()) {
      training.problem("engine", noLibrary.get());
    } else if (engine == EngineName.DEEPLEARNING4J && hasIds) {
      training.problem("engine", "only iDlaLayer's engine trains tables");
    } else if (engine == EngineName.DEEPLEARNING4J
        && spec.members() > 1
        && schema.label().task() == SampleSchema.Task.CLASSIFICATION) {
      training.problem(
          "engine",
          "only iDlaLayer's engine trains several members on classes: with Deeplearning4j they"
              + " would not unlearn what they were sure of; say 'engine: auto', or 'members: 1' and"
              + " no 'history'");
    }
    return new Model(spec, engine, references, start);
  }

  /**
   * Returns the file of the network with which the first training begins; null for a new network.
   */
  private @Nullable String start() {
    String start = model.file("start");
    if (start != null && type == Type.WIDE_AND_DEEP) {
      model.problem(
          "start",
          "a wide-and-deep model begins with no file: its rows have a wide part; choose 'type: mlp'");
    } else if (start != null && type == Type.SAMEDIFF) {
      model.problem("start", "a SameDiff graph has its first values in 'file': leave this out");
    }
    return start;
  }

  /** Checks that the network has members that take the history of a key. */
  private void checkHistory(SampleSchema schema, boolean standardize) {
    if (type != Type.MLP) {
      model.problem("type", Section.name(type) + " cannot use a history ('history'): only mlp can");
    } else if (!schema.ids().isEmpty()) {
      model.problem("type", "with ids ('input.ids'), mlp cannot use a history ('history') yet");
    }
    if (!standardize) {
      model.problem("standardize", "'history' needs it: changes have scales of their own");
    }
  }

  /** Checks that the network accepts features of the kinds in the schema. */
  private void checkFeatures(SampleSchema schema) {
    boolean hasIds = !schema.ids().isEmpty();
    if (hasTables() && !hasIds) {
      model.problem("type", Section.name(type) + " needs at least one id feature ('input.ids')");
    }
    if (type == Type.DLRM && schema.denseWidth() == 0) {
      model.problem("type", "dlrm needs at least one number ('input.features')");
    }
    if (hasIds && (type == Type.CNN || type == Type.SAMEDIFF)) {
      model.problem(
          "type",
          Section.name(type) + " takes no ids; mlp, dlrm, wide-and-deep and dl4j-json take them");
    }
  }

  /** Checks that an engine can train the network; only the product's own engine trains tables. */
  private void checkNetwork(ModelSpec spec, EngineName engine) {
    Optional<String> problem = checks.network(spec, engine);
    boolean hasIds = !spec.schema().ids().isEmpty();
    if (problem.isEmpty() && hasIds && engine == EngineName.AUTO) {
      problem =
          checks
              .engine(spec, false)
              .map(
                  why -> "only iDlaLayer's engine trains tables, and it cannot train this: " + why);
    }
    problem.ifPresent(why -> model.problem("file", shownFile() + ": " + why));
  }

  /**
   * Checks that the engine that the file names can train the network; if the file names no engine,
   * another engine is used in such a case.
   */
  private void checkEngine(ModelSpec spec) {
    try {
      checks
          .engine(spec, false)
          .ifPresent(why -> training.problem("engine", "onednn cannot train this: " + why));
    } catch (IllegalArgumentException | OutOfMemoryError unbuildable) {
      training.problem("engine", "onednn cannot train this: " + unbuildable.getMessage());
    }
  }

  private double timeLimitSeconds() {
    double seconds = training.seconds("time-limit", ModelSpec.Fit.DEFAULT_TIME_LIMIT_SECONDS);
    if (seconds < 1 || seconds > TIME_LIMIT_SECONDS_MAX) {
      training.problem("time-limit", "must be between 1s and 7d");
    }
    return seconds;
  }

  /**
   * Reports training settings that have no effect because a DL4J configuration contains its own
   * settings.
   */
  private void idleWithConfiguration(ModelSpec.Fit fit) {
    String other = "'model.type' other than dl4j-json, whose file says it itself,";
    training.idle("updater", fit.updater(), ModelSpec.Updater.ADAM, other);
    training.idle("learning-rate", fit.learningRate(), LEARNING_RATE, other);
    training.idle("l2", fit.l2(), 0.0, other);
  }

  private String shownFile() {
    String file = model.required("file");
    return model.shown(file, path(file));
  }

  private Path path(String file) {
    return applicationFile.resolveSibling(file);
  }

  private List<Integer> widths(String key, List<Integer> otherwise) {
    if (!model.has(key)) {
      return otherwise;
    }
    List<Integer> widths = new ArrayList<>();
    for (String text : model.names(key)) {
      int width = text.matches("\\d{1,7}") ? Integer.parseInt(text) : 0;
      if (width < 1 || width > WIDTH_MAX) {
        model.problem(
            key, "%s is not a width between 1 and %d".formatted(model.shown(text), WIDTH_MAX));
      } else {
        widths.add(width);
      }
    }
    return widths;
  }

  /** Returns the learning rate that the network has unless the file says otherwise. */
  private static double learningRate(SampleSchema schema, ModelSpec.Network network) {
    boolean several =
        network instanceof ModelSpec.Network.Mlp mlp
            && (mlp.members() > 1 || schema.history() != null);
    return several && schema.label().task() == SampleSchema.Task.CLASSIFICATION
        ? MEMBERS_LEARNING_RATE
        : LEARNING_RATE;
  }

  /**
   * Returns whether the network has several members unless the file says otherwise: it learns
   * classes from few numbers and categories, and the file describes no network itself.
   */
  private boolean isEnsembleByDefault(SampleSchema schema, EngineName engine) {
    return type == Type.MLP
        && !model.has("members")
        && !model.has("hidden")
        && engine != EngineName.DEEPLEARNING4J
        && schema.label().task() == SampleSchema.Task.CLASSIFICATION
        && schema.ids().isEmpty()
        && inputs(schema) <= MEMBERS_WIDTH_MAX;
  }

  private static long inputs(SampleSchema schema) {
    return schema.denseWidth()
        + schema.categorical().stream().mapToLong(SampleSchema.CategoricalFeature::buckets).sum();
  }

  private ModelSpec.Network perceptrons(SampleSchema schema, boolean ensemble) {
    int members = model.integer("members", ensemble ? MEMBERS : 1, 1, ModelSpec.MOST_MEMBERS);
    if (members > 1 && !schema.ids().isEmpty()) {
      model.problem(
          "members",
          "several members take no ids ('input.ids') yet; with ids, leave it out or say 1");
      members = 1;
    }
    return new ModelSpec.Network.Mlp(
        widths("hidden", members == 1 ? List.of(64, 32) : List.of(32)), members);
  }

  private ModelSpec.Network cnn(SampleSchema schema) {
    Section image = model.section("image");
    if (!model.has("image")) {
      model.problem("image", "is missing: {height: ..., width: ..., channels: ...}");
    }
    ModelSpec.Network.Cnn cnn =
        new ModelSpec.Network.Cnn(
            image.integer("height", 28, 1, 4096),
            image.integer("width", 28, 1, 4096),
            image.integer("channels", 1, 1, 1024),
            widths("filters", List.of(8, 16)),
            model.integer("dense", 64, 1, WIDTH_MAX));
    image.finish();
    long pixels = (long) cnn.height() * cnn.width() * cnn.channels();
    boolean fits = pixels == schema.denseWidth() && schema.categorical().isEmpty();
    if (model.has("image") && !fits) {
      model.problem(
          "image",
          "%d x %d x %d is %d values, but the features are %d dense and %d categorical"
              .formatted(
                  cnn.height(),
                  cnn.width(),
                  cnn.channels(),
                  pixels,
                  schema.denseWidth(),
                  schema.categorical().size()));
    }
    return cnn;
  }

  private ModelSpec.Network json() {
    return new ModelSpec.Network.Dl4jJson(new String(file(), StandardCharsets.UTF_8));
  }

  private ModelSpec.Network sameDiff() {
    return new ModelSpec.Network.SameDiffGraph(
        file(), model.text("features", "features"), model.text("output", "logits"));
  }

  /** Returns the content of the network's file; empty after reporting why it cannot be read. */
  private byte[] file() {
    String file = model.required("file");
    if (file.isEmpty()) {
      return new byte[0];
    }
    if (RegularFile.isOther(path(file))) {
      model.problem(
          "file",
          model.shown(file, path(file)) + " is a pipe, a socket or a device; name a regular file");
      return new byte[0];
    }
    try {
      byte[] content;
      try (InputStream in = Files.newInputStream(path(file))) {
        content = in.readNBytes(MOST_FILE_BYTES + 1);
      }
      if (content.length > MOST_FILE_BYTES) {
        model.problem(
            "file",
            String.format(
                Locale.ROOT,
                "%s has more than %,d bytes, the most that a network's file may have",
                model.shown(file, path(file)),
                MOST_FILE_BYTES));
        return new byte[0];
      }
      fromFile = true;
      return content;
    } catch (IOException unreadable) {
      model.problem(
          "file",
          model.shown(file, path(file)) + " cannot be read: " + model.reason(file, unreadable));
      return new byte[0];
    }
  }
}
