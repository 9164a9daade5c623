package io.idlalayer.middleware.placement.plan.solver;

import java.time.Duration;

/**
 * The time and memory that a solver's process may take.
 *
 * @param memoryBytes address space, which the operating system enforces
 * @param grace time that the process gets beside that of the search, to start and to answer
 * @param niceness by which its priority is lowered, 0 to 19
 */
public record SolverLimits(long memoryBytes, Duration grace, int niceness) {
  /**
   * 4 GiB of addresses, of which a search of 1,300 kernels uses about 1 GiB; 30 s, of which an idle
   * machine takes two; and a niceness of 5, with which it gets a quarter of a core that something
   * else wants.
   */
  public static final SolverLimits DEFAULT = new SolverLimits(4L << 30, Duration.ofSeconds(30), 5);
}
