package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.ReadLease;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.placement.AllocationRequest;
import io.idlalayer.middleware.placement.Division;
import io.idlalayer.middleware.placement.Hint;
import io.idlalayer.middleware.placement.KernelArguments;
import io.idlalayer.middleware.placement.KernelEvent;
import io.idlalayer.middleware.placement.Piece;
import io.idlalayer.middleware.placement.PieceKernel;
import io.idlalayer.middleware.placement.PlacedMemory;
import io.idlalayer.middleware.placement.RunningKernel;
import io.idlalayer.modelcontroller.engine.tape.DivisibleKernel;
import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Step;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Each tensor is an object of a placed memory: on the fast or on the slow device, where its policy
 * wants it. What passes lives from the first step that uses it to the last one. Several networks of
 * one thread may share the memory, whose owner closes it after them.
 *
 * <p>Source: the kernel annotations of CachedArrays (Hildebrand 2022, chapter 4). What programs say
 * there by hand, a tape knows: what a kernel reads and writes, what rests until a later phase, and
 * what is over.
 */
public final class PlacedTensors implements TensorMemory {
  private final PlacedMemory memory;
  private final Map<Tensor, Held> lasting = new LinkedHashMap<>();
  private final Map<Tensor, Held> passing = new LinkedHashMap<>();

  /** The object of a tensor, and its numbers where it lay when they were looked for last. */
  private static final class Held {
    final MemObject object;
    private @Nullable Region region;
    private boolean writable;
    private @Nullable Floats floats;

    Held(MemObject object) {
      this.object = object;
    }

    /** The same numbers as long as the object stays: kernels prepare for where they lie. */
    Floats floats(KernelArguments arguments, boolean writes) {
      Floats known = floats;
      Region now = arguments.region(object);
      if (known == null || now != region || (writes && !writable)) {
        known = Floats.of(arguments.bytes(object));
        region = now;
        writable = writes;
        floats = known;
      }
      return known;
    }
  }

  public PlacedTensors(PlacedMemory memory) {
    this.memory = memory;
  }

  /** The kernel that writes the first numbers of a tensor. */
  static String fillName(Tensor tensor) {
    return "fill " + tensor.name();
  }

  /** The kernel of a step. */
  static String stepName(Step step) {
    return "%s %s %s"
        .formatted(step.phase().name().toLowerCase(Locale.ROOT), step.layer(), step.name());
  }

  @Override
  public void store(Tensor tensor, float[] values, int from) throws InterruptedException {
    fill(0, tensor, lasting, values, from, tensor.length());
  }

  /** A kernel that makes a tensor and writes its first numbers. */
  private void fill(
      int index, Tensor tensor, Map<Tensor, Held> into, float[] values, int from, int count)
      throws InterruptedException {
    KernelEvent event = new KernelEvent(index, fillName(tensor), List.of(), List.of());
    try (RunningKernel running = memory.start(event)) {
      create(running, index, tensor, into);
      tensor.floats().put(0, values, from, count);
      running.finish();
    }
  }

  private void create(RunningKernel running, int index, Tensor tensor, Map<Tensor, Held> into)
      throws InterruptedException {
    AllocationRequest request = new AllocationRequest(tensor.bytes(), Hint.AUTO, index);
    Held held = new Held(running.arguments().create(request));
    into.put(tensor, held);
    tensor.place(held.floats(running.arguments(), true));
  }

