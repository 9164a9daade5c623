package io.idlalayer.modelcontroller.training.placed;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.memory.abstracts.DummyWorkspace;
import org.nd4j.linalg.api.memory.conf.WorkspaceConfiguration;
import org.nd4j.linalg.api.memory.enums.AllocationPolicy;
import org.nd4j.linalg.api.memory.enums.LearningPolicy;
import org.nd4j.linalg.api.memory.enums.ResetPolicy;
import org.nd4j.linalg.api.memory.enums.SpillPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Gives layers what outlives one call of them as tensors. What they use within a call comes from
 * ND4J workspaces, as Deeplearning4j's own training sets them up.
 */
final class PlacedWorkspaces extends LayerWorkspaceMgr {
  private static final String WORKING = "WS_LAYER_WORKING_MEM";
  private static final String LOOP = "WS_RNN_LOOP_WORKING_MEM";
  private static final String UPDATER = "WS_ALL_LAYERS_ACT";
  private static final double OVERALLOCATION = 0.02;
  private static final MemoryWorkspace STAY = new Stay();

  private final Tensors tensors;
  private final Set<ArrayType> placed;

  private PlacedWorkspaces(
      Tensors tensors, Set<ArrayType> placed, Map<ArrayType, String> names, int cycles) {
    super(unnamed(names), configurations(names, cycles), names);
    this.tensors = tensors;
    this.placed = placed;
  }

  /** For forward passes: activations are tensors. */
  static PlacedWorkspaces forward(Tensors tensors, WorkspaceMode mode, int layers) {
    Map<ArrayType, String> names = names(mode);
    return new PlacedWorkspaces(
        tensors,
        EnumSet.of(ArrayType.INPUT, ArrayType.ACTIVATIONS, ArrayType.ACTIVATION_GRAD),
        names,
        2 * layers);
  }

  /** For backward passes and updates: activations are computed again and not kept. */
  static PlacedWorkspaces backward(Tensors tensors, WorkspaceMode mode, int layers) {
    Map<ArrayType, String> names = names(mode);
    if (mode != WorkspaceMode.NONE) {
      names.put(ArrayType.ACTIVATIONS, WORKING);
    }
    return new PlacedWorkspaces(
        tensors, EnumSet.of(ArrayType.INPUT, ArrayType.ACTIVATION_GRAD), names, 2 * layers);
  }

  private static Map<ArrayType, String> names(WorkspaceMode mode) {
    Map<ArrayType, String> names = new TreeMap<>();
    if (mode != WorkspaceMode.NONE) {
      names.put(ArrayType.FF_WORKING_MEM, WORKING);
      names.put(ArrayType.BP_WORKING_MEM, WORKING);
      names.put(ArrayType.RNN_FF_LOOP_WORKING_MEM, LOOP);
      names.put(ArrayType.RNN_BP_LOOP_WORKING_MEM, LOOP);
      names.put(ArrayType.UPDATER_WORKING_MEM, UPDATER);
    }
    return names;
  }

  /** To the base class, tensors are arrays outside of workspaces. */
  private static Set<ArrayType> unnamed(Map<ArrayType, String> names) {
    Set<ArrayType> unnamed = EnumSet.allOf(ArrayType.class);
    unnamed.removeAll(names.keySet());
    return unnamed;
  }

  private static Map<ArrayType, WorkspaceConfiguration> configurations(
      Map<ArrayType, String> names, int cycles) {
    Map<ArrayType, WorkspaceConfiguration> all = new TreeMap<>();
    names.forEach((type, name) -> all.put(type, configuration(name, cycles)));
    return all;
  }

  private static WorkspaceConfiguration configuration(String name, int cycles) {
    boolean layers = name.equals(WORKING);
    return WorkspaceConfiguration.builder()
        .initialSize(0)
        .overallocationLimit(OVERALLOCATION)
        .policyLearning(layers ? LearningPolicy.OVER_TIME : LearningPolicy.FIRST_LOOP)
        .cyclesBeforeInitialization(layers ? cycles : 1)
        .policyReset(ResetPolicy.BLOCK_LEFT)
        .policySpill(SpillPolicy.REALLOCATE)
        .policyAllocation(AllocationPolicy.OVERALLOCATE)
        .build();
  }

  private boolean places(ArrayType type) {
    return placed.contains(type);
  }

  @Override
  public MemoryWorkspace notifyScopeEntered(ArrayType type) {
    return places(type) ? STAY : super.notifyScopeEntered(type);
  }

  @Override
  public INDArray validateArrayLocation(
      ArrayType type, INDArray array, boolean migrate, boolean failIfDetached) {
    return places(type) ? array : super.validateArrayLocation(type, array, migrate, failIfDetached);
  }

  /** Copies into a tensor, unless the array lies in one. */
  @Override
  public INDArray leverageTo(ArrayType type, INDArray array) {
    if (!makes(type, array.dataType(), array.shape())) {
      return super.leverageTo(type, array);
    }
    if (tensors.of(array) != null) {
      return array;
    }
    INDArray made =
        array.isView()
            ? tensors.createIntermediate(array.dataType(), array.shape(), array.ordering())
            : tensors.createLike(array);
    return made.assign(array);
  }

  @Override
  public INDArray create(ArrayType type, DataType dataType, long... shape) {
    return create(type, dataType, shape, Nd4j.order());
  }

  @Override
  public INDArray create(ArrayType type, DataType dataType, long[] shape, char order) {
    if (makes(type, dataType, shape)) {
      return tensors.createIntermediate(dataType, shape, order).assign(0);
    }
    return super.create(type, dataType, shape, order);
  }

  @Override
  public INDArray createUninitialized(ArrayType type, DataType dataType, long... shape) {
    return createUninitialized(type, dataType, shape, Nd4j.order());
  }

  @Override
  public INDArray createUninitialized(ArrayType type, DataType dataType, long[] shape, char order) {
    if (makes(type, dataType, shape)) {
      return tensors.createIntermediate(dataType, shape, order);
    }
    return super.createUninitialized(type, dataType, shape, order);
  }

  private boolean makes(ArrayType type, DataType dataType, long[] shape) {
    if (!places(type) || !NativeArrays.supports(dataType)) {
      return false;
    }
    for (long extent : shape) {
      if (extent == 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public INDArray dup(ArrayType type, INDArray array, char order) {
    char wanted = order == 'a' ? array.ordering() : order;
    if (makes(type, array.dataType(), array.shape())) {
      return tensors.createIntermediate(array.dataType(), array.shape(), wanted).assign(array);
    }
    return super.dup(type, array, wanted);
  }

  @Override
  public INDArray dup(ArrayType type, INDArray array) {
    return dup(type, array, array.ordering());
  }

  @Override
  public INDArray castTo(ArrayType type, DataType dataType, INDArray array, boolean copy) {
    if (!places(type)) {
      return super.castTo(type, dataType, array, copy);
    }
    if (array.dataType() == dataType) {
      return copy ? dup(type, array) : leverageTo(type, array);
    }
    return leverageTo(type, array.castTo(dataType));
  }

  /** A scope that changes nothing. */
  private static final class Stay extends DummyWorkspace {
    @Override
    public MemoryWorkspace notifyScopeEntered() {
      return this;
    }

    @Override
    public void close() {}
  }
}
