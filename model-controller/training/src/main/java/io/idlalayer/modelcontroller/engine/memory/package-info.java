/**
 * The memories for the tensors of networks: in DRAM, or on two devices where a policy places them.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.memory;

import org.jspecify.annotations.NullMarked;
