package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.DeviceId;
import java.util.List;

/**
 * Numbers of copies and bytes between devices, by direction; they do not depend on the kind of
 * clock.
 *
 * @param flows one per pair of devices with at least one copy
 */
public record Traffic(List<Flow> flows) {
  /** Number and bytes of the copies from one device to another. */
  public record Flow(DeviceId source, DeviceId target, long copies, long bytes) {}

  /** Returns the number of bytes copied from one device to another. */
  public long bytes(DeviceId source, DeviceId target) {
    return flows.stream()
        .filter(flow -> flow.source().equals(source) && flow.target().equals(target))
        .mapToLong(Flow::bytes)
        .sum();
  }

  /** Returns the number of copies from one device to another. */
  public long copies(DeviceId source, DeviceId target) {
    return flows.stream()
        .filter(flow -> flow.source().equals(source) && flow.target().equals(target))
        .mapToLong(Flow::copies)
        .sum();
  }
}