  @Override
  public void read(Output wanted) throws InterruptedException {
    Held held = held(wanted.tensor());
    try (ReadLease lease = memory.memory().read(held.object)) {
      ByteBuffer bytes = lease.bytes();
      bytes.asFloatBuffer().get(wanted.into(), wanted.to(), wanted.count());
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
    try {
      int index = 0;
      for (Input input : inputs) {
        fill(index++, input.tensor(), passing, input.values(), input.from(), input.count());
      }
      for (int i = 0; i < tape.steps().size(); i++) {
        Step step = tape.steps().get(i);
        Tape.Lifetimes lifetimes = tape.lifetimes().get(i);
        if (step.kernel() instanceof DivisibleKernel divisible) {
          runPieces(index++, step, divisible, lifetimes);
        } else {
          run(index++, step, lifetimes);
        }
        end(lifetimes, outputs);
      }
      memory.endOfStep();
    } finally {
      retireAll(passing);
    }
  }

  private void run(int index, Step step, Tape.Lifetimes lifetimes) throws InterruptedException {
    Set<Tensor> created = Set.copyOf(lifetimes.creates());
    Set<Tensor> written = new LinkedHashSet<>(step.writes());
    written.removeAll(created);
    Set<Tensor> read = new LinkedHashSet<>(step.reads());
    KernelEvent event = new KernelEvent(index, stepName(step), objects(read), objects(written));
    try (RunningKernel running = memory.start(event)) {
      for (Tensor tensor : lifetimes.creates()) {
        create(running, index, tensor, passing);
      }
      for (Tensor tensor : written) {
        tensor.place(held(tensor).floats(running.arguments(), true));
      }
      for (Tensor tensor : read) {
        if (!written.contains(tensor)) {
          tensor.place(held(tensor).floats(running.arguments(), false));
        }
      }
      step.kernel().run();
      running.finish();
    }
  }

  /** Part by part, if the policy takes what is slow through the fast device that way. */
  private void runPieces(int index, Step step, DivisibleKernel kernel, Tape.Lifetimes lifetimes)
      throws InterruptedException {
    Division division = division(kernel);
    List<MemObject> operands = objects(kernel.operands());
    List<Piece.Use> uses = kernel.operands().stream().map(it -> use(it, step, lifetimes)).toList();
    List<Division.Cut> cuts = division.cut(memory.piecesOf(division.bytes()));
    List<Piece> pieces = cuts.stream().map(cut -> cut.piece(operands, uses)).toList();
    KernelEvent event = new KernelEvent(index, stepName(step), operands, objects(step.writes()));
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

  /** How a kernel is cut into pieces. */
  static Division division(DivisibleKernel kernel) {
    List<Integer> widths = Collections.nCopies(kernel.operands().size(), Float.BYTES);
    return new Division(List.of(new Division.Section(kernel.operands().get(0).length(), widths)));
  }

  private static Piece.Use use(Tensor tensor, Step step, Tape.Lifetimes lifetimes) {
    if (step.writes().contains(tensor)) {
      return Piece.Use.CHANGES;
    }
    return lifetimes.ends().contains(tensor) ? Piece.Use.USES_UP : Piece.Use.READS;
  }

  private List<MemObject> objects(Collection<Tensor> tensors) {
    List<MemObject> objects = new ArrayList<>(tensors.size());
    for (Tensor tensor : tensors) {
      objects.add(held(tensor).object);
    }
    return objects;
  }

  private void end(Tape.Lifetimes lifetimes, List<Output> outputs) throws InterruptedException {
    for (Tensor tensor : lifetimes.rests()) {
      memory.softEvict(held(tensor).object);
    }
    for (Tensor tensor : lifetimes.ends()) {
      for (Output output : outputs) {
        if (output.tensor() == tensor) {
          read(output);
        }
      }
      memory.retire(held(tensor).object);
      passing.remove(tensor);
    }
  }

  /** Whatever happens meanwhile; an interrupt stays pending. */
  private void retireAll(Map<Tensor, Held> tensors) {
    boolean interrupted = Thread.interrupted();
    for (Held held : tensors.values()) {
      interrupted |= retired(held);
    }
    tensors.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Says whether it was interrupted meanwhile. */
  private boolean retired(Held held) {
    boolean interrupted = false;
    while (true) {
      try {
        memory.retire(held.object);
        return interrupted;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
  }

  @Override
  public void close() {
    retireAll(passing);
    retireAll(lasting);
  }
}
