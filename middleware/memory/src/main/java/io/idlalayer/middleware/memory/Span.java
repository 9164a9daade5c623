package io.idlalayer.middleware.memory;

/**
 * A free range of a device.
 *
 * @param offset of its first byte on the device
 */
public record Span(DeviceId device, long offset, long bytes) {}
