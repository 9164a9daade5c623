/**
 * Networks that other programs have trained, as sequences of steps whose weights a network of an
 * application can take.
 */
@org.jspecify.annotations.NullMarked
package io.idlalayer.modelloader.imported;
