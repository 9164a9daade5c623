package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.Piece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.api.TrainingConfig;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.linalg.learning.config.AMSGrad;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.AdaGrad;
import org.nd4j.linalg.learning.config.AdaMax;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nadam;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.RmsProp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.learning.regularization.L1Regularization;
import org.nd4j.linalg.learning.regularization.L2Regularization;
import org.nd4j.linalg.learning.regularization.Regularization;
import org.nd4j.linalg.learning.regularization.WeightDecay;

/**
 * A layer's update, one piece of its parameters after the other: updaters and regularization work
 * element by element, so that the bits are those of the whole update. The layer's updater state is
 * laid out by pieces: of each, all quantities of its parameters (Adam's m, then its v). One thread.
 */
final class UpdatePieces {
  private static final Set<Class<?>> UPDATERS =
      Set.of(
          AMSGrad.class,
          AdaDelta.class,
          AdaGrad.class,
          AdaMax.class,
          Adam.class,
          Nadam.class,
          Nesterovs.class,
          NoOp.class,
          RmsProp.class,
          Sgd.class);

  private static final Set<Class<?>> REGULARIZATIONS =
      Set.of(L1Regularization.class, L2Regularization.class, WeightDecay.class);

  /**
   * A piece, in elements.
   *
   * @param parameter whose part it is
   * @param first in the layer's parameters
   * @param firstState in the layer's state
   * @param quantities of state for each parameter
   */
  record Part(String parameter, long first, long length, long firstState, long quantities) {
    long stateLength() {
      return quantities * length;
    }
  }

  /** Arrays of a part's shape, which move from piece to piece. */
  private record Arrays(
      INDArray parameters,
      INDArray gradients,
      @Nullable INDArray state,
      GradientUpdater<?> updater) {}

  private record Shape(String parameter, long length) {}

  private final Trainable layer;
  private final boolean divides;
  private final DataType type;
  private final Division division;
  private final List<Division.Cut> cuts;
  private final List<Part> parts = new ArrayList<>();
  private final Map<Shape, Arrays> arrays = new HashMap<>();

  private UpdatePieces(Layer layer, DataType type, Tensors tensors) {
    this.layer = (Trainable) layer;
    divides = layer.conf().isMiniBatch();
    this.type = type;
    boolean stateful = UpdaterState.length(this.layer) > 0;
    List<String> parameters = new ArrayList<>();
    List<Division.Section> sections = new ArrayList<>();
    this.layer
        .paramTable(false)
        .forEach(
            (name, values) -> {
              if (values.length() > 0) {
                parameters.add(name);
                sections.add(section(name, values.length(), stateful));
              }
            });
    division = new Division(sections);
    cuts = tensors.cut(division);
    cuts.forEach(cut -> parts.add(part(parameters.get(cut.section()), cut)));
  }

  /** Of parameters, gradients, and state if there is any. */
  private Division.Section section(String parameter, long length, boolean stateful) {
    int width = type.width();
    int quantities = (int) (updater(parameter).stateSize(length) / length);
    return new Division.Section(
        length, stateful ? List.of(width, width, quantities * width) : List.of(width, width));
  }

  private Part part(String parameter, Division.Cut cut) {
    Division.Span own = cut.spans().get(0);
    Division.Span state = cut.spans().size() > 2 ? cut.spans().get(2) : new Division.Span(0, 0);
    int width = type.width();
    return new Part(
        parameter,
        own.offset() / width,
        cut.elements(),
        state.offset() / width,
        state.bytes() / own.bytes());
  }

  /**
   * Divides a layer's update.
   *
   * @return null if a layer updates its parameters as a whole
   */
  static @Nullable UpdatePieces of(Layer layer, DataType type, Tensors tensors) {
    return divisible(layer) ? new UpdatePieces(layer, type, tensors) : null;
  }

  /**
   * Runs the update.
   *
   * @param all parameters, gradients, and state if there is any
   */
  void run(Tensors tensors, String name, List<Tensor> all, LayerTensors.Moment moment)
      throws InterruptedException {
    tensors.runPieces(
        new Tensors.Call(name, all, all, division),
        cuts,
        List.of(Piece.Use.CHANGES, Piece.Use.USES_UP, Piece.Use.CHANGES),
        (i, addresses) -> update(parts.get(i), addresses, moment));
  }

  private static boolean divisible(Layer layer) {
    TrainingConfig config = ((Trainable) layer).getConfig();
    GradientNormalization norm = config.getGradientNormalization();
    var constraints = layer.conf().getLayer().getConstraints();
    boolean whole =
        (norm != null && norm != GradientNormalization.None)
            || (constraints != null && !constraints.isEmpty());
    if (whole || !LayerRules.writesAllGradients(layer)) {
      return false;
    }
    for (String parameter : layer.paramTable(false).keySet()) {
      if (!UPDATERS.contains(config.getUpdaterByParam(parameter).getClass())
          || !known(config.getRegularizationByParam(parameter))) {
        return false;
      }
    }
    return true;
  }

  private static boolean known(@Nullable List<Regularization> all) {
    return all == null || all.stream().allMatch(each -> REGULARIZATIONS.contains(each.getClass()));
  }

  List<Part> parts() {
    return parts;
  }

  private IUpdater updater(String parameter) {
    return layer.getConfig().getUpdaterByParam(parameter);
  }

  /**
   * Updates a part, as the updater of a network does with its elements.
   *
   * @param addresses of its parameters, gradients and state
   */
  private void update(Part part, long[] addresses, LayerTensors.Moment moment) {
    Arrays at = arrays(part, addresses);
    INDArray gradients = at.gradients();
    if (divides && layer.updaterDivideByMinibatch(part.parameter())) {
      gradients.divi(moment.rows());
    }
    IUpdater config = at.updater().getConfig();
    double rate =
        config.hasLearningRate() ? config.getLearningRate(moment.iteration(), moment.epoch()) : 1;
    regularize(Regularization.ApplyStep.BEFORE_UPDATER, part, at, rate, moment);
    at.updater().applyUpdater(gradients, moment.iteration(), moment.epoch());
    regularize(Regularization.ApplyStep.POST_UPDATER, part, at, rate, moment);
    at.parameters().subi(gradients);
  }

  private void regularize(
      Regularization.ApplyStep step,
      Part part,
      Arrays at,
      double rate,
      LayerTensors.Moment moment) {
    List<Regularization> all = layer.getConfig().getRegularizationByParam(part.parameter());
    if (all == null) {
      return;
    }
    for (Regularization each : all) {
      if (each.applyStep() == step) {
        each.apply(at.parameters(), at.gradients(), rate, moment.iteration(), moment.epoch());
      }
    }
  }

  private Arrays arrays(Part part, long[] addresses) {
    Shape shape = new Shape(part.parameter(), part.length());
    Arrays made = arrays.get(shape);
    if (made == null) {
      made = make(part, addresses);
      arrays.put(shape, made);
      return made;
    }
    NativeArrays.move(made.parameters(), addresses[0]);
    NativeArrays.move(made.gradients(), addresses[1]);
    INDArray state = made.state();
    if (state != null) {
      NativeArrays.move(state, addresses[2]);
    }
    return made;
  }

  private Arrays make(Part part, long[] addresses) {
    INDArray state = part.quantities() == 0 ? null : vector(addresses[2], part.stateLength());
    return new Arrays(
        vector(addresses[0], part.length()),
        vector(addresses[1], part.length()),
        state,
        updater(part.parameter()).instantiate(state, false));
  }

  private INDArray vector(long address, long length) {
    return NativeArrays.at(address, type, new long[] {length}, new long[] {1}, 'c');
  }
}
