/** Emulated hardware: slow devices in wall time, and a hardware cache of DRAM lines. */
@NullMarked
package io.idlalayer.benchmarks.emulation;

import org.jspecify.annotations.NullMarked;
