package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.DeviceId;

/**
 * A range of a device's bytes that an eviction has freed.
 *
 * @param offset offset of its first byte on the device
 */
public record Span(DeviceId device, long offset, long bytes) {}
