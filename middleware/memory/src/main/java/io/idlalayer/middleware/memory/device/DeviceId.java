package io.idlalayer.middleware.memory.device;

import io.idlalayer.middleware.memory.object.TieredMemory;

/**
 * Names a device of one {@link TieredMemory}.
 *
 * @param index place in the list that the memory was made from, from 0
 */
public record DeviceId(int index) {}
