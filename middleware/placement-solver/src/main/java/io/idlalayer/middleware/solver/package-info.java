/** The child process that solves integer linear programs with OR-Tools. */
@org.jspecify.annotations.NullMarked
package io.idlalayer.middleware.solver;
