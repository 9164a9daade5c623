package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.DeviceId;

/**
 * A free range of a device.
 *
 * @param offset offset of its first byte on the device
 */
public record Span(DeviceId device, long offset, long bytes) {}
