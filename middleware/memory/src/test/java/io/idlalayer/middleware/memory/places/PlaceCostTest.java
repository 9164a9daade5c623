package io.idlalayer.middleware.memory.places;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.memory.device.ArenaPlaces;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Costs of places; the numbers of the first test are worked examples of the source. */
class PlaceCostTest {
  private static final DeviceSpeed SOCKET = DeviceSpeed.symmetric(17e9, 150);
  private static final DeviceSpeed LOCAL_NVM = DeviceSpeed.symmetric(9e9, 270);
  private static final DeviceSpeed GIGABIT = DeviceSpeed.symmetric(0.117e9, 100_000);

  private static final long BYTES = 1_000_000;

  @Test
  void aMegabyte_costsLatencyAndBytesByBandwidth() {
    assertThat(new PlaceCost(SOCKET).nanos(BYTES, false)).isCloseTo(59_000, within(50L));
    assertThat(new PlaceCost(LOCAL_NVM).nanos(BYTES, false)).isCloseTo(111_400, within(50L));
    assertThat(new PlaceCost(GIGABIT).nanos(BYTES, false)).isCloseTo(8_647_000, within(1_000L));
  }

  private static Place place(DeviceSpeed speed, boolean[] usable) {
    DeviceSpec spec = new DeviceSpec("place", DeviceKind.SLOW, 4096, speed);
    return new Place(new DirectArena(spec), true, new PlaceCost(speed), () -> usable[0]);
  }

  @Test
  void order_followsFromCosts_remoteFirstOnASocketAndLocalFirstOnAGigabit() {
    boolean[] usable = {true};
    assertThat(new CombinedArena(List.of(place(LOCAL_NVM, usable), place(SOCKET, usable))).byCost())
        .containsExactly(1, 0);
    assertThat(
            new CombinedArena(List.of(place(LOCAL_NVM, usable), place(GIGABIT, usable))).byCost())
        .containsExactly(0, 1);
  }

  @Test
  void order_withLentPlacesFirst_isBySideAndThenByCost() {
    boolean[] usable = {true};
    Place slow = place(GIGABIT, usable);
    CombinedArena arena =
        new CombinedArena(
            List.of(
                place(LOCAL_NVM, usable),
                new Place(slow.arena(), false, slow.cost(), slow.usable()),
                new Place(slow.arena(), false, new PlaceCost(SOCKET), slow.usable())),
            PlaceOrder.LENT_FIRST);
    assertThat(arena.byCost()).containsExactly(2, 1, 0);
    assertThat(arena.byCost()).as("nothing leads").containsExactly(2, 1, 0);
  }

  @Test
  void order_withAPlaceThatIsNotUsable_leavesItOut() {
    boolean[] lent = {true};
    CombinedArena arena =
        new CombinedArena(List.of(place(LOCAL_NVM, new boolean[] {true}), place(SOCKET, lent)));
    ArenaPlaces places = arena.places();
    assertThat(places.byCost()).containsExactly(1, 0);
    lent[0] = false;
    assertThat(places.byCost()).containsExactly(0);
    lent[0] = true;
    assertThat(places.byCost()).containsExactly(1, 0);
  }

  @Test
  void order_changes_whenMeasuredCopiesSayThatAPlaceIsSlower() {
    boolean[] usable = {true};
    CombinedArena arena =
        new CombinedArena(List.of(place(LOCAL_NVM, usable), place(SOCKET, usable)));
    assertThat(arena.byCost()).containsExactly(1, 0);
    for (int i = 0; i < 100; i++) {
      arena.transferred(4096, BYTES, true, 8_647_000);
      arena.transferred(4096, BYTES, false, 8_647_000);
    }
    assertThat(arena.byCost()).containsExactly(0, 1);
  }

  @Test
  void order_ofNearlyEqualPlaces_staysAsItIs() {
    boolean[] usable = {true};
    CombinedArena arena =
        new CombinedArena(
            List.of(place(LOCAL_NVM, usable), place(LOCAL_NVM.slowedBy(0.95, 0.95), usable)));
    for (int i = 0; i < 3; i++) {
      assertThat(arena.byCost()).as("the first place leads").containsExactly(0, 1);
    }
    arena =
        new CombinedArena(
            List.of(place(LOCAL_NVM, usable), place(LOCAL_NVM.slowedBy(0.85, 0.85), usable)));
    assertThat(arena.byCost()).containsExactly(1, 0);
  }

  @Test
  void offsets_beyondTheFirstPlace_reachTheSecond() {
    boolean[] usable = {true};
    Place first = place(LOCAL_NVM, usable);
    Place second = place(SOCKET, usable);
    CombinedArena arena = new CombinedArena(List.of(first, second));
    assertThat(arena.capacityBytes()).isEqualTo(8192);
    assertThat(arena.pieceEnd(0)).isEqualTo(4096);
    assertThat(arena.pieceEnd(4096)).isEqualTo(8192);
    arena.view(4096 + 8, 4).putInt(0, 42);
    assertThat(second.arena().view(8, 4).getInt()).isEqualTo(42);
    assertThat(arena.places().at(4095)).isZero();
    assertThat(arena.places().at(4096)).isEqualTo(1);
    arena.close();
  }
}
