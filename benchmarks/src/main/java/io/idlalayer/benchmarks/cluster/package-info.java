/**
 * A simulated cluster whose nodes have DRAM and slower memory, with the workloads and rivals of
 * UniRedl (Rang 2021, chapter 7).
 */
@NullMarked
package io.idlalayer.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
