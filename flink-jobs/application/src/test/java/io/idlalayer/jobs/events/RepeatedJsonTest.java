package io.idlalayer.jobs.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RepeatedJsonTest {
  /** How often a part was written anew. */
  private final AtomicInteger written = new AtomicInteger();

  private final ObjectMapper json = new ObjectMapper();

  private record Part(String name) {}

  private final class Counted extends JsonSerializer<Part> {
    @Override
    public void serialize(Part part, JsonGenerator out, SerializerProvider context)
        throws IOException {
      written.incrementAndGet();
      out.writeStartObject();
      out.writeStringField("name", part.name());
      out.writeEndObject();
    }
  }

  RepeatedJsonTest() {
    ObjectMapper plain = new ObjectMapper();
    plain.registerModule(new SimpleModule().addSerializer(Part.class, new Counted()));
    RepeatedJson<Part> repeated = new RepeatedJson<>(plain, Part.class);
    json.registerModule(new SimpleModule().addSerializer(Part.class, repeated));
  }

  private void write(Part part) throws IOException {
    assertThat(json.writeValueAsString(List.of(part)))
        .isEqualTo("[{\"name\":\"%s\"}]".formatted(part.name()));
  }

  @Test
  void part_ofTwoLearnersInTurns_isWrittenOnceForEach() throws IOException {
    Part one = new Part("one");
    Part other = new Part("other");
    for (int i = 0; i < 5; i++) {
      write(one);
      write(other);
    }
    assertThat(written).hasValue(2);
  }

  @Test
  void part_equalToAnother_isWrittenAnew() throws IOException {
    write(new Part("\u00e9"));
    write(new Part("\u00e9"));
    assertThat(written).hasValue(2);
  }

  @Test
  void parts_moreThanAreKept_leaveTheOldestOut() throws IOException {
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i <= RepeatedJson.MOST; i++) {
      parts.add(new Part("part" + i));
      write(parts.get(i));
    }
    assertThat(written).hasValue(RepeatedJson.MOST + 1);
    write(parts.get(RepeatedJson.MOST));
    write(parts.get(1));
    assertThat(written).hasValue(RepeatedJson.MOST + 1);
    write(parts.get(0));
    assertThat(written).hasValue(RepeatedJson.MOST + 2);
  }
}
