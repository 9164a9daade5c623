package io.idlalayer.middleware.models.kafka.bounds;

import java.lang.reflect.Field;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many bytes a consumer unpacks from compressed batches. Kafka has no setting for such a
 * limit, and no plug-in sees batches before they are unpacked, so this class replaces the
 * consumer's network client. Only this class knows in which field of a consumer the client is.
 * Confined to the thread of its consumer.
 */
public final class UnpackBounds {
  /** The fields that lead from a consumer with {@code group.protocol=classic} to its client. */
  private static final String[] WAY = {"delegate", "client", "client"};

  private final UnpackedPoll poll;

  private UnpackBounds(UnpackedPoll poll) {
    this.poll = poll;
  }

  /**
   * Bounds a consumer that has not polled yet.
   *
   * @throws IllegalStateException if the consumer has a version of Kafka, or a group protocol, that
   *     this class does not know
   */
  public static UnpackBounds on(KafkaConsumer<?, ?> consumer, UnpackLimits limits) {
    UnpackedPoll poll = new UnpackedPoll(limits);
    try {
      Object holder = consumer;
      Field field = field(holder, WAY[0]);
      for (int i = 1; i < WAY.length; i++) {
        holder = value(field, holder);
        field = field(holder, WAY[i]);
      }
      field.set(holder, new BoundedClient((KafkaClient) value(field, holder), poll));
    } catch (ReflectiveOperationException | ClassCastException unknown) {
      throw new IllegalStateException(
          "kafka-clients %s is not supported: its inner structure differs. Use the version in iDlaLayer's lib folder"
              .formatted(AppInfoParser.getVersion()),
          unknown);
    }
    return new UnpackBounds(poll);
  }

  private static Field field(Object holder, String name) throws NoSuchFieldException {
    Class<?> type = holder instanceof KafkaConsumer ? KafkaConsumer.class : holder.getClass();
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  private static Object value(Field field, Object holder) throws ReflectiveOperationException {
    @Nullable Object value = field.get(holder);
    if (value == null) {
      throw new NoSuchFieldException(field + " is null");
    }
    return value;
  }

  /** Lets the next poll return as much as the limits allow; called before each poll. */
  public void beginPoll() {
    poll.begin();
  }
}
