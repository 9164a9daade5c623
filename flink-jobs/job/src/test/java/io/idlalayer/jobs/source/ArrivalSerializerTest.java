package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** Every field of an arrival gets to the other side, whatever came before. */
final class ArrivalSerializerTest {
  private static final int ARRIVALS = 5_000;

  private final SplittableRandom random = new SplittableRandom(5);
  private final TypeSerializer<Arrival> serializer =
      new ArrivalType().createSerializer(new SerializerConfigImpl());

  private static List<Field> fields() {
    return Arrays.stream(Arrival.class.getFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .toList();
  }

  /** Some texts come again and again, some are new, long, empty or no ASCII. */
  private String text() {
    return switch (random.nextInt(6)) {
      case 0 -> "";
      case 1 -> "clicks/" + random.nextInt(200) + "~17";
      case 2 -> "t\u00f6pic-\u4e16-" + random.nextInt(3);
      case 3 -> "x".repeat(500 + random.nextInt(30));
      case 4 -> "Aa".repeat(random.nextInt(4)) + "BB";
      default -> "events";
    };
  }

  /** Each field has its own value in about half of the arrivals. */
  private Arrival arrival() throws IllegalAccessException {
    Arrival arrival = new Arrival();
    for (Field field : fields()) {
      if (random.nextBoolean()) {
        continue;
      }
      if (field.getType() == String.class) {
        field.set(arrival, text());
      } else if (field.getType() == byte[].class) {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        field.set(arrival, bytes);
      } else if (field.getType() == byte.class) {
        field.setByte(arrival, (byte) random.nextInt(12));
      } else if (field.getType() == int.class) {
        field.setInt(arrival, random.nextInt());
      } else {
        field.setLong(arrival, random.nextLong());
      }
    }
    return arrival;
  }

  private static void assertEqual(Arrival actual, Arrival expected) throws IllegalAccessException {
    for (Field field : fields()) {
      assertThat(field.get(actual)).as(field.getName()).isEqualTo(field.get(expected));
    }
  }

  private static List<Arrival> read(TypeSerializer<Arrival> by, DataOutputSerializer from)
      throws IOException {
    DataInputDeserializer in = new DataInputDeserializer(from.getCopyOfBuffer());
    List<Arrival> read = new ArrayList<>();
    Arrival reused = by.createInstance();
    while (in.available() > 0) {
      read.add(read.size() % 2 == 0 ? by.deserialize(in) : by.deserialize(reused, in));
    }
    return read;
  }

  @Test
  void deserialize_manyArrivals_haveAllFields() throws Exception {
    List<Arrival> arrivals = new ArrayList<>();
    DataOutputSerializer out = new DataOutputSerializer(64);
    for (int i = 0; i < ARRIVALS; i++) {
      arrivals.add(arrival());
      serializer.serialize(arrivals.get(i), out);
    }
    List<Arrival> read = read(serializer.duplicate(), out);
    List<Arrival> readByTheWriter = read(serializer, out);
    assertThat(read).hasSameSizeAs(arrivals);
    assertThat(readByTheWriter).hasSameSizeAs(arrivals);
    for (int i = 0; i < ARRIVALS; i++) {
      assertEqual(read.get(i), arrivals.get(i));
      assertEqual(readByTheWriter.get(i), arrivals.get(i));
    }
  }

  @Test
  void copy_ofAnArrival_hasAllFieldsAndABodyOfItsOwn() throws Exception {
    for (int i = 0; i < 100; i++) {
      Arrival arrival = arrival();
      Arrival copy = serializer.copy(arrival);
      assertEqual(copy, arrival);
      assertEqual(serializer.copy(arrival, new Arrival()), arrival);
      assertThat(copy.body.length == 0 || copy.body != arrival.body).isTrue();
      DataOutputSerializer first = new DataOutputSerializer(64);
      serializer.serialize(arrival, first);
      DataOutputSerializer second = new DataOutputSerializer(64);
      serializer.copy(new DataInputDeserializer(first.getCopyOfBuffer()), second);
      assertThat(second.getCopyOfBuffer()).isEqualTo(first.getCopyOfBuffer());
    }
  }

  @Test
  void serializer_sentToATask_worksThere() throws Exception {
    DataOutputSerializer out = new DataOutputSerializer(64);
    Arrival arrival = arrival();
    serializer.serialize(arrival, out);
    TypeSerializer<Arrival> there = InstantiationUtil.clone(serializer);
    assertThat(there).isEqualTo(serializer).hasSameHashCodeAs(serializer);
    assertEqual(read(there, out).get(0), arrival);
    assertThat(serializer.snapshotConfiguration().restoreSerializer()).isEqualTo(serializer);
  }
}
