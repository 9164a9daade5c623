package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.DeviceId;
import java.util.List;

/**
 * Copies between devices, with the same counts under every clock.
 *
 * @param flows one per pair of devices with at least one copy
 */
public record Traffic(List<Flow> flows) {
  /** Copies in one direction. */
  public record Flow(DeviceId source, DeviceId target, long copies, long bytes) {}

  /** Bytes copied from one device to another. */
  public long bytes(DeviceId source, DeviceId target) {
    return flows.stream()
        .filter(flow -> flow.source().equals(source) && flow.target().equals(target))
        .mapToLong(Flow::bytes)
        .sum();
  }

  /** Copies made from one device to another. */
  public long copies(DeviceId source, DeviceId target) {
    return flows.stream()
        .filter(flow -> flow.source().equals(source) && flow.target().equals(target))
        .mapToLong(Flow::copies)
        .sum();
  }
}
