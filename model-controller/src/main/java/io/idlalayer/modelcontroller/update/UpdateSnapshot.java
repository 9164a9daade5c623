package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The state of an update controller in bytes.
 *
 * @param waiting samples that waited and are counted in the certificate already
 * @param rule whose memory it is
 */
record UpdateSnapshot(
    double replayed,
    int failures,
    long pausedUntilNanos,
    long startedNanos,
    int waiting,
    String rule,
    byte[] memory,
    byte[] certificate,
    byte[] cost) {
  private static final byte VERSION = 2;
  private static final byte BEFORE_MEMORY = 1;

  byte[] encode() {
    byte[] name = rule.getBytes(StandardCharsets.UTF_8);
    int parts = name.length + memory.length + certificate.length + cost.length;
    ByteBuffer out = ByteBuffer.allocate(1 + 8 + 4 + 8 + 8 + 4 + 4 * 4 + parts);
    out.put(VERSION).putDouble(replayed).putInt(failures);
    out.putLong(pausedUntilNanos).putLong(startedNanos).putInt(waiting);
    for (byte[] part : new byte[][] {name, memory, certificate, cost}) {
      out.putInt(part.length).put(part);
    }
    return out.array();
  }

  static UpdateSnapshot decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.get();
    return switch (version) {
      case BEFORE_MEMORY -> decodeFirst(in);
      case VERSION ->
          new UpdateSnapshot(
              in.getDouble(),
              in.getInt(),
              in.getLong(),
              in.getLong(),
              in.getInt(),
              new String(part(in), StandardCharsets.UTF_8),
              part(in),
              part(in),
              part(in));
      default ->
          throw new IllegalArgumentException(
              "update controller snapshot has version %d, this program reads %d and %d"
                  .formatted(version, BEFORE_MEMORY, VERSION));
    };
  }

  private static byte[] part(ByteBuffer in) {
    byte[] part = new byte[in.getInt()];
    in.get(part);
    return part;
  }

  /** Version 1 knew the phase of {@code periodic} and no certificate. */
  private static UpdateSnapshot decodeFirst(ByteBuffer in) {
    double replayed = in.getDouble();
    int failures = in.getInt();
    long pausedUntilNanos = in.getLong();
    long phaseNanos = in.getLong();
    byte[] memory =
        phaseNanos == UpdateRule.NEVER
            ? new byte[0]
            : ByteBuffer.allocate(Long.BYTES).putLong(phaseNanos).array();
    return new UpdateSnapshot(
        replayed,
        failures,
        pausedUntilNanos,
        Long.MIN_VALUE / 2,
        0,
        RuleName.PERIODIC.key(),
        memory,
        new byte[0],
        part(in));
  }
}
