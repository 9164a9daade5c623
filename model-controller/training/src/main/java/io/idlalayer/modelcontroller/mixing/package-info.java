/**
 * The arithmetic by which models of several learners become one: on the arrays in their files,
 * without a network.
 */
@NullMarked
package io.idlalayer.modelcontroller.mixing;

import org.jspecify.annotations.NullMarked;
