package io.idlalayer.modelruntime.inference;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's request for predictions.
 *
 * @param id id of the request, which the answer repeats; null for none
 * @param inputs input tensors: at least one, each name once
 * @param outputs names of the requested outputs; empty for all
 */
record InferenceRequest(@Nullable String id, List<InferenceTensor> inputs, List<String> outputs) {}
