package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MeasuredDevicesTest {
  private static final long BYTES = 1 << 20;

  @TempDir Path folder;

  /** The slow device as it is believed to be. */
  private static DeviceSpeed slow(PlacedMemory placed) {
    TieredMemory memory = placed.memory();
    return memory.speed(memory.first(DeviceKind.SLOW), memory.first(DeviceKind.FAST));
  }

  private static DeviceSpeed specified(PlacedMemory placed) {
    DeviceId slow = placed.memory().first(DeviceKind.SLOW);
    return placed.memory().spec(slow).speed();
  }

  /** Objects, of which one fits: each new one drives out the last one, by a copy. */
  private static void copyOut(PlacedMemory placed) throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      MemObject made = placed.create(new AllocationRequest(BYTES, Hint.AUTO, 0, ""));
      placed.run(
          new KernelEvent(i, "fill", List.of(), List.of(made)),
          arguments -> arguments.bytes(made).put(0, (byte) 1));
    }
  }

  @Test
  void open_again_keepsWhatCopiesHaveShownOfTheSpeeds() throws Exception {
    TensorSettings settings =
        new TensorSettings(BYTES, folder, 4 * BYTES, PlacementName.CACHED_ARRAYS);
    try (TensorDevices devices = settings.devices()) {
      DeviceSpeed found;
      try (PlacedMemory first = devices.open()) {
        assertThat(slow(first)).isEqualTo(specified(first));
        copyOut(first);
        found = slow(first);
        assertThat(found).isNotEqualTo(specified(first));
      }
      try (PlacedMemory second = devices.open()) {
        assertThat(slow(second)).isEqualTo(found);
      }
    }
  }

  private static LenderAddress address(MemoryLender lender) {
    return new LenderAddress("127.0.0.1", lender.address().getPort());
  }

  private static MemoryLender lender(Secret secret) throws IOException {
    return MemoryLender.start(
        LenderSettings.of(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), secret, null, 16 << 20));
  }

  @Test
  void open_withLendersThereOrNot_worksAndGivesLoansBack() throws Exception {
    Secret secret = new Secret("a secret of this test");
    try (MemoryLender lender = lender(secret)) {
      LenderAddress absent;
      try (MemoryLender closed = lender(secret)) {
        absent = address(closed);
      }
      TensorLoans loans =
          TensorLoans.named(
              4 * BYTES, List.of(address(lender), absent), secret, null, PlaceOrder.LENT_FIRST);
      TensorSettings settings =
          new TensorSettings(
              BYTES, folder, 4 * BYTES, PlacementName.CACHED_ARRAYS, FileAccess.MAPPED, loans);
      try (TensorDevices devices = settings.devices();
          PlacedMemory placed = devices.open()) {
        DeviceId slow = placed.memory().first(DeviceKind.SLOW);
        assertThat(placed.memory().spec(slow).capacityBytes()).isEqualTo(8 * BYTES);
        copyOut(placed);
        assertThat(placed.memory().verify(true).problems()).isEmpty();
      }
      await().atMost(Duration.ofMinutes(1)).until(() -> lender.use().loans() == 0);
    }
  }

  @Test
  void open_withoutTheTrustStore_worksWithoutLoans() throws Exception {
    TensorLoans loans =
        TensorLoans.named(
            4 * BYTES,
            List.of(new LenderAddress("localhost", 1)),
            new Secret("a secret of this test"),
            Map.of("ssl.truststore.location", folder.resolve("absent.p12").toString()),
            PlaceOrder.COST);
    TensorSettings settings =
        new TensorSettings(
            BYTES, folder, 4 * BYTES, PlacementName.CACHED_ARRAYS, FileAccess.MAPPED, loans);
    try (TensorDevices devices = settings.devices();
        PlacedMemory placed = devices.open()) {
      DeviceId slow = placed.memory().first(DeviceKind.SLOW);
      assertThat(placed.memory().spec(slow).capacityBytes()).isEqualTo(4 * BYTES);
      copyOut(placed);
    }
  }

  @Test
  void part_ofSettingsWithLoans_hasAPartOfThem() {
    Secret secret = new Secret("a secret of this test");
    TensorLoans loans =
        TensorLoans.named(
            4 * BYTES, List.of(new LenderAddress("localhost", 1)), secret, null, PlaceOrder.COST);
    TensorSettings settings =
        new TensorSettings(
            BYTES, folder, 4 * BYTES, PlacementName.CACHED_ARRAYS, FileAccess.MAPPED, loans);
    assertThat(settings.part(2, 64).loans())
        .isEqualTo(
            TensorLoans.named(2 * BYTES, loans.lenders().lenders(), secret, null, PlaceOrder.COST));
    assertThat(settings.part(4096, 64).loans()).as("less than a block").isNull();
    assertThat(settings.toString()).doesNotContain("a secret of this test");
  }
}
