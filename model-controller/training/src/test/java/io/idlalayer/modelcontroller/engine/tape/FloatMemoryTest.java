package io.idlalayer.modelcontroller.engine.tape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FloatMemoryTest {
  @Tag("natives")
  @Test
  void create_moreThanTheHeap_isNotCountedByJavaCpp() {
    long live = FloatMemory.liveBytes();
    long counted = Pointer.totalBytes();
    long floats = Pointer.maxBytes() / Float.BYTES + 1;
    // Nothing touches it, so the machine need not have it.
    try (FloatMemory memory = new FloatMemory(floats)) {
      assertThat(memory.floats()).isEqualTo(floats);
      assertThat(FloatMemory.liveBytes() - live).isGreaterThan(Pointer.maxBytes());
      assertThat(Pointer.totalBytes()).isEqualTo(counted);
    }
    assertThat(FloatMemory.liveBytes()).isEqualTo(live);
  }

  @Test
  void create_moreThanThereIs_saysWhatToDo() {
    long live = FloatMemory.liveBytes();
    assertThatThrownBy(() -> new FloatMemory(1L << 60))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessageContaining("bytes for tensors")
        .hasMessageContaining("training.mini-batch");
    assertThat(FloatMemory.liveBytes()).isEqualTo(live);
  }

  @Tag("natives")
  @Test
  void part_isZeroAndAligned() {
    try (FloatMemory memory = new FloatMemory(1_000)) {
      Floats part = memory.part(16, 984);
      assertThat(part.toArray()).hasSize(984).containsOnly(0f);
      assertThat(part.pointer().address() % 64).isZero();
    }
  }
}
