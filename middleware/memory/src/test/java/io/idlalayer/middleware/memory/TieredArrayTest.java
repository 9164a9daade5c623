package io.idlalayer.middleware.memory;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TieredArrayTest {
  private final TieredMemory memory = Tiers.of(200, 1000);

  @AfterEach
  void theBooksHold() {
    assertThat(memory.verify(true)).isEqualTo(new VerifyReport(java.util.List.of(), 0, 0));
    memory.close();
  }

  private TieredArray array(ElementType type, int length) {
    long bytes = (long) length * type.bytes();
    return new TieredArray(memory, Tiers.make(memory, FAST, bytes), type);
  }

  @Test
  void elementsKeepTheirValues_whereverTheyAre() throws InterruptedException {
    TieredArray bytes = array(ElementType.BYTE, 3);
    TieredArray floats = array(ElementType.FLOAT, 3);
    TieredArray longs = array(ElementType.LONG, 3);
    try (var b = bytes.writable();
        var f = floats.writable();
        var l = longs.writable()) {
      for (int i = 0; i < 3; i++) {
        b.set(i, (byte) -i);
        f.set(i, 0.5f - i);
        l.set(i, Long.MIN_VALUE + i);
      }
      assertThat(f.floatAt(2)).isEqualTo(-1.5f);
    }
    for (TieredArray array : new TieredArray[] {bytes, floats, longs}) {
      assertThat(Tiers.demote(memory, array.object())).isTrue();
      assertThat(array.object().in(SLOW)).isTrue();
      assertThat(array.length()).isEqualTo(3);
    }
    try (var b = bytes.readable();
        var f = floats.readable();
        var l = longs.readable()) {
      for (int i = 0; i < 3; i++) {
        assertThat(b.byteAt(i)).isEqualTo((byte) -i);
        assertThat(f.floatAt(i)).isEqualTo(0.5f - i);
        assertThat(l.longAt(i)).isEqualTo(Long.MIN_VALUE + i);
      }
    }
    assertThat(bytes.retire() && floats.retire() && longs.retire()).isTrue();
  }

  @Test
  void outsideOfALease_elementsAreStale() throws InterruptedException {
    TieredArray array = array(ElementType.FLOAT, 4);
    TieredArray.ReadWrite writing = array.writable();
    assertThat(array.object().access()).isEqualTo(ObjectAccess.READ_WRITE);
    writing.set(1, 2f);
    writing.close();
    writing.close();
    assertThat(array.object().access()).isEqualTo(ObjectAccess.NOT_BUSY);
    assertThatThrownBy(() -> writing.set(1, 3f)).isInstanceOf(StaleRegionException.class);
    assertThatThrownBy(() -> writing.floatAt(1)).isInstanceOf(StaleRegionException.class);
    TieredArray.ReadOnly reading = array.readable();
    assertThat(array.object().access()).isEqualTo(ObjectAccess.READ_ONLY);
    assertThat(reading.floatAt(1)).isEqualTo(2f);
    reading.close();
    assertThatThrownBy(() -> reading.floatAt(1))
        .isInstanceOf(StaleRegionException.class)
        .hasMessageContaining("outside its lease");
    array.retire();
    assertThatThrownBy(array::readable).isInstanceOf(RetiredObjectException.class);
    assertThatThrownBy(array::writable).isInstanceOf(RetiredObjectException.class);
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void wrongTypesAndIndexes_areRefused(ElementType type) throws InterruptedException {
    TieredArray array = array(type, 2);
    try (var writing = array.writable()) {
      for (int index : new int[] {-1, 2, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
        Class<? extends RuntimeException> bounds = IndexOutOfBoundsException.class;
        Class<? extends RuntimeException> kind = IllegalArgumentException.class;
        assertThatThrownBy(() -> writing.byteAt(index))
            .isInstanceOf(type == ElementType.BYTE ? bounds : kind);
        assertThatThrownBy(() -> writing.floatAt(index))
            .isInstanceOf(type == ElementType.FLOAT ? bounds : kind);
        assertThatThrownBy(() -> writing.longAt(index))
            .isInstanceOf(type == ElementType.LONG ? bounds : kind);
        assertThatThrownBy(() -> writing.set(index, (byte) 1))
            .isInstanceOf(type == ElementType.BYTE ? bounds : kind);
        assertThatThrownBy(() -> writing.set(index, 1f))
            .isInstanceOf(type == ElementType.FLOAT ? bounds : kind);
        assertThatThrownBy(() -> writing.set(index, 1L))
            .isInstanceOf(type == ElementType.LONG ? bounds : kind);
      }
    }
    assertThat(array.type()).isEqualTo(type);
    array.retire();
  }

  @Test
  void bytesThatAreNoWholeElements_areNoArray() throws InterruptedException {
    MemObject object = Tiers.make(memory, FAST, 10);
    assertThatThrownBy(() -> new TieredArray(memory, object, ElementType.LONG))
        .hasMessageContaining("no multiple of 8");
    memory.retire(object);
  }

  @Test
  void itsOwner_retiresIt() throws InterruptedException {
    AtomicInteger asked = new AtomicInteger();
    TieredArray array =
        new TieredArray(
            memory,
            Tiers.make(memory, FAST, 8),
            ElementType.LONG,
            object -> {
              asked.incrementAndGet();
              return memory.retire(object);
            });
    assertThat(array.retire()).isTrue();
    assertThat(array.retire()).isFalse();
    assertThat(asked).hasValue(2);
  }
}
