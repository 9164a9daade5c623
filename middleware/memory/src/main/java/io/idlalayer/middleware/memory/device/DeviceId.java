package io.idlalayer.middleware.memory.device;

/**
 * A device of a memory.
 *
 * @param index index in the list of the memory's devices, from 0
 */
public record DeviceId(int index) {}
