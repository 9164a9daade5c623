package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.TieredMemoryException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.ReadLease;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.engine.FastStep;
import io.idlalayer.middleware.placement.engine.KernelArguments;
import io.idlalayer.middleware.placement.engine.PieceKernel;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.RunningKernel;
import io.idlalayer.modelcontroller.engine.tape.DivisibleKernel;
import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * A tensor memory on a fast and a slow device, between which a placement policy moves the tensors.
 * A passing tensor lives from the first step that uses it to the last step that uses it. Several
 * networks of one thread can share the placed memory. Its owner closes the placed memory after the
 * networks.
 *
 * <p>Source: the kernel annotations of CachedArrays (Hildebrand 2022, chapter 4). In CachedArrays
 * programmers write these annotations by hand. Here a tape contains them: what a kernel reads and
 * writes, which tensors are not used until a later phase, and which tensors are no longer needed.
 */
public final class PlacedTensors implements TensorMemory {
  private static final KernelSite.Phase OUTSIDE = KernelSite.Phase.OTHER;
  private static final KernelSite STEP = new KernelSite(0, "step", OUTSIDE, KernelSite.NO_LAYER);

  /** Numbers that are read at a time, so that a large tensor takes no further heap. */
  private static final int READ_FLOATS = 1 << 16;

  private final PlacedMemory memory;
  private final String prefix;
  private final Map<Tensor, Held> lasting = new LinkedHashMap<>();
  private final Map<Tensor, Held> passing = new LinkedHashMap<>();

  private final Map<Tensor, Places> places = new WeakHashMap<>();

  private final Map<Tape, Known> tapes = new RecentTapes();

  /**
   * The stored facts about a tape.
   *
   * @param read lasting tensors that the steps only read
   * @param written lasting tensors that the steps write
   * @param block places of the passing tensors if they share one block
   */
  private record Known(TapeGraph graph, List<Tensor> read, List<Tensor> written, Places block) {}

  /** For each tape, the step that it ran last. The step rarely changes. */
  private final Map<Tape, Ran> steps = new WeakHashMap<>();

  private record Ran(RecomputedStep step, TapeRun run) {}

  /**
   * The tapes that were run last. The number of entries is about the number of tapes of a network.
   */
  private static final class RecentTapes extends LinkedHashMap<Tape, Known> {
    private static final long serialVersionUID = 1L;
    private static final int MOST = 32;

    RecentTapes() {
      super(MOST, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Tape, Known> eldest) {
      return size() > MOST;
    }
  }

  /** The object of a tensor in the placed memory. */
  private record Held(MemObject object, Places places) {
    Floats floats(KernelArguments arguments, boolean writes) {
      // The view is created in any case, because this call fails if the memory belongs to another
      // tenant by now.
      ByteBuffer bytes = arguments.bytes(object);
      return places.at(arguments.region(object), bytes, writes);
    }

    Floats floats(FastStep step, boolean writes) {
      return places.at(step.region(object), step.bytes(object), writes);
    }
  }

  /**
   * @param prefix prefix of the names of the network's tensors, different for each network of a
   *     memory
   */
  public PlacedTensors(PlacedMemory memory, String prefix) {
    this.memory = memory;
    this.prefix = prefix;
  }

  @Override
  public void store(Tensor tensor, float[] values, int from) throws InterruptedException {
    String name = TapeGraph.fillName(tensor);
    KernelSite site = new KernelSite(0, name, OUTSIDE, KernelSite.NO_LAYER);
    Input input = new Input(tensor, values, from, tensor.length());
    fill(site, input, prefix + tensor.name(), lasting);
  }

  /** Runs a kernel that creates the object of a tensor and writes the numbers of the input. */
  private void fill(KernelSite site, Input input, String name, Map<Tensor, Held> into)
      throws InterruptedException {
    Tensor tensor = input.tensor();
    try (RunningKernel running = memory.start(new KernelEvent(site, List.of(), List.of()))) {
      create(running, site, tensor, name, into);
      tensor.floats().put(0, input.values(), input.from(), input.count());
      running.finish();
    }
  }

  private void create(
      RunningKernel running, KernelSite site, Tensor tensor, String name, Map<Tensor, Held> into)
      throws InterruptedException {
    AllocationRequest request =
        new AllocationRequest(tensor.bytes(), Hint.AUTO, site.index(), name);
    Places known = places.computeIfAbsent(tensor, any -> new Places());
    Held held = new Held(running.arguments().create(request), known);
    into.put(tensor, held);
    tensor.place(held.floats(running.arguments(), true));
  }

