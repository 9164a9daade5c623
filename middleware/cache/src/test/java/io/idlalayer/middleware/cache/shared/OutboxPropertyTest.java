package io.idlalayer.middleware.cache.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class OutboxPropertyTest {
  private static final int TARGET = 77;
  private static final FileLayout LAYOUT =
      new FileLayout(new FileLayout.Identity(1, 2), 1, 16, 4096, 64, 4096);

  private final ByteBuffer front =
      ByteBuffer.allocateDirect(LAYOUT.frontBytes()).order(ByteOrder.LITTLE_ENDIAN);
  private final Outbox outbox = new Outbox(front, LAYOUT);
  private final OutboxReader reader = new OutboxReader(front, LAYOUT);

  private static byte[] body(int number, int length) {
    byte[] body = new byte[length];
    new Random(number).nextBytes(body);
    return body;
  }

  @Property(tries = 300)
  void read_ofAnyMessages_hasThoseToTheTargetInOrder(
      @ForAll @Size(max = 200) List<@IntRange(max = 2000) Integer> actions) {
    List<byte[]> sent = new ArrayList<>();
    List<byte[]> received = new ArrayList<>();
    for (int i = 0; i < actions.size(); i++) {
      int action = actions.get(i);
      if (action % 3 == 0) {
        reader.read(TARGET, (kind, body) -> received.add(body));
      } else {
        byte[] body = body(i, action % 1100);
        boolean fits = body.length <= Outbox.largestBody(LAYOUT.outboxBytes());
        assertThat(outbox.send(action % 3 == 1 ? TARGET : 5, Outbox.OFFER, body)).isEqualTo(fits);
        if (fits && action % 3 == 1) {
          sent.add(body);
        }
      }
    }
    reader.read(TARGET, (kind, body) -> received.add(body));
    if (reader.lost() == 0) {
      assertThat(received).containsExactlyElementsOf(sent);
    } else {
      // What was overwritten is lost; nothing else is made up or comes twice.
      int next = 0;
      for (byte[] each : received) {
        while (next < sent.size() && !Arrays.equals(sent.get(next), each)) {
          next++;
        }
        assertThat(next++).isLessThan(sent.size());
      }
    }
  }

  @Test
  void read_ofDamagedMessage_passesOverIt() {
    outbox.send(TARGET, Outbox.OFFER, body(1, 100));
    front.put(LAYOUT.outboxOffset() + 50, (byte) (front.get(LAYOUT.outboxOffset() + 50) + 1));
    List<byte[]> received = new ArrayList<>();
    reader.read(TARGET, (kind, body) -> received.add(body));
    assertThat(received).isEmpty();
    assertThat(reader.lost()).isEqualTo(1);

    outbox.send(TARGET, Outbox.USE, body(2, 16));
    reader.read(TARGET, (kind, body) -> received.add(body));
    assertThat(received).containsExactly(body(2, 16));
  }
}
