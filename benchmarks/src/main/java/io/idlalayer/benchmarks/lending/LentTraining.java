package io.idlalayer.benchmarks.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.borrower.LoanTotals;
import io.idlalayer.middleware.lending.borrower.LoanUse;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.memory.LentPlaces;
import io.idlalayer.modelcontroller.engine.memory.PlacedTensors;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorLoans;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * Trains a dense network with the devices that the product makes of its settings: a part of the
 * tensors in DRAM, the rest in a file or a loan, as the measured costs decide.
 */
final class LentTraining {
  private static final int WIDTH = 512;
  private static final int LAYERS = 8;
  private static final int ROWS = 64;
  private static final int SEED = 7;
  private static final long FAST_BYTES = 4L << 20;
  private static final long SLOW_BYTES = 128L << 20;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Path directory;
  private final int steps;

  /**
   * What a training has done.
   *
   * @param borrowedBytes bytes of the loan after the training
   * @param copiedBytes bytes that were copied to and from the loan
   * @param localNanos time of writing and reading a MiB on the local device after the probe
   * @param lentNanos the same in the memory of the lender
   * @param stepMillis mean duration of a step, in milliseconds
   * @param digest SHA-256 of the trained network
   */
  record Trained(
      long borrowedBytes,
      long copiedBytes,
      long localNanos,
      long lentNanos,
      double stepMillis,
      String digest) {}

  /**
   * @param directory folder of the file with slow tensors
   */
  LentTraining(Path directory, int steps) {
    this.directory = directory;
    this.steps = steps;
  }

  private static ModelSpec spec() {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", WIDTH, 1)),
            List.of(),
            new SampleSchema.Label(
                "y",
                SampleSchema.Task.CLASSIFICATION,
                IntStream.range(0, 2).mapToObj(Integer::toString).toList()),
            null);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Mlp(Collections.nCopies(LAYERS, WIDTH)),
        new ModelSpec.Fit(ROWS, 1, ModelSpec.Updater.ADAM, 0.001, 0),
        false);
  }

  private TensorSettings settings(@Nullable LenderAddress lender) {
    TensorLoans loans =
        lender == null
            ? null
            : TensorLoans.named(
                SLOW_BYTES, List.of(lender), LoanPeer.SECRET, null, PlaceOrder.COST);
    return new TensorSettings(
        FAST_BYTES, directory, SLOW_BYTES, PlacementName.CACHED_ARRAYS, FileAccess.MAPPED, loans);
  }

  /** Waits until the lender was probed, and its loan is kept or returned. */
  private static LentPlaces probed(TensorDevices devices) {
    while (true) {
      LentPlaces lent = devices.lent();
      if (lent == null) {
        return new LentPlaces(0, List.of(), LoanTotals.NONE);
      }
      for (LoanUse use : lent.lenders()) {
        boolean kept = use.bytes() > 0;
        boolean cheaper = use.roundTripNanos() < lent.localNanos();
        if (use.roundTripNanos() > 0 && kept == cheaper) {
          return lent;
        }
      }
      LockSupport.parkNanos(NANOS_PER_MILLI);
    }
  }

  /**
   * Trains beside a lender.
   *
   * @param address where the lender is reached; null to train without loans
   */
  Trained run(@Nullable LenderAddress address) throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(SEED);
    float[] features = new float[ROWS * WIDTH];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextGaussian();
    }
    float[] labels = new float[ROWS * 2];
    for (int row = 0; row < ROWS; row++) {
      labels[2 * row + row % 2] = 1;
    }
    try (TensorDevices devices = settings(address).devices();
        PlacedMemory memory = devices.open()) {
      LentPlaces before = probed(devices);
      EngineNetworks networks =
          new EngineNetworks(
              spec(), new OneDnnKernels(), () -> new PlacedTensors(memory, ""), new NetworkForms());
      try (EngineNetwork network = networks.create(SEED)) {
        long start = System.nanoTime();
        for (int step = 0; step < steps; step++) {
          network.fit(features, labels, ROWS, null, null, null);
        }
        double millis = (System.nanoTime() - start) / 1e6 / steps;
        LentPlaces after = devices.lent();
        List<LoanUse> lenders = after == null ? List.of() : after.lenders();
        return new Trained(
            lenders.stream().mapToLong(LoanUse::bytes).sum(),
            lenders.stream().mapToLong(LoanUse::copiedBytes).sum(),
            before.localNanos(),
            before.lenders().stream().mapToLong(LoanUse::roundTripNanos).sum(),
            millis,
            DigestUtils.sha256Hex(network.encode()));
      }
    }
  }
}
