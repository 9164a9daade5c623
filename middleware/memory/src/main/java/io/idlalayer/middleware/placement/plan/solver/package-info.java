/**
 * Solves mixed-integer linear programs in a child process, which may hang, die or answer nonsense
 * without harm to this one.
 */
@org.jspecify.annotations.NullMarked
package io.idlalayer.middleware.placement.plan.solver;
