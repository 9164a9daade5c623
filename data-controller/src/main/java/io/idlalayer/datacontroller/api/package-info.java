/**
 * The API of the data controller, which decides for each sample its life stage, when it is evicted,
 * and which updates train on it.
 */
@NullMarked
package io.idlalayer.datacontroller.api;

import org.jspecify.annotations.NullMarked;
