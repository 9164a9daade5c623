package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.RunningKernel;
import io.idlalayer.middleware.placement.trace.KernelTrace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataBuffer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The tensors of a network in a placed memory, and the kernels that work on them, one at a time.
 * One thread.
 */
final class Tensors {
  /** What a kernel computes. It may create tensors. */
  @FunctionalInterface
  interface Body {
    void run();
  }

  /**
   * A kernel to run.
   *
   * @param name the same in every step
   * @param reads whose bytes are of use
   * @param writes whose bytes change; may share tensors with the former
   * @param division how it can be cut into pieces, its arguments in the order of reads; null if it
   *     cannot
   */
  record Call(
      String name,
      Collection<Tensor> reads,
      Collection<Tensor> writes,
      @Nullable Division division) {
    Call(String name, Collection<Tensor> reads, Collection<Tensor> writes) {
      this(name, reads, writes, null);
    }
  }

  /** What a kernel computes of one piece. */
  @FunctionalInterface
  interface PieceBody {
    void run(int piece, long[] addresses);
  }

  private final PlacedMemory memory;
  private final Addresses addresses;
  private final IdentityHashMap<DataBuffer, Tensor> byBuffer = new IdentityHashMap<>();
  private final List<KernelObserver> observers = new ArrayList<>();
  private @Nullable RunningKernel running;
  private @Nullable Call call;
  private List<Tensor> created = new ArrayList<>();
  private @Nullable InterruptedException interrupt;
  private long step;
  private int kernel;
  private long liveBytes;
  private long peakBytes;
  private @Nullable KernelTrace trace;

  Tensors(PlacedMemory memory) {
    this.memory = memory;
    addresses = new Addresses(memory.memory());
  }

  void observe(KernelObserver observer) {
    observers.add(observer);
  }

  long peakBytes() {
    return peakBytes;
  }

  /** All that are live. */
  List<Tensor> live() {
    return List.copyOf(byBuffer.values());
  }

  /** The kernels that follow are those of a step. */
  void begin(long newStep) {
    step = newStep;
    kernel = 0;
  }

