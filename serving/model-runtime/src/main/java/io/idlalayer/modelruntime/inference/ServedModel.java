package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.modelruntime.serve.Predictor;

/**
 * A model that a server answers for.
 *
 * @param name in the paths of the server: letters, digits, dot, dash and underscore, at most 120,
 *     the first one a letter or digit
 * @param subscriber that keeps it on its version; the server does not close it
 */
public record ServedModel(String name, ModelSubscriber<? extends Predictor> subscriber) {}
