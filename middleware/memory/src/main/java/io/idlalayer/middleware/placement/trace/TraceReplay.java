package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.WriteLease;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.KernelArguments;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Repeats the step of a graph on a placed memory without computing anything. Objects are created,
 * used and retired as the graph says, and under a virtual clock kernels take the times of the
 * graph. The replay moves exactly the bytes that training under that clock moves. For this, each
 * lasting tensor is loaded by a kernel, as in training. One thread.
 */
public final class TraceReplay implements AutoCloseable {
  /**
   * Nanoseconds of a kernel that is not part of the graph, such as one that creates a lasting
   * tensor.
   */
  public static final long UNRECORDED_NANOS = 1;

  private static final long FACTOR = 31;

  private final TaskGraph graph;
  private final PlacedMemory memory;

  /** The step that runs. */
  private RecomputedStep step;

  private final boolean contents;
  private final boolean announced;
  private @Nullable MemObject[] objects;

  /** For each tensor of the graph, what its bytes begin with after its last write. */
  private final int[] seeds;

  /** For each kernel of the graph, the seeds of its arguments before and after it. */
  private final int[][] before;

  private final int[][] after;
  private int writes;

  /**
   * Creates the tensors that last from step to step, in the order of their indexes, by a kernel for
   * each.
   *
   * @param contents whether kernels fill what they write and compare what they read, byte by byte;
   *     not in {@linkplain HollowArena hollow arenas}
   * @param announced whether steps are announced ({@link PlacedMemory#beginStep})
   */
  public TraceReplay(TaskGraph graph, PlacedMemory memory, boolean contents, boolean announced)
      throws InterruptedException {
    this.announced = announced;
    this.graph = graph;
    this.memory = memory;
    this.contents = contents;
    step = Recomputation.NONE.appliedTo(graph);
    objects = new MemObject[graph.tensors().size()];
    seeds = new int[objects.length];
    before = new int[graph.kernels().size()][];
    after = new int[before.length][];
    boolean made = false;
    try {
      for (int tensor = 0; tensor < objects.length; tensor++) {
        if (graph.creator(tensor) < 0) {
          createKept(tensor);
        }
      }
      made = true;
    } finally {
      if (!made) {
        close();
      }
    }
  }

  /** Creates a replay whose steps are not announced to the memory. */
  public TraceReplay(TaskGraph graph, PlacedMemory memory, boolean contents)
      throws InterruptedException {
    this(graph, memory, contents, false);
  }

  /**
   * Replays the step of the graph once, including the kernels that the policy wants to run again;
   * these write the same bytes again.
   *
   * @throws IllegalStateException if bytes were lost
   */
  public void step() throws InterruptedException {
    if (announced) {
      step = memory.beginStep(graph);
      // The tensors of the graph come first, and only those outlast a step.
      objects = Arrays.copyOf(objects, step.graph().tensors().size());
    }
    for (int k = 0; k < step.graph().kernels().size(); k++) {
      run(k);
    }
    memory.endOfStep();
  }

  private void run(int k) throws InterruptedException {
    TaskGraph.Kernel kernel = step.graph().kernels().get(k);
    seed(k);
    List<Integer> inside = new ArrayList<>();
    for (int tensor : kernel.lifetimes().creates()) {
      if (kernel.writes().contains(tensor)) {
        inside.add(tensor);
      } else {
        createOutside(tensor, k);
      }
    }
    KernelEvent event =
        new KernelEvent(
            k,
            kernel.name(),
            arguments(kernel.reads(), inside),
            arguments(kernel.writes(), inside),
            Math.max(UNRECORDED_NANOS, kernel.fastNanos()));
    Division division = kernel.division();
    if (division != null && inside.isEmpty()) {
      runPieces(k, division, event);
    } else {
      memory.run(event, arguments -> body(k, inside, arguments));
    }
    for (int tensor : kernel.lifetimes().softEvicts()) {
      MemObject object = objects[tensor];
      if (object != null) {
        memory.softEvict(object);
      }
    }
    for (int tensor : kernel.lifetimes().retires()) {
      retire(tensor);
    }
  }

  /** Decides what a kernel finds and writes, or remembers it if the kernel runs again. */
  private void seed(int k) {
    if (!contents || step.again().get(k)) {
      return;
    }
    int own = step.kernels().get(k);
    TaskGraph.Kernel kernel = graph.kernels().get(own);
    for (int tensor : kernel.lifetimes().creates()) {
      if (!kernel.writes().contains(tensor)) {
        seeds[tensor] = ++writes;
      }
    }
    before[own] = seedsOf(kernel);
    for (int tensor : kernel.writes()) {
      seeds[tensor] = ++writes;
    }
    after[own] = seedsOf(kernel);
  }

  private int[] seedsOf(TaskGraph.Kernel kernel) {
    return kernel.arguments().stream().mapToInt(tensor -> seeds[tensor]).toArray();
  }

