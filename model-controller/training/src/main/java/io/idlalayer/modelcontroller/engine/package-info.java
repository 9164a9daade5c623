/**
 * The training engine: compiles networks of Deeplearning4j to tapes of kernels on memory outside
 * the heap. It reads and writes Deeplearning4j's files.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine;

import org.jspecify.annotations.NullMarked;