  @Override
  public void read(Output wanted) throws InterruptedException {
    Held held = held(wanted.tensor());
    int each = Math.min(wanted.count(), READ_FLOATS);
    ByteBuffer part = ByteBuffer.allocate(each * Float.BYTES).order(ByteOrder.nativeOrder());
    try (ReadLease lease = memory.memory().readAnywhere(held.object())) {
      for (int at = 0; at < wanted.count(); at += each) {
        int count = Math.min(each, wanted.count() - at);
        lease.copy((long) at * Float.BYTES, part.clear().limit(count * Float.BYTES));
        part.flip().asFloatBuffer().get(wanted.into(), wanted.to() + at, count);
      }
    }
  }

  private Held held(Tensor tensor) {
    Held held = lasting.get(tensor);
    held = held == null ? passing.get(tensor) : held;
    if (held == null) {
      throw new IllegalStateException(tensor + " is not in this memory");
    }
    return held;
  }

  @Override
  public void run(Tape tape, List<Input> inputs, List<Output> outputs) throws InterruptedException {
    Known known = tapes.get(tape);
    if (known == null) {
      known = known(tape, inputs);
      tapes.put(tape, known);
    }
    RecomputedStep step = memory.beginStep(known.graph().graph());
    TapeRun run = run(tape, known, step);
    if (step.recomputes() || !runFast(tape, known, run, inputs, outputs)) {
      runPlaced(known.graph(), run, inputs, outputs);
    }
  }

  /** Returns the kernels of a step. The placed memory returns the same object for equal steps. */
  @SuppressWarnings("ReferenceEquality")
  private TapeRun run(Tape tape, Known known, RecomputedStep step) {
    Ran last = steps.get(tape);
    if (last == null || last.step() != step) {
      last = new Ran(step, known.graph().run(step));
      steps.put(tape, last);
    }
    return last.run();
  }

  private Known known(Tape tape, List<Input> inputs) {
    List<Tensor> filled = inputs.stream().map(Input::tensor).toList();
    Set<Tensor> written = new LinkedHashSet<>();
    Set<Tensor> read = new LinkedHashSet<>();
    for (TapeStep step : tape.steps()) {
      written.addAll(step.writes());
      read.addAll(step.reads());
    }
    read.removeAll(written);
    written.retainAll(lasting.keySet());
    read.retainAll(lasting.keySet());
    return new Known(
        TapeGraph.of(tape, lasting.keySet(), filled, prefix),
        List.copyOf(read),
        List.copyOf(written),
        new Places());
  }

  /**
   * Runs a tape as a whole, if all of its tensors are on the fast device and stay there. Returns
   * false if nothing ran.
   */
  private boolean runFast(
      Tape tape, Known known, TapeRun run, List<Input> inputs, List<Output> outputs)
      throws InterruptedException {
    KernelEvent whole = new KernelEvent(STEP, objects(known.read()), objects(known.written()));
    try (FastStep step = memory.startFast(whole, tape.passingFloats() * Float.BYTES)) {
      if (step == null) {
        return false;
      }
      MemObject block = step.block();
      tape.place(known.block().at(step.region(block), step.bytes(block), true));
      known.read().forEach(tensor -> tensor.place(held(tensor).floats(step, false)));
      known.written().forEach(tensor -> tensor.place(held(tensor).floats(step, true)));
      for (Input input : inputs) {
        input.tensor().floats().put(0, input.values(), input.from(), input.count());
      }
      tape.run();
      for (Output output : outputs) {
        output.tensor().floats().get(0, output.into(), output.to(), output.count());
      }
      step.finish(known.graph().graph().kernels().size(), run.arguments());
    }
    memory.endOfStep();
    return true;
  }

  private void runPlaced(TapeGraph graph, TapeRun run, List<Input> inputs, List<Output> outputs)
      throws InterruptedException {
    try {
      int index = 0;
      for (Input input : inputs) {
        fill(run.site(index++), input, graph.name(input.tensor()), passing);
      }
      for (TapeRun.Use use : run.uses()) {
        KernelSite site = run.site(index++);
        if (use.step().kernel() instanceof DivisibleKernel divisible) {
          runPieces(use, site, divisible);
        } else {
          run(use, site);
        }
        end(use, outputs);
      }
      memory.endOfStep();
    } finally {
      retireAll(passing);
    }
  }