  private void runPieces(int k, Division division, KernelEvent event) throws InterruptedException {
    TaskGraph.Kernel kernel = step.graph().kernels().get(k);
    int own = step.kernels().get(k);
    List<Integer> used = kernel.arguments();
    List<MemObject> arguments = used.stream().map(this::object).toList();
    List<Piece.Use> uses = used.stream().map(tensor -> use(kernel, tensor)).toList();
    List<Piece> pieces =
        division.cut(memory.piecesOf(division.bytes())).stream()
            .map(cut -> cut.piece(arguments, uses))
            .toList();
    memory.runPieces(
        event,
        pieces,
        (number, places, where) -> {
          for (int i = 0; contents && i < places.size(); i++) {
            Piece.Range range = pieces.get(number).ranges().get(i);
            int argument = arguments.indexOf(range.object());
            int tensor = used.get(argument);
            ByteBuffer bytes =
                where
                    .bytes(places.get(i).holder())
                    .slice((int) places.get(i).offset(), (int) range.bytes());
            if (kernel.reads().contains(tensor)) {
              check(kernel, tensor, bytes, range.offset() * FACTOR + before[own][argument]);
            }
            if (kernel.writes().contains(tensor)) {
              fill(bytes, range.offset() * FACTOR + after[own][argument]);
            }
          }
        });
  }

  private static Piece.Use use(TaskGraph.Kernel kernel, int tensor) {
    if (kernel.lifetimes().retires().contains(tensor)) {
      return Piece.Use.USES_UP;
    }
    return kernel.writes().contains(tensor) ? Piece.Use.CHANGES : Piece.Use.READS;
  }

  private List<MemObject> arguments(List<Integer> tensors, List<Integer> without) {
    return tensors.stream().filter(tensor -> !without.contains(tensor)).map(this::object).toList();
  }

  private MemObject object(int tensor) {
    MemObject object = objects[tensor];
    if (object == null) {
      throw new IllegalStateException(
          "tensor %s does not exist".formatted(step.graph().tensors().get(tensor).name()));
    }
    return object;
  }

  private AllocationRequest request(int tensor, int kernel) {
    TaskGraph.Tensor wanted = step.graph().tensors().get(tensor);
    return new AllocationRequest(wanted.bytes(), Hint.AUTO, kernel, wanted.name());
  }

  private void createKept(int tensor) throws InterruptedException {
    memory.run(
        new KernelEvent(
            0,
            "load " + graph.tensors().get(tensor).name(),
            List.of(),
            List.of(),
            UNRECORDED_NANOS),
        arguments -> {
          objects[tensor] = arguments.create(request(tensor, 0));
          if (contents) {
            seeds[tensor] = ++writes;
            fill(arguments.bytes(object(tensor)), seeds[tensor]);
          }
        });
  }

  private void createOutside(int tensor, int kernel) throws InterruptedException {
    MemObject made = memory.create(request(tensor, kernel));
    objects[tensor] = made;
    // Without contents as well: an object that was written has to be copied when it leaves.
    try (WriteLease lease =
        contents ? memory.memory().write(made) : memory.memory().writeAnywhere(made)) {
      if (contents) {
        fill(lease.bytes(), seeds[step.tensors().get(tensor)]);
      }
    }
  }

  private void body(int k, List<Integer> inside, KernelArguments arguments)
      throws InterruptedException {
    for (int tensor : inside) {
      objects[tensor] = arguments.create(request(tensor, k));
    }
    if (!contents) {
      return;
    }
    TaskGraph.Kernel kernel = step.graph().kernels().get(k);
    int own = step.kernels().get(k);
    List<Integer> used = kernel.arguments();
    for (int i = 0; i < used.size(); i++) {
      int tensor = used.get(i);
      ByteBuffer bytes = arguments.bytes(object(tensor));
      if (kernel.reads().contains(tensor) && !inside.contains(tensor)) {
        check(kernel, tensor, bytes, before[own][i]);
      }
      if (kernel.writes().contains(tensor)) {
        fill(bytes, after[own][i]);
      }
    }
  }

  private static void fill(ByteBuffer bytes, long seed) {
    for (int i = 0; i < bytes.capacity(); i++) {
      bytes.put(i, (byte) (FACTOR * i + seed));
    }
  }

  private void check(TaskGraph.Kernel kernel, int tensor, ByteBuffer bytes, long seed) {
    for (int i = 0; i < bytes.capacity(); i++) {
      if (bytes.get(i) != (byte) (FACTOR * i + seed)) {
        throw new IllegalStateException(
            "kernel %s: byte %d of tensor %s is not the one that was written"
                .formatted(kernel.name(), i, step.graph().tensors().get(tensor).name()));
      }
    }
  }

  private void retire(int tensor) throws InterruptedException {
    MemObject object = objects[tensor];
    objects[tensor] = null;
    if (object != null) {
      memory.retire(object);
    }
  }

  /** Retires all objects of the replay. */
  @Override
  public void close() throws InterruptedException {
    for (int tensor = 0; tensor < objects.length; tensor++) {
      retire(tensor);
    }
  }
}
