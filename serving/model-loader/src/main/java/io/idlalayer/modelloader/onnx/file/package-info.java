/** Reads ONNX files into memory, within bounds, whatever their bytes say. */
@NullMarked
package io.idlalayer.modelloader.onnx.file;

import org.jspecify.annotations.NullMarked;
