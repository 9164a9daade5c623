package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.DeviceId;

/**
 * Source, target, size and times of a copy that has ended.
 *
 * @param startNanos time of the request, by the memory's clock
 * @param endNanos time at which its bytes had arrived
 */
public record MoveReceipt(
    DeviceId source, DeviceId target, long bytes, long startNanos, long endNanos) {}
