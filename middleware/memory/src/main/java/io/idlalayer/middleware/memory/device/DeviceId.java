package io.idlalayer.middleware.memory.device;

/**
 * The index of a device in its memory.
 *
 * @param index index in the list of the memory's devices, from 0
 */
public record DeviceId(int index) {}