  private void run(TapeRun.Use use, KernelSite site) throws InterruptedException {
    KernelEvent event =
        new KernelEvent(site, objects(use.reads()), objects(use.writes())).named(use.names());
    try (RunningKernel running = memory.start(event)) {
      List<Tensor> created = use.lifetimes().creates();
      for (int i = 0; i < created.size(); i++) {
        create(running, site, created.get(i), use.created().get(i), passing);
      }
      for (Tensor tensor : use.writes()) {
        tensor.place(held(tensor).floats(running.arguments(), true));
      }
      for (Tensor tensor : use.onlyReads()) {
        tensor.place(held(tensor).floats(running.arguments(), false));
      }
      use.step().kernel().run();
      running.finish();
    }
  }

  /**
   * Runs a kernel piece by piece, if the policy moves the slow arguments through the fast device
   * piece by piece.
   */
  private void runPieces(TapeRun.Use run, KernelSite site, DivisibleKernel kernel)
      throws InterruptedException {
    TapeStep step = run.step();
    Division division = TapeGraph.division(kernel);
    List<MemObject> operands = objects(kernel.operands());
    List<Piece.Use> uses =
        kernel.operands().stream().map(it -> use(it, step, run.lifetimes())).toList();
    List<Division.Cut> cuts = division.cut(memory.piecesOf(division.bytes()));
    List<Piece> pieces = cuts.stream().map(cut -> cut.piece(operands, uses)).toList();
    KernelEvent event = new KernelEvent(site, operands, objects(step.writes())).named(run.names());
    memory.runPieces(
        event,
        pieces,
        (piece, places, arguments) -> {
          int length = Math.toIntExact(cuts.get(piece).elements());
          List<Floats> parts = new ArrayList<>(places.size());
          for (PieceKernel.Place place : places) {
            ByteBuffer bytes = arguments.bytes(place.holder());
            int at = Math.toIntExact(place.offset());
            parts.add(Floats.of(bytes.slice(at, length * Float.BYTES)));
          }
          kernel.run(parts);
        });
  }

  private static Piece.Use use(Tensor tensor, TapeStep step, Tape.Lifetimes lifetimes) {
    if (step.writes().contains(tensor)) {
      return Piece.Use.CHANGES;
    }
    return lifetimes.ends().contains(tensor) ? Piece.Use.USES_UP : Piece.Use.READS;
  }

  private List<MemObject> objects(Collection<Tensor> tensors) {
    List<MemObject> objects = new ArrayList<>(tensors.size());
    for (Tensor tensor : tensors) {
      objects.add(held(tensor).object());
    }
    return objects;
  }

  private void end(TapeRun.Use use, List<Output> outputs) throws InterruptedException {
    for (Tensor tensor : use.lifetimes().rests()) {
      memory.softEvict(held(tensor).object());
    }
    for (Tensor tensor : use.lifetimes().ends()) {
      for (Output output : outputs) {
        if (output.tensor() == tensor && use.results().contains(tensor)) {
          read(output);
        }
      }
      memory.retire(held(tensor).object());
      passing.remove(tensor);
    }
  }

  /**
   * Removes all tensors from the memory, even if some removals fail; an interrupt stays pending.
   *
   * @throws TieredMemoryException the first failure, after all tensors were retired
   */
  private void retireAll(Map<Tensor, Held> tensors) {
    boolean interrupted = Thread.interrupted();
    TieredMemoryException first = null;
    for (Held held : tensors.values()) {
      try {
        interrupted |= retired(held);
      } catch (TieredMemoryException failed) {
        if (first == null) {
          first = failed;
        } else {
          first.addSuppressed(failed);
        }
      }
    }
    tensors.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (first != null) {
      throw first;
    }
  }

  /** Removes a tensor from the memory; returns whether the thread was interrupted meanwhile. */
  private boolean retired(Held held) {
    boolean interrupted = false;
    while (true) {
      try {
        memory.retire(held.object());
        return interrupted;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
  }

  @Override
  public void close() {
    tapes.clear();
    steps.clear();
    try {
      retireAll(passing);
    } finally {
      retireAll(lasting);
    }
  }
}