  /**
   * Runs a kernel whose arguments' arrays are where the objects are.
   *
   * @return what it created
   * @throws InterruptedException if the thread was interrupted before or during it
   */
  List<Tensor> run(Call what, Body body) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before kernel " + what.name());
    }
    created = new ArrayList<>();
    KernelEvent event =
        new KernelEvent(kernel++, what.name(), objects(what.reads()), objects(what.writes()));
    try (RunningKernel now = memory.start(event)) {
      running = now;
      call = what;
      what.reads().forEach(tensor -> bind(now, tensor));
      what.writes().forEach(tensor -> bind(now, tensor));
      body.run();
      now.finish();
      trace = observers.isEmpty() ? null : trace(what, now.nanos());
      return created;
    } catch (RuntimeException e) {
      throw unwrapped(e);
    } finally {
      running = null;
      call = null;
    }
  }

  /** How a kernel is cut in this memory. */
  List<Division.Cut> cut(Division division) {
    return division.cut(memory.piecesOf(division.bytes()));
  }

  /**
   * Runs a kernel piece by piece. Arrays of its arguments are not where the objects are.
   *
   * @param uses of what it reads, in this order
   */
  void runPieces(Call what, List<Division.Cut> cuts, List<Piece.Use> uses, PieceBody body)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before kernel " + what.name());
    }
    created = new ArrayList<>();
    List<MemObject> reads = objects(what.reads());
    List<Piece> pieces = cuts.stream().map(cut -> cut.piece(reads, uses)).toList();
    KernelEvent event = new KernelEvent(kernel++, what.name(), reads, objects(what.writes()));
    long nanos =
        memory.runPieces(
            event,
            pieces,
            (piece, places, arguments) -> {
              long[] at = new long[places.size()];
              for (int i = 0; i < at.length; i++) {
                at[i] = addresses.of(arguments, places.get(i).holder()) + places.get(i).offset();
              }
              body.run(piece, at);
            });
    trace = observers.isEmpty() ? null : trace(what, nanos);
  }

  private RuntimeException unwrapped(RuntimeException failure) throws InterruptedException {
    InterruptedException by = interrupt;
    interrupt = null;
    if (by != null) {
      by.addSuppressed(failure);
      throw by;
    }
    return failure;
  }

  private static List<MemObject> objects(Collection<Tensor> tensors) {
    List<MemObject> objects = new ArrayList<>(tensors.size());
    for (Tensor tensor : tensors) {
      objects.add(tensor.object);
    }
    return objects;
  }

  private void bind(RunningKernel now, Tensor tensor) {
    long address = addresses.of(now.arguments(), tensor.object);
    if (address != tensor.address) {
      NativeArrays.move(tensor.array, address);
      tensor.address = address;
    }
  }

  /** A tensor of the running kernel's making, without gaps, named after it. */
  INDArray createIntermediate(DataType type, long[] shape, char order) {
    return create(nextName(), TaskGraph.TensorKind.INTERMEDIATE, Layout.of(type, shape, order))
        .array;
  }

  /** As an array is laid out, which has no gaps. */
  INDArray createLike(INDArray array) {
    return create(nextName(), TaskGraph.TensorKind.INTERMEDIATE, Layout.of(array)).array;
  }

  private String nextName() {
    Call now = call;
    if (now == null) {
      throw new IllegalStateException("no kernel is running");
    }
    return "%s #%d".formatted(now.name(), created.size());
  }

  /**
   * A tensor of the running kernel's making for an array whose own tensor has been given up; it
   * ends with the step at the latest.
   */
  Tensor revive(String name, TaskGraph.TensorKind kind, INDArray array) {
    MemObject object = allocate(name, array.length() * array.dataType().width());
    long address = addresses.of(running().arguments(), object);
    NativeArrays.move(array, address);
    Tensor tensor = new Tensor(object, name, kind, array, address);
    tensor.brief = true;
    return register(tensor);
  }

  /** How the elements of an array lie. */
  record Layout(DataType type, long[] shape, long[] strides, char order) {
    /** Without gaps. */
    static Layout of(DataType type, long[] shape, char order) {
      return new Layout(type, shape, Nd4j.getStrides(shape, order), order);
    }

    /** In the usual order. */
    static Layout of(DataType type, long... shape) {
      return of(type, shape, Nd4j.order());
    }

    static Layout of(INDArray array) {
      return new Layout(array.dataType(), array.shape(), array.stride(), array.ordering());
    }

    long bytes() {
      long elements = 1;
      for (long extent : shape) {
        elements *= extent;
      }
      return elements * type.width();
    }
  }

  /** A tensor of the running kernel's making; its values are undefined. */
  Tensor create(String name, TaskGraph.TensorKind kind, Layout layout) {
    MemObject object = allocate(name, layout.bytes());
    long address = addresses.of(running().arguments(), object);
    INDArray array =
        NativeArrays.at(address, layout.type(), layout.shape(), layout.strides(), layout.order());
    return register(new Tensor(object, name, kind, array, address));
  }

  private RunningKernel running() {
    RunningKernel now = running;
    if (now == null) {
      throw new IllegalStateException("no kernel is running");
    }
    return now;
  }

  private MemObject allocate(String name, long bytes) {
    try {
      return running().arguments().create(new AllocationRequest(bytes, Hint.AUTO, kernel - 1));
    } catch (InterruptedException e) {
      interrupt = e;
      throw new IllegalStateException("interrupted while " + name + " was created", e);
    }
  }

  private Tensor register(Tensor tensor) {
    byBuffer.put(NativeArrays.root(tensor.array), tensor);
    created.add(tensor);
    liveBytes += tensor.object.bytes();
    peakBytes = Math.max(peakBytes, liveBytes);
    return tensor;
  }

  /** The tensor that an array lies in, if it lies in one. */
  @Nullable Tensor of(@Nullable INDArray array) {
    if (array == null || array.isEmpty()) {
      return null;
    }
    return byBuffer.get(NativeArrays.root(array));
  }

  /** An array, maybe a view, in a tensor. */
  record Value(INDArray array, Tensor tensor) {}

  /** An array that lies in a tensor. */
  Value value(INDArray array) {
    Tensor tensor = of(array);
    if (tensor == null) {
      throw new IllegalStateException(
          "an array that lies in no tensor: " + array.shapeInfoToString());
    }
    return new Value(array, tensor);
  }

  /** Runs a kernel that makes a tensor to keep and writes its first values. */
  Tensor load(String name, TaskGraph.TensorKind kind, Layout layout, Consumer<Tensor> values)
      throws InterruptedException {
    List<Tensor> made =
        run(
            new Call("load " + name, List.of(), List.of()),
            () -> values.accept(create(name, kind, layout)));
    afterKernel(List.of());
    return made.get(0);
  }

  /** Runs a kernel that copies an array from outside of the memory. */
  Value input(String name, INDArray array) throws InterruptedException {
    if (!NativeArrays.supports(array.dataType())) {
      throw new IllegalArgumentException(
          "%s is of type %s; FLOAT or DOUBLE is needed".formatted(name, array.dataType()));
    }
    List<Tensor> made =
        run(
            new Call(name, List.of(), List.of()),
            () ->
                create(name, TaskGraph.TensorKind.INPUT, Layout.of(array.dataType(), array.shape()))
                    .array
                    .assign(array));
    afterKernel(List.of());
    return new Value(made.get(0).array, made.get(0));
  }

  /** The last kernel's arguments will not be used for a while. */
  void softEvict(Collection<Tensor> tensors) {
    for (Tensor tensor : tensors) {
      memory.softEvict(tensor.object);
    }
  }

  /** A step has ended well. */
  void endOfStep() throws InterruptedException {
    memory.endOfStep();
  }

  /** Gives tensors up and tells observers of the last kernel. */
  void afterKernel(Collection<Tensor> dead) throws InterruptedException {
    List<MemObject> objects = objects(dead);
    for (Tensor tensor : dead) {
      retire(tensor);
    }
    KernelTrace ran = trace;
    trace = null;
    if (ran != null) {
      KernelTrace whole =
          new KernelTrace(
              ran.step(),
              ran.index(),
              ran.name(),
              ran.uses(),
              objects,
              ran.nanos(),
              ran.division());
      observers.forEach(observer -> observer.ran(whole));
    }
  }

  void retire(Tensor tensor) throws InterruptedException {
    if (byBuffer.remove(NativeArrays.root(tensor.array)) != null) {
      liveBytes -= tensor.object.bytes();
      memory.retire(tensor.object);
    }
  }

  private KernelTrace trace(Call what, long nanos) {
    Set<Tensor> arguments = new LinkedHashSet<>(what.reads());
    arguments.addAll(what.writes());
    List<KernelTrace.Use> uses = new ArrayList<>();
    for (Tensor tensor : arguments) {
      uses.add(use(tensor, what.reads().contains(tensor), what.writes().contains(tensor), false));
    }
    for (Tensor tensor : created) {
      uses.add(use(tensor, false, true, true));
    }
    return new KernelTrace(step, kernel - 1, what.name(), uses, List.of(), nanos, what.division());
  }

  private static KernelTrace.Use use(Tensor tensor, boolean read, boolean write, boolean made) {
    return new KernelTrace.Use(tensor.object, tensor.name, tensor.kind, read, write, made);
  }
}
