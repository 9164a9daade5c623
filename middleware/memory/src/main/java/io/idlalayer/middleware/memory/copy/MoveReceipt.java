package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.DeviceId;

/**
 * A copy that was made.
 *
 * @param startNanos when it was asked for, by the memory's clock
 * @param endNanos when its bytes were there
 */
public record MoveReceipt(
    DeviceId source, DeviceId target, long bytes, long startNanos, long endNanos) {}
