/** Writes models as ONNX files, for serving processes that are not in Java. */
@org.jspecify.annotations.NullMarked
package io.idlalayer.modelloader.onnx;
